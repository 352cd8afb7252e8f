//! Rules that turn plans into better plans, and the operators that they put in.

mod aggregate_below_union;
mod build_once;
mod dense_group_by;
mod dense_group_merge;
mod dictionary_parquet;
mod dictionary_scan_rule;
pub mod interval_join;
pub mod slice_filter;
pub mod time_filter;

pub(crate) use aggregate_below_union::CloserInputs;
pub use dense_group_by::ContainerGroups;
pub use dictionary_scan_rule::CodedTexts;
