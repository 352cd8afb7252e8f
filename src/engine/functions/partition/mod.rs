//! Overviews: the best partition of space and time.

pub mod microscopic_model;
pub(crate) mod partition_aggregate;
pub mod partition_areas;
mod partition_cells;
mod partition_columns;
pub mod partition_levels;
mod partition_model;
pub(crate) mod partition_plan;
mod partition_rows;
pub(crate) mod partition_settings;
pub mod partition_visual;
pub mod spatial_partition;
pub mod spatiotemporal_partition;
pub mod temporal_partition;
