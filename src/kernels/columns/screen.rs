//! The columns of a screen, and states cut at them.

/// The columns of a window: as many as asked for, but none is shorter than a tick.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ScreenColumns {
    start: i64,
    stop: i64,
    ticks: u64,
    width: u32,
}

impl ScreenColumns {
    /// `None` when the window is empty or has no columns.
    pub fn new(start: i64, stop: i64, width: u32) -> Option<ScreenColumns> {
        if stop <= start || width == 0 {
            return None;
        }
        let ticks = stop.abs_diff(start);
        let width = u32::try_from(ticks).map_or(width, |ticks| ticks.min(width));
        Some(ScreenColumns { start, stop, ticks, width })
    }

    /// How many columns there are.
    pub fn width(&self) -> u32 {
        self.width
    }

    /// Where a column begins; that of `width` is where the last one ends.
    pub fn boundary(&self, column: u32) -> i64 {
        let (column, width) = (u64::from(column), u64::from(self.width));
        let offset = match self.ticks.checked_mul(column) {
            Some(product) => product / width,
            // At most `ticks`, since a column is at most `width`.
            None => (u128::from(self.ticks) * u128::from(column) / u128::from(width)) as u64,
        };
        self.start.wrapping_add_unsigned(offset)
    }

    /// The column that holds a tick of the window.
    pub(super) fn column_of(&self, tick: i64) -> u32 {
        // The last column that begins at or before the tick.
        let after = tick.abs_diff(self.start) + 1;
        let width = u64::from(self.width);
        let column = match after.checked_mul(width) {
            Some(product) => (product - 1) / self.ticks,
            None => ((u128::from(after) * u128::from(width) - 1) / u128::from(self.ticks)) as u64,
        };
        column as u32
    }

    pub(super) fn place_of(&self, tick: i64) -> ColumnBounds {
        let column = self.column_of(tick);
        ColumnBounds { column, start: self.boundary(column), end: self.boundary(column + 1) }
    }

    /// Cuts `[start, end)` at the columns. `near` is the place of the state before, since the next one is
    /// mostly found there or right after it.
    ///
    /// An instant touches the column that holds it, or the last one when it is where the window stops.
    pub fn cut(&self, start: i64, end: i64, near: &mut ColumnBounds, mut give: impl FnMut(ColumnState)) {
        let is_instant = start == end;
        if is_instant && (start < self.start || start > self.stop) {
            return;
        }
        let (start, end) = (start.max(self.start), end.min(self.stop));
        if start >= end && !is_instant {
            return;
        }
        let start = start.min(self.stop - 1);
        let first = if near.holds(start) { *near } else { self.place_of(start) };
        *near = first;
        let part = |column: u32, ticks: u64| ColumnState { first: column, last: column, fill: Fill::Part(ticks) };
        if is_instant {
            return give(part(first.column, 0));
        }
        let last = if end <= first.end { first } else { self.place_of(end - 1) };
        *near = last;
        let (mut from, mut to) = (first.column, last.column);
        if start > first.start || end < first.end {
            give(part(from, end.min(first.end).abs_diff(start)));
            from += 1;
        }
        if to > first.column && end < last.end {
            give(part(to, end.abs_diff(last.start)));
            to -= 1;
        }
        if from <= to {
            give(ColumnState { first: from, last: to, fill: Fill::Whole });
        }
    }
}

/// A column, and where it lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ColumnBounds {
    column: u32,
    pub(super) start: i64,
    pub(super) end: i64,
}

impl ColumnBounds {
    fn holds(&self, tick: i64) -> bool {
        self.start <= tick && tick < self.end
    }
}

/// A state within some columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ColumnState {
    /// First column.
    pub first: u32,
    /// Last column, included.
    pub last: u32,
    /// How much of them the state fills.
    pub fill: Fill,
}

/// How much of its columns a state fills.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fill {
    /// A number of ticks of one column.
    Part(u64),
    /// All of every column.
    Whole,
}

/// What states of one value do to columns `first` to `last`.
// Packed, since the alignment of 128 bits would make it a third larger.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(Rust, packed(8))]
pub struct StatePiece {
    /// First column.
    pub first: u32,
    /// Last column, included.
    pub last: u32,
    /// The value, as a number of the caller's.
    pub value: u32,
    /// Added weights of the states that fill all of them whole.
    pub weight: u64,
    /// Added ticks times weights of the states that fill a part; only when it is one column. Less than none where other
    /// pieces have more than what is there; see [`super::StatePieces::add_cut_state`].
    pub ticks: i128,
    /// How many states.
    pub states: u64,
}

impl StatePiece {
    pub(super) fn key(&self) -> (u32, u32, u32) {
        (self.first, self.last, self.value)
    }

    /// Whether it says nothing.
    pub(super) fn is_empty(&self) -> bool {
        self.weight == 0 && self.ticks == 0 && self.states == 0
    }

    pub(super) fn join(&mut self, other: &StatePiece) {
        self.weight += other.weight;
        self.ticks += other.ticks;
        self.states += other.states;
    }
}

/// What one value has of a span of columns.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SpanValue {
    /// The value.
    pub value: u32,
    /// Its weight on average over the span.
    pub amount: f64,
}

/// Columns `first` to `last`, which all hold the same.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ColumnSpan {
    /// First column.
    pub first: u32,
    /// Last column, included.
    pub last: u32,
    /// The value with most time; of equal ones the first by name.
    pub value: u32,
    /// Weight of that value on average over the span.
    pub amount: f64,
    /// Weight of all values on average over the span.
    pub covered: f64,
    /// How many states touch it.
    pub states: u64,
    /// Weight of the state that alone fills it; 0 when there is none.
    pub alone: u64,
}
