//! Tests of `bands`.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;

/// No limit but that on the number of bands.
fn limits(entries: usize) -> BandLimits {
    BandLimits { entries, rows_per_cell: 1, rows_per_band: 1 }
}

fn levels(rows: &[(u32, i64, i64)], limits: BandLimits) -> Option<Vec<BandLevel>> {
    let mut totals = BandTotals::new(limits);
    rows.iter().for_each(|(series, start, end)| totals.add(*series, *start, *end));
    totals.finish()
}

/// Looks at every band of every row.
fn slow(rows: &[(u32, i64, i64)], shift: u32) -> Vec<BandCell> {
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
    cells.into_iter().map(|((band, series), (ticks, count))| BandCell { band, series, ticks, count }).collect()
}

#[test]
fn the_drawing_of_the_head() {
    let mut totals = BandTotals::new(limits(100));
    totals.add(7, 4, 26);
    totals.widen(3);
    let recent: Vec<BandEntry> = totals.recent.drain(..).flatten().collect();
    totals.log.extend(recent);
    totals.merge();
    let mut cells = vec![];
    totals.cells(&mut |cell| {
        cells.push((cell.band, cell.ticks));
        true
    });
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

proptest! {
    /// Every level has the time of a slow count, whatever the room and the order.
    #[test]
    fn both_ways_agree(
        rows in prop::collection::vec((0_u32..4, -300_i64..3000, prop_oneof![0_i64..3, 0_i64..200, 0_i64..2500]), 0..120),
        entries in 24_usize..400,
        rows_per_cell in 1_u64..4,
    ) {
        let rows: Vec<(u32, i64, i64)> =
            rows.into_iter().map(|(series, start, length)| (series, start, start + length)).collect();
        let found = levels(&rows, BandLimits { entries, rows_per_cell, rows_per_band: 1 });
        let levels = found.unwrap_or_default();
        for (number, level) in levels.iter().enumerate() {
            prop_assert_eq!(level.shift, levels[0].shift + LEVEL_SHIFT * number as u32);
            prop_assert_eq!(&level.cells, &slow(&rows, level.shift));
        }
        if let Some(finest) = levels.first() {
            prop_assert!(finest.cells.len() as u64 <= rows.len() as u64 / rows_per_cell);
            prop_assert!(finest.cells.len() <= entries);
        }
    }

    /// Rows that fill the bands give levels: the test above has something to compare.
    #[test]
    fn many_rows_have_levels(step in 1_i64..50, length in 0_i64..100) {
        let rows: Vec<(u32, i64, i64)> = (0..2000).map(|row| (0, row * step, row * step + length)).collect();
        prop_assert!(levels(&rows, limits(1000)).is_some());
    }
}
