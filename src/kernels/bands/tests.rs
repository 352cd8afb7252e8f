//! Tests of `bands`.

use std::collections::BTreeMap;
use std::convert::Infallible;

use proptest::prelude::*;

use super::*;

/// Runs in memory.
#[derive(Debug, Default)]
struct HeldRuns(Vec<(u32, Vec<BandCell<TimeSums>>)>);

impl BandRuns<TimeSums> for HeldRuns {
    type Error = Infallible;
    type Run = std::vec::IntoIter<Result<BandCell<TimeSums>, Infallible>>;

    fn keep(&mut self, shift: u32, cells: &[BandCell<TimeSums>]) -> Result<(), Infallible> {
        assert!(cells.is_sorted_by_key(|cell| cell.band));
        assert!(self.0.last().is_none_or(|(last, _)| *last <= shift));
        self.0.push((shift, cells.to_vec()));
        Ok(())
    }

    fn runs(&self) -> Result<Vec<(u32, Self::Run)>, Infallible> {
        let run = |(shift, cells): &(u32, Vec<BandCell<TimeSums>>)| {
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

proptest! {
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
