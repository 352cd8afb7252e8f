//! Every function and view: one line each.

use datafusion::logical_expr::ScalarUDF;

use super::definition::{AggregateFunction, Definition, ScalarFunction, TableFunction, View, WindowFunction};
use super::{catalogue, filters, inspection, intervals, partition, slices, time, tree, unnest, views};

pub static TABLE_FUNCTIONS: &[&TableFunction] = &[
    &inspection::events_at::FUNCTION,
    &inspection::inspect::FUNCTION,
    &catalogue::ocellus_functions::FUNCTION,
    &catalogue::summarize::FUNCTION,
    &intervals::interval_join::FUNCTION,
    &intervals::overlap_seconds::FUNCTION,
    &slices::event_slices::FUNCTION,
    &slices::link_slices::FUNCTION,
    &slices::slice_totals::FUNCTION,
    &partition::microscopic_model::FUNCTION,
    &partition::partition_levels::FUNCTION,
    &partition::partition_visual::FUNCTION,
    &partition::spatial_partition::FUNCTION,
    &partition::spatiotemporal_partition::FUNCTION,
    &partition::temporal_partition::FUNCTION,
    &slices::state_slices::FUNCTION,
    &slices::variable_slices::FUNCTION,
    &tree::at_depth::FUNCTION,
    &tree::hierarchy_aggregate::FUNCTION,
    &tree::subtree::FUNCTION,
    &filters::concurrency::FUNCTION,
    &filters::container_lanes::FUNCTION,
    &filters::timeline::FUNCTION,
];

pub static SCALAR_FUNCTIONS: &[&ScalarFunction] = &[
    &intervals::intervals_overlap::FUNCTION,
    &intervals::overlap_end::FUNCTION,
    &intervals::overlap_start::FUNCTION,
    &slices::overlap::FUNCTION,
    &slices::slice_of::FUNCTION,
    &slices::slice_time::FUNCTION,
    &time::tick_seconds::FUNCTION,
];

/// Functions that plans of ours call and users do not: they have no page.
pub static INTERNAL_FUNCTIONS: &[fn() -> ScalarUDF] = &[unnest::unkeyed];

pub static AGGREGATE_FUNCTIONS: &[&AggregateFunction] = &[
    &filters::active_intervals::FUNCTION,
    &filters::column_mix::FUNCTION,
    &slices::slice_events::FUNCTION,
    &slices::slice_integral::FUNCTION,
    &slices::slice_seconds::FUNCTION,
];

pub static WINDOW_FUNCTIONS: &[&WindowFunction] = &[&filters::lane::FUNCTION];

pub static VIEWS: &[&View] = &[&views::CONTAINER_ANCESTORS];

/// The definitions of all functions and views, by name.
pub fn definitions() -> impl Iterator<Item = &'static Definition> {
    let tables = TABLE_FUNCTIONS.iter().map(|function| &function.definition);
    let scalars = SCALAR_FUNCTIONS.iter().map(|function| &function.definition);
    let aggregates = AGGREGATE_FUNCTIONS.iter().map(|function| &function.definition);
    let windows = WINDOW_FUNCTIONS.iter().map(|function| &function.definition);
    let views = VIEWS.iter().map(|view| &view.definition);
    let values = scalars.chain(aggregates).chain(windows);
    let mut all: Vec<&'static Definition> = tables.chain(values).chain(views).collect();
    all.sort_by_key(|definition| definition.name);
    all.into_iter()
}
