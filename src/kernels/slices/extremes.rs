//! The smallest and largest value per slice, of values that each cover a range of slices.
//!
//! A range is marked twice, by two runs of a power of two that may overlap:
//!
//! ```text
//!  range  ..#######..      7 slices: two runs of 4
//!  lane 2 ..####.....
//!         .....####..      lane 1: runs of 2, lane 0: single slices
//! ```
//! So a range costs two updates, and those that are alike take the room of one. When all ranges are in, a sweep goes
//! over the slices: the marks of a lane end in the order in which they begin, so that those which may still decide
//! form a short queue.

use std::collections::VecDeque;

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

    /// Goes over the slices of a series from the first to the last; they must be tidy.
    pub fn sweep(&self, series: u32) -> ExtremesSweep {
        let lanes = (0..self.lanes).map(|level| LaneSweep::new(1 << level, self.lane(series, level)));
        let lanes = lanes.filter(|lane| !lane.marks.is_empty()).collect();
        ExtremesSweep { lanes, now: None, next_change: 0 }
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

/// The extremes of one series, slice by slice. What it holds grows with the values, not with the slices.
#[derive(Debug)]
pub struct ExtremesSweep {
    lanes: Vec<LaneSweep>,
    /// What holds from the slice that was asked for last ...
    now: Option<Extremes>,
    /// ... to before this one.
    next_change: u32,
}

impl ExtremesSweep {
    /// The extremes of a slice, which must not lie before the one asked for last; `None` when it has no value.
    #[inline]
    pub fn at(&mut self, slice: u32) -> Option<Extremes> {
        if slice >= self.next_change {
            self.advance(slice);
        }
        self.now
    }

    fn advance(&mut self, slice: u32) {
        let mut now = Extremes::default();
        self.next_change = u32::MAX;
        for lane in &mut self.lanes {
            lane.advance(slice);
            lane.join_to(&mut now);
            self.next_change = self.next_change.min(lane.next_change());
        }
        self.now = (now.minimum <= now.maximum).then_some(now);
    }
}

/// The marks of one lane, all of which are equally long.
#[derive(Debug)]
struct LaneSweep {
    length: u32,
    /// Where each mark begins, in order.
    marks: Vec<(u32, Extremes)>,
    /// The first mark that was not reached.
    next: usize,
    /// Marks that hold now and may decide: one that a later one exceeds, which ends later too, never will.
    smallest: VecDeque<usize>,
    largest: VecDeque<usize>,
}

impl LaneSweep {
    fn new(length: u32, marks: Vec<(u32, Extremes)>) -> LaneSweep {
        LaneSweep { length, marks, next: 0, smallest: VecDeque::new(), largest: VecDeque::new() }
    }

    fn advance(&mut self, slice: u32) {
        let LaneSweep { length, marks, next, smallest, largest } = self;
        while let Some((_, mark)) = marks.get(*next).filter(|(first, _)| *first <= slice) {
            while smallest.back().is_some_and(|last| mark.minimum <= marks[*last].1.minimum) {
                smallest.pop_back();
            }
            while largest.back().is_some_and(|last| mark.maximum >= marks[*last].1.maximum) {
                largest.pop_back();
            }
            smallest.push_back(*next);
            largest.push_back(*next);
            *next += 1;
        }
        for held in [smallest, largest] {
            while held.front().is_some_and(|first| marks[*first].0 + *length <= slice) {
                held.pop_front();
            }
        }
    }

    fn join_to(&self, now: &mut Extremes) {
        if let (Some(smallest), Some(largest)) = (self.smallest.front(), self.largest.front()) {
            let (minimum, maximum) = (self.marks[*smallest].1.minimum, self.marks[*largest].1.maximum);
            now.join(Extremes { minimum, maximum });
        }
    }

    /// The next slice where something begins to hold or one that decides ends.
    fn next_change(&self) -> u32 {
        let ends = [self.smallest.front(), self.largest.front()].into_iter().flatten();
        let ends = ends.map(|first| self.marks[*first].0 + self.length);
        let begin = self.marks.get(self.next).map(|(first, _)| *first);
        ends.chain(begin).min().unwrap_or(u32::MAX)
    }
}
