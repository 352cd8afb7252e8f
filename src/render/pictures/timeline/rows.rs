//! The rows of a timeline: which container and type each shows, and the values of those with a variable.

use std::collections::BTreeMap;

use super::super::units::quantity;

/// Rows in a picture; of more containers, the tree is cut at a depth.
pub(super) const MAX_ROWS: usize = 160;

/// A row of the picture: the states of one type of a container, or one of its variables.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct TimelineRow {
    pub(super) preorder: i64,
    pub(super) container_id: i64,
    pub(super) kind: RowContent,
    pub(super) type_name: String,
    pub(super) container: String,
}

/// What a row shows; states come first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum RowContent {
    States,
    Variable,
}

impl TimelineRow {
    /// The name of the container, with that of the type where a container has several rows; a variable has its
    /// own name and its largest value too.
    pub(super) fn label(&self, rows: &[TimelineRow], variables: &BTreeMap<TimelineRow, VariableSteps>) -> String {
        if let Some(steps) = variables.get(self) {
            return format!("{} {} ≤ {}", self.container, self.type_name, quantity(range(steps).1));
        }
        let alone = rows.iter().filter(|row| row.container_id == self.container_id).count() == 1;
        if alone { self.container.clone() } else { format!("{} {}", self.container, self.type_name) }
    }
}

/// Start, end and value of the pieces of a variable.
pub(super) type VariableSteps = Vec<(f64, f64, f64)>;

/// Least and largest value of a variable, with 0 between them.
pub(super) fn range(steps: &VariableSteps) -> (f64, f64) {
    let values = || steps.iter().map(|(_, _, value)| *value);
    (values().fold(0.0, f64::min), values().fold(f64::MIN_POSITIVE, f64::max))
}
