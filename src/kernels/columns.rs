//! States seen through a screen of a number of columns: what each column holds most of.
//!
//! In: a window of time cut into columns, and states in any order. Out: spans of columns, each with the
//! value that has most of its time. A state is cut into at most three pieces: a part of its first
//! column, the columns that it fills whole, a part of its last column. So the cost of a state does not
//! depend on how many columns it fills, and the output has at most one span per column.
//!
//! ```text
//!  columns  |   0   |   1   |   2   |   3   |   4   |
//!  states   |aaaaabb|bbaccaa|aaaaaaa|aaaaaaa|aabbb..|
//!  spans    |   a   |   a   |   a           |   b   |
//!                           the last a alone fills columns 2 and 3: one span
//! ```

mod sweep;
#[cfg(test)]
mod tests;

use sweep::ColumnSweep;

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
    fn column_of(&self, tick: i64) -> u32 {
        // The last column that begins at or before the tick.
        let after = tick.abs_diff(self.start) + 1;
        let width = u64::from(self.width);
        let column = match after.checked_mul(width) {
            Some(product) => (product - 1) / self.ticks,
            None => ((u128::from(after) * u128::from(width) - 1) / u128::from(self.ticks)) as u64,
        };
        column as u32
    }

    fn place_of(&self, tick: i64) -> ColumnBounds {
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
    start: i64,
    end: i64,
}

impl ColumnBounds {
    fn holds(&self, tick: i64) -> bool {
        self.start <= tick && tick < self.end
    }
}

/// A state within some columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ColumnState {
    pub first: u32,
    pub last: u32,
    pub fill: Fill,
}

/// How much of its columns a state fills.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fill {
    /// So many ticks of one column.
    Part(u64),
    /// All of every column.
    Whole,
}

/// What states of one value do to columns `first` to `last`.
// Packed, since the alignment of 128 bits would make it a third larger.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(Rust, packed(8))]
pub struct StatePiece {
    pub first: u32,
    pub last: u32,
    /// The value, as a number of the caller's.
    pub value: u32,
    /// Added weights of the states that fill all of them whole.
    pub weight: u64,
    /// Added ticks times weights of the states that fill a part; only when it is one column.
    pub ticks: u128,
    /// How many states.
    pub states: u64,
}

impl StatePiece {
    fn key(&self) -> (u32, u32, u32) {
        (self.first, self.last, self.value)
    }

    fn join(&mut self, other: &StatePiece) {
        self.weight += other.weight;
        self.ticks += other.ticks;
        self.states += other.states;
    }
}

/// The pieces of the states of one row of the screen.
#[derive(Debug, Clone, Default)]
pub struct StatePieces {
    pieces: Vec<StatePiece>,
    /// How many there were after they were last made few.
    compacted: usize,
}

/// How far back a piece of the same kind is looked for. States come in the order of time, so those of
/// one column are neighbours; what is missed is joined by [`StatePieces::compact`].
const RECENT: usize = 8;
/// How many pieces are looked through for such that can be joined.
const MANY: usize = if cfg!(test) { 8 } else { 1024 };

impl StatePieces {
    /// Adds a state that counts `weight` times; see [`ScreenColumns::cut`].
    pub fn add_state(
        &mut self,
        columns: &ScreenColumns,
        near: &mut ColumnBounds,
        [start, end]: [i64; 2],
        value: u32,
        weight: u64,
    ) {
        columns.cut(start, end, near, |ColumnState { first, last, fill }| {
            let (weight, ticks) = match fill {
                Fill::Whole => (weight, 0),
                Fill::Part(ticks) => (0, u128::from(ticks) * u128::from(weight)),
            };
            self.push(StatePiece { first, last, value, weight, ticks, states: 1 });
        });
    }

    /// Adds a piece.
    pub fn push(&mut self, piece: StatePiece) {
        let recent = self.pieces.len().saturating_sub(RECENT);
        if let Some(same) = self.pieces[recent..].iter_mut().rev().find(|other| other.key() == piece.key()) {
            same.join(&piece);
            return;
        }
        // Seldom enough that all this sorting costs less than the last one.
        if self.pieces.len() >= MANY.max(4 * self.compacted) {
            self.compact();
        }
        self.pieces.push(piece);
    }

    /// Sorts the pieces and joins those of the same columns and value.
    fn compact(&mut self) {
        self.pieces.sort_by_key(StatePiece::key);
        self.pieces.dedup_by(|piece, kept| {
            let is_joined = piece.key() == kept.key();
            if is_joined {
                kept.join(piece);
            }
            is_joined
        });
        self.compacted = self.pieces.len();
    }

    pub fn pieces(&self) -> &[StatePiece] {
        &self.pieces
    }

    /// Bytes on the heap.
    pub fn bytes(&self) -> usize {
        self.pieces.capacity() * size_of::<StatePiece>()
    }

    /// Gives the spans of columns in their order; columns without states are left out.
    ///
    /// `ranks` is the place of each value in the order of names.
    pub fn sweep(mut self, columns: &ScreenColumns, ranks: &[u32], give: impl FnMut(ColumnSpan)) {
        self.compact();
        ColumnSweep::new(columns, ranks, &self.pieces).run(give);
    }
}

/// Columns `first` to `last`, which all hold the same.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ColumnSpan {
    pub first: u32,
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
