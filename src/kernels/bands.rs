//! What series do in bands of time: what a store keeps so that a question need not read every row.
//!
//! In: rows of series, each with an interval of time, in any order. Out: for each series and band what its rows have there
//! (see [`BandMeasure`]), in levels: the bands of a level are eight times as wide as those of the level below.
//!
//! ```text
//!  band          0       1       2       3
//!            |   ====|=======|=======|==     |     a row has a part in each band that it touches
//! ```
//! Bands are as wide as a power of two of ticks, and begin at multiples of it. When rows have too many parts, or cells are
//! too many for the rows, bands become twice as wide. Cells that are many for the memory wait elsewhere, as runs that are
//! sorted by band: memory grows neither with the number of rows nor with the length of the trace.
//!
//! Links have no parts: one is in a band if it begins and ends there. One that crosses a border is a cell by itself, until
//! bands are so wide that it crosses none. Among the levels it comes once, in the widest whose borders it crosses; it is in
//! the sums of those above.

mod cell_order;
mod cells;
mod levels;
mod link_sums;
mod measures;
#[cfg(test)]
mod tests;

pub use cells::{BandCell, BandLimits, BandRuns, LEVEL_SHIFT};
pub use levels::{BandLevels, merge_runs};
pub use link_sums::{LinkSums, SummedLink, crosses_border};
pub use measures::{BandMeasure, TimeSums, ValueSums};

use cell_order::{cell_place, sort_cells};
use cells::{MOST_TICK, WIDEST};

/// How many times as many bands are held as there may be in the end.
const SPARE_BANDS: u64 = 4;

/// How many times as many cells wait in runs as there may be in the end, which is when their width is chosen.
const SPARE_CELLS: u64 = 2;

/// Cells that are held for each series, beside so many that are always allowed.
const CELLS_PER_SERIES: usize = 4;
const LEAST_ROOM: usize = 1 << 14;

/// How many parts rows may have on average, beside so many that are always allowed.
const PARTS_PER_ROW: u64 = 2;
const FREE_PARTS: u64 = 1 << 12;

/// Ticks of a row that counts as a whole, at most: a double holds as many.
const MOST_WHOLE_TICKS: i64 = 1 << 53;

/// Collects rows.
#[derive(Debug)]
pub struct BandTotals<M, R> {
    limits: BandLimits,
    shift: u32,
    rows: u64,
    /// Parts of rows.
    parts: u64,
    /// Cells that wait in runs.
    kept: u64,
    /// By series: the band that it was in last. Rows mostly come in the order of time.
    recent: Vec<Option<(i64, M)>>,
    log: Vec<BandCell<M>>,
    runs: R,
    /// The first and the last tick.
    span: (i64, i64),
    /// Whether all numbers are exact; false when one was too large.
    is_exact: bool,
}

impl<M: BandMeasure, R: BandRuns<M>> BandTotals<M, R> {
    /// Without any row.
    pub fn new(limits: BandLimits, runs: R) -> BandTotals<M, R> {
        BandTotals {
            limits,
            shift: 0,
            rows: 0,
            parts: 0,
            kept: 0,
            recent: vec![],
            log: vec![],
            runs,
            span: (i64::MAX, i64::MIN),
            is_exact: true,
        }
    }

    /// Adds a row of a series over `[start, end)`. What ends before it starts has no part in any band: then there are no
    /// bands at all, unless rows count as a whole; then it is a cell by itself.
    #[inline]
    pub fn add(&mut self, series: u32, start: i64, end: i64, row: &M::Row) -> Result<(), R::Error> {
        let (least, most) = (start.min(end), start.max(end));
        self.is_exact &= least >= -MOST_TICK && most <= MOST_TICK;
        self.is_exact &= if M::IS_WHOLE { most.saturating_sub(least) <= MOST_WHOLE_TICKS } else { start <= end };
        if !self.is_exact {
            return Ok(());
        }
        self.rows += 1;
        self.span = (self.span.0.min(least), self.span.1.max(most));
        // Before the numbers of bands are computed: they may change here.
        if self.log.len() >= self.room() {
            self.make_room()?;
        }
        let first = start >> self.shift;
        if !crosses_border(start, end, self.shift) {
            self.parts += 1;
            self.note(series, first, M::of(row, end - start, true));
            return Ok(());
        }
        if M::IS_WHOLE {
            self.log.push(BandCell { band: first, series, measure: M::of(row, end - start, true) });
            return Ok(());
        }
        self.add_long(series, (start, end), row)
    }

    /// Adds a row that touches several bands.
    fn add_long(&mut self, series: u32, (start, end): (i64, i64), row: &M::Row) -> Result<(), R::Error> {
        let allowed = PARTS_PER_ROW * self.rows + FREE_PARTS;
        let parts = |shift: u32| (((end - 1) >> shift) - (start >> shift)) as u64 + 1;
        let enough = (self.shift..WIDEST).find(|shift| self.parts + parts(*shift) <= allowed).unwrap_or(WIDEST);
        self.widen(enough - self.shift);
        self.parts += parts(self.shift);
        let (first, last) = (start >> self.shift, (end - 1) >> self.shift);
        for band in first..=last {
            let (begin, next) = (band << self.shift, (band + 1) << self.shift);
            self.note(series, band, M::of(row, end.min(next) - start.max(begin), band == first));
            // A row has few parts, or few rows have so many.
            if self.log.len() >= self.room() && band < last {
                let shift = self.shift;
                self.make_room()?;
                if self.shift != shift {
                    // The rest in bands that are wider now; what came before is in them already.
                    let rest = ((band + 1) << shift).max(start);
                    return self.add_rest(series, (rest, end), row);
                }
            }
        }
        Ok(())
    }

    /// Adds the rest of a row whose begin was added.
    fn add_rest(&mut self, series: u32, (start, end): (i64, i64), row: &M::Row) -> Result<(), R::Error> {
        let (first, last) = (start >> self.shift, (end - 1) >> self.shift);
        for band in first..=last {
            let (begin, next) = (band << self.shift, (band + 1) << self.shift);
            self.note(series, band, M::of(row, end.min(next) - start.max(begin), false));
        }
        Ok(())
    }

    /// Adds to a band.
    #[inline]
    fn note(&mut self, series: u32, band: i64, measure: M) {
        let place = series as usize;
        if place >= self.recent.len() {
            self.recent.resize(place + 1, None);
        }
        match &mut self.recent[place] {
            Some((recent, known)) if *recent == band => self.is_exact &= known.join(measure),
            recent => {
                if let Some((band, measure)) = recent.replace((band, measure)) {
                    self.log.push(BandCell { band, series, measure });
                }
            }
        }
    }

    /// How many cells are held: a few of each series, so that few series need little memory.
    #[inline]
    fn room(&self) -> usize {
        self.limits.cells.min(LEAST_ROOM.max(CELLS_PER_SERIES * self.recent.len()))
    }

    /// Keeps the cells as a run when they are few for their rows, or makes bands wider until half of the room is free.
    #[cold]
    fn make_room(&mut self) -> Result<(), R::Error> {
        self.merge();
        let most_bands = SPARE_BANDS * (1 + self.rows / self.limits.rows_per_band.max(1));
        let span = self.span.1 - self.span.0;
        let enough = (self.shift..WIDEST).find(|shift| (span >> shift) as u64 <= most_bands).unwrap_or(WIDEST);
        self.widen(enough - self.shift);
        let most = self.room() / 2;
        while self.log.len() > most && self.shift < WIDEST {
            // Of all rows so far: a while with few rows must not decide about all of the trace.
            let cells = self.kept + self.log.len() as u64;
            if cells <= SPARE_CELLS * self.rows / self.limits.rows_per_cell.max(1) {
                return self.keep_run();
            }
            self.widen(1);
        }
        // More series than there is room for.
        self.is_exact &= self.log.len() <= most;
        if !self.is_exact {
            (self.log, self.recent) = (vec![], vec![]);
        }
        Ok(())
    }

    fn keep_run(&mut self) -> Result<(), R::Error> {
        self.runs.keep(self.shift, &self.log)?;
        self.kept += self.log.len() as u64;
        self.log.clear();
        Ok(())
    }

    /// One cell for each band and series, in this order, and then those by themselves.
    fn merge(&mut self) {
        let shift = self.shift;
        let place = |cell: &BandCell<M>| cell_place(cell, shift);
        sort_cells(&mut self.log, shift);
        let mut is_exact = true;
        self.log.dedup_by(|next, cell| {
            let is_same = place(next) == place(cell) && !next.measure.is_apart(shift);
            if is_same {
                is_exact &= cell.measure.join(next.measure);
            }
            is_same
        });
        self.is_exact &= is_exact;
    }

    /// Makes bands `2^by` times as wide.
    fn widen(&mut self, by: u32) {
        if by == 0 {
            return;
        }
        self.log.iter_mut().for_each(|cell| cell.band >>= by);
        self.recent.iter_mut().flatten().for_each(|(band, _)| *band >>= by);
        self.shift += by;
        self.merge();
    }

    /// Calls `give` with the cells of one band after the other, by level and series, and tells the widths of the bands;
    /// `None` when they would be no use, or not exact.
    pub fn finish<E: From<R::Error>>(
        mut self,
        give: impl FnMut(u32, &[BandCell<M>]) -> Result<(), E>,
    ) -> Result<Option<BandLevels>, E> {
        // Of so few rows there is one level at most, which would be no use.
        if self.rows / self.limits.rows_per_band.max(1) < 1 << LEVEL_SHIFT {
            return Ok(None);
        }
        let recent = std::mem::take(&mut self.recent);
        let recent = recent.into_iter().zip(0..);
        self.log.extend(recent.filter_map(|(recent, series)| {
            let (band, measure) = recent?;
            Some(BandCell { band, series, measure })
        }));
        self.merge();
        if !self.is_exact {
            return Ok(None);
        }
        self.keep_run()?;
        self.log = vec![];
        let Some(grid) = levels::fitting_grid(&self.runs, self.shift, self.rows, self.limits)? else {
            return Ok(None);
        };
        levels::give_levels(&self.runs, grid, give)
    }
}
