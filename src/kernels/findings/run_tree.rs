//! The tree of containers of a run.

use std::collections::HashMap;

use super::rows::TreeContainerRow;

/// A container of the tree.
#[derive(Debug, Clone, PartialEq)]
pub struct RunContainer {
    /// Its id.
    pub id: i32,
    /// Its name.
    pub name: String,
    /// Its type.
    pub kind: String,
    /// Place of its parent.
    pub parent: Option<usize>,
    /// Place behind its last descendant.
    pub(super) after: usize,
    /// Its members, those below it included: a range of members.
    pub(super) members: (usize, usize),
    pub(super) begin: f64,
    pub(super) end: f64,
}

/// The containers, parents first.
pub(super) fn tree(rows: &[TreeContainerRow], texts: &[String]) -> Vec<RunContainer> {
    let mut rows: Vec<&TreeContainerRow> = rows.iter().collect();
    rows.sort_by_key(|row| (row.preorder, row.id));
    let places: HashMap<i32, usize> = rows.iter().enumerate().map(|(place, row)| (row.id, place)).collect();
    let text = |number: u32| texts.get(number as usize).cloned().unwrap_or_default();
    let mut containers: Vec<RunContainer> = rows
        .iter()
        .enumerate()
        .map(|(place, row)| RunContainer {
            id: row.id,
            name: text(row.name),
            kind: text(row.kind),
            parent: row.parent.and_then(|parent| places.get(&parent).copied()).filter(|parent| *parent < place),
            after: place + 1,
            members: (0, 0),
            begin: row.begin,
            end: row.end,
        })
        .collect();
    for place in (0..containers.len()).rev() {
        if let Some(parent) = containers[place].parent {
            containers[parent].after = containers[parent].after.max(containers[place].after);
        }
    }
    containers
}
