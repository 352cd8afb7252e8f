//! The views that every trace has.
//!
//! A view is one file, `sql/views/NAME.sql`: the comment on its top is its definition (see [`head`]), the
//! rest its query. This list embeds the files.

mod head;
#[cfg(test)]
mod tests;

use std::sync::LazyLock;

use super::calls::definition::{Definition, Form, OutputColumn, View};
use head::{Head, HeadError};

/// Names and texts of files of `sql/views`.
macro_rules! view_files {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("../../../../sql/views/", $name, ".sql")))),*]
    };
}

/// All files of `sql/views`, in the order in which catalogs list the views.
const FILES: &[(&str, &str)] = view_files![
    "container_ancestors",
    "flat_profile",
    "call_tree",
    "load_imbalance",
    "state_transitions",
    "longest_states",
    "idle_gaps",
    "comm_matrix",
    "comm_matrix_by_depth",
    "comm_by_container",
    "link_kinds",
    "link_latency",
    "message_histogram",
    "variable_statistics",
    "container_lifetimes",
    "activity_rules",
    "state_activities",
    "no_state_activities",
    "container_activities",
    "time_profile",
    "comm_over_time",
    "state_deviations",
    "stragglers",
    "sibling_stragglers",
    "pop_metrics_of_the_run",
    "pop_metrics",
    "computation_vs_communication",
    "computation_vs_variable",
    "blocked_per_link",
    "bytes_per_second",
    "conservation",
    "link_states",
    "gpu_activities",
    "gpu_kernels",
    "gpu_overlap",
    "gpu_idle",
    "gpu_launch_latency",
    "replay_changes",
    "dated_states",
    "dated_events",
    "dated_variables",
    "dated_links",
];

/// Views that are there to be replaced: a plain `CREATE VIEW` or `CREATE TABLE` of their name does it.
pub const REPLACEABLE_VIEWS: [&str; 1] = ["activity_rules"];

/// Every view. The files are part of the program, and a test reads them all.
pub static VIEWS: LazyLock<Vec<View>> = LazyLock::new(|| {
    let views: Result<Vec<View>, HeadError> = FILES.iter().map(|(name, sql)| view(name, sql)).collect();
    views.expect("the embedded files of sql/views have well-formed heads")
});

/// The view of a file. Its texts live as long as the program, as those of functions do.
fn view(name: &'static str, sql: &'static str) -> Result<View, HeadError> {
    let Head { description, notes, columns, examples } = head::parse(&format!("sql/views/{name}.sql"), sql)?;
    let columns: Vec<OutputColumn> = columns
        .into_iter()
        .map(|column| OutputColumn { name: column.name.leak(), kind: column.kind.leak(), doc: column.doc.leak() })
        .collect();
    let examples: Vec<&'static str> = examples.into_iter().map(|example| &*example.leak()).collect();
    let definition = Definition {
        name,
        family: "views",
        form: Form::View,
        description: description.leak(),
        notes: notes.leak(),
        relations: &[],
        constants: &[],
        columns: columns.leak(),
        examples: examples.leak(),
    };
    Ok(View { definition, sql })
}
