//! A window of time cut into equal slices, in exact arithmetic.
//!
//! In: ticks. Out: the slice of a tick, how far into the slice it lies, and seconds.
//!
//! ```text
//!  start                 stop      n slices of L/n ticks; the boundaries start + i·L/n are fractions,
//!    |----|----|----|----|         so everything is counted in n-ths of a tick, which are whole numbers
//!    b0   b1   b2   b3   b4
//! ```
//! Sums of whole numbers do not depend on the order of rows: every partitioning gives the same bits.
//!
//! What runs for every row is inlined always: the compiler leaves it out where it is called from several
//! places, and a call per row doubles the cost of a row.

mod cell;
mod cut_bands;
pub mod events;
pub mod extremes;
mod leaves;
pub mod links;
mod near;
mod packed;
mod partners;
pub mod states;
pub mod variables;
mod words;

pub use cell::{SliceCell, take};
pub(crate) use cut_bands::Stretch;
pub use cut_bands::{CutBands, takes_apart, takes_band};
pub use leaves::Leaves;

/// How many slices a window may have.
pub const MOST_SLICES: u32 = 10_000_000;

/// A window of ticks, the number of its slices, and the slices that are asked for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Slicing {
    start: i64,
    /// Length of the window in ticks: at least 1.
    length: i64,
    slices: u32,
    /// `n · 2^64 / L` rounded down; 0 when a tick holds a slice or more.
    scale: u64,
    /// A bit less than an n-th.
    nearly_part: f64,
    per_second: i64,
    /// The slices that are asked for, both included.
    first: u32,
    last: u32,
}

/// Where a tick lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TickPosition {
    /// Before the window.
    Before,
    /// In a slice, `rest` n-ths of a tick behind its beginning: `0 <= rest < length`.
    Within {
        /// The slice.
        slice: u32,
        /// How far behind its beginning, in n-ths of a tick.
        rest: i64,
    },
    /// At or behind the end.
    After,
}

impl Slicing {
    /// A window `[start, stop)` in `slices` slices; `None` when it is empty, when it is longer than 2^63
    /// ticks, or when it has no slices or too many.
    pub fn new(start: i64, stop: i64, slices: u32, per_second: i64) -> Option<Slicing> {
        let length = stop.checked_sub(start).filter(|length| *length > 0)?;
        let scale = u64::try_from((u128::from(slices) << 64) / length as u128).unwrap_or(0);
        // Less by more than the rounding of a division and of a product with a number that was rounded.
        let nearly_part = (1.0 - 8.0 * f64::EPSILON) / f64::from(slices);
        let is_valid = (1..=MOST_SLICES).contains(&slices) && per_second > 0;
        is_valid.then(|| Slicing { start, length, slices, scale, nearly_part, per_second, first: 0, last: slices - 1 })
    }

    /// The same window, of which only the slices `first..=last` are asked for.
    pub fn only(mut self, first: u32, last: u32) -> Slicing {
        self.first = first.max(self.first);
        self.last = last.min(self.last);
        self
    }

    /// How many slices the window has.
    pub fn slices(&self) -> u32 {
        self.slices
    }

    /// Ticks per second.
    pub fn per_second(&self) -> i64 {
        self.per_second
    }

    /// The slices that are asked for, both included; the first is behind the last when there are none.
    #[inline]
    pub fn asked(&self) -> (u32, u32) {
        (self.first, self.last)
    }

    /// First tick of the window.
    #[inline]
    pub fn start(&self) -> i64 {
        self.start
    }

    /// First tick behind the window.
    #[inline]
    pub fn stop(&self) -> i64 {
        self.start + self.length
    }

    /// Length of the window in ticks, and of a slice in n-ths of a tick.
    pub fn length(&self) -> i64 {
        self.length
    }

    /// Where a tick lies in the whole window.
    #[inline]
    pub fn place(&self, tick: i64) -> TickPosition {
        if tick < self.start {
            return TickPosition::Before;
        }
        if tick >= self.start + self.length {
            return TickPosition::After;
        }
        let (slice, rest) = self.divide(tick);
        TickPosition::Within { slice, rest }
    }

    /// The slice of a tick of the window, and the n-ths of a tick behind its beginning: the quotient
    /// `(tick - start) · n / L`, and what is left over.
    #[inline(always)]
    fn divide(&self, tick: i64) -> (u32, i64) {
        let into = tick.wrapping_sub(self.start) as u64;
        let (slices, length) = (u64::from(self.slices), self.length as u64);
        if self.scale == 0 {
            // Here `into < L <= n`: the product is small.
            return ((into * slices / length) as u32, (into * slices % length) as i64);
        }
        // This quotient is at most one too small, so what is left is below 2 L < 2^64.
        let guess = ((u128::from(into) * u128::from(self.scale)) >> 64) as u64;
        let rest = into.wrapping_mul(slices).wrapping_sub(guess.wrapping_mul(length));
        let is_next = rest >= length;
        ((guess + u64::from(is_next)) as u32, (if is_next { rest - length } else { rest }) as i64)
    }

    /// Ticks from one to the end of its slice, or a few less: those behind it by fewer lie in the slice too. `rest` is what
    /// [`Slicing::place`] says of the tick.
    #[inline]
    fn ticks_left(&self, rest: i64) -> i64 {
        ((self.length - rest) as f64 * self.nearly_part) as i64
    }

    /// The intervals that have a part in the slices that are asked for.
    pub fn reach(&self) -> SliceReach {
        if self.first > self.last {
            return SliceReach { least_end: i64::MAX, stop: i64::MIN };
        }
        let begin = self.boundary_ticks(self.first).1;
        SliceReach { least_end: begin.max(self.start + 1), stop: self.boundary_ticks(self.last + 1).1 }
    }

    /// The last tick that is not behind the beginning of a slice, and the first that is not before it.
    pub fn boundary_ticks(&self, slice: u32) -> (i64, i64) {
        let into = i128::from(slice) * i128::from(self.length);
        let below = into.div_euclid(i128::from(self.slices));
        let above = below + i128::from(below * i128::from(self.slices) != into);
        let tick = |into: i128| (i128::from(self.start) + into) as i64;
        (tick(below), tick(above))
    }

    /// Whether `[start, end)` lies in one slice, behind the beginning of the window: what happens at that very instant
    /// counts as before it.
    #[inline]
    pub fn is_in_one(&self, start: i64, end: i64) -> bool {
        if start <= self.start || end > self.stop() || end <= start {
            return false;
        }
        let (first, (last, rest)) = (self.divide(start).0, self.divide(end));
        first == last || (first + 1 == last && rest == 0)
    }

    /// When a slice begins; with the number of slices, when the last one ends. In seconds.
    pub fn boundary(&self, slice: i64) -> f64 {
        let ticks = i128::from(self.start) * i128::from(self.slices) + i128::from(slice) * i128::from(self.length);
        self.seconds(ticks)
    }

    /// Length of a slice in seconds.
    pub fn slice_seconds(&self) -> f64 {
        self.seconds(i128::from(self.length))
    }

    /// How many n-ths of a tick a second has.
    #[inline]
    pub fn parts_per_second(&self) -> f64 {
        f64::from(self.slices) * self.per_second as f64
    }

    /// Converts n-ths of ticks to seconds.
    #[inline]
    pub fn seconds(&self, parts: i128) -> f64 {
        let per_second = self.parts_per_second();
        match i64::try_from(parts) {
            Ok(parts) => parts as f64 / per_second,
            Err(_) => long_as_f64(parts) / per_second,
        }
    }
}

impl Slicing {
    /// Converts something per n-th of a tick to the same per second.
    pub fn per_seconds(&self, per_part: f64) -> f64 {
        per_part / self.parts_per_second()
    }
}

/// Which intervals have a part in some slices, by their ticks alone.
#[derive(Debug, Clone, Copy)]
pub struct SliceReach {
    least_end: i64,
    stop: i64,
}

impl SliceReach {
    /// Whether `[start, end)` has one; without length too, when it lies within or begins them.
    #[inline(always)]
    pub fn touches(&self, start: i64, end: i64) -> bool {
        start <= end && end >= self.least_end && start < self.stop
    }
}

/// Kept apart, since it is slow and almost never needed.
#[cold]
#[inline(never)]
fn long_as_f64(parts: i128) -> f64 {
    parts as f64
}

/// The cells of many series of one kind.
pub trait SliceStore: Sized {
    /// What a row adds.
    type Part: Copy;
    /// What comes out per slice; the default is that of a slice without anything.
    type Measure: Copy + Default;

    /// No series yet.
    fn new(slicing: Slicing) -> Self;
    /// Adds a series without anything; gives its number.
    fn add_series(&mut self) -> u32;
    /// Adds a part to a series.
    fn add(&mut self, series: u32, part: Self::Part);
    /// Whether it is time for [`SliceStore::tidy`]: to be asked now and then between rows.
    fn is_crowded(&self) -> bool;
    /// Prepares for [`SliceStore::measures`] and [`SliceStore::write`]: must be called before them, after the last row.
    fn tidy(&mut self);
    /// Calls `give` with each slice that is asked for and has something, in order.
    fn measures(&mut self, series: u32, give: &mut impl FnMut(u32, Self::Measure));
    /// Appends what [`SliceStore::measures`] gives to lists.
    fn list_measures(&mut self, series: u32, slices: &mut Vec<i64>, measures: &mut Vec<Self::Measure>) {
        self.measures(series, &mut |slice, measure| {
            slices.push(slice.into());
            measures.push(measure);
        });
    }
    /// Appends a series as bytes.
    fn write(&self, series: u32, bytes: &mut Vec<u8>);
    /// Adds a series that was written; `None` when it was not.
    fn read(&mut self, series: u32, bytes: &mut &[u8]) -> Option<()>;
    /// Forgets all series, and keeps the room for others.
    fn clear(&mut self);
    /// Bytes that are held.
    fn size(&self) -> usize;
}

/// The tick nearest to some seconds, if it is a number; the most extreme tick when it is beyond all ticks.
pub fn nearest_tick(seconds: f64, per_second: i64) -> Option<i64> {
    // The cast of a double that is too large gives the largest whole number.
    (!seconds.is_nan()).then(|| (seconds * per_second as f64).round() as i64)
}

#[cfg(test)]
mod tests;
