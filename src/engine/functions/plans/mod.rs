//! What the plans of several families are built from.

pub(crate) mod accumulators;
pub(crate) mod bounded_values;
pub(crate) mod bounded_windows;
pub(crate) mod changed_aggregate;
pub(crate) mod float_extremes;
pub(crate) mod grouping_key;
pub(crate) mod hide_unique_key;
pub(crate) mod lineage;
pub(crate) mod maybe_null;
pub(crate) mod query_links;
pub(crate) mod sql_type_name;
pub(crate) mod string_concat;
pub(crate) mod table_kernel;
pub(crate) mod table_sweep;
pub(crate) mod unnest;
