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
//! Count and time of a slice lie in one [`Word`], so that an update is one addition. When a word is nearly
//! full, its contents move to a table of large numbers.

use std::collections::BTreeMap;

use super::words::{LONGEST, Packing, Word};
use super::{Leaves, Place, Slicing, Store, take};
use crate::kernels::pairs::NO_NUMBER;

/// The part of an interval that lies in the slices that are asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part {
    /// The slices where it begins and ends; the end lies behind the last one when it goes on there.
    pub(super) from: u32,
    pub(super) to: u32,
    /// How far behind the beginnings of those slices.
    pub(super) from_rest: i64,
    pub(super) to_rest: i64,
}

impl Part {
    /// The part of `[start, end)`; `None` when there is none. An interval without length that lies
    /// within has a part without length.
    #[inline(always)]
    pub fn of(slicing: &Slicing, start: i64, end: i64) -> Option<Part> {
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
        Some(Part { from, to, from_rest, to_rest })
    }
}

impl Part {
    /// The first and last slice that it shares time with, if any.
    #[inline]
    pub(super) fn slices(&self, slicing: &Slicing) -> Option<(u32, u32)> {
        let is_empty = self.from == self.to && self.from_rest == self.to_rest;
        let last = self.to.saturating_sub(u32::from(self.to_rest == 0)).min(slicing.asked().1);
        (!is_empty && self.from <= last).then_some((self.from, last))
    }
}

/// Ticks that lie in one slice, which is asked for: from a tick on to nearly the end of its slice. Rows mostly come
/// in the order of time, so that the next ones lie there too.
#[derive(Debug, Clone, Copy)]
struct Near {
    slice: u32,
    begin: i64,
    end: i64,
}

impl Near {
    const NOWHERE: Near = Near { slice: 0, begin: 0, end: 0 };

    #[inline(never)]
    fn of(slicing: &Slicing, tick: i64) -> Near {
        let (first, last) = slicing.asked();
        match slicing.place(tick) {
            Place::Within { slice, rest } if (first..=last).contains(&slice) && slicing.length() <= LONGEST => {
                Near { slice, begin: tick, end: tick + slicing.ticks_left(rest) }
            }
            _ => Near::NOWHERE,
        }
    }

    #[inline(always)]
    fn has(&self, tick: i64) -> bool {
        self.begin <= tick && tick < self.end
    }
}

/// Count and time of a slice that are too large for a word.
#[derive(Debug, Clone, Copy, Default)]
struct Large {
    count: i64,
    time: i128,
}

impl Large {
    fn add(&mut self, (count, time): (i64, i64)) {
        self.count += count;
        self.time += i128::from(time);
    }
}

/// Time in states, of many series.
#[derive(Debug)]
pub struct States {
    slicing: Slicing,
    packing: Packing,
    words: Leaves<Word>,
    /// By series and slice: what comes on top of the word of that cell.
    large: BTreeMap<(u32, u32), Large>,
}

impl States {
    /// Calls `give` with each slice that is asked for and its time in n-ths of a tick, in order; without
    /// those that have none. They must be tidy.
    pub fn parts(&self, series: u32, give: &mut impl FnMut(u32, i128)) {
        match self.is_small(series) {
            true => self.small_parts(series, &mut |slice, parts| give(slice, parts.into())),
            false => self.large_parts(series, give),
        }
    }

    /// Whether times of a series are small numbers all along. It must be tidy.
    fn is_small(&self, series: u32) -> bool {
        // At most so many are open at once: the count of a word is rounded down here, by at most one.
        let mut starts = 0;
        self.words.each_cell(series, &mut |word| starts += (word.0 >> self.packing.bits).unsigned_abs() + 1);
        let most = (i64::MAX >> 2) / self.slicing.length();
        self.large.is_empty() && starts <= most.unsigned_abs()
    }

    /// [`States::parts`] of a series that is small.
    #[inline]
    fn small_parts(&self, series: u32, give: &mut impl FnMut(u32, i64)) {
        let (length, (first, last)) = (self.slicing.length(), self.slicing.asked());
        // The time of a slice in which nothing begins or ends.
        let (mut full, mut next) = (0, first);
        self.words.each(series, &mut |slice, word| {
            if full > 0 {
                (next..slice).for_each(|between| give(between, full));
            }
            let (count, time) = self.packing.count_and_time(*word);
            if full + time > 0 {
                give(slice, full + time);
            }
            full += count * length;
            next = slice + 1;
        });
        if full > 0 {
            (next..last + 1).for_each(|behind| give(behind, full));
        }
    }

    /// [`States::parts`] of any series.
    fn large_parts(&self, series: u32, give: &mut impl FnMut(u32, i128)) {
        let (first, last) = self.slicing.asked();
        let mut walk = Walk { length: self.slicing.length().into(), full: 0, next: first };
        let mut large = self.large.range((series, 0)..=(series, u32::MAX)).peekable();
        self.words.each(series, &mut |slice, word| {
            let (count, time) = self.packing.count_and_time(*word);
            let mut cell = Large { count, time: time.into() };
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
        let (slicing, mut near) = (self.slicing, Near::NOWHERE);
        let slices = i64::from(slicing.slices());
        for ((&series, &start), &end) in series.iter().zip(starts).zip(ends) {
            if series == NO_NUMBER {
                continue;
            }
            if !near.has(start) {
                near = Near::of(&slicing, start);
            }
            if start <= end && end < near.end && near.begin <= start {
                self.change(series, near.slice, (end - start) * slices);
            } else {
                self.add_row(series, start, end);
            }
        }
    }

    /// Apart, so that the usual row has the registers for itself.
    #[inline(never)]
    fn add_row(&mut self, series: u32, start: i64, end: i64) {
        if let Some(part) = Part::of(&self.slicing, start, end) {
            self.add(series, part);
        }
    }

    /// Moves what a word holds to the table of large numbers.
    #[cold]
    fn enlarge(&mut self, series: u32, slice: u32) {
        let word = std::mem::take(self.words.cell(series, slice));
        self.large.entry((series, slice)).or_default().add(self.packing.count_and_time(word));
    }

    /// Adds a part of a window that is too long for words.
    #[cold]
    fn add_large(&mut self, series: u32, part: Part) {
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
        let cell = self.words.cell(series, slice);
        cell.0 = cell.0.wrapping_add(by);
        if !self.packing.is_roomy(*cell) {
            self.enlarge(series, slice);
        }
    }
}

/// From slice to slice, with the time of one in which nothing begins or ends.
struct Walk {
    length: i128,
    full: i128,
    next: u32,
}

impl Walk {
    /// Gives the slices up to one in which something begins or ends, and that one.
    #[inline]
    fn step(&mut self, slice: u32, cell: &Large, give: &mut impl FnMut(u32, i128)) {
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

impl Store for States {
    type Part = Part;
    /// Seconds.
    type Measure = f64;

    fn new(slicing: Slicing) -> States {
        let (packing, words) = (Packing::new(slicing.length()), Leaves::new(slicing.slices()));
        States { slicing, packing, words, large: BTreeMap::new() }
    }

    fn add_series(&mut self) -> u32 {
        self.words.add_series()
    }

    #[inline(always)]
    fn add(&mut self, series: u32, part: Part) {
        let length = self.slicing.length();
        if length > LONGEST {
            return self.add_large(series, part);
        }
        if part.from == part.to {
            // Start and end in one: the counts cancel.
            return self.change(series, part.from, part.to_rest - part.from_rest);
        }
        self.change(series, part.from, self.packing.start(length - part.from_rest));
        if part.to <= self.slicing.asked().1 {
            self.change(series, part.to, self.packing.start(length - part.to_rest).wrapping_neg());
        }
    }

    fn is_crowded(&self) -> bool {
        self.words.is_crowded()
    }

    fn tidy(&mut self) {
        let States { packing, words, large, .. } = self;
        words.tidy(&mut |series, slice, word| {
            if !packing.is_roomy(*word) {
                large.entry((series, slice)).or_default().add(packing.count_and_time(std::mem::take(word)));
            }
        });
    }

    fn measures(&mut self, series: u32, give: &mut impl FnMut(u32, f64)) {
        let slicing = self.slicing;
        if self.is_small(series) {
            let per_second = slicing.parts_per_second();
            return self.small_parts(series, &mut |slice, parts| give(slice, parts as f64 / per_second));
        }
        self.large_parts(series, &mut |slice, parts| give(slice, slicing.seconds(parts)));
    }

    fn write(&self, series: u32, bytes: &mut Vec<u8>) {
        self.words.write(series, bytes);
        let large = || self.large.range((series, 0)..=(series, u32::MAX));
        bytes.extend_from_slice(&(large().count() as u32).to_le_bytes());
        for ((_, slice), large) in large() {
            bytes.extend_from_slice(&slice.to_le_bytes());
            bytes.extend_from_slice(&large.count.to_le_bytes());
            bytes.extend_from_slice(&large.time.to_le_bytes());
        }
    }

    fn read(&mut self, series: u32, bytes: &mut &[u8]) -> Option<()> {
        self.words.read(series, bytes)?;
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
    }

    fn size(&self) -> usize {
        self.words.size() + self.large.len() * (size_of::<(u32, u32)>() + size_of::<Large>()) * 2
    }
}
