//! The container tree as columns: depth, leaves, preorder, path.

#[cfg(test)]
mod tests;

use crate::model::{ContainerId, World};

/// Paths longer than this show their end only; only a tree of absurd depth has such.
const LONGEST_PATH: usize = 4096;

/// What the `containers` table says of a container's place in the tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct TreePosition {
    pub depth: u32,
    pub leaves: u32,
    pub preorder: u32,
    pub last_descendant: u32,
}

/// Places of all containers, by id. Siblings are in the order of creation.
pub(super) fn places(world: &World) -> Vec<TreePosition> {
    let count = world.containers.len();
    let mut places = vec![TreePosition::default(); count];
    // Parents are created before their children, so ids ascend along every path.
    let mut sizes = vec![1_u32; count];
    for (id, row) in world.containers.iter().enumerate().rev() {
        if places[id].leaves == 0 {
            places[id].leaves = 1;
        }
        if !row.parent.is_root() {
            let parent = row.parent.0 as usize;
            sizes[parent] += sizes[id];
            places[parent].leaves += places[id].leaves;
        }
    }
    // By container: the preorder of its next child.
    let mut next = vec![0_u32; count];
    let mut next_root = 0;
    for (id, row) in world.containers.iter().enumerate() {
        let parent = row.parent.0 as usize;
        let (preorder, depth) = if row.parent.is_root() {
            let preorder = next_root;
            next_root += sizes[id];
            (preorder, 0)
        } else {
            let preorder = next[parent];
            next[parent] += sizes[id];
            (preorder, places[parent].depth + 1)
        };
        next[id] = preorder + 1;
        places[id] = TreePosition { depth, preorder, last_descendant: preorder + sizes[id] - 1, ..places[id] };
    }
    places
}

/// Names from the root down, joined by a slash.
pub(super) fn path(world: &World, id: ContainerId) -> String {
    let mut names = vec![];
    let mut length = 0;
    let mut at = id;
    while !at.is_root() {
        let name = world.container_name(at);
        length += name.len() + 1;
        if length > LONGEST_PATH && !names.is_empty() {
            names.push("…");
            break;
        }
        names.push(name);
        at = world.containers[at.0 as usize].parent;
    }
    names.reverse();
    names.join("/")
}
