//! Every function and view: one line each.

use super::definition::{AggregateFunction, Definition, ScalarFunction, TableFunction, View};
use super::{catalogue, inspection, intervals, time, tree, views};

pub static TABLE_FUNCTIONS: &[&TableFunction] = &[
    &inspection::events_at::FUNCTION,
    &inspection::inspect::FUNCTION,
    &catalogue::ocellus_functions::FUNCTION,
    &catalogue::summarize::FUNCTION,
    &intervals::interval_join::FUNCTION,
    &intervals::overlap_seconds::FUNCTION,
    &tree::at_depth::FUNCTION,
    &tree::hierarchy_aggregate::FUNCTION,
    &tree::subtree::FUNCTION,
];

pub static SCALAR_FUNCTIONS: &[&ScalarFunction] = &[
    &intervals::intervals_overlap::FUNCTION,
    &intervals::overlap_end::FUNCTION,
    &intervals::overlap_start::FUNCTION,
    &time::tick_seconds::FUNCTION,
];

pub static AGGREGATE_FUNCTIONS: &[&AggregateFunction] = &[];

pub static VIEWS: &[&View] = &[&views::CONTAINER_ANCESTORS, &views::link_states::VIEW];

/// The definitions of all functions and views, by name.
pub fn definitions() -> impl Iterator<Item = &'static Definition> {
    let tables = TABLE_FUNCTIONS.iter().map(|function| &function.definition);
    let scalars = SCALAR_FUNCTIONS.iter().map(|function| &function.definition);
    let aggregates = AGGREGATE_FUNCTIONS.iter().map(|function| &function.definition);
    let views = VIEWS.iter().map(|view| &view.definition);
    let mut all: Vec<&'static Definition> = tables.chain(scalars).chain(aggregates).chain(views).collect();
    all.sort_by_key(|definition| definition.name);
    all.into_iter()
}
