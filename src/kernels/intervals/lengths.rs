//! Lengths of two unions of intervals, and of what they share, while intervals come in the order of their starts.
//!
//! ```text
//!  left   ###.####         the union of each side as far as it is known: its last interval may grow
//!  right  ..####..##       what two intervals share is known when the first of them is over
//! ```
//! Same lengths as [`Union`](super::Union), [`length`](super::length) and [`shared_length`](super::shared_length) give,
//! bit by bit: what is added up is added up in the same order.

#[cfg(test)]
mod tests;

use super::union::NeumaierSum;

/// The lengths so far, and the last interval of each side.
#[derive(Debug, Clone, Default)]
pub struct SweptLengths {
    last: [Option<(f64, f64)>; 2],
    lengths: [NeumaierSum; 2],
    shared: NeumaierSum,
}

impl SweptLengths {
    /// Adds the next interval of a side, 0 or 1; one that is empty, reversed or NaN adds nothing. Starts must not descend.
    pub fn add(&mut self, side: usize, start: f64, end: f64) {
        // NaN is not less than anything.
        if start >= end || start.is_nan() || end.is_nan() {
            return;
        }
        match &mut self.last[side] {
            Some(last) if start <= last.1 => last.1 = last.1.max(end),
            _ => {
                self.end(side);
                self.last[side] = Some((start, end));
            }
        }
    }

    /// Nothing comes any more: the lengths of both sides, and of what they share.
    pub fn finish(mut self) -> [f64; 3] {
        self.end(0);
        self.end(1);
        [self.lengths[0].total(), self.lengths[1].total(), self.shared.total()]
    }

    fn end(&mut self, side: usize) {
        let Some(ended) = self.last[side].take() else { return };
        self.lengths[side].add(ended.1 - ended.0);
        if let Some(other) = self.last[1 - side] {
            let (start, end) = (ended.0.max(other.0), ended.1.min(other.1));
            if start < end {
                self.shared.add(end - start);
            }
        }
    }
}
