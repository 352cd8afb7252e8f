//! Runs of cells become levels of bands.
//!
//! ```text
//!  runs, sorted by band ──► cells of the finest bands ──► of bands eight times as wide ──► …
//! ```
//! One band of each level is held at a time.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;

use super::cells::{BandCell, BandLimits, BandRuns, LEVEL_SHIFT, WIDEST};
use super::measures::BandMeasure;

/// The widths of bands, as powers of two of ticks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BandLevels {
    /// The narrowest.
    pub finest: u32,
    /// The widest.
    pub coarsest: u32,
}

/// Calls `give` with the cells of all runs as bands of `2^shift` ticks, in the order of bands, while it wants more.
pub fn merge_runs<M: BandMeasure, E, I: Iterator<Item = Result<BandCell<M>, E>>>(
    runs: Vec<(u32, I)>,
    shift: u32,
    mut give: impl FnMut(BandCell<M>) -> Result<bool, E>,
) -> Result<(), E> {
    let mut runs: Vec<(u32, I)> = runs.into_iter().map(|(width, run)| (shift.saturating_sub(width), run)).collect();
    let mut heads = vec![];
    let mut order = BinaryHeap::new();
    for (number, (by, run)) in runs.iter_mut().enumerate() {
        let head = run.next().transpose()?;
        if let Some(head) = &head {
            order.push(Reverse((head.band >> *by, number)));
        }
        heads.push(head);
    }
    while let Some(mut first) = order.peek_mut() {
        let Reverse((band, number)) = *first;
        let (by, run) = &mut runs[number];
        let next = run.next().transpose()?;
        match &next {
            Some(next) if next.band >> *by == band => drop(first),
            Some(next) => *first = Reverse((next.band >> *by, number)),
            None => _ = PeekMut::pop(first),
        }
        if let Some(cell) = std::mem::replace(&mut heads[number], next)
            && !give(BandCell { band, ..cell })?
        {
            return Ok(());
        }
    }
    Ok(())
}

/// The narrowest bands, at least `2^shift` ticks wide, that keep to the limits; `None` when one level is all there would be:
/// then a question has a boundary in most of its bands.
pub(super) fn fitting_grid<M: BandMeasure, R: BandRuns<M>>(
    runs: &R,
    shift: u32,
    rows: u64,
    limits: BandLimits,
) -> Result<Option<BandLevels>, R::Error> {
    let most_cells = rows / limits.rows_per_cell.max(1);
    let most_bands = rows / limits.rows_per_band.max(1);
    for finest in shift..=WIDEST {
        let (mut cells, mut span) = (0, None);
        // By series: the band of its last cell.
        let mut latest: Vec<Option<i64>> = vec![];
        let mut fits = true;
        merge_runs(runs.runs()?, finest, |cell| {
            let place = cell.series as usize;
            if place >= latest.len() {
                latest.resize(place + 1, None);
            }
            let is_new = cell.measure.is_apart(finest) || latest[place].replace(cell.band) != Some(cell.band);
            cells += u64::from(is_new);
            let (first, _) = *span.get_or_insert((cell.band, cell.band));
            span = Some((first, cell.band));
            fits = cells <= most_cells && (cell.band - first) as u64 <= most_bands;
            Ok(fits)
        })?;
        let Some((first, last)) = span.filter(|_| fits) else {
            continue;
        };
        let mut coarsest = finest;
        while (last >> (coarsest - finest)) - (first >> (coarsest - finest)) >= 1 << LEVEL_SHIFT
            && coarsest + LEVEL_SHIFT < WIDEST
        {
            coarsest += LEVEL_SHIFT;
        }
        return Ok((coarsest > finest).then_some(BandLevels { finest, coarsest }));
    }
    Ok(None)
}

/// Gives the cells of every level, one band after the other; `None` when a sum is not exact.
pub(super) fn give_levels<M: BandMeasure, R: BandRuns<M>, E: From<R::Error>>(
    runs: &R,
    grid: BandLevels,
    mut give: impl FnMut(u32, &[BandCell<M>]) -> Result<(), E>,
) -> Result<Option<BandLevels>, E> {
    let widths = (grid.finest..=grid.coarsest).step_by(LEVEL_SHIFT as usize);
    let mut levels: Vec<OpenBand<M>> = widths.map(OpenBand::new).collect();
    let mut is_exact = true;
    let mut failure = None;
    merge_runs(runs.runs()?, grid.finest, |cell| {
        if levels[0].band != Some(cell.band) {
            let given = close(&mut levels, Some(cell.band), &mut is_exact, &mut give);
            failure = given.err();
            open(&mut levels, cell.band);
        }
        let crossed = levels.iter().take_while(|level| cell.measure.is_apart(level.shift)).count();
        let in_level = |level: usize| BandCell { band: cell.band >> (level as u32 * LEVEL_SHIFT), ..cell };
        if let Some(level) = crossed.checked_sub(1) {
            failure = failure.take().or(give(levels[level].shift, &[in_level(level)]).err());
        }
        if let Some(level) = levels.get_mut(crossed) {
            is_exact &= level.add(in_level(crossed));
        }
        Ok(is_exact && failure.is_none())
    })?;
    if let Some(failure) = failure {
        return Err(failure);
    }
    close(&mut levels, None, &mut is_exact, &mut give)?;
    Ok(is_exact.then_some(grid))
}

/// Opens a band of the first level, and those around it.
fn open<M>(levels: &mut [OpenBand<M>], band: i64) {
    let mut band = band;
    for level in levels {
        level.band = Some(band);
        band >>= LEVEL_SHIFT;
    }
}

/// Closes the first band of all levels, and those around it that the next band is not in.
fn close<M: BandMeasure, E>(
    levels: &mut [OpenBand<M>],
    next: Option<i64>,
    is_exact: &mut bool,
    give: &mut impl FnMut(u32, &[BandCell<M>]) -> Result<(), E>,
) -> Result<(), E> {
    let mut next = next;
    for place in 0..levels.len() {
        if levels[place].band.is_none() || levels[place].band == next {
            break;
        }
        let cells = levels[place].take();
        give(levels[place].shift, &cells)?;
        next = next.map(|band| band >> LEVEL_SHIFT);
        if let Some(above) = levels.get_mut(place + 1) {
            // What is open there is the band around this one: it was closed when this one began, if not.
            for cell in &cells {
                *is_exact &= above.add(BandCell { band: cell.band >> LEVEL_SHIFT, ..*cell });
            }
        }
    }
    Ok(())
}

/// A band of a level that may get more.
struct OpenBand<M> {
    shift: u32,
    band: Option<i64>,
    /// By series.
    measures: Vec<Option<M>>,
    /// Series that have something.
    series: Vec<u32>,
}

impl<M: BandMeasure> OpenBand<M> {
    fn new(shift: u32) -> OpenBand<M> {
        OpenBand { shift, band: None, measures: vec![], series: vec![] }
    }

    /// Adds a cell of its band; false when the sum is not exact.
    fn add(&mut self, cell: BandCell<M>) -> bool {
        self.band = Some(cell.band);
        let place = cell.series as usize;
        if place >= self.measures.len() {
            self.measures.resize(place + 1, None);
        }
        match &mut self.measures[place] {
            Some(known) => known.join(cell.measure),
            unknown => {
                *unknown = Some(cell.measure);
                self.series.push(cell.series);
                true
            }
        }
    }

    /// Its cells, by series; none are left.
    fn take(&mut self) -> Vec<BandCell<M>> {
        let Some(band) = self.band.take() else {
            return vec![];
        };
        self.series.sort_unstable();
        let cells = self.series.drain(..).filter_map(|series| {
            let measure = self.measures[series as usize].take()?;
            Some(BandCell { band, series, measure })
        });
        cells.collect()
    }
}
