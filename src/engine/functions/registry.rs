//! Every function and view: one line each.

use datafusion::logical_expr::{AggregateUDF, ScalarUDF};

use super::calls::definition::Definition;
use super::calls::sql_function::{AggregateFunction, ScalarFunction, TableFunction, WindowFunction};
use super::filters::column_pixels::column_pixels;
use super::plans::grouping_key::{any_row, grouping_key};
use super::plans::hide_unique_key::hide_unique_key;
use super::plans::maybe_null::maybe_null;
use super::plans::sql_type_name::sql_type_name;
use super::plans::string_concat::string_concat;
use super::plans::table_kernel::TableKernel;
use super::plans::table_sweep::TableSweep;
pub use super::views::{REPLACEABLE_VIEWS, VIEWS};
use super::{
    catalog, communication, comparison, files, filters, findings, inspection, intervals, layout, partition, slices,
    states, time, tree,
};
use ocellus_kernels::rollup::MergeRule;

/// Functions in FROM.
pub static TABLE_FUNCTIONS: &[&TableFunction] = &[
    &comparison::difference_levels::FUNCTION,
    &comparison::difference_model::FUNCTION,
    &comparison::difference_partition::FUNCTION,
    &findings::findings::FUNCTION,
    &comparison::run_diff::FUNCTION,
    &comparison::run_findings::FUNCTION,
    &files::read_csv::FUNCTION,
    &files::read_parquet::FUNCTION,
    &inspection::events_at::FUNCTION,
    &inspection::explain_area::FUNCTION,
    &inspection::inspect::FUNCTION,
    &catalog::ocellus_functions::FUNCTION,
    &catalog::summarize::FUNCTION,
    &intervals::interval_join::FUNCTION,
    &intervals::overlap_seconds::FUNCTION,
    &slices::event_slices::FUNCTION,
    &slices::link_slices::FUNCTION,
    &slices::slice_totals::FUNCTION,
    &slices::state_slices::FUNCTION,
    &slices::variable_slices::FUNCTION,
    &time::dated::FUNCTION,
    &tree::at_depth::FUNCTION,
    &tree::hierarchy_aggregate::FUNCTION,
    &tree::subtree::FUNCTION,
    &states::call_paths::FUNCTION,
    &filters::concurrency::FUNCTION,
    &filters::container_lanes::FUNCTION,
    &filters::timeline::FUNCTION,
    &partition::microscopic_model::FUNCTION,
    &partition::partition_areas::FUNCTION,
    &partition::partition_levels::FUNCTION,
    &partition::partition_visual::FUNCTION,
    &partition::spatial_partition::FUNCTION,
    &partition::spatiotemporal_partition::FUNCTION,
    &partition::temporal_partition::FUNCTION,
    &layout::comm_graph::FUNCTION,
    &layout::graph_layout::FUNCTION,
    &layout::route_load::FUNCTION,
    &layout::scene::FUNCTION,
    &layout::treemap::FUNCTION,
    &communication::comm_communities::FUNCTION,
    &communication::comm_curve::FUNCTION,
    &communication::comm_flows::FUNCTION,
    &communication::comm_in_flight::FUNCTION,
    &communication::comm_patterns::FUNCTION,
    &communication::comm_phases::FUNCTION,
    &communication::community_tree::FUNCTION,
    &communication::critical_path::FUNCTION,
    &communication::phase_tree::FUNCTION,
    &communication::pop_efficiency::FUNCTION,
    &communication::replay::FUNCTION,
    &communication::replay_savings::FUNCTION,
    &communication::states_of_links::FUNCTION,
    &communication::wait_states::FUNCTION,
];

/// Functions of values.
pub(crate) static SCALAR_FUNCTIONS: &[&ScalarFunction] = &[
    &intervals::intervals_overlap::FUNCTION,
    &intervals::overlap_end::FUNCTION,
    &intervals::overlap_start::FUNCTION,
    &slices::overlap::FUNCTION,
    &slices::slice_of::FUNCTION,
    &slices::slice_time::FUNCTION,
    &time::tick_seconds::FUNCTION,
    &time::timestamp_of::FUNCTION,
];

/// Functions that plans of ours call and users do not: they have no page.
pub(crate) static INTERNAL_FUNCTIONS: &[fn() -> ScalarUDF] =
    &[any_row, column_pixels, grouping_key, hide_unique_key, maybe_null, sql_type_name, string_concat, || {
        comparison::run_diff_match::RunDiffMatch::default().into()
    }];

/// Functions of many values.
pub(crate) static AGGREGATE_FUNCTIONS: &[&AggregateFunction] = &[
    &filters::active_intervals::FUNCTION,
    &filters::column_mix::FUNCTION,
    &slices::slice_events::FUNCTION,
    &slices::slice_integral::FUNCTION,
    &slices::slice_seconds::FUNCTION,
];

/// Functions of a value among others.
pub(crate) static WINDOW_FUNCTIONS: &[&WindowFunction] = &[&filters::lane::FUNCTION, &states::state_path::FUNCTION];

/// Aggregates behind table functions that a session need not know, and a cluster must.
pub(crate) static INTERNAL_AGGREGATES: &[fn() -> AggregateUDF] = &[
    intervals::overlap_seconds::interval_lengths,
    slices::event_slices::cells,
    slices::link_slices::cells,
    slices::state_slices::cells,
    slices::variable_slices::cells,
    slices::slice_names::container_name,
    filters::column_mix::column_values,
    filters::column_mix::summed_mix,
    filters::column_mix::summed_values,
    || partition::partition_aggregate::PartitionAnswer::Areas.function(),
    || partition::partition_aggregate::PartitionAnswer::Levels.function(),
    || tree::hierarchy_aggregate::subtree_cells(MergeRule::Sum),
    || tree::hierarchy_aggregate::subtree_cells(MergeRule::Least),
    || tree::hierarchy_aggregate::subtree_cells(MergeRule::Most),
    || time::tick_totals::TickTotal::Sum.function(),
    || time::tick_totals::TickTotal::Mean.function(),
    || time::tick_totals::TickTotal::Ticks.function(),
];

/// Algorithms behind table functions: aggregate functions that no user calls, and a cluster must know.
pub(crate) static TABLE_KERNELS: &[&TableKernel] = &[
    &tree::attached_tree::LINES,
    &tree::attached_tree::NODES,
    &layout::graph_layout::KERNEL,
    &layout::route_load::KERNEL,
    &layout::treemap::KERNEL,
    &filters::activity_sweep::KERNEL,
    &filters::row_members::KERNEL,
    &states::call_paths::KERNEL,
    &comparison::run_alignment::KERNEL,
    &findings::findings::KERNEL,
    &communication::comm_communities::KERNEL,
    &communication::comm_curve::KERNEL,
    &communication::comm_flows::KERNEL,
    &communication::comm_in_flight::KERNEL,
    &communication::comm_patterns::KERNEL,
    &communication::comm_phases::KERNEL,
    &communication::community_tree::KERNEL,
    &communication::critical_path::KERNEL,
    &communication::phase_tree::FOUND,
    &communication::phase_tree::KERNEL,
    &communication::replay::KERNEL,
    &communication::replay_leading::KERNEL,
    &communication::replay_savings::KERNEL,
    &communication::states_of_links::KERNEL,
    &communication::wait_states::KERNEL,
    &communication::wait_states::TOTALS,
];

/// The definitions of all functions and views, by name. A definition tells name, form and family: its code is
/// `functions/FAMILY/NAME.rs` or a folder of that name, its test `tests/sql/FAMILY/NAME.slt`.
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

/// The table kernels that need not hold their rows.
pub(crate) static TABLE_SWEEPS: &[&TableSweep] = &[
    &filters::activity_sweep::SWEEP,
    &states::call_paths::SWEEP,
    &communication::comm_communities::SWEEP,
    &communication::comm_curve::SWEEP,
    &communication::comm_flows::SWEEP,
    &communication::comm_in_flight::SWEEP,
    &communication::comm_patterns::SWEEP,
    &communication::comm_phases::SWEEP,
    &communication::community_tree::SWEEP,
    &communication::critical_path::SWEEP,
    &communication::phase_tree::FOUND_SWEEP,
    &communication::phase_tree::SWEEP,
    &communication::replay::SWEEP,
    &communication::replay_leading::SWEEP,
    &communication::replay_savings::SWEEP,
    &communication::states_of_links::SWEEP,
    &communication::wait_states::SWEEP,
    &communication::wait_states::TOTALS_SWEEP,
];
