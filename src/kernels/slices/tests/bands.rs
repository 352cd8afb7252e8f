//! Rows and sums of bands against the rows alone.

use super::*;
use crate::bands::{BandLimits, BandTotals};

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

proptest! {
    #[test]
    fn rows_and_sums_give_what_rows_give(
        rows in prop::collection::vec((0_u32..3, -200_i64..2000, prop_oneof![0_i64..4, 0_i64..100, 0_i64..2000]), 20..150),
        (start, length) in (-300_i64..1500, prop_oneof![1_i64..30, 1_i64..2500, Just(64), Just(1024)]),
        slices in 1_u32..30,
        asked in prop::option::of((0_u32..30, 0_u32..30)),
    ) {
        let rows: Vec<(u32, i64, i64)> =
            rows.into_iter().map(|(series, start, length)| (series, start, start + length)).collect();
        let slicing = Slicing::new(start, start + length, slices, 1000).expect("a window");
        let slicing = asked.map_or(slicing, |(first, more)| slicing.only(first % slices, first % slices + more));
        let mut totals = BandTotals::new(BandLimits { entries: 10_000, rows_per_cell: 1, rows_per_band: 1 });
        rows.iter().for_each(|(series, start, end)| totals.add(*series, *start, *end));
        let levels = totals.finish().unwrap_or_default();
        prop_assume!(!levels.is_empty());
        let (finest, coarsest) = (levels[0].shift, levels[levels.len() - 1].shift);
        let mut states = StateSlices::new(slicing);
        (0..3).for_each(|_| _ = states.add_series());
        let (series, starts, ends) = columns(&rows);
        states.add_cut_rows(&series, &starts, &ends, &CutBands::new(&slicing, finest));
        for level in &levels {
            let taken = level.cells.iter().map(|cell| (cell.series, cell.band << level.shift, cell.ticks));
            let taken = taken.filter(|(_, begin, _)| takes_band(&slicing, *begin, level.shift, coarsest));
            let sums: Vec<(u32, i64, i64)> = taken.map(|(series, begin, ticks)| (series, begin, begin + ticks)).collect();
            let (series, starts, ends) = columns(&sums);
            states.add_sums(&series, &starts, &ends);
        }
        prop_assert_eq!(all_parts(states), plain(slicing, &rows));
    }
}
