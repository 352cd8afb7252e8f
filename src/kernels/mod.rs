//! Pure algorithms over plain slices: no Arrow, no DataFusion.
//!
//! Each has a slow, obvious twin in its tests, and a property test that compares the two.

pub mod columns;
pub mod concurrency;
pub mod intervals;
pub mod labels;
pub mod lanes;
pub mod pairs;
pub mod partition;
pub mod slices;
pub mod sums;
