//! The views that every trace has: one file each, beside its query in `sql/views`.

pub mod blocked_per_link;
pub mod bytes_per_second;
pub mod call_tree;
pub mod comm_by_container;
pub mod comm_matrix;
pub mod comm_matrix_by_depth;
pub mod comm_over_time;
pub mod computation_vs_communication;
pub mod computation_vs_variable;
pub mod conservation;
pub mod container_ancestors;
pub mod container_lifetimes;
pub mod dated_events;
pub mod dated_links;
pub mod dated_states;
pub mod dated_variables;
pub mod flat_profile;
pub mod idle_gaps;
pub mod link_latency;
pub mod link_states;
pub mod load_imbalance;
pub mod longest_states;
pub mod message_histogram;
pub mod pop_metrics;
pub mod state_activities;
pub mod state_transitions;
pub mod stragglers;
#[cfg(test)]
mod tests;
pub mod time_profile;
pub mod variable_statistics;

use super::definition::{Definition, Form, OutputColumn, View};

/// A view of this folder.
const fn view(
    name: &'static str,
    description: &'static str,
    notes: &'static str,
    columns: &'static [OutputColumn],
    examples: &'static [&'static str],
    sql: &'static str,
) -> View {
    let definition = Definition {
        name,
        family: "views",
        form: Form::View,
        description,
        notes,
        relations: &[],
        constants: &[],
        columns,
        examples,
    };
    View { definition, sql }
}

/// A column of a view.
const fn column(name: &'static str, kind: &'static str, doc: &'static str) -> OutputColumn {
    OutputColumn { name, kind, doc }
}
