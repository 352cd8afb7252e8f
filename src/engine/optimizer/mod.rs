//! Rules that turn plans into better plans, and the operators that they put in.

mod aggregate_below_union;
mod bounded_functions;
mod bounded_windows;
mod build_once;
mod build_sides;
mod careful_floats;
mod careful_pushdown;
mod dense_group_by;
mod dictionary_parquet;
mod dictionary_scan_rule;
mod exact_sums;
mod grouping_sets;
pub mod interval_join;
mod large_constants;
mod multiset;
mod ordered_distinct;
mod partial_aggregate;
mod restore_order;
mod rules;
mod shared_columns;
mod slice_filter;
mod subqueries;
mod summaries;
mod table_sweep;
mod time_filter;
mod top_of_groups;
mod window_results;

pub use rules::LOCAL_RULES;
pub(crate) use rules::{analyzer_rules, optimizer_rules, physical_optimizer_rules};
pub(crate) use summaries::SummarySettings;
