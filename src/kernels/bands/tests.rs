//! Tests of `bands`.

use std::collections::BTreeMap;
use std::convert::Infallible;

use proptest::prelude::*;

use super::*;

/// Runs in memory.
#[derive(Debug)]
struct HeldRuns<M = TimeSums>(Vec<(u32, Vec<BandCell<M>>)>);

impl<M> Default for HeldRuns<M> {
    fn default() -> HeldRuns<M> {
        HeldRuns(vec![])
    }
}

impl<M: BandMeasure> BandRuns<M> for HeldRuns<M> {
    type Error = Infallible;
    type Run = std::vec::IntoIter<Result<BandCell<M>, Infallible>>;

    fn keep(&mut self, shift: u32, cells: &[BandCell<M>]) -> Result<(), Infallible> {
        assert!(cells.is_sorted_by_key(|cell| cell.band));
        assert!(self.0.last().is_none_or(|(last, _)| *last <= shift));
        self.0.push((shift, cells.to_vec()));
        Ok(())
    }

    fn runs(&self) -> Result<Vec<(u32, Self::Run)>, Infallible> {
        let run = |(shift, cells): &(u32, Vec<BandCell<M>>)| {
            (*shift, cells.iter().map(|cell| Ok(*cell)).collect::<Vec<_>>().into_iter())
        };
        Ok(self.0.iter().map(run).collect())
    }
}

/// One level: band, series, ticks and count of each cell.
type Level = Vec<(i64, u32, i64, u32)>;

/// No limit but that on the number of bands.
fn limits(cells: usize) -> BandLimits {
    BandLimits { cells, rows_per_cell: 1, rows_per_band: 1 }
}

fn levels(rows: &[(u32, i64, i64)], limits: BandLimits) -> Option<BTreeMap<u32, Level>> {
    let mut totals = BandTotals::<TimeSums, HeldRuns>::new(limits, HeldRuns::default());
    for (series, start, end) in rows {
        let Ok(()) = totals.add(*series, *start, *end, &());
    }
    let mut levels: BTreeMap<u32, Level> = BTreeMap::new();
    let Ok(grid) = totals.finish::<Infallible>(|shift, cells| {
        let cells = cells.iter().map(|cell| (cell.band, cell.series, cell.measure.ticks, cell.measure.count));
        levels.entry(shift).or_default().extend(cells);
        Ok(())
    });
    let grid = grid?;
    let widths: Vec<u32> = (grid.finest..=grid.coarsest).step_by(LEVEL_SHIFT as usize).collect();
    assert!(levels.keys().eq(&widths), "{:?} {widths:?}", levels.keys());
    Some(levels)
}

/// Looks at every band of every row.
fn slow(rows: &[(u32, i64, i64)], shift: u32) -> Level {
    let mut cells = BTreeMap::new();
    for (series, start, end) in rows.iter().copied().filter(|(_, start, end)| start <= end) {
        for band in start >> shift..=end >> shift {
            let (low, high) = (band << shift, (band + 1) << shift);
            let shared = end.min(high) - start.max(low);
            if shared > 0 || (start == end && start >> shift == band) {
                let cell = cells.entry((band, series)).or_insert((0, 0));
                *cell = (cell.0 + shared, cell.1 + u32::from(start >> shift == band));
            }
        }
    }
    cells.into_iter().map(|((band, series), (ticks, count))| (band, series, ticks, count)).collect()
}

#[test]
fn the_drawing_of_the_head() {
    let mut totals = BandTotals::<TimeSums, HeldRuns>::new(limits(100), HeldRuns::default());
    totals.widen(3);
    let Ok(()) = totals.add(7, 4, 26, &());
    let recent = totals.recent[7].map(|(band, sums)| (band, sums.ticks));
    let cells: Vec<(i64, i64)> = totals.log.iter().map(|cell| (cell.band, cell.measure.ticks)).chain(recent).collect();
    assert_eq!(cells, [(0, 4), (1, 8), (2, 8), (3, 2)]);
}

#[test]
fn times_that_are_too_large_give_no_bands() {
    assert_eq!(levels(&[(0, 0, 10), (0, 5, i64::MAX)], limits(100)), None);
    assert_eq!(levels(&[(0, i64::MIN, 10)], limits(100)), None);
    // More than 2^63 ticks in all.
    let rows: Vec<(u32, i64, i64)> = (0..40).map(|row| (0, row - (1 << 59), (1 << 59) + row)).collect();
    assert_eq!(levels(&rows, limits(100)), None);
}

#[test]
fn more_series_than_there_is_room_for() {
    let rows: Vec<(u32, i64, i64)> = (0..1000).map(|row| (row % 500, i64::from(row), i64::from(row) + 5)).collect();
    assert_eq!(levels(&rows, limits(64)), None);
}

#[test]
fn a_row_that_ends_before_it_starts_gives_no_bands() {
    let mut rows: Vec<(u32, i64, i64)> = (0..2000).map(|row| (0, row, row + 9)).collect();
    assert!(levels(&rows, limits(1000)).is_some());
    rows.push((0, 50, 40));
    assert_eq!(levels(&rows, limits(1000)), None);
}

#[test]
fn no_rows_no_bands() {
    assert_eq!(levels(&[], limits(10)), None);
    assert_eq!(levels(&[(0, 5, 4)], limits(10)), None);
}

/// Rows that each span the whole trace make bands wide, instead of a part for each row and band.
#[test]
fn parts_stay_few() {
    let mut totals = BandTotals::<TimeSums, HeldRuns>::new(limits(1 << 12), HeldRuns::default());
    for row in 0..10_000 {
        let Ok(()) = totals.add(row % 7, 0, 1 << 40, &());
        assert!(totals.parts <= PARTS_PER_ROW * totals.rows + FREE_PARTS);
    }
    assert!(totals.is_exact);
}

/// What is held does not grow with the number of rows, and bands do not get wider for lack of room.
#[test]
fn many_rows_wait_in_runs() {
    let limits = BandLimits { cells: 256, rows_per_cell: 15, rows_per_band: 64 };
    let rows: Vec<(u32, i64, i64)> = (0..200_000_i64).map(|row| ((row % 4) as u32, row, row + 3)).collect();
    let levels = levels(&rows, limits).expect("levels");
    let (finest, cells) = levels.first_key_value().expect("a level");
    assert_eq!(*finest, 6, "64 rows are in 64 ticks");
    assert!(cells.len() > 10 * limits.cells);
    assert_eq!(cells, &slow(&rows, *finest));
}

#[test]
fn values_in_a_band() {
    let mut sums = ValueSums::of(&2.5, 4, true);
    assert!(sums.join(ValueSums::of(&-1.0, 10, false)));
    assert!(sums.join(ValueSums::of(&99.0, 0, true)));
    assert_eq!(sums.time, TimeSums { ticks: 14, count: 2 });
    assert_eq!(sums.integral.value(), 0.0);
    // A value without length is in no slice.
    assert_eq!((sums.extremes.minimum, sums.extremes.maximum), (-1.0, 2.5));
    let mut bytes = vec![];
    sums.write(&mut bytes);
    assert_eq!(ValueSums::read(&mut bytes.as_slice()), Some(sums));
}

/// Levels of links: band or start, series, links and ticks of each cell, those by themselves last.
type LinkLevels = BTreeMap<u32, Vec<(bool, i64, u32, u32, i64)>>;

fn link_levels(rows: &[(u32, i64, i64)], limits: BandLimits) -> Option<LinkLevels> {
    let mut totals = BandTotals::<LinkSums, HeldRuns<LinkSums>>::new(limits, HeldRuns::default());
    for (series, start, end) in rows {
        let Ok(()) = totals.add(*series, *start, *end, &SummedLink { start: *start, volume: None, per_second: 1 });
    }
    let mut levels = LinkLevels::new();
    let Ok(grid) = totals.finish::<Infallible>(|shift, cells| {
        levels.entry(shift).or_default().extend(cells.iter().map(|cell| {
            let is_apart = cell.measure.is_apart(shift);
            let place = if is_apart { cell.measure.start } else { cell.band };
            (is_apart, place, cell.series, cell.measure.time.count, cell.measure.time.ticks)
        }));
        Ok(())
    });
    grid?;
    levels.values_mut().for_each(|level| level.sort_unstable());
    Some(levels)
}

/// Looks at every link in every level.
fn slow_links(rows: &[(u32, i64, i64)], widths: &[u32]) -> LinkLevels {
    let mut levels = LinkLevels::new();
    for (place, shift) in widths.iter().enumerate() {
        let mut cells = BTreeMap::new();
        let mut apart = vec![];
        let is_in_one = |start: i64, end: i64, shift: u32| start <= end && end <= ((start >> shift) + 1) << shift;
        for &(series, start, end) in rows {
            if is_in_one(start, end, *shift) {
                let cell = cells.entry((start >> shift, series)).or_insert((0, 0));
                *cell = (cell.0 + 1, cell.1 + end - start);
            } else if widths.get(place + 1).is_none_or(|wider| is_in_one(start, end, *wider)) {
                apart.push((true, start, series, 1, end - start));
            }
        }
        let cells = cells.into_iter().map(|((band, series), (links, ticks))| (false, band, series, links, ticks));
        let mut level: Vec<_> = cells.chain(apart).collect();
        level.sort_unstable();
        levels.insert(*shift, level);
    }
    levels
}

#[test]
fn sums_of_links() {
    let link = |start, volume| SummedLink { start, volume, per_second: 100 };
    let mut sums = LinkSums::of(&link(6, Some(10.0)), 4, true);
    assert!(sums.is_apart(3) && !sums.is_apart(4), "from 6 to 10");
    assert!(sums.join(LinkSums::of(&link(7, Some(0.5)), 0, true)));
    assert!(sums.join(LinkSums::of(&link(8, None), 2, true)));
    assert!(!sums.is_apart(0), "three links");
    assert_eq!((sums.time, sums.volumes), (TimeSums { ticks: 6, count: 3 }, 2));
    // Ten in 0.04 seconds; what takes no time has no rate.
    assert_eq!([sums.volume, sums.weighted, sums.rate].map(|sum| sum.value()), [10.5, 40.0, 250.0]);
    let mut bytes = vec![];
    sums.write(&mut bytes);
    assert_eq!(LinkSums::read(&mut bytes.as_slice()), Some(sums));
}

#[test]
fn long_links_give_no_bands() {
    let mut rows: Vec<(u32, i64, i64)> = (0..2000).map(|row| (0, row, row + 9)).collect();
    assert!(link_levels(&rows, limits(1000)).is_some());
    rows.push((0, 0, (1 << 53) + 1));
    assert_eq!(link_levels(&rows, limits(1000)), None);
    // Each of them crosses all borders.
    let rows: Vec<(u32, i64, i64)> = (0..2000).map(|row| (0, row, row + 1000)).collect();
    assert_eq!(link_levels(&rows, BandLimits { cells: 1000, rows_per_cell: 4, rows_per_band: 8 }), None);
}

proptest! {
    /// Every level has the links of a slow count, and each link that crosses borders once.
    #[test]
    fn links_in_both_ways(
        rows in prop::collection::vec(
            (0_u32..4, -300_i64..3000, prop_oneof![60 => 0_i64..3, 30 => 0_i64..60, 10 => 0_i64..2500, 1 => -50_i64..0]), 0..300),
        cells in 32_usize..400,
        rows_per_cell in 1_u64..4,
    ) {
        let rows: Vec<(u32, i64, i64)> =
            rows.into_iter().map(|(series, start, length)| (series, start, start + length)).collect();
        let levels = link_levels(&rows, BandLimits { cells, rows_per_cell, rows_per_band: 1 }).unwrap_or_default();
        let widths: Vec<u32> = levels.keys().copied().collect();
        if let Some((_, finest)) = levels.first_key_value() {
            let apart = levels.values().skip(1).flatten().filter(|cell| cell.0).count();
            prop_assert!((finest.len() + apart) as u64 <= rows.len() as u64 / rows_per_cell);
        }
        prop_assert_eq!(levels, slow_links(&rows, &widths));
    }

    /// Every level has the time of a slow count, whatever the room and the order.
    #[test]
    fn both_ways_agree(
        rows in prop::collection::vec((0_u32..4, -300_i64..3000, prop_oneof![0_i64..3, 0_i64..200, 0_i64..2500]), 0..120),
        cells in 16_usize..400,
        rows_per_cell in 1_u64..4,
    ) {
        let rows: Vec<(u32, i64, i64)> =
            rows.into_iter().map(|(series, start, length)| (series, start, start + length)).collect();
        let levels = levels(&rows, BandLimits { cells, rows_per_cell, rows_per_band: 1 }).unwrap_or_default();
        for (shift, level) in &levels {
            prop_assert_eq!(level, &slow(&rows, *shift));
        }
        if let Some((_, finest)) = levels.first_key_value() {
            prop_assert!(finest.len() as u64 <= rows.len() as u64 / rows_per_cell);
        }
    }

    /// Rows that fill the bands give levels: the test above has something to compare.
    #[test]
    fn many_rows_have_levels(step in 1_i64..50, length in 0_i64..100) {
        let rows: Vec<(u32, i64, i64)> = (0..2000).map(|row| (0, row * step, row * step + length)).collect();
        prop_assert!(levels(&rows, limits(1000)).is_some());
    }
}
