//! Where boundaries lie that are asked for: those of slices, or those of the columns of a screen.

use ocellus_kernels::columns::ScreenColumns;
use ocellus_kernels::slices::events::LastInstant;
use ocellus_kernels::slices::links::Boundary;
use ocellus_kernels::slices::{CutBands, Slicing};

/// How many bands there must be for each boundary: reading rows of one costs as much as the sums of several.
const BANDS_PER_BOUNDARY: i64 = 2;

/// Boundaries of time.
#[derive(Debug, Clone, Copy)]
pub(super) enum TimeGrid {
    /// Those of slices.
    Slices(Slicing),
    /// Those of slices of links.
    Links(Slicing, Boundary, LastInstant),
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
    /// When the first may begin and the last may end; the extreme ticks where that is not known.
    pub(super) first_start: i64,
    pub(super) last_end: i64,
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
            TimeGrid::Slices(slicing) | TimeGrid::Links(slicing, ..) => {
                CutBands::new(slicing, shift).with_last_instant(slicing, shift)
            }
            TimeGrid::Columns(columns) => columns.cut_bands(shift),
        }
    }

    /// Where the bands begin and end that count between boundaries.
    pub(super) fn asked(&self) -> (i64, i64) {
        match self {
            TimeGrid::Slices(slicing) | TimeGrid::Links(slicing, ..) => {
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
                    first_start: i64::MIN,
                    last_end: i64::MAX,
                }
            }
            TimeGrid::Links(slicing, boundary, last_instant) => {
                let (first, last) = slicing.asked();
                let next = last.saturating_add(1);
                let (begin, end) = (slicing.boundary_ticks(first), slicing.boundary_ticks(next));
                let has_end = next == slicing.slices() && *last_instant == LastInstant::Within;
                let is_inside = *boundary == Boundary::Inside;
                CountedTimes {
                    least_end: begin.1,
                    latest_start: if has_end { end.1 } else { end.1.saturating_sub(1) },
                    first_instant: begin.1,
                    last_instant: end.0,
                    first_start: if is_inside { begin.1 } else { i64::MIN },
                    last_end: if is_inside { end.0 } else { i64::MAX },
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
                    first_start: i64::MIN,
                    last_end: i64::MAX,
                }
            }
        }
    }

    /// Whether there are enough bands of `2^shift` ticks for each boundary.
    pub(super) fn pays(&self, shift: u32) -> bool {
        let boundaries = match self {
            TimeGrid::Slices(slicing) | TimeGrid::Links(slicing, ..) => {
                i64::from(slicing.asked().1) - i64::from(slicing.asked().0) + 2
            }
            TimeGrid::Columns(columns) => i64::from(columns.width()) + 1,
        };
        let (begin, end) = self.asked();
        boundaries > 1 && boundaries.saturating_mul(BANDS_PER_BOUNDARY) <= end.saturating_sub(begin) >> shift
    }
}
