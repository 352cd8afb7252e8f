//! Pure algorithms over slices and arrays: no DataFusion.
//!
//! Each has a slow, obvious twin in its tests, and a property test that compares the two.

pub mod alignment;
pub mod bands;
pub mod call_path;
pub mod call_totals;
pub mod columns;
pub mod commgram;
pub mod concurrency;
pub mod findings;
pub mod folded_rows;
pub mod graph_layout;
pub mod in_flight;
pub mod intervals;
pub mod labels;
pub mod lanes;
pub mod link_states;
pub mod pairs;
pub mod partition;
pub mod quotient;
pub mod replay;
pub mod rollup;
pub mod routes;
pub mod slices;
pub mod sums;
pub mod treemap;
pub mod waiting;
