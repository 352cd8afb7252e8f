//! An order of containers in which those that exchange most are neighbors.
//!
//! ```text
//!  merges     (0 2) first, they exchange most; then (1 3); then both
//!  order      0 2 | 3 1        a part is turned round when its other end exchanges more across the seam
//! ```
//! In: a tree of communities and its graph. Out: the place of each node. It is one order for a whole trace, so that a
//! container is in the same place in every phase. O(n + m).

use hashbrown::HashMap;

use super::communities::{CommunityGraph, MergeTree};

/// A row of nodes: one node, or two rows side by side.
#[derive(Debug, Clone, Copy)]
struct NodeRow {
    first: u32,
    last: u32,
    parts: Option<[RowPart; 2]>,
}

/// A row within a row, perhaps turned round.
#[derive(Debug, Clone, Copy)]
struct RowPart {
    row: usize,
    direction: SideDirection,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SideDirection {
    Forward,
    Backward,
}

use SideDirection::{Backward, Forward};

/// The place of each node, from 0.
pub fn places(graph: &CommunityGraph, tree: &MergeTree) -> Vec<u32> {
    let mut weights: HashMap<(u32, u32), u64> = HashMap::new();
    for (one, other, weight) in &graph.edges {
        *weights.entry((*one.min(other), *one.max(other))).or_default() += weight;
    }
    let weight = |one: u32, other: u32| weights.get(&(one.min(other), one.max(other))).copied().unwrap_or(0);
    let mut rows: Vec<NodeRow> =
        (0..graph.nodes as u32).map(|node| NodeRow { first: node, last: node, parts: None }).collect();
    let mut row_of: Vec<usize> = (0..graph.nodes).collect();
    for merge in &tree.merges {
        let (left, right) = (row_of[merge.left as usize], row_of[merge.right as usize]);
        rows.push(join(left, right, &rows, weight));
        row_of[merge.left as usize] = rows.len() - 1;
    }
    // A tree that ends in one community is the last row.
    let mut places = vec![0; graph.nodes];
    let mut waiting: Vec<RowPart> =
        rows.len().checked_sub(1).map(|row| RowPart { row, direction: Forward }).into_iter().collect();
    let mut place = 0;
    while let Some(part) = waiting.pop() {
        match rows[part.row].parts {
            None => {
                places[rows[part.row].first as usize] = place;
                place += 1;
            }
            // The last one is looked at first.
            Some([one, other]) if part.direction == Forward => waiting.extend([other, one]),
            Some([one, other]) => waiting.extend([turned(one), turned(other)]),
        }
    }
    places
}

/// Two rows side by side, so that the nodes at the seam exchange most; of equals, the first that turns least.
fn join(left: usize, right: usize, rows: &[NodeRow], weight: impl Fn(u32, u32) -> u64) -> NodeRow {
    let ends = |row: usize, direction: SideDirection| match direction {
        Forward => (rows[row].first, rows[row].last),
        Backward => (rows[row].last, rows[row].first),
    };
    let mut best = (None, (Forward, Forward));
    for ways in [(Forward, Forward), (Forward, Backward), (Backward, Forward), (Backward, Backward)] {
        let seam = Some(weight(ends(left, ways.0).1, ends(right, ways.1).0));
        if seam > best.0 {
            best = (seam, ways);
        }
    }
    let ways = best.1;
    let parts = [RowPart { row: left, direction: ways.0 }, RowPart { row: right, direction: ways.1 }];
    NodeRow { first: ends(left, ways.0).0, last: ends(right, ways.1).1, parts: Some(parts) }
}

fn turned(part: RowPart) -> RowPart {
    RowPart { direction: if part.direction == Forward { Backward } else { Forward }, ..part }
}
