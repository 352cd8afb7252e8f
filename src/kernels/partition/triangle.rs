//! Triangular matrices: one cell per interval of slices, packed by length, then by first slice.
//!
//! ```text
//!  first      0 1 2 3
//!  1 slice    0 1 2 3        the row of a length: its intervals lie beside each other, so that loops
//!  2 slices   4 5 6          over them read and write contiguously
//!  3 slices   7 8
//!  4 slices   9
//! ```

#[cfg(test)]
mod tests;

use std::ops::Range;

/// How many intervals some slices have.
pub(super) fn cells(slices: usize) -> usize {
    slices * (slices + 1) / 2
}

/// Where the intervals of `length` slices lie; at least 1.
pub(super) fn row(slices: usize, length: usize) -> Range<usize> {
    let shorter = length - 1;
    let start = shorter * slices - shorter * shorter.saturating_sub(1) / 2;
    start..start + slices - shorter
}

/// Where an interval lies, both ends included.
pub(super) fn cell(slices: usize, first: usize, last: usize) -> usize {
    row(slices, last - first + 1).start + first
}
