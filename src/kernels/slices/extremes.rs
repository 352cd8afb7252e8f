//! The smallest and largest value per slice, of values that each cover a range of slices.
//!
//! A range is marked twice, by two runs of a power of two that may overlap. When all ranges are in, each
//! mark is handed down to its two halves, until the runs are single slices:
//!
//! ```text
//!  range  ..#######..      7 slices: two runs of 4
//!  lane 2 ..####.....
//!         .....####..      lane 1: runs of 2, lane 0: single slices
//! ```
//! So a range costs two updates, and all slices together at most a few times their number.

use super::{Leaves, SliceCell, take};

/// The smallest and the largest of some values; of none, the smallest is larger than the largest.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Extremes {
    /// The smallest value.
    pub minimum: f64,
    /// The largest value.
    pub maximum: f64,
}

impl Default for Extremes {
    fn default() -> Extremes {
        Extremes { minimum: f64::INFINITY, maximum: f64::NEG_INFINITY }
    }
}

impl SliceCell for Extremes {
    fn join(&mut self, other: Extremes) {
        self.minimum = self.minimum.min(other.minimum);
        self.maximum = self.maximum.max(other.maximum);
    }

    fn write(&self, bytes: &mut Vec<u8>) {
        bytes.extend_from_slice(&self.minimum.to_le_bytes());
        bytes.extend_from_slice(&self.maximum.to_le_bytes());
    }

    fn read(bytes: &mut &[u8]) -> Option<Extremes> {
        Some(Extremes { minimum: f64::from_le_bytes(take(bytes)?), maximum: f64::from_le_bytes(take(bytes)?) })
    }
}

/// The extremes of many series.
#[derive(Debug)]
pub struct RunExtremes {
    /// How many lanes a series has: runs of 1, 2, 4, … slices.
    lanes: u32,
    /// The lanes of all series, one after the other.
    runs: Leaves<Extremes>,
}

impl RunExtremes {
    /// No series yet.
    pub fn new(slices: u32) -> RunExtremes {
        RunExtremes { lanes: slices.ilog2() + 1, runs: Leaves::new(slices) }
    }

    /// Adds a series without values.
    pub fn add_series(&mut self) {
        (0..self.lanes).for_each(|_| _ = self.runs.add_series());
    }

    /// Adds a value that covers the slices `first..=last`.
    #[inline]
    pub fn add(&mut self, series: u32, first: u32, last: u32, value: f64) {
        let value = Extremes { minimum: value, maximum: value };
        let level = (last - first + 1).ilog2();
        let lane = series * self.lanes + level;
        self.runs.cell(lane, first).join(value);
        if last - first + 1 > 1 << level {
            self.runs.cell(lane, last + 1 - (1 << level)).join(value);
        }
    }

    /// Whether it is time for [`RunExtremes::tidy`].
    pub fn is_crowded(&self) -> bool {
        self.runs.is_crowded()
    }

    /// Sorts what was packed away.
    pub fn tidy(&mut self) {
        self.runs.tidy(&mut |_, _, _| ());
    }

    /// The extremes of each slice that has a value, in order; they must be tidy.
    pub fn slices(&self, series: u32) -> Vec<(u32, Extremes)> {
        let mut runs = vec![];
        for level in (0..self.lanes).rev() {
            let half = 1 << level;
            let seconds = runs.iter().map(|(first, extremes)| (first + half, *extremes));
            runs = merge(&merge(&runs, seconds.collect::<Vec<_>>().as_slice()), &self.lane(series, level));
        }
        runs
    }

    fn lane(&self, series: u32, level: u32) -> Vec<(u32, Extremes)> {
        let mut marks = vec![];
        self.runs.each(series * self.lanes + level, &mut |slice, extremes| marks.push((slice, *extremes)));
        marks
    }

    /// Appends a series as bytes.
    pub fn write(&self, series: u32, bytes: &mut Vec<u8>) {
        (0..self.lanes).for_each(|level| self.runs.write(series * self.lanes + level, bytes));
    }

    /// Adds a series that was written; `None` when it was not.
    pub fn read(&mut self, series: u32, bytes: &mut &[u8]) -> Option<()> {
        (0..self.lanes).try_for_each(|level| self.runs.read(series * self.lanes + level, bytes, &mut |_, _, _| ()))
    }

    /// Forgets all series, and keeps the memory.
    pub fn clear(&mut self) {
        self.runs.clear();
    }

    /// Bytes that are held.
    pub fn size(&self) -> usize {
        self.runs.size()
    }
}

/// Joins two lists that are sorted by slice.
fn merge(one: &[(u32, Extremes)], other: &[(u32, Extremes)]) -> Vec<(u32, Extremes)> {
    let mut merged: Vec<(u32, Extremes)> = Vec::with_capacity(one.len() + other.len());
    let (mut one, mut other) = (one.iter().peekable(), other.iter().peekable());
    loop {
        let is_first = match (one.peek(), other.peek()) {
            (Some((left, _)), Some((right, _))) => left <= right,
            (left, _) => left.is_some(),
        };
        let Some((slice, extremes)) = (if is_first { one.next() } else { other.next() }) else {
            return merged;
        };
        match merged.last_mut() {
            Some((last, known)) if last == slice => known.join(*extremes),
            _ => merged.push((*slice, *extremes)),
        }
    }
}
