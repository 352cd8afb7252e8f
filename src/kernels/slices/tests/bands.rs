//! Rows and sums of bands against the rows alone.

use std::convert::Infallible;

use super::*;
use crate::bands::{
    BandCell, BandLevels, BandLimits, BandMeasure, BandRuns, BandTotals, LinkSums, SummedLink, TimeSums, ValueSums,
};
use crate::slices::events::{EventSlices, LastInstant, slice_of};
use crate::slices::links::{Boundary, Link, LinkPart, LinkSlice, LinkSlices, LinkSum};
use crate::slices::variables::{VariablePart, VariableSlice, VariableSum, Variables};

/// Cells of bands, in memory.
#[derive(Debug, Default)]
struct HeldCells<M>(Vec<(u32, Vec<BandCell<M>>)>);

impl<M: BandMeasure> BandRuns<M> for HeldCells<M> {
    type Error = Infallible;
    type Run = std::vec::IntoIter<Result<BandCell<M>, Infallible>>;

    fn keep(&mut self, shift: u32, cells: &[BandCell<M>]) -> Result<(), Infallible> {
        self.0.push((shift, cells.to_vec()));
        Ok(())
    }

    fn runs(&self) -> Result<Vec<(u32, Self::Run)>, Infallible> {
        let run = |cells: &Vec<BandCell<M>>| cells.iter().map(|cell| Ok(*cell)).collect::<Vec<_>>().into_iter();
        Ok(self.0.iter().map(|(shift, cells)| (*shift, run(cells))).collect())
    }
}

/// The cells of all bands, each with the width of its band.
type Cells<M> = Vec<(u32, BandCell<M>)>;

fn bands<M: BandMeasure>(rows: &[(u32, i64, i64)], row: impl Fn(usize) -> M::Row) -> Option<(BandLevels, Cells<M>)> {
    let limits = BandLimits { cells: 64, rows_per_cell: 1, rows_per_band: 1 };
    let mut totals = BandTotals::<M, HeldCells<M>>::new(limits, HeldCells(vec![]));
    for (number, (series, start, end)) in rows.iter().enumerate() {
        let Ok(()) = totals.add(*series, *start, *end, &row(number));
    }
    let mut given = vec![];
    let Ok(levels) = totals.finish::<Infallible>(|shift, cells| {
        given.extend(cells.iter().map(|cell| (shift, *cell)));
        Ok(())
    });
    Some((levels?, given))
}

/// The cells that count in slices, with the begin of their bands.
fn taken<M: BandMeasure>(slicing: &Slicing, levels: BandLevels, cells: Cells<M>) -> Vec<(u32, i64, M)> {
    let begins = cells.into_iter().map(|(shift, cell)| (shift, cell.series, cell.band << shift, cell.measure));
    let taken = begins.filter(|(shift, _, begin, _)| takes_band(slicing, *begin, *shift, levels.coarsest));
    taken.map(|(_, series, begin, measure)| (series, begin, measure)).collect()
}

/// The time of each series in each slice, from all rows.
fn plain(slicing: Slicing, rows: &[(u32, i64, i64)]) -> Vec<Vec<(u32, i128)>> {
    let mut states = StateSlices::new(slicing);
    (0..3).for_each(|_| _ = states.add_series());
    let (series, starts, ends) = columns(rows);
    states.add_rows(&series, &starts, &ends);
    all_parts(states)
}

fn columns(rows: &[(u32, i64, i64)]) -> (Vec<u32>, Vec<i64>, Vec<i64>) {
    let series = rows.iter().map(|row| row.0).collect();
    (series, rows.iter().map(|row| row.1).collect(), rows.iter().map(|row| row.2).collect())
}

fn all_parts(mut states: StateSlices) -> Vec<Vec<(u32, i128)>> {
    states.tidy();
    let mut parts = vec![vec![]; 3];
    for (series, parts) in parts.iter_mut().enumerate() {
        states.parts(series as u32, &mut |slice, time| parts.push((slice, time)));
    }
    parts
}

/// What a store of three series gives.
fn measures<S: SliceStore>(mut store: S) -> Vec<(u32, u32, S::Measure)> {
    store.tidy();
    let mut measures = vec![];
    for series in 0..3 {
        store.measures(series, &mut |slice, measure| measures.push((series, slice, measure)));
    }
    measures
}

fn three_series<S: SliceStore>(slicing: Slicing) -> S {
    let mut store = S::new(slicing);
    (0..3).for_each(|_| _ = store.add_series());
    store
}

/// Rows of three series, with long, short and empty ones.
fn some_rows() -> impl Strategy<Value = Vec<(u32, i64, i64)>> {
    let row = (0_u32..3, -200_i64..2000, prop_oneof![0_i64..4, 0_i64..100, 0_i64..2000]);
    let row = row.prop_map(|(series, start, length)| (series, start, start + length));
    prop::collection::vec(row, 20..150)
}

/// Windows in slices, of which some are asked for.
fn some_slices() -> impl Strategy<Value = Slicing> {
    let window = (-300_i64..1500, prop_oneof![1_i64..30, 1_i64..2500, Just(64), Just(1024)]);
    let asked = prop::option::of((0_u32..30, 0_u32..30));
    (window, 1_u32..30, asked).prop_map(|((start, length), slices, asked)| {
        let slicing = Slicing::new(start, start + length, slices, 1000).expect("a window");
        asked.map_or(slicing, |(first, more)| slicing.only(first % slices, first % slices + more))
    })
}

/// What is told apart of a variable, in bits.
fn bits(slice: &VariableSlice) -> [u64; 4] {
    [slice.integral, slice.extremes.minimum, slice.extremes.maximum, slice.covered].map(f64::to_bits)
}

/// What is told apart of links, in bits.
fn link_bits(slice: &LinkSlice) -> (i64, i64, [u64; 4]) {
    let doubles = [slice.seconds, slice.volume, slice.weighted, slice.throughput].map(f64::to_bits);
    (slice.links, slice.partners, doubles)
}

/// A sum as slices see it.
fn link_sum(shift: u32, cell: &BandCell<LinkSums>) -> LinkSum {
    let sums = cell.measure;
    let begin = if sums.time.count == 1 { sums.start } else { cell.band << shift };
    LinkSum {
        interval: (begin, begin + sums.time.ticks),
        shift,
        links: sums.time.count.into(),
        volume: (sums.volumes > 0).then_some(sums.volume),
        weighted: sums.weighted,
        rate: sums.rate,
        partner: Some(i64::from(cell.series / 3)),
    }
}

/// Mostly short links of three series with two partners each, a few that cross many borders, and some that end before they
/// start.
fn some_links() -> impl Strategy<Value = Vec<(u32, i64, i64)>> {
    let length = prop_oneof![80 => 0_i64..4, 40 => 0_i64..40, 10 => 0_i64..2000, 1 => -50_i64..0];
    let row = (0_u32..6, -200_i64..2000, length);
    let row = row.prop_map(|(series, start, length)| (series, start, start + length));
    prop::collection::vec(row, 60..300)
}

proptest! {
    /// Whatever crosses what: both ways give the same bits.
    #[test]
    fn links_too(
        rows in some_links(),
        volumes in prop::collection::vec(
            prop::option::of(prop_oneof![-4.0..4.0_f64, Just(0.1), Just(1e9), Just(524_288.0), Just(0.0)]), 300),
        slicing in some_slices(),
        (is_end_within, clips) in (any::<bool>(), any::<bool>()),
    ) {
        let last_instant = if is_end_within { LastInstant::Within } else { LastInstant::Outside };
        let boundary = if clips { Boundary::Clip } else { Boundary::Inside };
        let summed = |row: usize| SummedLink { start: rows[row].1, volume: volumes[row], per_second: 1000 };
        let Some((levels, cells)) = bands::<LinkSums>(&rows, summed) else {
            return Err(TestCaseError::reject("no bands"));
        };
        let cut = CutBands::new(&slicing, levels.finest).with_last_instant(&slicing, levels.finest);
        let (mut all, mut summed): (LinkSlices, LinkSlices) = (three_series(slicing), three_series(slicing));
        for ((pair, start, end), volume) in rows.iter().zip(&volumes) {
            let link = Link { start: *start, end: *end, volume: *volume, partner: Some(i64::from(pair / 3)) };
            if let Some(part) = LinkPart::of(&slicing, link, boundary, last_instant) {
                all.add(pair % 3, part);
                if part.is_in_cut_band(&cut, levels.finest) {
                    summed.add(pair % 3, part);
                }
            }
        }
        for (shift, cell) in &cells {
            let sum = link_sum(*shift, cell);
            if let Some(part) = sum.part(&slicing, levels.coarsest, boundary, last_instant) {
                summed.add_sum(cell.series % 3, &sum, part);
            }
        }
        let [all, summed] = [all, summed].map(|links| {
            measures(links).iter().map(|(series, slice, links)| (*series, *slice, link_bits(links))).collect::<Vec<_>>()
        });
        prop_assert_eq!(all, summed);
    }

    #[test]
    fn rows_and_sums_give_what_rows_give(rows in some_rows(), slicing in some_slices()) {
        let Some((levels, cells)) = bands::<TimeSums>(&rows, |_| ()) else {
            return Err(TestCaseError::reject("no bands"));
        };
        let mut states: StateSlices = three_series(slicing);
        let (series, starts, ends) = columns(&rows);
        states.add_cut_rows(&series, &starts, &ends, &CutBands::new(&slicing, levels.finest));
        for (series, begin, sums) in taken(&slicing, levels, cells) {
            states.add_sums(&[series], &[begin], &[begin + sums.ticks]);
        }
        prop_assert_eq!(all_parts(states), plain(slicing, &rows));
    }

    #[test]
    fn variables_too(
        rows in some_rows(),
        values in prop::collection::vec(prop_oneof![-4.0..4.0_f64, Just(0.1), Just(1e9), Just(-0.0)], 150),
        slicing in some_slices(),
    ) {
        let Some((levels, cells)) = bands::<ValueSums>(&rows, |row| values[row]) else {
            return Err(TestCaseError::reject("no bands"));
        };
        let mut all: Variables = three_series(slicing);
        for ((series, start, end), value) in rows.iter().zip(&values) {
            if let Some(part) = VariablePart::of(&slicing, *start, *end, *value) {
                all.add(*series, part);
            }
        }
        let mut summed: Variables = three_series(slicing);
        let (series, starts, ends) = columns(&rows);
        summed.add_cut_rows(&series, &starts, &ends, &values, &CutBands::new(&slicing, levels.finest));
        for (series, begin, sums) in taken(&slicing, levels, cells) {
            let interval = (begin, begin + sums.time.ticks);
            summed.add_sum(series, &VariableSum { interval, integral: sums.integral, extremes: sums.extremes });
        }
        let [all, summed] = [all, summed].map(|variables| {
            measures(variables).iter().map(|(series, slice, measure)| (*series, *slice, bits(measure))).collect::<Vec<_>>()
        });
        prop_assert_eq!(all, summed);
    }

    #[test]
    fn events_too(rows in some_rows(), slicing in some_slices(), is_end_within in any::<bool>()) {
        let rows: Vec<(u32, i64, i64)> = rows.into_iter().map(|(series, tick, _)| (series, tick, tick)).collect();
        let last_instant = if is_end_within { LastInstant::Within } else { LastInstant::Outside };
        let Some((levels, cells)) = bands::<TimeSums>(&rows, |_| ()) else {
            return Err(TestCaseError::reject("no bands"));
        };
        let cut = CutBands::new(&slicing, levels.finest).with_last_instant(&slicing, levels.finest);
        let (mut all, mut summed): (EventSlices, EventSlices) = (three_series(slicing), three_series(slicing));
        for (series, tick, _) in &rows {
            if let Some(slice) = slice_of(&slicing, *tick, last_instant) {
                all.add(*series, slice);
                if cut.has(*tick) {
                    summed.add(*series, slice);
                }
            }
        }
        for (series, begin, sums) in taken(&slicing, levels, cells) {
            if let Some(slice) = slice_of(&slicing, begin, last_instant) {
                summed.add_sum(series, slice, sums.count.into());
            }
        }
        prop_assert_eq!(measures(all), measures(summed));
    }
}
