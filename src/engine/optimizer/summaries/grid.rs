//! Where boundaries lie that are asked for: those of slices, or those of the columns of a screen.

use ocellus_kernels::columns::ScreenColumns;
use ocellus_kernels::slices::{CutBands, Slicing};

/// How many bands there must be for each boundary: reading rows of one costs as much as the sums of several.
const BANDS_PER_BOUNDARY: i64 = 2;

/// Boundaries of time.
#[derive(Debug, Clone, Copy)]
pub(super) enum TimeGrid {
    /// Those of slices.
    Slices(Slicing),
    /// Those of the columns of a screen.
    Columns(ScreenColumns),
}

/// Which rows count between boundaries, in ticks: all that end and begin so. Instants count from one tick to another.
#[derive(Debug, Clone, Copy)]
pub(super) struct CountedTimes {
    pub(super) least_end: i64,
    pub(super) latest_start: i64,
    pub(super) first_instant: i64,
    pub(super) last_instant: i64,
}

/// What the rows of an aggregate become.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SummedRows {
    /// Rows that count in those bands of `2^shift` ticks which hold a boundary.
    InCutBands { shift: u32 },
    /// Sums of bands; the widest ones have `2^coarsest` ticks.
    BandSums { coarsest: u32 },
}

impl TimeGrid {
    /// The bands of `2^shift` ticks that a boundary cuts.
    pub(super) fn cut_bands(&self, shift: u32) -> CutBands {
        match self {
            TimeGrid::Slices(slicing) => CutBands::new(slicing, shift).with_last_instant(slicing, shift),
            TimeGrid::Columns(columns) => columns.cut_bands(shift),
        }
    }

    /// Where the bands begin and end that count between boundaries.
    pub(super) fn asked(&self) -> (i64, i64) {
        match self {
            TimeGrid::Slices(slicing) => {
                let (first, last) = slicing.asked();
                (slicing.boundary_ticks(first).1, slicing.boundary_ticks(last.saturating_add(1)).0)
            }
            TimeGrid::Columns(columns) => (columns.boundary(0), columns.boundary(columns.width())),
        }
    }

    /// The rows that count.
    pub(super) fn counted(&self) -> CountedTimes {
        match self {
            TimeGrid::Slices(slicing) => {
                let (first, last) = slicing.asked();
                let (begin, end) = (slicing.boundary_ticks(first), slicing.boundary_ticks(last.saturating_add(1)));
                CountedTimes {
                    least_end: begin.0.saturating_add(1),
                    latest_start: end.1.saturating_sub(1),
                    first_instant: begin.1,
                    last_instant: end.0,
                }
            }
            // Of sums only those within the window count, and rows are left out for themselves.
            TimeGrid::Columns(_) => {
                let (begin, end) = self.asked();
                CountedTimes {
                    least_end: begin.saturating_add(1),
                    latest_start: end.saturating_sub(1),
                    first_instant: begin,
                    last_instant: end,
                }
            }
        }
    }

    /// Whether there are enough bands of `2^shift` ticks for each boundary.
    pub(super) fn pays(&self, shift: u32) -> bool {
        let boundaries = match self {
            TimeGrid::Slices(slicing) => i64::from(slicing.asked().1) - i64::from(slicing.asked().0) + 2,
            TimeGrid::Columns(columns) => i64::from(columns.width()) + 1,
        };
        let (begin, end) = self.asked();
        boundaries > 1 && boundaries.saturating_mul(BANDS_PER_BOUNDARY) <= end.saturating_sub(begin) >> shift
    }
}
