//! Descriptions of the machines that a program ran on: a network as a DOT graph, and the organisation
//! of machines as a tree.
//!
//! In: a file. Out: a [`Topology`] or a [`Hierarchy`], or an error with the line of the fault.

mod dot;
mod hierarchy;
mod json;
mod plist;
mod scanner;
#[cfg(test)]
mod tests;
mod units;
mod yaml;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::error::{Error, Result};

/// A network.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Topology {
    pub nodes: Vec<TopologyNode>,
    pub edges: Vec<TopologyEdge>,
}

/// A machine, switch or router.
#[derive(Debug, Clone, PartialEq)]
pub struct TopologyNode {
    pub name: String,
    pub attributes: BTreeMap<String, String>,
}

/// A connection of two nodes, by their places.
#[derive(Debug, Clone, PartialEq)]
pub struct TopologyEdge {
    pub source: usize,
    pub target: usize,
    /// Whether it goes from source to target only.
    pub is_directed: bool,
    /// Bytes per second.
    pub bandwidth: Option<f64>,
    /// Seconds.
    pub latency: Option<f64>,
    /// All others.
    pub attributes: BTreeMap<String, String>,
}

/// A tree of machines: nodes in preorder.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Hierarchy {
    pub nodes: Vec<HierarchyNode>,
}

/// A machine, or a group of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HierarchyNode {
    pub name: String,
    /// What it is, such as site or cluster.
    pub kind: Option<String>,
    /// Place of the parent, which comes before it.
    pub parent: Option<usize>,
}

/// What is wrong with a description, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
struct DescriptionFault {
    line: usize,
    message: String,
}

impl DescriptionFault {
    fn at(line: usize, message: impl Into<String>) -> DescriptionFault {
        DescriptionFault { line, message: message.into() }
    }

    fn in_file(self, path: &Path) -> Error {
        Error::Trace(format!("{}:{}: {}", path.display(), self.line, self.message))
    }
}

/// Reads a network from a DOT file.
pub fn read_topology(path: &Path) -> Result<Topology> {
    dot::parse(&read(path)?).map_err(|fault| fault.in_file(path))
}

/// Reads an organisation of machines from a property list, JSON or YAML; the name of the file says which.
pub fn read_hierarchy(path: &Path) -> Result<Hierarchy> {
    let text = read(path)?;
    let extension = path.extension().map(|extension| extension.to_string_lossy().to_lowercase());
    let item = match extension.as_deref() {
        Some("plist") => plist::parse(&text),
        Some("json") => json::parse(&text),
        Some("yaml" | "yml") => yaml::parse(&text),
        _ => {
            let message = format!("{}: a hierarchy is a .plist, .json, .yaml or .yml file", path.display());
            return Err(Error::Usage(message));
        }
    };
    item.and_then(|item| hierarchy::of_item(&item)).map_err(|fault| fault.in_file(path))
}

fn read(path: &Path) -> Result<String> {
    let bytes = fs::read(path).map_err(|e| Error::io("read", path, e))?;
    String::from_utf8(bytes).map_err(|error| {
        let line =
            1 + error.as_bytes()[..error.utf8_error().valid_up_to()].iter().filter(|byte| **byte == b'\n').count();
        DescriptionFault::at(line, "this is no UTF-8 text").in_file(path)
    })
}

/// A text, a list or a map, and the line where it begins.
#[derive(Debug, Clone, PartialEq, Eq)]
struct DescriptionItem {
    line: usize,
    value: DescriptionValue,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum DescriptionValue {
    Text(String),
    List(Vec<DescriptionItem>),
    Map(Vec<(String, DescriptionItem)>),
}

/// Deeper descriptions are refused.
const DEEPEST: usize = 100;

fn too_deep(line: usize) -> DescriptionFault {
    DescriptionFault::at(line, format!("more than {DEEPEST} levels"))
}
