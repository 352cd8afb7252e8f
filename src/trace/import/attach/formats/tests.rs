//! The listings of the thesis, what else the formats allow, and faults with their lines.

use super::item::{DescriptionFault, DescriptionItem};
use super::{Topology, dot, hierarchy, plist, yaml};

fn names(topology: &Topology) -> Vec<&str> {
    topology.nodes.iter().map(|node| node.name.as_str()).collect()
}

fn pairs(topology: &Topology) -> Vec<(&str, &str)> {
    let name = |place: usize| topology.nodes[place].name.as_str();
    topology.edges.iter().map(|edge| (name(edge.source), name(edge.target))).collect()
}

#[test]
fn machines_around_a_switch() {
    let text = "graph G {\n  \"xiru-0.fr\" -- \"switch\";\n  \"xiru-1.fr\" -- \"switch\";\n}\n";
    let topology = dot::parse(text).expect("a graph");
    assert_eq!(names(&topology), ["xiru-0.fr", "switch", "xiru-1.fr"]);
    assert_eq!(pairs(&topology), [("xiru-0.fr", "switch"), ("xiru-1.fr", "switch")]);
    assert!(topology.edges.iter().all(|edge| !edge.is_directed && edge.bandwidth.is_none()));
}

#[test]
fn attributes_defaults_subgraphs_and_comments() {
    let text = r#"
        strict digraph "net" { // a comment
            rankdir = LR; node [shape=box]  /* over
            two lines */
            edge [bandwidth="1Gbps", latency=50us];
            # a line
            a [label="A" + "1"]; r1:p0:n -> { a b } [latency="1ms"; color=red]
            subgraph cluster_x { edge [bandwidth=10]; a -> b -> c }
            c -> a
        }"#;
    let topology = dot::parse(text).expect("a graph");
    assert_eq!(names(&topology), ["a", "r1", "b", "c"]);
    assert_eq!(topology.nodes[0].attributes["label"], "A1");
    assert_eq!(topology.nodes[1].attributes["shape"], "box");
    assert_eq!(pairs(&topology), [("r1", "a"), ("r1", "b"), ("a", "b"), ("b", "c"), ("c", "a")]);
    let measures: Vec<_> = topology.edges.iter().map(|edge| (edge.bandwidth, edge.latency)).collect();
    assert_eq!(measures[0], (Some(1.25e8), Some(0.001)));
    assert_eq!(measures[2], (Some(10.0), Some(5e-5)));
    assert_eq!(measures[4].0, Some(1.25e8));
    assert_eq!(topology.edges[0].attributes["color"], "red");
    assert!(topology.edges[0].is_directed);
}

/// A list of names, as in `a0 a1 a2`.
fn list(prefix: &str, count: usize) -> String {
    (0..count).map(|number| format!("{prefix}{number} ")).collect()
}

#[test]
fn short_texts_of_huge_graphs_are_refused() {
    let (left, right) = (list("a", 3000), list("b", 3000));
    let attributes: String = (0..3000).map(|number| format!("k{number}=1 ")).collect();
    for text in [
        format!("graph {{ {{ {left} }} -- {{ {right} }} }}"),
        format!("graph {{ node [{attributes}] {left} }}"),
        format!("graph {{ {{ {left} }} [{attributes}] }}"),
        format!("graph {{ edge [{attributes}] {} }}", "{} ".repeat(3000)),
        format!("graph {{ {{ {left} }} -- x [label=\"{}\"] }}", "long".repeat(25_000)),
    ] {
        let fault = dot::parse(&text).expect_err("too large");
        assert!(fault.message.contains("too large"), "{}", fault.message);
    }
    let fits =
        dot::parse(&format!("graph {{ {{ {} }} -- {{ {} }} }}", list("a", 500), list("b", 500))).expect("a graph");
    assert_eq!((fits.nodes.len(), fits.edges.len()), (1000, 250_000));
}

#[test]
fn faults_of_graphs_have_their_line() {
    for (text, line, words) in [
        ("", 1, "begins with graph or digraph"),
        ("tree { }", 1, "begins with graph or digraph, got 'tree'"),
        ("graph {\n a -- b\n", 3, "expected a statement or }, got the end of the file"),
        ("graph {\n a -> b }", 2, "edges of a graph are written --"),
        ("digraph {\n\n a -- b }", 3, "edges of a digraph are written ->"),
        ("graph {\n a -- b [bandwidth=fast]\n}", 2, "bandwidth must be a number"),
        ("graph {\n a -- b [bandwidth\n}", 3, "expected = after bandwidth, got '}'"),
        ("graph {\n a -- ;}", 2, "expected a node, got ';}'"),
        ("graph {\n \"a\n -- b }", 2, "no closing quote"),
        ("graph {\n /* a -- b }", 2, "has no end"),
        ("graph { }\n x", 2, "expected the end of the file"),
        ("graph {\n )\n}", 2, "expected a node, got ')'"),
    ] {
        let fault = dot::parse(text).expect_err(text);
        assert!(fault.line == line && fault.message.contains(words), "{text:?}: {fault:?}");
    }
}

const PLIST: &str = "{\n name = Grid5000;\n type = grid;\n children = (\n  {\n   name = \"porto alegre\"; type = site;\n   children = (\n    xiru-0.fr,\n    xiru-1.fr,\n   );\n  },\n  lone, // no type\n );\n}\n";
const JSON: &str = "{\"name\": \"Grid5000\", \"type\": \"grid\", \"children\": [\n{\"name\": \"porto alegre\", \"type\": \"site\", \"children\": [\"xiru-0.fr\", \"xiru-1.fr\"]},\n\"lone\"]}";
const YAML: &str = "# machines\nname: Grid5000   # all\ntype: grid\nchildren:\n  - name: porto alegre\n    type: site\n    children:\n    - xiru-0.fr\n    - \"xiru-1.fr\"\n  - lone\n";
const FLOW: &str = "name: Grid5000\ntype: grid\nchildren:\n- {name: \"porto alegre\", type: site, children: [xiru-0.fr, xiru-1.fr]}\n- lone\n";

type Parse = fn(&str) -> std::result::Result<DescriptionItem, DescriptionFault>;

#[test]
fn one_hierarchy_in_every_format() {
    let formats = [(plist::parse as Parse, PLIST), (yaml::parse, YAML), (yaml::parse, FLOW), (yaml::parse, JSON)];
    for (parse, text) in formats {
        let hierarchy =
            parse(text).and_then(|item| hierarchy::of_item(&item)).unwrap_or_else(|e| panic!("{text}: {e:?}"));
        let nodes: Vec<(&str, Option<&str>, Option<usize>)> =
            hierarchy.nodes.iter().map(|node| (node.name.as_str(), node.kind.as_deref(), node.parent)).collect();
        let expected = [
            ("Grid5000", Some("grid"), None),
            ("porto alegre", Some("site"), Some(0)),
            ("xiru-0.fr", None, Some(1)),
            ("xiru-1.fr", None, Some(1)),
            ("lone", None, Some(0)),
        ];
        assert_eq!(nodes, expected, "{text}");
    }
}

#[test]
fn faults_of_hierarchies_have_their_line() {
    let cases: [(Parse, &str, usize, &str); 21] = [
        (plist::parse, "", 1, "expected a name, ( or {, got the end of the file"),
        (plist::parse, "{\n name = a\n}", 3, "expected ; after the value of name, got '}'"),
        (plist::parse, "{\n name a;\n}", 2, "expected = after name, got 'a;'"),
        (plist::parse, "{ name = a;\n children = ( b c ); }", 2, "expected , or ), got 'c'"),
        (plist::parse, "{ name = a; }\n}", 2, "expected the end of the file"),
        (plist::parse, "<?xml?>", 1, "this is XML"),
        (plist::parse, "{\n type = a;\n}", 1, "a node has no name"),
        (plist::parse, "{ name = a;\n children = b; }", 2, "children must be a list"),
        (plist::parse, "{ name = a; children = (\n b,\n b); }", 3, "b already exists, on line 2"),
        (plist::parse, "{ name = ( a ); }", 1, "name must be a text"),
        (plist::parse, "()", 1, "no machine"),
        (yaml::parse, "{\"name\":\n\"a\" \"b\"}", 2, "invalid trailing content after double-quoted scalar"),
        (yaml::parse, "{\"name\": \"a", 1, "found unexpected end of stream"),
        (yaml::parse, "\n\"\\u00zz\"", 2, "did not find expected hexadecimal number"),
        (yaml::parse, "", 1, "the file is empty"),
        (yaml::parse, "---\n# nothing\n", 1, "the file is empty"),
        (yaml::parse, "a\n---\nb", 3, "a second document"),
        (yaml::parse, "name: a\n\ttype: b", 1, "found a tab"),
        (yaml::parse, "name: a\n   type: b", 2, "mapping values are not allowed"),
        (yaml::parse, "name: a\nchildren:", 2, "has no value"),
        (yaml::parse, "name: &x a", 1, "this part of YAML is not read"),
    ];
    for (parse, text, line, words) in cases {
        let fault = parse(text).and_then(|item| hierarchy::of_item(&item)).expect_err(text);
        assert!(fault.line == line && fault.message.contains(words), "{text:?}: {fault:?}");
    }
}

proptest::proptest! {
    /// Whatever the bytes are, readers give an answer or a line.
    #[test]
    fn no_text_is_too_bad(cut in 0_usize..200, noise in "[-{}()\\[\\]=;,:\"'#/<>&a\n\t \\\\]{0,20}") {
        for (parse, text) in [(plist::parse as Parse, PLIST), (yaml::parse, JSON), (yaml::parse, YAML)] {
            let text = format!("{}{noise}{}", &text[..cut.min(text.len())], &text[cut.min(text.len())..]);
            let _ = parse(&text).and_then(|item| hierarchy::of_item(&item));
            let _ = dot::parse(&text);
        }
        let _ = dot::parse(&format!("graph {{ a -- b [x=1]; {noise} }}"));
    }
}
