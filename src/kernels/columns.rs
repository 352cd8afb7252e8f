//! States seen through a screen of a number of columns: what each column holds most of.
//!
//! In: a window of time cut into columns, and states in any order. Out: spans of columns, each with the
//! value that has most of its time, and what every value has. A state is cut into at most three pieces: a part of its first
//! column, the columns that it fills whole, a part of its last column. So the cost of a state does not
//! depend on how many columns it fills, and the output has at most one span per column.
//!
//! ```text
//!  columns  |   0   |   1   |   2   |   3   |   4   |
//!  states   |aaaaabb|bbaccaa|aaaaaaa|aaaaaaa|aabbb..|
//!  spans    |   a   |   a   |   a           |   b   |
//!                           the last a alone fills columns 2 and 3: one span
//! ```

mod screen;
mod stack;
mod summed;
mod sweep;
#[cfg(test)]
mod tests;

pub use screen::{ColumnBounds, ColumnSpan, ColumnState, Fill, ScreenColumns, SpanValue, StatePiece};
pub use stack::stack_pixels;

use self::sweep::ColumnSweep;
use crate::slices::Stretch;

/// The pieces of the states of one row of the screen.
#[derive(Debug, Clone, Default)]
pub struct StatePieces {
    pieces: Vec<StatePiece>,
    /// How many there were after they were last made few.
    compacted: usize,
    /// Where the last state began that was cut by bands.
    near: Stretch,
}

/// How far back a piece of the same kind is looked for. States come in the order of time, so those of
/// one column are neighbors; what is missed is joined by [`StatePieces::compact`].
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
                Fill::Part(ticks) => (0, i128::from(ticks) * i128::from(weight)),
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
        self.pieces.retain(|piece| !piece.is_empty());
        self.compacted = self.pieces.len();
    }

    /// The pieces so far.
    pub fn pieces(&self) -> &[StatePiece] {
        &self.pieces
    }

    /// Bytes on the heap.
    pub fn bytes(&self) -> usize {
        self.pieces.capacity() * size_of::<StatePiece>()
    }

    /// Gives the spans of columns in their order, each with what all of its values have, by value; columns without states
    /// are left out.
    ///
    /// `ranks` is the place of each value in the order of names.
    pub fn sweep(mut self, columns: &ScreenColumns, ranks: &[u32], give: impl FnMut(ColumnSpan, &[SpanValue])) {
        self.compact();
        ColumnSweep::new(columns, ranks, &self.pieces).run(give);
    }
}
