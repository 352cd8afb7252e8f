//! The bands of time in which slices begin: there, sums over a band do not tell the time in a slice.
//!
//! ```text
//!  slices   |       |       |       |
//!  bands  |   |   |   |   |   |   |   |
//!  cut    |###|   |###|   |###|   |###|     rows count here, and sums of bands everywhere else
//! ```

use super::Slicing;
use crate::bands::LEVEL_SHIFT;
use crate::pairs::NO_NUMBER;

/// Whether the sums of a band count in one of the slices, and those of the band around it, eight times as wide, do not. Bands
/// of `2^coarsest` ticks are the widest that there are sums of.
#[inline]
pub fn takes_band(slicing: &Slicing, begin: i64, shift: u32, coarsest: u32) -> bool {
    is_band_in_one(slicing, begin, shift) && takes_apart(slicing, begin, shift, coarsest)
}

/// Whether a link counts by itself that crosses a border of bands of `2^shift` ticks, and none of wider ones: the sums of the
/// band around it, eight times as wide, do not count in one of the slices.
#[inline]
pub fn takes_apart(slicing: &Slicing, start: i64, shift: u32, coarsest: u32) -> bool {
    shift >= coarsest || !is_band_in_one(slicing, start, shift + LEVEL_SHIFT)
}

/// Whether the band of a tick lies in one slice.
#[inline]
fn is_band_in_one(slicing: &Slicing, tick: i64, shift: u32) -> bool {
    let begin = tick >> shift << shift;
    slicing.is_in_one(begin, begin.saturating_add(1 << shift))
}

/// The bands that hold a boundary of the slices that are asked for, as intervals that do not touch.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CutBands {
    intervals: Vec<(i64, i64)>,
}

impl CutBands {
    /// The bands of `2^shift` ticks. An interval that is in none of them is outside of the slices, or
    /// [`Slicing::is_in_one`] holds for its band.
    pub fn new(slicing: &Slicing, shift: u32) -> CutBands {
        let (first, last) = slicing.asked();
        let mut intervals: Vec<(i64, i64)> = vec![];
        if first > last {
            return CutBands { intervals };
        }
        for slice in first..=last + 1 {
            let (below, above) = slicing.boundary_ticks(slice);
            let begin = below >> shift << shift;
            // A boundary between two bands cuts none, but for the first instant of the window.
            if below == above && begin == below && slice > 0 {
                continue;
            }
            let end = begin.saturating_add(1 << shift);
            append(&mut intervals, begin, end);
        }
        CutBands { intervals }
    }

    /// The bands of `2^shift` ticks that hold one of some ticks, which come in order.
    pub fn of_ticks(ticks: impl Iterator<Item = i64>, shift: u32) -> CutBands {
        let mut intervals = vec![];
        for tick in ticks {
            let begin = tick >> shift << shift;
            append(&mut intervals, begin, begin.saturating_add(1 << shift));
        }
        CutBands { intervals }
    }

    /// How many ticks of `[start, end)` lie in them.
    pub fn shared(&self, start: i64, end: i64) -> i64 {
        let next = self.intervals.partition_point(|interval| interval.1 <= start);
        let touched = self.intervals[next..].iter().take_while(|interval| interval.0 < end);
        touched.map(|interval| end.min(interval.1) - start.max(interval.0)).sum()
    }

    /// They, and the band of `2^shift` ticks in which the last instant of the window lies: what happens then may belong to the
    /// last slice.
    pub fn with_last_instant(mut self, slicing: &Slicing, shift: u32) -> CutBands {
        let begin = slicing.stop() >> shift << shift;
        let is_last_asked = slicing.asked().1 == slicing.slices() - 1;
        if is_last_asked && !self.touches(slicing.stop(), slicing.stop()) {
            // It is behind all others.
            self.intervals.push((begin, begin.saturating_add(1 << shift)));
        }
        self
    }

    /// Whether a tick lies in them.
    #[inline]
    pub fn has(&self, tick: i64) -> bool {
        self.touches(tick, tick)
    }

    /// They as intervals, in order.
    pub fn intervals(&self) -> &[(i64, i64)] {
        &self.intervals
    }

    /// Whether something from one tick to another, both included, may lie in them.
    pub fn touches(&self, first: i64, last: i64) -> bool {
        let next = self.intervals.partition_point(|interval| interval.1 <= first);
        self.intervals.get(next).is_some_and(|interval| interval.0 <= last)
    }

    /// Calls `give` with the pieces of rows that lie in them: the number of the row, its series, and when the piece begins
    /// and ends; rows without a series have none.
    #[inline]
    pub(super) fn cut(&self, series: &[u32], starts: &[i64], ends: &[i64], mut give: impl FnMut(usize, u32, i64, i64)) {
        // Rows mostly follow each other in time, and most lie in a band, or between two, whole.
        let mut near = Stretch::default();
        for (row, ((&series, &start), &end)) in series.iter().zip(starts).zip(ends).enumerate() {
            if series == NO_NUMBER {
                continue;
            }
            if !near.has(start) {
                near = self.stretch(start);
            }
            if end <= near.end {
                if near.is_cut {
                    give(row, series, start, end);
                }
                continue;
            }
            for interval in &self.intervals[near.next..] {
                if interval.0 >= end {
                    break;
                }
                give(row, series, start.max(interval.0), end.min(interval.1));
            }
        }
    }

    /// Where a tick lies.
    pub(crate) fn stretch(&self, tick: i64) -> Stretch {
        let next = self.intervals.partition_point(|interval| interval.1 <= tick);
        let begin = next.checked_sub(1).map_or(i64::MIN, |last| self.intervals[last].1);
        match self.intervals.get(next) {
            Some(interval) if interval.0 <= tick => Stretch { begin: interval.0, end: interval.1, is_cut: true, next },
            Some(interval) => Stretch { begin, end: interval.0, is_cut: false, next },
            None => Stretch { begin, end: i64::MAX, is_cut: false, next },
        }
    }
}

/// Adds an interval behind all others, or joins it to the last one.
fn append(intervals: &mut Vec<(i64, i64)>, begin: i64, end: i64) {
    match intervals.last_mut() {
        Some(interval) if begin <= interval.1 => interval.1 = interval.1.max(end),
        _ => intervals.push((begin, end)),
    }
}

/// An interval of these, or what lies between two.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Stretch {
    begin: i64,
    pub(crate) end: i64,
    pub(crate) is_cut: bool,
    /// The interval, or the one that follows.
    next: usize,
}

impl Stretch {
    #[inline]
    pub(crate) fn has(&self, tick: i64) -> bool {
        self.begin <= tick && tick < self.end
    }
}
