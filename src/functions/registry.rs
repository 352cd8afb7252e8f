//! Every function and view: one line each.

use super::definition::{AggregateFunction, Definition, ScalarFunction, TableFunction, View, WindowFunction};
use super::{catalogue, comparison, inspection, slices, states, time, tree, views};

pub static TABLE_FUNCTIONS: &[&TableFunction] = &[
    &comparison::run_diff::FUNCTION,
    &inspection::events_at::FUNCTION,
    &inspection::inspect::FUNCTION,
    &catalogue::ocellus_functions::FUNCTION,
    &catalogue::summarize::FUNCTION,
    &slices::state_slices::FUNCTION,
    &tree::at_depth::FUNCTION,
    &tree::hierarchy_aggregate::FUNCTION,
    &tree::subtree::FUNCTION,
];

pub static SCALAR_FUNCTIONS: &[&ScalarFunction] = &[&slices::slice_time::FUNCTION, &time::tick_seconds::FUNCTION];

pub static AGGREGATE_FUNCTIONS: &[&AggregateFunction] = &[];

pub static WINDOW_FUNCTIONS: &[&WindowFunction] = &[&states::state_path::FUNCTION];

pub static VIEWS: &[&View] = &[
    &views::container_ancestors::VIEW,
    &views::flat_profile::VIEW,
    &views::call_tree::VIEW,
    &views::load_imbalance::VIEW,
    &views::state_transitions::VIEW,
    &views::longest_states::VIEW,
    &views::idle_gaps::VIEW,
    &views::comm_matrix::VIEW,
    &views::comm_matrix_by_depth::VIEW,
    &views::comm_by_container::VIEW,
    &views::link_latency::VIEW,
    &views::message_histogram::VIEW,
    &views::variable_statistics::VIEW,
    &views::container_lifetimes::VIEW,
    &views::state_activities::VIEW,
    &views::time_profile::VIEW,
    &views::stragglers::VIEW,
    &views::pop_metrics::VIEW,
    &views::computation_vs_communication::VIEW,
    &views::computation_vs_variable::VIEW,
    &views::blocked_per_link::VIEW,
    &views::bytes_per_second::VIEW,
];

/// The definitions of all functions and views, by name.
pub fn definitions() -> impl Iterator<Item = &'static Definition> {
    let tables = TABLE_FUNCTIONS.iter().map(|function| &function.definition);
    let scalars = SCALAR_FUNCTIONS.iter().map(|function| &function.definition);
    let aggregates = AGGREGATE_FUNCTIONS.iter().map(|function| &function.definition);
    let windows = WINDOW_FUNCTIONS.iter().map(|function| &function.definition);
    let views = VIEWS.iter().map(|view| &view.definition);
    let mut all: Vec<&'static Definition> = tables.chain(scalars).chain(aggregates).chain(windows).chain(views).collect();
    all.sort_by_key(|definition| definition.name);
    all.into_iter()
}
