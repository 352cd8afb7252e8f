//! Ranges of p against the slow twin: the partition of one p after the other.

use proptest::prelude::*;

use super::super::tests::twin::*;
use super::super::*;

const PRECISION: f64 = 1e-9;

/// The areas whose range holds p, in the order of a partition.
fn areas_at(ranges: &[AreaRange], p: f64) -> Vec<VisualArea> {
    ranges.iter().filter(|range| range.from <= p && p <= range.to).map(|range| range.shown).collect()
}

/// The p of a dichotomy, and those at which ranges begin.
fn tried(search: &mut PartitionSearch, ranges: &[AreaRange]) -> Vec<f64> {
    let levels = levels(search, 0.001).expect("nobody interrupts");
    levels.iter().map(|level| level.p).chain(ranges.iter().map(|range| range.from)).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// At every level, where ranges begin, and anywhere between, they are the partition.
    #[test]
    fn ranges_are_the_partition_of_every_p(
        sample in sample(8, 6),
        measure in measure(),
        ties in ties(),
        others in prop::collection::vec(ratio(), 20),
    ) {
        let sample = sample.with_signs(measure);
        let mut search = sample.search(measure, ties);
        let ranges = area_ranges(&mut search, None, PRECISION).expect("nobody interrupts");
        for p in tried(&mut search, &ranges).into_iter().chain(others) {
            let areas = search.partition(p).expect("nobody interrupts").areas;
            let expected: Vec<_> = areas.into_iter().map(|area| VisualArea { area, mark: None }).collect();
            prop_assert_eq!(areas_at(&ranges, p), expected, "p = {}", p);
        }
    }

    /// So are those of pictures.
    #[test]
    fn ranges_are_the_picture_of_every_p(
        sample in sample(8, 6),
        ties in ties(),
        least in 0.0..6.0_f64,
        others in prop::collection::vec(ratio(), 20),
    ) {
        let mut search = sample.search(PartitionMeasure::Mean, ties);
        let picture = PictureHeight { height: 6.0, least };
        let ranges = area_ranges(&mut search, Some(picture), PRECISION).expect("nobody interrupts");
        for p in tried(&mut search, &ranges).into_iter().chain(others) {
            let expected = visual(&mut search, p, 6.0, least).expect("nobody interrupts");
            prop_assert_eq!(areas_at(&ranges, p), expected, "p = {}", p);
        }
    }
}

/// One leaf that is in a state all of a slice, then half of one. With L = log2 3, both slices as one area
/// gain ¾ · L − 1 and lose 2½ − 1½ · L; apart they gain and lose nothing.
#[test]
fn one_change_by_hand() {
    let containers = vec![TreeContainer { parent: None, resources: 1 }];
    let sample = Sample { containers, slices: 2, states: 1, rho: vec![vec![vec![1.0], vec![0.5]]] };
    let mut search = sample.search(PartitionMeasure::Mean, Ties::Fewest);
    let ranges = area_ranges(&mut search, None, PRECISION).expect("nobody interrupts");
    let l = 3.0_f64.log2();
    let change = (2.5 - 1.5 * l) / (1.5 - 0.75 * l);
    let intervals: Vec<_> = ranges.iter().map(|range| (range.shown.area.first, range.shown.area.last)).collect();
    assert_eq!(intervals, [(0, 0), (0, 1), (1, 1)]);
    assert_eq!(ranges[0].from, 0.0);
    assert_eq!(ranges[0].to, ranges[1].from.next_down());
    assert!((ranges[1].from - change).abs() <= PRECISION, "{} {change}", ranges[1].from);
    assert_eq!(ranges[1].to, 1.0);
    assert_eq!((ranges[2].from, ranges[2].to), (ranges[0].from, ranges[0].to));
}

/// What is homogeneous is one area at every p.
#[test]
fn one_area_for_everything() {
    let mut sample = Sample::groups(2, 2, 4, 1);
    sample.rho.iter_mut().flatten().flatten().for_each(|rho| *rho = 0.5);
    let mut search = sample.search(PartitionMeasure::Mean, Ties::Fewest);
    let ranges = area_ranges(&mut search, None, PRECISION).expect("nobody interrupts");
    assert_eq!(ranges.iter().map(|range| (range.from, range.to)).collect::<Vec<_>>(), [(0.0, 1.0)]);
}

/// A search that is interrupted gives nothing.
#[test]
fn interrupted_ranges_stop() {
    let sample = Sample::groups(2, 2, 4, 1);
    let measures = sample.measures(PartitionMeasure::Mean);
    let mut search = PartitionSearch::new(measures, Ties::Fewest).with_interrupt(Interrupt::new(|| true));
    assert_eq!(area_ranges(&mut search, None, PRECISION), Err(Interrupted));
}
