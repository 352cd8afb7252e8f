//! States seen through a screen of so many columns: what each column holds most of.
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

use sweep::Sweep;

/// The columns of a window: as many as asked for, but none is shorter than a tick.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Columns {
    start: i64,
    stop: i64,
    ticks: u64,
    width: u32,
}

impl Columns {
    /// `None` when the window is empty or has no columns.
    pub fn new(start: i64, stop: i64, width: u32) -> Option<Columns> {
        if stop <= start || width == 0 {
            return None;
        }
        let ticks = stop.abs_diff(start);
        let width = u32::try_from(ticks).map_or(width, |ticks| ticks.min(width));
        Some(Columns { start, stop, ticks, width })
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

    /// Cuts `[start, end)` at the columns.
    ///
    /// An instant touches the column that holds it, or the last one when it is where the window stops.
    pub fn cut(&self, start: i64, end: i64, mut give: impl FnMut(Cut)) {
        if start == end {
            if self.start <= start && start <= self.stop {
                let column = self.column_of(start.min(self.stop - 1));
                give(Cut { first: column, last: column, fill: Fill::Part(0) });
            }
            return;
        }
        let (start, end) = (start.max(self.start), end.min(self.stop));
        if start >= end {
            return;
        }
        let (mut first, mut last) = (self.column_of(start), self.column_of(end - 1));
        let part = |column: u32, ticks: u64| Cut { first: column, last: column, fill: Fill::Part(ticks) };
        let first_end = self.boundary(first + 1);
        if start > self.boundary(first) || end < first_end {
            give(part(first, end.min(first_end).abs_diff(start)));
            first += 1;
        }
        // A last column that is also the first is dealt with above, so this one is not column 0.
        if last >= first && end < self.boundary(last + 1) {
            give(part(last, end.abs_diff(self.boundary(last))));
            last -= 1;
        }
        if first <= last {
            give(Cut { first, last, fill: Fill::Whole });
        }
    }
}

/// A state within some columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cut {
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
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Piece {
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

impl Piece {
    fn key(&self) -> (u32, u32, u32) {
        (self.first, self.last, self.value)
    }

    fn join(&mut self, other: &Piece) {
        self.weight += other.weight;
        self.ticks += other.ticks;
        self.states += other.states;
    }
}

/// The pieces of the states of one row of the screen.
#[derive(Debug, Clone, Default)]
pub struct Pieces {
    pieces: Vec<Piece>,
}

/// How far back a piece of the same kind is looked for. States come in the order of time, so those of
/// one column are neighbours; what is missed is joined by [`Pieces::compact`].
const RECENT: usize = 8;

impl Pieces {
    /// Adds a state that counts `weight` times.
    pub fn add_state(&mut self, columns: &Columns, start: i64, end: i64, value: u32, weight: u64) {
        columns.cut(start, end, |Cut { first, last, fill }| {
            let (weight, ticks) = match fill {
                Fill::Whole => (weight, 0),
                Fill::Part(ticks) => (0, u128::from(ticks) * u128::from(weight)),
            };
            self.push(Piece { first, last, value, weight, ticks, states: 1 });
        });
    }

    /// Adds a piece.
    pub fn push(&mut self, piece: Piece) {
        let recent = self.pieces.len().saturating_sub(RECENT);
        if let Some(same) = self.pieces[recent..].iter_mut().rev().find(|other| other.key() == piece.key()) {
            same.join(&piece);
            return;
        }
        if self.pieces.len() == self.pieces.capacity() {
            self.compact();
            // Compaction that frees little must not come again soon.
            self.pieces.reserve(self.pieces.len().max(4));
        }
        self.pieces.push(piece);
    }

    /// Sorts the pieces and joins those of the same columns and value.
    pub fn compact(&mut self) {
        self.pieces.sort_by_key(Piece::key);
        self.pieces.dedup_by(|piece, kept| {
            let is_joined = piece.key() == kept.key();
            if is_joined {
                kept.join(piece);
            }
            is_joined
        });
    }

    pub fn pieces(&self) -> &[Piece] {
        &self.pieces
    }

    /// Bytes on the heap.
    pub fn bytes(&self) -> usize {
        self.pieces.capacity() * size_of::<Piece>()
    }

    /// Gives the spans of columns in their order; columns without states are left out.
    ///
    /// `ranks` is the place of each value in the order of names.
    pub fn sweep(mut self, columns: &Columns, ranks: &[u32], give: impl FnMut(Span)) {
        self.compact();
        Sweep::new(columns, ranks, &self.pieces).run(give);
    }
}

/// Columns `first` to `last`, which all hold the same.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Span {
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
