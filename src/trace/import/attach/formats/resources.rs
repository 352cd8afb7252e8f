//! What descriptions of machines hold: networks, and organizations of machines.

use std::collections::BTreeMap;

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
