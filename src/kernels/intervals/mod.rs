//! Intervals against intervals: which of two sets overlap, key by key.
//!
//! Bounds become whole numbers first ([`Spans`]), keys become dense numbers ([`KeyMap`]). Then one
//! side is held in an [`IntervalIndex`] and the other looks into it row by row, in any order; or both
//! come sorted by start, and a [`IntervalSweep`] holds no more than what is active.
//!
//! ```text
//!  A  ..######..      half-open: [a, b) and [c, d) overlap when a < d and c < b
//!  B  ####..####      touching is not overlapping
//!  I  ....|.....      an empty interval [t, t) is the instant t: in [a, b) when a <= t < b
//! ```
//! Two instants overlap when they are equal. NULL, NaN and a reversed interval overlap nothing.

mod arrange;
mod found;
mod index;
mod keys;
mod lengths;
mod spans;
mod sweep;
#[cfg(test)]
mod tests;
mod union;

pub use found::{FoundPairs, NO_ROW, Wanted};
pub use index::{Asked, IndexCursor, IntervalIndex};
pub use keys::{KeyMap, NO_KEY};
pub use lengths::SweptLengths;
pub use spans::{BoundUnit, Spans, overlap, shared};
pub use sweep::{IntervalSweep, RowAddress, SweepMatch, SweptSide};
pub use union::{Union, length, shared_length};
