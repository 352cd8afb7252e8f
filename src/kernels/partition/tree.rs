//! The hierarchy of a partition: what is left of the container tree above the leaves that carry states.
//!
//! ```text
//!  a                a                 z carries nothing and goes; x and y are one node, x at its top and y at
//!  ├─ b*            ├─ b              its bottom; b carries states and has a child that does: its own states
//!  │  └─ c*    ─►   │  ├─ (b)         become the leaf (b) beside c
//!  ├─ x             │  └─ c
//!  │  └─ y*         └─ x…y
//!  └─ z
//! ```

#[cfg(test)]
mod tests;

use std::ops::Range;

/// A container of the trace. Containers come in preorder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TreeContainer {
    /// Place of its parent in the list; `None` for a root.
    pub parent: Option<usize>,
    /// How many resources its own states stand for; 0 when it carries none.
    pub resources: u32,
}

/// What is wrong with a list of containers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TreeError {
    /// No container carries anything.
    NoLeaf,
    /// The parent of this container does not come before it.
    Order(usize),
}

/// A set of leaves that the hierarchy knows: one container, or a chain of containers each with one child.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TreeNode {
    /// The uppermost container of the chain; `None` for what holds several trees together.
    pub top: Option<usize>,
    /// The lowest container of the chain: it branches, or it carries the states.
    pub bottom: Option<usize>,
    /// The parent, by its place; `None` for the root.
    pub parent: Option<usize>,
    /// Its leaves are those from here on, in preorder.
    pub first_leaf: usize,
    /// How many leaves it has.
    pub leaves: usize,
    /// How many resources its leaves stand for.
    pub resources: u64,
}

/// Nodes by height: all leaves first, in preorder, and every child before its parent. The last is the root.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartitionTree {
    nodes: Vec<TreeNode>,
    /// Children of all nodes, those of one node in preorder and beside each other.
    children: Vec<usize>,
    /// Where the children of each node begin, and one more for the end.
    starts: Vec<usize>,
    /// Nodes of equal height, lowest first.
    levels: Vec<Range<usize>>,
    /// The leaf that holds a container's own states.
    leaf_of: Vec<Option<usize>>,
}

impl PartitionTree {
    /// The hierarchy above the containers that carry something.
    pub fn new(containers: &[TreeContainer]) -> Result<PartitionTree, TreeError> {
        let draft = PreorderNodes::new(containers)?;
        Ok(draft.by_height(containers.len()))
    }

    /// All nodes, by height.
    pub fn nodes(&self) -> &[TreeNode] {
        &self.nodes
    }

    /// The place of the root.
    pub fn root(&self) -> usize {
        self.nodes.len() - 1
    }

    /// How many leaves there are.
    pub fn leaves(&self) -> usize {
        self.levels.first().map_or(0, |level| level.len())
    }

    /// Children of a node, in preorder.
    pub fn children(&self, node: usize) -> &[usize] {
        &self.children[self.starts[node]..self.starts[node + 1]]
    }

    /// Nodes of equal height, leaves first.
    pub fn levels(&self) -> &[Range<usize>] {
        &self.levels
    }

    /// The root as one resource without children.
    pub(super) fn root_alone(&self) -> PartitionTree {
        let root = self.nodes[self.root()];
        let alone = TreeNode { bottom: root.top, first_leaf: 0, leaves: 1, resources: 1, ..root };
        let levels = std::iter::once(0..1).collect();
        PartitionTree { nodes: vec![alone], children: vec![], starts: vec![0, 0], levels, leaf_of: vec![] }
    }

    /// The leaf that holds the own states of the container at a place of the list.
    pub fn leaf_of(&self, container: usize) -> Option<usize> {
        self.leaf_of.get(container).copied().flatten()
    }
}

/// The nodes in preorder, before they are sorted by height.
struct PreorderNodes {
    nodes: Vec<TreeNode>,
    /// Of a leaf, the container whose states it holds.
    carriers: Vec<Option<usize>>,
}

impl PreorderNodes {
    fn new(containers: &[TreeContainer]) -> Result<PreorderNodes, TreeError> {
        let branches = kept_children(containers)?;
        let is_kept = |place: usize| containers[place].resources > 0 || branches[place] > 0;
        let roots =
            (0..containers.len()).filter(|place| containers[*place].parent.is_none() && is_kept(*place)).count();
        let mut draft = PreorderNodes { nodes: vec![], carriers: vec![] };
        let several = match roots {
            0 => return Err(TreeError::NoLeaf),
            1 => None,
            _ => Some(draft.add(None, None, None)),
        };
        // Of a container: its node, or, in the middle of a chain, the node above and the chain's top.
        let mut places: Vec<(Option<usize>, Option<usize>)> = vec![(None, None); containers.len()];
        for (place, container) in containers.iter().enumerate() {
            if !is_kept(place) {
                continue;
            }
            let (above, chain) = container.parent.map_or((several, None), |parent| places[parent]);
            let top = chain.unwrap_or(place);
            if container.resources == 0 && branches[place] == 1 {
                places[place] = (above, Some(top));
                continue;
            }
            let node = draft.add(Some(top), Some(place), above);
            places[place] = (Some(node), None);
            match (container.resources, branches[place]) {
                (0, _) => {}
                (resources, 0) => draft.carry(node, place, resources),
                (resources, _) => {
                    let own = draft.add(Some(place), Some(place), Some(node));
                    draft.carry(own, place, resources);
                }
            }
        }
        Ok(draft)
    }

    fn add(&mut self, top: Option<usize>, bottom: Option<usize>, parent: Option<usize>) -> usize {
        self.nodes.push(TreeNode { top, bottom, parent, first_leaf: 0, leaves: 0, resources: 0 });
        self.carriers.push(None);
        self.nodes.len() - 1
    }

    fn carry(&mut self, node: usize, container: usize, resources: u32) {
        self.nodes[node].resources = u64::from(resources);
        self.carriers[node] = Some(container);
    }

    /// Counts leaves, sorts the nodes by height, and renumbers what refers to them.
    fn by_height(mut self, containers: usize) -> PartitionTree {
        let mut leaf_of = vec![None; containers];
        let mut leaves = 0;
        for (node, carrier) in self.nodes.iter_mut().zip(&self.carriers) {
            node.first_leaf = leaves;
            if let Some(container) = carrier {
                leaf_of[*container] = Some(leaves);
                node.leaves = 1;
                leaves += 1;
            }
        }
        let mut heights = vec![0_usize; self.nodes.len()];
        for place in (0..self.nodes.len()).rev() {
            let node = self.nodes[place];
            if let Some(parent) = node.parent {
                heights[parent] = heights[parent].max(heights[place] + 1);
                self.nodes[parent].leaves += node.leaves;
                self.nodes[parent].resources += node.resources;
            }
        }
        let mut order: Vec<usize> = (0..self.nodes.len()).collect();
        order.sort_by_key(|place| heights[*place]);
        let mut numbers = vec![0; order.len()];
        for (number, place) in order.iter().enumerate() {
            numbers[*place] = number;
        }
        let (children, starts) = children_of(&self.nodes, &numbers);
        let mut levels: Vec<Range<usize>> = vec![];
        for (number, place) in order.iter().enumerate() {
            match levels.get_mut(heights[*place]) {
                Some(level) => level.end = number + 1,
                None => levels.push(number..number + 1),
            }
        }
        let renumbered = |place: &usize| {
            let node = self.nodes[*place];
            TreeNode { parent: node.parent.map(|parent| numbers[parent]), ..node }
        };
        PartitionTree { nodes: order.iter().map(renumbered).collect(), children, starts, levels, leaf_of }
    }
}

/// Of each container, how many of its children lead to a leaf.
fn kept_children(containers: &[TreeContainer]) -> Result<Vec<usize>, TreeError> {
    let mut branches = vec![0; containers.len()];
    for (place, container) in containers.iter().enumerate().rev() {
        let Some(parent) = container.parent else { continue };
        if parent >= place {
            return Err(TreeError::Order(place));
        }
        if container.resources > 0 || branches[place] > 0 {
            branches[parent] += 1;
        }
    }
    Ok(branches)
}

/// The children of all nodes beside each other, and where those of each node begin.
fn children_of(nodes: &[TreeNode], numbers: &[usize]) -> (Vec<usize>, Vec<usize>) {
    let mut starts = vec![0; nodes.len() + 1];
    for parent in nodes.iter().filter_map(|node| node.parent) {
        starts[numbers[parent] + 1] += 1;
    }
    for place in 0..nodes.len() {
        starts[place + 1] += starts[place];
    }
    let mut next = starts.clone();
    let mut children = vec![0; starts[nodes.len()]];
    for (place, node) in nodes.iter().enumerate() {
        if let Some(parent) = node.parent {
            let slot = &mut next[numbers[parent]];
            children[*slot] = numbers[place];
            *slot += 1;
        }
    }
    (children, starts)
}
