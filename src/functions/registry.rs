//! Every function and view: one line each.

use super::definition::{AggregateFunction, Definition, ScalarFunction, TableFunction, View};
use super::{catalogue, inspection, slices, time, views};

pub static TABLE_FUNCTIONS: &[&TableFunction] = &[
    &inspection::events_at::FUNCTION,
    &inspection::inspect::FUNCTION,
    &catalogue::ocellus_functions::FUNCTION,
    &catalogue::summarize::FUNCTION,
    &slices::state_slices::FUNCTION,
];

pub static SCALAR_FUNCTIONS: &[&ScalarFunction] = &[&slices::slice_time::FUNCTION, &time::tick_seconds::FUNCTION];

pub static AGGREGATE_FUNCTIONS: &[&AggregateFunction] = &[];

pub static VIEWS: &[&View] = &[&views::CONTAINER_ANCESTORS];

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
