//! Where ranks are: four to a node, four nodes to a rack.

use std::ops::Range;

pub(super) const RANKS_PER_NODE: u32 = 4;
pub(super) const NODES_PER_RACK: u32 = 4;

/// Name of the root container.
pub(super) const ROOT: &str = "machine";

/// A container of the generated trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MachinePart {
    Whole,
    Node(u32),
    Rank(u32),
}

impl MachinePart {
    /// The ranks below it.
    pub(super) fn ranks(self, ranks: u32) -> Range<u32> {
        match self {
            MachinePart::Whole => 0..ranks,
            MachinePart::Node(node) => node * RANKS_PER_NODE..(node + 1) * RANKS_PER_NODE,
            MachinePart::Rank(rank) => rank..rank + 1,
        }
    }

    pub(super) fn name(self) -> String {
        match self {
            MachinePart::Whole => ROOT.to_string(),
            MachinePart::Node(node) => format!("node-{node}"),
            MachinePart::Rank(rank) => format!("rank-{rank}"),
        }
    }

    /// The names from the root to it.
    pub(super) fn path(self) -> String {
        match self {
            MachinePart::Whole => ROOT.to_string(),
            MachinePart::Node(node) => format!("{ROOT}/rack-{}/{}", node / NODES_PER_RACK, self.name()),
            MachinePart::Rank(rank) => format!("{}/{}", MachinePart::Node(rank / RANKS_PER_NODE).path(), self.name()),
        }
    }
}

/// Whether a message between two ranks stays within a node.
pub(super) fn share_a_node(left: u32, right: u32) -> bool {
    left / RANKS_PER_NODE == right / RANKS_PER_NODE
}
