//! Pure algorithms over plain slices and Arrow arrays: no DataFusion.
//!
//! Each has a slow, obvious twin in its tests, and a property test that compares the two.

pub mod call_path;
pub mod columns;
pub mod concurrency;
pub mod intervals;
pub mod lanes;
pub mod slices;
pub mod sums;
pub mod symbols;
