//! Time in a state per slice: two updates per state, however many slices it spans.
//!
//! ```text
//!  slice          a          a+1         c
//!            |---s====|==========|==e-------|      s adds 1 to the count of a, and its rest to the rest
//!                                                  of a; e takes as much from c
//! ```
//! With `open` the states that began before slice i and have not ended before it, the time in slice i
//! is `open·L + count·L − rest` n-ths of a tick: a start at `rest` fills what is left of its slice,
//! an end empties it.

use super::{Cell, CellTree, Place, Slicing, Store, take};

/// Starts and ends in one slice: up to 2^31 of them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct StateCell {
    /// Starts less ends.
    count: i32,
    /// Rests of the starts less those of the ends: `high · 2^64 + low`.
    high: i32,
    low: u64,
}

impl StateCell {
    fn begin(&mut self, rest: u64) {
        self.count = self.count.wrapping_add(1);
        let (low, carry) = self.low.overflowing_add(rest);
        (self.low, self.high) = (low, self.high.wrapping_add(i32::from(carry)));
    }

    fn end(&mut self, rest: u64) {
        self.count = self.count.wrapping_sub(1);
        let (low, borrow) = self.low.overflowing_sub(rest);
        (self.low, self.high) = (low, self.high.wrapping_sub(i32::from(borrow)));
    }

    fn rest(&self) -> i128 {
        (i128::from(self.high) << 64) + i128::from(self.low)
    }
}

impl Cell for StateCell {
    fn is_empty(&self) -> bool {
        *self == StateCell::default()
    }

    fn merge(&mut self, other: &StateCell) {
        self.count = self.count.wrapping_add(other.count);
        let (low, carry) = self.low.overflowing_add(other.low);
        self.low = low;
        self.high = self.high.wrapping_add(other.high).wrapping_add(i32::from(carry));
    }

    fn write(&self, bytes: &mut Vec<u8>) {
        bytes.extend_from_slice(&self.count.to_le_bytes());
        bytes.extend_from_slice(&self.high.to_le_bytes());
        bytes.extend_from_slice(&self.low.to_le_bytes());
    }

    fn read(bytes: &mut &[u8]) -> Option<StateCell> {
        Some(StateCell {
            count: i32::from_le_bytes(take(bytes)?),
            high: i32::from_le_bytes(take(bytes)?),
            low: u64::from_le_bytes(take(bytes)?),
        })
    }
}

/// The part of an interval that lies in the slices that are asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part {
    from: Place,
    to: Place,
}

impl Part {
    /// The part of `[start, end)`; `None` when there is none. An interval without length that lies
    /// within has a part without length.
    pub fn of(slicing: &Slicing, start: i64, end: i64) -> Option<Part> {
        if end < start || end <= slicing.start() {
            return None;
        }
        let (from, to) = (slicing.place_asked(start), slicing.place_asked(end));
        (from != Place::After && to != Place::Before).then_some(Part { from, to })
    }
}

/// Time in states, of many series.
#[derive(Debug)]
pub struct States {
    slicing: Slicing,
    tree: CellTree<StateCell>,
}

impl States {
    /// Calls `give` with each slice that is asked for and its time in n-ths of a tick, in order; without
    /// those that have none.
    pub fn parts(&self, series: u32, give: &mut impl FnMut(u32, i128)) {
        let whole = i128::from(self.slicing.length());
        let (first, last) = self.slicing.asked();
        let mut open = 0_i128;
        let mut next = first;
        self.tree.leaves(series, &mut |slice, cells| {
            repeat(next, slice, open * whole, give);
            for (slice, cell) in (slice..).zip(cells) {
                let before = open * whole;
                open += i128::from(cell.count);
                let parts = if cell.is_empty() { before } else { open * whole - cell.rest() };
                if parts > 0 && slice <= last {
                    give(slice, parts);
                }
            }
            next = slice + cells.len() as u32;
        });
        repeat(next, last + 1, open * whole, give);
    }
}

/// Gives the slices from `next` to before `end`, which all have the same time.
fn repeat(next: u32, end: u32, parts: i128, give: &mut impl FnMut(u32, i128)) {
    if parts > 0 {
        (next..end).for_each(|slice| give(slice, parts));
    }
}

impl Store for States {
    type Part = Part;
    /// Seconds.
    type Measure = f64;

    fn new(slicing: Slicing) -> States {
        States { slicing, tree: CellTree::new(slicing.slices()) }
    }

    fn add_series(&mut self) -> u32 {
        self.tree.add_series()
    }

    fn add(&mut self, series: u32, part: Part) {
        match part.from {
            Place::Within { slice, rest } => self.tree.cell(series, slice).begin(rest),
            Place::Before => self.tree.cell(series, self.slicing.asked().0).begin(0),
            Place::After => return,
        }
        if let Place::Within { slice, rest } = part.to {
            self.tree.cell(series, slice).end(rest);
        }
    }

    fn measures(&mut self, series: u32, give: &mut impl FnMut(u32, f64)) {
        let slicing = self.slicing;
        self.parts(series, &mut |slice, parts| give(slice, slicing.seconds(parts)));
    }

    fn write(&self, series: u32, bytes: &mut Vec<u8>) {
        self.tree.write(series, bytes);
    }

    fn read(&mut self, series: u32, bytes: &mut &[u8]) -> Option<()> {
        self.tree.read(series, bytes)
    }

    fn size(&self) -> usize {
        self.tree.size()
    }
}
