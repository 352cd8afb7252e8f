//! Pure algorithms over plain slices: no Arrow, no DataFusion.
//!
//! Each has a slow, obvious twin in its tests, and a property test that compares the two.

pub mod call_path;
pub mod slices;
pub mod symbols;
