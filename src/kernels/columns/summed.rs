//! Columns of states of which a part was added up before: the rows of some bands of time, and the sums of the others.
//!
//! ```text
//!  columns   |         0         |         1         |
//!  bands     |###|   |   |   |###|###|   |   |   |###|     bands where columns begin or end are cut: rows tell what is there
//!  states         aaa     bbbbbbbbbbbbbbb  cc              sums tell of the others that a and c begin in them, that b
//!                                                          does, and the time of all three
//! ```
//! A state that fills a column whole stands for itself, since others are told apart from it. So what sums have of it is taken
//! away again.

use super::{ColumnBounds, ColumnState, Fill, ScreenColumns, StatePiece, StatePieces};
use crate::bands::LEVEL_SHIFT;
use crate::slices::CutBands;

impl ScreenColumns {
    /// The bands of `2^shift` ticks that hold the first or the last tick of a column. Others lie between these.
    pub fn cut_bands(&self, shift: u32) -> CutBands {
        let boundaries = (0..=self.width()).map(|column| self.boundary(column));
        CutBands::of_ticks(boundaries.flat_map(|tick| [tick.saturating_sub(1), tick]), shift)
    }

    /// Whether a band is not cut, and within a column.
    fn is_free(&self, begin: i64, shift: u32) -> bool {
        let begin = begin >> shift << shift;
        let (start, stop) = (self.boundary(0), self.boundary(self.width()));
        if begin <= start || begin >= stop {
            return false;
        }
        let column = self.place_of(begin);
        column.start < begin && begin.saturating_add(1 << shift) < column.end
    }

    /// Whether the sums of a band count, and those of the band around it do not; see [`crate::slices::takes_band`].
    pub fn takes_band(&self, begin: i64, shift: u32, coarsest: u32) -> bool {
        self.is_free(begin, shift) && (shift >= coarsest || !self.is_free(begin, shift + LEVEL_SHIFT))
    }
}

impl StatePieces {
    /// Adds what a state has in bands that are cut; the sums of the others must have the rest.
    pub fn add_cut_state(
        &mut self,
        columns: &ScreenColumns,
        cut: &CutBands,
        near: &mut ColumnBounds,
        [start, end]: [i64; 2],
        value: u32,
    ) {
        if !self.near.has(start) {
            self.near = cut.stretch(start);
        }
        // Most states lie in one of them whole, or between two, where the sums have all.
        if end <= self.near.end {
            if self.near.is_cut {
                self.add_state(columns, near, [start, end], value, 1);
            }
            return;
        }
        // The sums of a band count the states that begin in it.
        let begin_column = if cut.has(start) { None } else { Some(start) };
        columns.cut(start, end, near, |ColumnState { first, last, fill }| {
            let (low, high) = (columns.boundary(first), columns.boundary(last + 1));
            let mut piece = StatePiece { first, last, value, weight: 0, ticks: 0, states: 1 };
            match fill {
                Fill::Part(_) => {
                    piece.ticks = cut.shared(start.max(low), end.min(high)).into();
                    piece.states = u64::from(begin_column.is_none_or(|begin| begin < low || begin >= high));
                }
                Fill::Whole => {
                    piece.weight = 1;
                    for column in first..=last {
                        let (low, high) = (columns.boundary(column), columns.boundary(column + 1));
                        let summed = i128::from(high - low - cut.shared(low, high));
                        self.push_some(StatePiece {
                            first: column,
                            last: column,
                            weight: 0,
                            ticks: -summed,
                            states: 0,
                            ..piece
                        });
                    }
                }
            }
            self.push_some(piece);
        });
    }

    /// Adds the sums of a band that is in a column: the time of its states, and how many begin.
    pub fn add_sum(&mut self, columns: &ScreenColumns, begin: i64, ticks: i64, value: u32, states: u64) {
        let column = columns.column_of(begin);
        self.push_some(StatePiece { first: column, last: column, value, weight: 0, ticks: ticks.into(), states });
    }

    fn push_some(&mut self, piece: StatePiece) {
        if !piece.is_empty() {
            self.push(piece);
        }
    }
}
