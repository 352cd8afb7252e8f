//! Overviews: the best partition of space and time.

pub mod microscopic_model;
pub mod partition_levels;
pub mod partition_visual;
pub mod spatial_partition;
pub mod spatiotemporal_partition;
pub mod temporal_partition;
