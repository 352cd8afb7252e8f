//! Tests of `band_runs`.

use std::collections::BTreeMap;

use ocellus_kernels::bands::TimeSums;
use proptest::prelude::*;

use super::*;

/// The cells of all runs in bands of one width, added up.
fn total(
    runs: Vec<(u32, impl Iterator<Item = Result<BandCell<TimeSums>>>)>,
    shift: u32,
) -> BTreeMap<(i64, u32), TimeSums> {
    let mut sums: BTreeMap<(i64, u32), TimeSums> = BTreeMap::new();
    let mut last = i64::MIN;
    merge_runs(runs, shift, |cell| {
        assert!(last <= cell.band, "bands come in order");
        last = cell.band;
        assert!(sums.entry((cell.band, cell.series)).or_default().join(cell.measure));
        Ok(true)
    })
    .expect("readable runs");
    sums
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    /// However many runs there are: few are read at once, and nothing is lost.
    #[test]
    fn runs_are_merged(runs in prop::collection::vec((0_u32..3, prop::collection::vec((-50_i64..50, 0_u32..3), 0..5)), 0..1500)) {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let mut kept = BandRunFile::<TimeSums>::new(folder.path().join("runs"));
        let mut expected: BTreeMap<(i64, u32), TimeSums> = BTreeMap::new();
        let mut shift = 0;
        for (number, (wider, mut cells)) in runs.into_iter().enumerate() {
            shift += if number % 500 == 499 { wider } else { 0 };
            cells.sort_unstable();
            let measure = TimeSums { ticks: number as i64, count: 1 };
            let cells: Vec<BandCell<TimeSums>> =
                cells.into_iter().map(|(band, series)| BandCell { band, series, measure }).collect();
            for cell in &cells {
                let place = (cell.band >> (8 - shift), cell.series);
                prop_assert!(expected.entry(place).or_default().join(measure));
            }
            kept.keep(shift, &cells).expect("a run");
        }
        prop_assert!(kept.runs.len() < 2 * FAN_IN);
        prop_assert_eq!(total(kept.runs().expect("runs"), 8), expected);
        prop_assert_eq!(fs::read_dir(folder.path()).expect("the folder").count(), 0);
    }
}
