//! Time in a state per slice: two updates per state, however many slices it spans.
//!
//! ```text
//!  slice          a          a+1         c
//!            |---s====|==========|==e-------|      s adds 1 to the count of a, and to its time what is left
//!                                                  of slice a; e takes as much from c
//! ```
//! With `open` the states that began before slice i and have not ended before it, the time in slice i is
//! `open·L + time`, in n-ths of a tick.
//!
//! Count and time of a slice lie in one [`SliceWord`], so that an update is one addition. When a word is nearly
//! full, its contents move to a table of large numbers.

mod summed;

use std::collections::BTreeMap;

use super::near::NearTicks;
use super::packed::MOST_CELLS;
use super::words::{LONGEST, SliceWord, WordPacking};
use super::{Leaves, SliceStore, Slicing, take};
use crate::pairs::NO_NUMBER;

/// The part of an interval that lies in the slices that are asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StatePart {
    /// The slices where it begins and ends; the end lies behind the last one when it goes on there.
    pub(super) from: u32,
    pub(super) to: u32,
    /// How far behind the beginnings of those slices.
    pub(super) from_rest: i64,
    pub(super) to_rest: i64,
}

impl StatePart {
    /// The part of `[start, end)`; `None` when there is none. An interval without length that lies
    /// within has a part without length.
    #[inline(always)]
    pub fn of(slicing: &Slicing, start: i64, end: i64) -> Option<StatePart> {
        if end < start || end <= slicing.start() || start >= slicing.stop() {
            return None;
        }
        let (first, last) = slicing.asked();
        let (from, from_rest) = if start < slicing.start() { (0, 0) } else { slicing.divide(start) };
        let (to, to_rest) = if end >= slicing.stop() { (u32::MAX, 0) } else { slicing.divide(end) };
        if from > last || to < first {
            return None;
        }
        let (from, from_rest) = if from < first { (first, 0) } else { (from, from_rest) };
        Some(StatePart { from, to, from_rest, to_rest })
    }
}

impl StatePart {
    /// The first and last slice that it shares time with, if any.
    #[inline]
    pub(super) fn slices(&self, slicing: &Slicing) -> Option<(u32, u32)> {
        let is_empty = self.from == self.to && self.from_rest == self.to_rest;
        let last = self.to.saturating_sub(u32::from(self.to_rest == 0)).min(slicing.asked().1);
        (!is_empty && self.from <= last).then_some((self.from, last))
    }
}

/// Count and time of a slice that are too large for a word.
#[derive(Debug, Clone, Copy, Default)]
struct LargeCell {
    count: i64,
    time: i128,
}

impl LargeCell {
    fn add(&mut self, (count, time): (i64, i64)) {
        self.count += count;
        self.time += i128::from(time);
    }
}

/// Time in states, of many series.
#[derive(Debug)]
pub struct StateSlices {
    slicing: Slicing,
    packing: WordPacking,
    words: Leaves<SliceWord>,
    /// By series and slice: what comes on top of the word of that cell.
    large: BTreeMap<(u32, u32), LargeCell>,
    /// The most states that began in one slice and went on in the next.
    starts: u64,
}

impl StateSlices {
    /// Calls `give` with each slice that is asked for and its time in n-ths of a tick, in order; without
    /// those that have none. They must be tidy.
    pub fn parts(&self, series: u32, give: &mut impl FnMut(u32, i128)) {
        match self.is_small(series) {
            true => self.small_parts(series, &mut |slices, parts| {
                slices.iter().zip(parts).for_each(|(slice, parts)| give(*slice, (*parts).into()));
            }),
            false => self.large_parts(series, give),
        }
    }

    /// Whether times of a series are small numbers all along. It must be tidy.
    fn is_small(&self, series: u32) -> bool {
        let most = ((i64::MAX >> 2) / self.slicing.length()).unsigned_abs();
        if !self.large.is_empty() || self.starts <= most {
            return self.large.is_empty();
        }
        // Counted again, in this series alone. The count of a word is rounded down here, by at most one.
        let mut starts = 0;
        self.words.each(series, &mut |_, word| starts += (word.0 >> self.packing.bits).unsigned_abs() + 1);
        starts <= most
    }

    /// [`StateSlices::parts`] of a series that is small, some slices at a time.
    #[inline(always)]
    fn small_parts(&self, series: u32, give: &mut impl FnMut(&[u32], &[i64])) {
        let (length, (first, last)) = (self.slicing.length(), self.slicing.asked());
        // The time of a slice in which nothing begins or ends.
        let (mut full, mut next) = (0, first);
        let mut run = SliceRun::default();
        self.words.each_leaf(series, &mut |leaf, words| {
            for (place, word) in leaf.places().zip(words) {
                let slice = leaf.first + place;
                if full > 0 && next < slice {
                    run.fill(next..slice, full, give);
                }
                let (count, time) = self.packing.count_and_time(*word);
                run.push(slice, full + time);
                full += count * length;
                next = slice + 1;
            }
            run.give(give);
        });
        if full > 0 {
            run.fill(next..last + 1, full, give);
        }
    }

    /// [`StateSlices::parts`] of any series.
    fn large_parts(&self, series: u32, give: &mut impl FnMut(u32, i128)) {
        let (first, last) = self.slicing.asked();
        let mut walk = SliceWalk { length: self.slicing.length().into(), full: 0, next: first };
        let mut large = self.large.range((series, 0)..=(series, u32::MAX)).peekable();
        self.words.each(series, &mut |slice, word| {
            let (count, time) = self.packing.count_and_time(*word);
            let mut cell = LargeCell { count, time: time.into() };
            while let Some((&(_, place), more)) = large.next_if(|((_, place), _)| *place <= slice) {
                if place < slice {
                    walk.step(place, more, give);
                } else {
                    cell.count += more.count;
                    cell.time += more.time;
                }
            }
            walk.step(slice, &cell, give);
        });
        large.for_each(|(&(_, place), more)| walk.step(place, more, give));
        walk.fill(last + 1, give);
    }

    /// Adds rows, each to its series; those of [`NO_NUMBER`] are left out.
    pub fn add_rows(&mut self, series: &[u32], starts: &[i64], ends: &[i64]) {
        let (slicing, mut near) = (self.slicing, NearTicks::NOWHERE);
        let slices = i64::from(slicing.slices());
        for ((&series, &start), &end) in series.iter().zip(starts).zip(ends) {
            if series == NO_NUMBER {
                continue;
            }
            if start <= end && end < near.end && near.begin <= start {
                self.change(series, near.slice, (end - start) * slices);
            } else {
                near = self.add_row(series, start, end, near);
            }
        }
    }

    /// Adds a row that does not lie where the last one has ended; gives where this one ends. Apart, so that the usual
    /// row has the registers for itself.
    #[inline(never)]
    fn add_row(&mut self, series: u32, start: i64, end: i64, near: NearTicks) -> NearTicks {
        let slicing = &self.slicing;
        let from = if near.has(start) { near } else { NearTicks::of(slicing, start) };
        let to = if start <= end && end < from.end { from } else { NearTicks::of(slicing, end) };
        let part = if from.has(start) && to.has(end) && start <= end {
            let (from_rest, to_rest) = (from.rest_of(slicing, start), to.rest_of(slicing, end));
            Some(StatePart { from: from.slice, to: to.slice, from_rest, to_rest })
        } else {
            StatePart::of(slicing, start, end)
        };
        if let Some(part) = part {
            self.add(series, part);
        }
        to
    }

    /// Adds a part of a window that is too long for words.
    #[cold]
    fn add_large(&mut self, series: u32, part: StatePart) {
        let mut add = |slice: u32, count: i64, rest: i64| {
            let large = self.large.entry((series, slice)).or_default();
            large.count += count;
            large.time += i128::from(count) * i128::from(self.slicing.length() - rest);
        };
        add(part.from, 1, part.from_rest);
        if part.to <= self.slicing.asked().1 {
            add(part.to, -1, part.to_rest);
        }
    }

    #[inline(always)]
    fn change(&mut self, series: u32, slice: u32, by: i64) {
        let word = self.words.cell(series, slice);
        word.0 = word.0.wrapping_add(by);
        enlarge(&self.packing, &mut self.large, (series, slice), word);
    }
}

/// Slices that follow each other, and their times.
#[derive(Default)]
struct SliceRun {
    slices: [u32; MOST_CELLS],
    parts: [i64; MOST_CELLS],
    count: usize,
}

impl SliceRun {
    /// Adds a slice, unless it has no time. There must be room.
    #[inline(always)]
    fn push(&mut self, slice: u32, parts: i64) {
        // No branch is guessed wrong: the next slice takes the place of one without time.
        self.slices[self.count % MOST_CELLS] = slice;
        self.parts[self.count % MOST_CELLS] = parts;
        self.count += usize::from(parts > 0);
    }

    /// Gives what is there, and is empty again.
    #[inline(always)]
    fn give(&mut self, give: &mut impl FnMut(&[u32], &[i64])) {
        give(&self.slices[..self.count], &self.parts[..self.count]);
        self.count = 0;
    }

    /// Gives what is there, and slices that have the same time.
    fn fill(&mut self, slices: std::ops::Range<u32>, parts: i64, give: &mut impl FnMut(&[u32], &[i64])) {
        self.give(give);
        for slice in slices {
            self.push(slice, parts);
            if self.count == MOST_CELLS {
                self.give(give);
            }
        }
        self.give(give);
    }
}

/// Moves what a word holds to the table of large numbers, when it is nearly full.
#[inline(always)]
fn enlarge(packing: &WordPacking, large: &mut BTreeMap<(u32, u32), LargeCell>, cell: (u32, u32), word: &mut SliceWord) {
    if !packing.is_roomy(*word) {
        move_large(packing, large, cell, std::mem::take(word));
    }
}

#[cold]
fn move_large(packing: &WordPacking, large: &mut BTreeMap<(u32, u32), LargeCell>, cell: (u32, u32), word: SliceWord) {
    large.entry(cell).or_default().add(packing.count_and_time(word));
}

/// From slice to slice, with the time of one in which nothing begins or ends.
struct SliceWalk {
    length: i128,
    full: i128,
    next: u32,
}

impl SliceWalk {
    /// Gives the slices up to one in which something begins or ends, and that one.
    #[inline]
    fn step(&mut self, slice: u32, cell: &LargeCell, give: &mut impl FnMut(u32, i128)) {
        self.fill(slice, give);
        let parts = self.full + cell.time;
        self.full += i128::from(cell.count) * self.length;
        if parts > 0 {
            give(slice, parts);
        }
        self.next = slice + 1;
    }

    /// Gives the slices before `end`, in which nothing begins or ends.
    #[inline]
    fn fill(&mut self, end: u32, give: &mut impl FnMut(u32, i128)) {
        if self.full > 0 {
            (self.next..end).for_each(|slice| give(slice, self.full));
        }
    }
}

impl SliceStore for StateSlices {
    type Part = StatePart;
    /// Seconds.
    type Measure = f64;

    fn new(slicing: Slicing) -> StateSlices {
        let (packing, words) = (WordPacking::new(slicing.length()), Leaves::new(slicing.slices()));
        StateSlices { slicing, packing, words, large: BTreeMap::new(), starts: 0 }
    }

    fn add_series(&mut self) -> u32 {
        self.words.add_series()
    }

    #[inline(always)]
    fn add(&mut self, series: u32, part: StatePart) {
        let length = self.slicing.length();
        if length > LONGEST {
            return self.add_large(series, part);
        }
        if part.from == part.to {
            // Start and end in one: the counts cancel.
            return self.change(series, part.from, part.to_rest - part.from_rest);
        }
        self.starts = self.starts.saturating_add(1);
        self.change(series, part.from, self.packing.start(length - part.from_rest));
        if part.to <= self.slicing.asked().1 {
            self.change(series, part.to, self.packing.start(length - part.to_rest).wrapping_neg());
        }
    }

    fn is_crowded(&self) -> bool {
        self.words.is_crowded()
    }

    fn tidy(&mut self) {
        let StateSlices { packing, words, large, .. } = self;
        words.tidy(&mut |series, slice, word| enlarge(packing, large, (series, slice), word));
    }

    fn measures(&mut self, series: u32, give: &mut impl FnMut(u32, f64)) {
        let slicing = self.slicing;
        self.parts(series, &mut |slice, parts| give(slice, slicing.seconds(parts)));
    }

    fn list_measures(&mut self, series: u32, slices: &mut Vec<i64>, measures: &mut Vec<f64>) {
        let slicing = self.slicing;
        if self.is_small(series) {
            let per_second = slicing.parts_per_second();
            return self.small_parts(series, &mut |some_slices, parts| {
                slices.extend(some_slices.iter().map(|slice| i64::from(*slice)));
                measures.extend(parts.iter().map(|parts| *parts as f64 / per_second));
            });
        }
        self.large_parts(series, &mut |slice, parts| {
            slices.push(slice.into());
            measures.push(slicing.seconds(parts));
        });
    }

    fn write(&self, series: u32, bytes: &mut Vec<u8>) {
        self.words.write(series, bytes);
        bytes.extend_from_slice(&self.starts.to_le_bytes());
        let large = || self.large.range((series, 0)..=(series, u32::MAX));
        bytes.extend_from_slice(&(large().count() as u32).to_le_bytes());
        for ((_, slice), large) in large() {
            bytes.extend_from_slice(&slice.to_le_bytes());
            bytes.extend_from_slice(&large.count.to_le_bytes());
            bytes.extend_from_slice(&large.time.to_le_bytes());
        }
    }

    fn read(&mut self, series: u32, bytes: &mut &[u8]) -> Option<()> {
        let StateSlices { packing, words, large, .. } = self;
        words.read(series, bytes, &mut |series, slice, word| enlarge(packing, large, (series, slice), word))?;
        self.starts = self.starts.saturating_add(u64::from_le_bytes(take(bytes)?));
        for _ in 0..u32::from_le_bytes(take(bytes)?) {
            let slice = u32::from_le_bytes(take(bytes)?);
            let large = self.large.entry((series, slice)).or_default();
            large.count += i64::from_le_bytes(take(bytes)?);
            large.time += i128::from_le_bytes(take(bytes)?);
        }
        Some(())
    }

    fn clear(&mut self) {
        self.words.clear();
        self.large.clear();
        self.starts = 0;
    }

    fn size(&self) -> usize {
        self.words.size() + self.large.len() * (size_of::<(u32, u32)>() + size_of::<LargeCell>()) * 2
    }
}
