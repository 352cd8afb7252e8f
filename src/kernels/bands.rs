//! Time per series in bands of time: what a store keeps so that a question need not read every row.
//!
//! In: intervals of series, in any order. Out: for each series and band the time that the intervals share with it, in
//! levels: the bands of a level are eight times as wide as those of the level below.
//!
//! ```text
//!  band          0       1       2       3         an interval adds to the time of the bands where it begins and ends;
//!            |   ====|=======|=======|==     |     between them it is open: +1 from band 1 on, -1 from band 3 on
//! ```
//! With `open` the sum of these up to a band, the time of the band is `open · width + time`. So an interval costs the
//! same however many bands it spans. Bands are as wide as a power of two of ticks, and begin at multiples of it. When
//! there is too much to hold, they become twice as wide: memory does not grow with the number of intervals.

#[cfg(test)]
mod tests;

/// How many bands of a level are one of the next, as a power of two.
pub const LEVEL_SHIFT: u32 = 3;

/// Ticks beyond these are too large to be told apart from each other in bands.
const MOST_TICK: i64 = 1 << 60;

/// How many times as many bands are held as there may be in the end.
const SPARE_BANDS: u64 = 4;

/// What begins or ends in a band, of one series.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct BandEntry {
    series: u32,
    /// Intervals that begin here.
    count: u32,
    band: i64,
    /// Intervals that are open from this band on, less those that were open until it.
    open: i64,
    /// Time of those that begin or end here.
    time: i64,
}

/// The time of a series in a band.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct BandCell {
    /// The band: it begins at `band << shift`.
    pub band: i64,
    /// The series.
    pub series: u32,
    /// The time in it, in ticks; 0 when there are intervals without length only.
    pub ticks: i64,
    /// How many intervals begin in it.
    pub count: u32,
}

/// One level: bands of one width.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BandLevel {
    /// A band is `2^shift` ticks wide.
    pub shift: u32,
    /// By band and series.
    pub cells: Vec<BandCell>,
}

/// How much is held and given.
#[derive(Debug, Clone, Copy)]
pub struct BandLimits {
    /// Entries that are held, and cells of the finest level.
    pub entries: usize,
    /// Intervals for each cell of the finest level, at least.
    pub rows_per_cell: u64,
    /// Intervals for each band of the finest level, at least.
    pub rows_per_band: u64,
}

/// Collects intervals.
#[derive(Debug)]
pub struct BandTotals {
    limits: BandLimits,
    shift: u32,
    rows: u64,
    /// By series: the band that it was in last. Rows mostly come in the order of time.
    recent: Vec<Option<BandEntry>>,
    log: Vec<BandEntry>,
    /// The first and the last tick.
    span: (i64, i64),
    /// Whether all numbers are exact; false when one was too large.
    is_exact: bool,
}

impl BandTotals {
    /// Without any interval.
    pub fn new(limits: BandLimits) -> BandTotals {
        BandTotals {
            limits,
            shift: 0,
            rows: 0,
            recent: vec![],
            log: vec![],
            span: (i64::MAX, i64::MIN),
            is_exact: true,
        }
    }

    /// Adds `[start, end)` to a series. What ends before it starts has no time in any band: then there are no bands at all.
    #[inline]
    pub fn add(&mut self, series: u32, start: i64, end: i64) {
        self.is_exact &= start <= end;
        if !self.is_exact {
            return;
        }
        self.rows += 1;
        // Before the numbers of bands are computed: they may change here. An interval adds four entries at most.
        if self.log.len() + 4 > self.limits.entries {
            self.compact(self.limits.entries / 2);
        }
        if start < -MOST_TICK || end > MOST_TICK {
            self.is_exact = false;
            return;
        }
        self.span = (self.span.0.min(start), self.span.1.max(end));
        let first = start >> self.shift;
        let last = (end - i64::from(end > start)) >> self.shift;
        if first == last {
            return self.note(series, first, end - start, 1);
        }
        self.note(series, first, ((first + 1) << self.shift) - start, 1);
        if first + 1 < last {
            self.log.push(BandEntry { series, count: 0, band: first + 1, open: 1, time: 0 });
            self.log.push(BandEntry { series, count: 0, band: last, open: -1, time: 0 });
        }
        self.note(series, last, end - (last << self.shift), 0);
    }

    /// Adds time to a band.
    #[inline]
    fn note(&mut self, series: u32, band: i64, time: i64, count: u32) {
        let place = series as usize;
        if place >= self.recent.len() {
            self.recent.resize(place + 1, None);
        }
        let new = BandEntry { series, count, band, open: 0, time };
        match &mut self.recent[place] {
            Some(recent) if recent.band == band => {
                self.is_exact &= add(&mut recent.time, time) && add_count(&mut recent.count, count);
            }
            recent => {
                if let Some(old) = recent.replace(new) {
                    self.log.push(old);
                }
            }
        }
    }

    /// Merges entries, and makes bands wider until so many entries are left at most, and bands are not much finer than
    /// they will be in the end.
    fn compact(&mut self, most: usize) {
        self.merge();
        let most_bands = SPARE_BANDS * (1 + self.rows / self.limits.rows_per_band.max(1));
        let span = self.span.1 - self.span.0;
        let enough = (self.shift..60).find(|shift| (span >> shift) as u64 <= most_bands).unwrap_or(60);
        self.widen(enough - self.shift);
        while self.log.len() > most && self.shift < 60 {
            self.widen(1);
        }
        // Series that are more than the room for them.
        self.is_exact &= self.log.len() <= most;
        if !self.is_exact {
            (self.log, self.recent) = (vec![], vec![]);
        }
    }

    /// One entry for each series and band, in this order.
    fn merge(&mut self) {
        self.log.sort_unstable_by_key(|entry| (entry.series, entry.band));
        let mut is_exact = true;
        self.log.dedup_by(|next, entry| {
            let is_same = (next.series, next.band) == (entry.series, entry.band);
            if is_same {
                is_exact &= add(&mut entry.time, next.time) && add(&mut entry.open, next.open);
                is_exact &= add_count(&mut entry.count, next.count);
            }
            is_same
        });
        self.log.retain(|entry| entry.count != 0 || entry.open != 0 || entry.time != 0);
        self.is_exact &= is_exact;
    }

    /// Makes bands `2^by` times as wide.
    fn widen(&mut self, by: u32) {
        if by == 0 {
            return;
        }
        for place in 0..self.log.len() {
            let entry = &mut self.log[place];
            let band = entry.band;
            entry.band >>= by;
            let left = ((entry.band + 1) << by) - band;
            if entry.open != 0 && left < 1 << by {
                // Open from within the wide band on: wholly from the next one on.
                let open = std::mem::take(&mut entry.open);
                let part = open.checked_mul(left).and_then(|bands| bands.checked_mul(1 << self.shift));
                self.is_exact &= part.is_some_and(|part| add(&mut entry.time, part));
                let next = BandEntry { count: 0, band: entry.band + 1, open, time: 0, ..*entry };
                self.log.push(next);
            }
        }
        self.recent.iter_mut().flatten().for_each(|entry| entry.band >>= by);
        self.shift += by;
        self.merge();
    }

    /// Calls `give` with each cell, by series and band, while it says that it wants more.
    fn cells(&mut self, give: &mut impl FnMut(BandCell) -> bool) {
        let width = 1_i64 << self.shift;
        let (mut open, mut next, mut series) = (0_i64, 0, None);
        for entry in &self.log {
            if series != Some(entry.series) {
                (open, next, series) = (0, entry.band, Some(entry.series));
            }
            if open > 0 {
                for band in next..entry.band {
                    let Some(ticks) = open.checked_mul(width).filter(|ticks| *ticks <= MOST_TICK) else {
                        self.is_exact = false;
                        return;
                    };
                    if !give(BandCell { band, series: entry.series, ticks, count: 0 }) {
                        return;
                    }
                }
            }
            open += entry.open;
            let ticks = open.checked_mul(width).and_then(|ticks| ticks.checked_add(entry.time));
            let Some(ticks) = ticks.filter(|ticks| *ticks <= MOST_TICK) else {
                self.is_exact = false;
                return;
            };
            let (series, count) = (entry.series, entry.count);
            let is_there = ticks > 0 || count > 0;
            if is_there && !give(BandCell { band: entry.band, series, ticks, count }) {
                return;
            }
            next = entry.band + 1;
        }
    }

    /// Whether the bands are wide enough for the limits.
    fn fits(&mut self) -> bool {
        let most_cells = (self.rows / self.limits.rows_per_cell.max(1)).min(self.limits.entries as u64);
        let most_bands = self.rows / self.limits.rows_per_band.max(1);
        let (mut cells, mut first, mut last) = (0, i64::MAX, i64::MIN);
        let mut is_small = true;
        self.cells(&mut |cell| {
            cells += 1;
            (first, last) = (first.min(cell.band), last.max(cell.band));
            is_small = cells <= most_cells && (last - first) as u64 <= most_bands;
            is_small
        });
        is_small
    }

    /// The levels, the finest first, up to one that has few bands; `None` when they would be no use, or not exact.
    pub fn finish(mut self) -> Option<Vec<BandLevel>> {
        let recent = std::mem::take(&mut self.recent);
        self.log.extend(recent.into_iter().flatten());
        self.merge();
        while self.is_exact && self.shift < 60 && !self.fits() {
            self.widen(1);
        }
        let mut levels = vec![];
        loop {
            let mut cells = vec![];
            self.cells(&mut |cell| {
                cells.push(cell);
                true
            });
            cells.sort_unstable();
            let is_last = match (cells.first(), cells.last()) {
                (Some(first), Some(last)) => last.band - first.band < 1 << LEVEL_SHIFT,
                _ => true,
            };
            levels.push(BandLevel { shift: self.shift, cells });
            if is_last || self.shift + LEVEL_SHIFT >= 60 {
                break;
            }
            self.widen(LEVEL_SHIFT);
        }
        // With one level, a question has a boundary in most of its bands.
        (self.is_exact && levels.len() > 1).then_some(levels)
    }
}

/// Adds to a number; false when the sum is too large.
#[must_use]
fn add(sum: &mut i64, more: i64) -> bool {
    let next = sum.checked_add(more);
    *sum = next.unwrap_or(0);
    next.is_some()
}

/// The same for a count.
#[must_use]
fn add_count(sum: &mut u32, more: u32) -> bool {
    let next = sum.checked_add(more);
    *sum = next.unwrap_or(0);
    next.is_some()
}
