//! Graphs in the DOT language of Graphviz.
//!
//! ```text
//! graph     = [ 'strict' ] ( 'graph' | 'digraph' ) [ id ] '{' { statement [ ';' ] } '}'
//! statement = ( 'graph' | 'node' | 'edge' ) attributes        defaults for what follows
//!           | id '=' id                                       ignored
//!           | end { ( '--' | '->' ) end } [ attributes ]      nodes, and edges between neighbors
//! end       = id [ ':' id [ ':' id ] ] | [ 'subgraph' [ id ] ] '{' { statement } '}'
//! attributes= { '[' { id '=' id [ ',' | ';' ] } ']' }
//! id        = letters, digits, '_', '.' | a number | '"' … '"' { '+' '"' … '"' } | '<' … '>'
//! ```
//! `//`, `/* */` and `#` start comments.
//!
//! Edges between subgraphs, and attributes of a subgraph, multiply: a short text can mean a graph that fits nowhere. So
//! the size of the graph is bounded by that of the text, see [`DotParser::grow`].

use std::collections::{BTreeMap, HashMap};

use super::item::{DEEPEST, DescriptionFault, too_deep};
use super::resources::{Topology, TopologyEdge, TopologyNode};
use super::scanner::TextScanner;
use super::units;

/// The graph of a file.
pub(super) fn parse(text: &str) -> Result<Topology, DescriptionFault> {
    let mut parser = DotParser {
        scanner: TextScanner::new(text),
        topology: Topology::default(),
        places: HashMap::new(),
        is_directed: false,
        room: ROOM + text.len().saturating_mul(ROOM_PER_BYTE),
    };
    parser.graph()?;
    Ok(parser.topology)
}

/// Bytes of memory that any graph may take, and how many more per byte of its text.
const ROOM: usize = 128 << 20;
const ROOM_PER_BYTE: usize = 100;
/// Bytes of a node or an edge, of its first attribute, and of each attribute besides its texts.
const BARE: usize = 100;
const FIRST_ATTRIBUTE: usize = 600;
const ATTRIBUTE: usize = 50;

type Attributes = BTreeMap<String, String>;

/// Attributes that nodes and edges get when they do not say otherwise.
#[derive(Debug, Clone, Default)]
struct Defaults {
    node: Attributes,
    edge: Attributes,
}

struct DotParser<'a> {
    scanner: TextScanner<'a>,
    topology: Topology,
    places: HashMap<String, usize>,
    is_directed: bool,
    /// Bytes that the graph may still take.
    room: usize,
}

/// About how many bytes a node or an edge with these attributes takes.
fn size_of(attributes: &Attributes) -> usize {
    let texts: usize = attributes.iter().map(|(key, value)| ATTRIBUTE + key.len() + value.len()).sum();
    if attributes.is_empty() { BARE } else { BARE + FIRST_ATTRIBUTE + texts }
}

impl DotParser<'_> {
    /// Takes room for as many nodes or edges with these attributes.
    fn grow(&mut self, count: usize, attributes: &Attributes) -> Result<(), DescriptionFault> {
        let room = size_of(attributes).checked_mul(count).and_then(|size| self.room.checked_sub(size));
        self.room = room.ok_or_else(|| {
            let message = "the graph is too large: edges between subgraphs and attributes of many nodes multiply; use fewer of them";
            DescriptionFault::at(self.scanner.line, message)
        })?;
        Ok(())
    }

    fn space(&mut self) -> Result<(), DescriptionFault> {
        self.scanner.skip(Some('#'))
    }

    fn expected(&self, wanted: &str) -> DescriptionFault {
        DescriptionFault::at(self.scanner.line, format!("expected {wanted}, got {}", self.scanner.shown()))
    }

    fn take(&mut self, wanted: &str) -> Result<bool, DescriptionFault> {
        self.space()?;
        Ok(self.scanner.take(wanted))
    }

    fn graph(&mut self) -> Result<(), DescriptionFault> {
        let mut word = self.id()?.unwrap_or_default().to_lowercase();
        if word == "strict" {
            word = self.id()?.unwrap_or_default().to_lowercase();
        }
        self.is_directed = match word.as_str() {
            "graph" => false,
            "digraph" => true,
            _ => {
                return Err(DescriptionFault::at(
                    self.scanner.line,
                    format!("a DOT file begins with graph or digraph, got '{word}'"),
                ));
            }
        };
        self.id()?;
        if !self.take("{")? {
            return Err(self.expected("{"));
        }
        self.statements(&mut Defaults::default(), 0)?;
        self.space()?;
        match self.scanner.peek() {
            None => Ok(()),
            Some(_) => Err(self.expected("the end of the file")),
        }
    }

    /// Statements up to the closing brace; gives the nodes that they name.
    fn statements(&mut self, defaults: &mut Defaults, depth: usize) -> Result<Vec<usize>, DescriptionFault> {
        if depth > DEEPEST {
            return Err(too_deep(self.scanner.line));
        }
        let mut named = vec![];
        loop {
            if self.take("}")? {
                return Ok(named);
            }
            if self.take(";")? || self.take(",")? {
                continue;
            }
            if self.scanner.peek().is_none() {
                return Err(self.expected("a statement or }"));
            }
            named.extend(self.statement(defaults, depth)?);
        }
    }

    fn statement(&mut self, defaults: &mut Defaults, depth: usize) -> Result<Vec<usize>, DescriptionFault> {
        let line = self.scanner.line;
        let mut ends = vec![];
        loop {
            let Some(end) = self.end(defaults, depth, ends.is_empty())? else {
                return Ok(vec![]);
            };
            ends.push(end);
            self.space()?;
            match (self.scanner.take("--"), self.scanner.take("->")) {
                (false, false) => break,
                (undirected, _) if undirected == self.is_directed => {
                    let (wanted, kind) = if self.is_directed { ("->", "digraph") } else { ("--", "graph") };
                    return Err(DescriptionFault::at(line, format!("edges of a {kind} are written {wanted}")));
                }
                _ => {}
            }
        }
        let attributes = self.attributes()?;
        if ends.len() == 1 {
            self.grow(ends[0].len(), &attributes)?;
            for node in &ends[0] {
                self.topology.nodes[*node].attributes.extend(attributes.clone());
            }
        }
        for pair in ends.windows(2) {
            let mut all = defaults.edge.clone();
            all.extend(attributes.clone());
            self.grow(pair[0].len().saturating_mul(pair[1].len()).max(1), &all)?;
            for (source, target) in
                pair[0].iter().flat_map(|source| pair[1].iter().map(move |target| (*source, *target)))
            {
                self.edge(source, target, all.clone(), line)?;
            }
        }
        Ok(ends.concat())
    }

    fn edge(
        &mut self,
        source: usize,
        target: usize,
        mut attributes: Attributes,
        line: usize,
    ) -> Result<(), DescriptionFault> {
        let mut measure = |name: &str, read: fn(&str) -> Option<f64>, example: &str| match attributes.remove(name) {
            None => Ok(None),
            Some(text) => match read(&text) {
                Some(number) => Ok(Some(number)),
                None => Err(DescriptionFault::at(
                    line,
                    format!("{name} must be a number, or one with a unit such as {example}, got '{text}'"),
                )),
            },
        };
        let bandwidth = measure("bandwidth", units::bandwidth, "1Gbps")?;
        let latency = measure("latency", units::latency, "50us")?;
        let is_directed = self.is_directed;
        self.topology.edges.push(TopologyEdge { source, target, is_directed, bandwidth, latency, attributes });
        Ok(())
    }

    /// One end of an edge: a node, or all nodes of a subgraph. `None` when the statement was another one.
    fn end(
        &mut self,
        defaults: &mut Defaults,
        depth: usize,
        is_first: bool,
    ) -> Result<Option<Vec<usize>>, DescriptionFault> {
        if self.take("{")? {
            return self.subgraph(defaults, depth).map(Some);
        }
        let is_quoted = self.scanner.peek() == Some('"');
        let Some(id) = self.id()? else {
            return Err(self.expected("a node"));
        };
        match id.to_lowercase().as_str() {
            "subgraph" if !is_quoted => {
                self.id()?;
                if !self.take("{")? {
                    return Err(self.expected("{"));
                }
                return self.subgraph(defaults, depth).map(Some);
            }
            "node" if is_first && !is_quoted => {
                defaults.node.extend(self.attributes()?);
                return Ok(None);
            }
            "edge" if is_first && !is_quoted => {
                defaults.edge.extend(self.attributes()?);
                return Ok(None);
            }
            "graph" if is_first && !is_quoted => return self.attributes().map(|_| None),
            _ => {}
        }
        if is_first && self.take("=")? {
            return match self.id()? {
                Some(_) => Ok(None),
                None => Err(self.expected(&format!("a value of {id}"))),
            };
        }
        // A port of the node says nothing about the network.
        while self.take(":")? {
            self.id()?;
        }
        Ok(Some(vec![self.node(id, defaults)?]))
    }

    /// The nodes of a subgraph, whose opening brace has been taken.
    fn subgraph(&mut self, defaults: &Defaults, depth: usize) -> Result<Vec<usize>, DescriptionFault> {
        // Its copy of the defaults is short-lived; counted, so that many subgraphs do not copy many defaults.
        self.grow(1, &defaults.node)?;
        self.grow(1, &defaults.edge)?;
        self.statements(&mut defaults.clone(), depth + 1)
    }

    fn node(&mut self, name: String, defaults: &Defaults) -> Result<usize, DescriptionFault> {
        if let Some(place) = self.places.get(&name) {
            return Ok(*place);
        }
        self.grow(1, &defaults.node)?;
        let place = self.topology.nodes.len();
        self.places.insert(name.clone(), place);
        self.topology.nodes.push(TopologyNode { name, attributes: defaults.node.clone() });
        Ok(place)
    }

    fn attributes(&mut self) -> Result<Attributes, DescriptionFault> {
        let mut attributes = Attributes::new();
        while self.take("[")? {
            while !self.take("]")? {
                if self.take(",")? || self.take(";")? {
                    continue;
                }
                let Some(key) = self.id()? else {
                    return Err(self.expected("an attribute or ]"));
                };
                if !self.take("=")? {
                    return Err(self.expected(&format!("= after {key}")));
                }
                match self.id()? {
                    Some(value) => attributes.insert(key, value),
                    None => return Err(self.expected(&format!("a value of {key}"))),
                };
            }
        }
        Ok(attributes)
    }

    fn id(&mut self) -> Result<Option<String>, DescriptionFault> {
        self.space()?;
        if self.scanner.take("\"") {
            let mut text = self.scanner.quoted('"')?;
            while self.take("+")? {
                if !self.take("\"")? {
                    return Err(self.expected("a quoted text after +"));
                }
                text.push_str(&self.scanner.quoted('"')?);
            }
            return Ok(Some(text));
        }
        if self.scanner.take("<") {
            return self.html().map(Some);
        }
        let is_number = self
            .scanner
            .rest()
            .strip_prefix('-')
            .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit() || c == '.'));
        let sign = if is_number && self.scanner.take("-") { "-" } else { "" };
        let word = self.scanner.take_while(|c| c.is_alphanumeric() || c == '_' || c == '.');
        Ok((!word.is_empty()).then(|| format!("{sign}{word}")))
    }

    fn html(&mut self) -> Result<String, DescriptionFault> {
        let (line, mut depth, mut text) = (self.scanner.line, 1, String::new());
        loop {
            match self.scanner.next() {
                None => return Err(DescriptionFault::at(line, "a text <…> has no end")),
                Some('<') => depth += 1,
                Some('>') => depth -= 1,
                Some(_) => {}
            }
            if depth == 0 {
                return Ok(text);
            }
            text.push(' ');
        }
    }
}
