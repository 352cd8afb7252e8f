//! Every function and view: one line each.

use super::definition::{AggregateFunction, Definition, ScalarFunction, TableFunction, View};
use super::table_kernel::TableKernel;
use super::{catalogue, inspection, layout, time, views};

pub static TABLE_FUNCTIONS: &[&TableFunction] = &[
    &inspection::events_at::FUNCTION,
    &inspection::inspect::FUNCTION,
    &catalogue::ocellus_functions::FUNCTION,
    &catalogue::summarize::FUNCTION,
    &layout::comm_graph::FUNCTION,
    &layout::graph_layout::FUNCTION,
    &layout::route_load::FUNCTION,
    &layout::scene::FUNCTION,
    &layout::treemap::FUNCTION,
];

pub static SCALAR_FUNCTIONS: &[&ScalarFunction] = &[&time::tick_seconds::FUNCTION];

pub static AGGREGATE_FUNCTIONS: &[&AggregateFunction] = &[];

/// Algorithms behind table functions: aggregate functions that no user calls, and a cluster must know.
pub static TABLE_KERNELS: &[&TableKernel] = 
    &[&layout::graph_layout::KERNEL, &layout::route_load::KERNEL, &layout::treemap::KERNEL];

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
