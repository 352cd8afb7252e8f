//! What the plans of several families are built from.

pub(crate) mod accumulators;
pub(crate) mod lineage;
pub(crate) mod table_kernel;
pub(crate) mod unnest;
