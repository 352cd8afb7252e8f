//! The kernel against slow, obvious twins.

pub(super) mod twin;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use proptest::prelude::*;

use self::twin::*;
use super::*;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// The same areas as Algorithm 1 finds in the tree as it is, chains and all, with either rule for ties.
    #[test]
    fn areas_are_those_of_the_printed_algorithm(
        sample in sample(8, 5),
        measure in measure(),
        ties in ties(),
        p in ratio(),
    ) {
        let sample = sample.with_signs(measure);
        let slow = Slow { sample: &sample, measure, ties, p };
        let (value, mut expected) = slow.best(&slow.root(), 0, sample.slices - 1);
        let partition = sample.search(measure, ties).partition(p).expect("nobody interrupts");
        prop_assert!(close(slow.value(partition.quality), value), "{:?} {value}", partition.quality);
        let mut given: Vec<_> = partition.areas.iter().map(|area| (area.container, area.first, area.last)).collect();
        given.sort();
        expected.sort();
        prop_assert_eq!(given, expected);
    }

    /// Every microscopic area lies in exactly one area, and what areas gain and lose adds up.
    #[test]
    fn areas_cover_everything_once(sample in sample(8, 8), measure in measure(), ties in ties(), p in ratio()) {
        let sample = sample.with_signs(measure);
        let mut search = sample.search(measure, ties);
        let partition = search.partition(p).expect("nobody interrupts");
        let tree = search.measures().tree();
        let mut covered = vec![0; tree.leaves() * sample.slices];
        let mut sum = Quality::default();
        for area in &partition.areas {
            let node = tree.nodes()[area.node];
            for leaf in node.first_leaf..node.first_leaf + node.leaves {
                for slice in area.first..=area.last {
                    covered[leaf * sample.slices + slice] += 1;
                }
            }
            sum = sum + area.quality;
        }
        prop_assert!(covered.iter().all(|times| *times == 1));
        prop_assert_eq!(sum, partition.quality);
        if p == 0.0 {
            prop_assert!(partition.quality.loss < 1e-9);
        }
    }

    /// Gain, loss and proportions of every area are those of the equations.
    #[test]
    fn measures_are_those_of_the_equations(sample in sample(6, 5), measure in measure()) {
        let sample = sample.with_signs(measure);
        let slow = Slow { sample: &sample, measure, ties: Ties::Order, p: 0.0 };
        let measures = sample.measures(measure);
        let root = slow.root();
        for first in 0..sample.slices {
            for last in first..sample.slices {
                let (fast, slow) = (measures.quality(measures.tree().root(), first, last), slow.quality(&root, first, last));
                prop_assert!(close(fast.gain, slow.gain) && close(fast.loss, slow.loss), "{fast:?} {slow:?}");
            }
        }
        for (leaf, slices) in sample.rho.iter().enumerate() {
            for (slice, states) in slices.iter().enumerate() {
                for (state, rho) in states.iter().enumerate() {
                    prop_assert!(close(measures.model().proportion(leaf, slice, slice, state), *rho));
                }
            }
        }
    }

    /// The fewest areas of all partitions that are as good.
    #[test]
    fn fewest_areas(sample in sample(6, 3), measure in measure(), p in ratio()) {
        let sample = sample.with_signs(measure);
        let slow = Slow { sample: &sample, measure, ties: Ties::Order, p };
        let root = slow.root();
        let best = slow.best(&root, 0, sample.slices - 1).0;
        let fewest = slow.fewest(&root, 0, sample.slices - 1, best);
        let partition = sample.search(measure, Ties::Fewest).partition(p).expect("nobody interrupts");
        prop_assert!(close(slow.value(partition.quality), best));
        prop_assert_eq!(partition.areas.len(), fewest);
    }

    /// The dichotomy: p = 0 comes first, gain and loss grow, and each p gives its partition again.
    #[test]
    fn levels_grow(sample in sample(8, 6), measure in measure(), ties in ties()) {
        let sample = sample.with_signs(measure);
        let mut search = sample.search(measure, ties);
        let levels = levels(&mut search, 0.01).expect("nobody interrupts");
        prop_assert_eq!(levels[0].p, 0.0);
        for pair in levels.windows(2) {
            prop_assert!(pair[0].p < pair[1].p);
            prop_assert!(pair[0].quality.gain < pair[1].quality.gain + 1e-9, "{pair:?}");
            prop_assert!(pair[0].quality.loss < pair[1].quality.loss + 1e-9, "{pair:?}");
        }
        for level in levels {
            let partition = search.partition(level.p).expect("nobody interrupts");
            prop_assert_eq!((partition.areas.len(), partition.quality), (level.areas, level.quality));
        }
    }

    /// The picture covers everything once, and nothing is thinner than it may be.
    #[test]
    fn pictures_cover_everything(sample in sample(8, 6), ties in ties(), p in ratio(), least in 0.0..6.0_f64) {
        let mut search = sample.search(PartitionMeasure::Mean, ties);
        let shown = visual(&mut search, p, 6.0, least).expect("nobody interrupts");
        let tree = search.measures().tree();
        let unit = 6.0 / tree.nodes()[tree.root()].resources as f64;
        let mut covered = 0;
        for VisualArea { area, mark } in &shown {
            let node = tree.nodes()[area.node];
            covered += node.leaves * (area.last - area.first + 1);
            prop_assert!(area.node == tree.root() || node.resources as f64 * unit >= least);
            prop_assert!(mark.is_none() || node.leaves > 1);
        }
        prop_assert_eq!(covered, tree.leaves() * sample.slices);
        if least == 0.0 {
            let areas: Vec<PartitionArea> = shown.iter().map(|shown| shown.area).collect();
            prop_assert_eq!(areas, search.partition(p).expect("nobody interrupts").areas);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// No partition at all is better: all of them are tried.
    #[test]
    fn no_partition_is_better(sample in sample(6, 3), measure in measure(), ties in ties(), p in ratio()) {
        let sample = sample.with_signs(measure);
        let slow = Slow { sample: &sample, measure, ties, p };
        let all = slow.all(&slow.root(), 0, sample.slices - 1);
        let best = all.iter().map(|(quality, _)| slow.value(*quality)).fold(f64::MIN, f64::max);
        let partition = sample.search(measure, ties).partition(p).expect("nobody interrupts");
        prop_assert!(close(slow.value(partition.quality), best));
        let same = |one: &Quality, other: &Quality| close(one.gain, other.gain) && close(one.loss, other.loss);
        prop_assert!(all.iter().any(|(quality, _)| same(quality, &partition.quality)));
    }
}

/// What is homogeneous is one area at every p, whatever the proportions round to.
#[test]
fn homogeneous_models_are_never_cut() {
    for rho in [0.0, 0.1, 1.0 / 3.0, 0.7, 1.0] {
        let mut sample = Sample::groups(7, 9, 23, 2);
        for leaf in &mut sample.rho {
            for slice in leaf {
                *slice = vec![rho, 1.0 - rho];
            }
        }
        for measure in [PartitionMeasure::Mean, PartitionMeasure::Sum, PartitionMeasure::Deviation] {
            let ties = if measure == PartitionMeasure::Deviation { Ties::Fewest } else { Ties::Order };
            let mut search = sample.search(measure, ties);
            for step in 0..=20 {
                let partition = search.partition(f64::from(step) / 20.0).expect("nobody interrupts");
                assert_eq!(partition.areas.len(), 1, "rho {rho}, {measure:?}, step {step}");
                assert!(partition.quality.loss < 1e-9);
            }
            assert_eq!(levels(&mut search, 0.001).expect("nobody interrupts").len(), 1);
        }
    }
}

/// With sums, the whole is one area at p = 1.
#[test]
fn sums_aggregate_everything_in_the_end() {
    let mut sample = Sample::groups(2, 3, 5, 2);
    for (leaf, slices) in sample.rho.iter_mut().enumerate() {
        for (slice, states) in slices.iter_mut().enumerate() {
            let rho = ((leaf * 7 + slice * 3) % 5) as f64 / 4.0;
            *states = vec![rho, 1.0 - rho];
        }
    }
    assert_eq!(
        sample.search(PartitionMeasure::Sum, Ties::Order).partition(1.0).expect("nobody interrupts").areas.len(),
        1
    );
}

/// Threads change nothing, not even the last bit.
#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let mut sample = Sample::groups(40, 5, 20, 3);
    for (leaf, slices) in sample.rho.iter_mut().enumerate() {
        for (slice, states) in slices.iter_mut().enumerate() {
            for (state, rho) in states.iter_mut().enumerate() {
                *rho = ((leaf * 31 + slice * 17 + state * 7) % 101) as f64 / 303.0;
            }
        }
    }
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
        pool.install(|| {
            let mut search = sample.search(PartitionMeasure::Mean, Ties::Fewest);
            [0.0, 0.2, 0.5, 0.9].map(|p| search.partition(p))
        })
    };
    assert_eq!(on(1), on(3));
}

/// Everybody in one pure state, then in another: all partitions that cut there are equal, and two areas are enough.
#[test]
fn the_fewest_areas_of_equal_partitions() {
    let mut sample = Sample::groups(3, 4, 10, 2);
    for leaf in &mut sample.rho {
        for (slice, states) in leaf.iter_mut().enumerate() {
            states[usize::from(slice >= 6)] = 1.0;
        }
    }
    for p in [0.0, 0.3, 1.0] {
        let partition = |ties| sample.search(PartitionMeasure::Mean, ties).partition(p).expect("nobody interrupts");
        let fewest = partition(Ties::Fewest);
        let areas: Vec<_> = fewest.areas.iter().map(|area| (area.container, area.first, area.last)).collect();
        assert_eq!(areas, [(Some(0), 0, 5), (Some(0), 6, 9)]);
        // By order, the cut in space comes first, and each leaf is cut as early as possible.
        assert_eq!(partition(Ties::Order).areas.len(), 12 * 7);
    }
}

/// Two leaves in one group, three slices: the leaves are cut together after slice 0, leaf 0 alone after slice 1.
///
/// ```text
///  leaf 0  1 | 0 | 1
///  leaf 1  0 | 1   1
/// ```
#[test]
fn thin_parts_are_drawn_as_the_node_above() {
    let mut sample = Sample::groups(1, 2, 3, 1);
    sample.rho = vec![vec![vec![1.0], vec![0.0], vec![1.0]], vec![vec![0.0], vec![1.0], vec![1.0]]];
    let mut search = sample.search(PartitionMeasure::Mean, Ties::Order);
    let partition = search.partition(0.0).expect("nobody interrupts");
    let areas: Vec<_> = partition.areas.iter().map(|a| (a.container, a.first, a.last)).collect();
    // At p = 0 nothing may be lost, and what loses nothing is not cut: the last slice is one area of both leaves, unless
    // a cut in space comes first. The spatial cut of the whole loses nothing and is preferred to cuts in time.
    assert_eq!(areas, [(Some(2), 0, 0), (Some(2), 1, 1), (Some(2), 2, 2), (Some(3), 0, 0), (Some(3), 1, 2)]);
    let mut visual = |least: f64| visual(&mut search, 0.0, 10.0, least).expect("nobody interrupts");
    let shown: Vec<_> = visual(6.0).iter().map(|v| (v.area.first, v.area.last, v.mark)).collect();
    assert_eq!(shown, [(0, 0, Some(VisualMark::Diagonal)), (1, 2, Some(VisualMark::Cross))]);
    let shown = visual(5.0);
    assert!(shown.iter().all(|area| area.mark.is_none()) && shown.len() == 5);
}

/// Space and time apart, and multiplied: Figure 3.c against 3.d.
#[test]
fn one_dimension_at_a_time() {
    // Leaf 0 is busy in the first half, leaf 1 in the second: each is homogeneous on the mean.
    let mut sample = Sample::groups(1, 2, 4, 1);
    for slice in 0..4 {
        sample.rho[0][slice][0] = f64::from(u8::from(slice < 2));
        sample.rho[1][slice][0] = f64::from(u8::from(slice >= 2));
    }
    let model = sample.model();
    let search = |model: Model| PartitionSearch::new(measured(model, PartitionMeasure::Mean), Ties::Order);
    let partition = |model: Model| search(model).partition(0.0).expect("nobody interrupts");
    let (space, time) = (partition(model.without_time()), partition(model.without_space()));
    assert_eq!((space.areas.len(), time.areas.len()), (1, 1));
    let mut search = search(model);
    let product = product(search.measures(), &space, &time);
    // Half of 8 cells are 1: loss = 4 · log2(1 / ½) = 4.
    assert_eq!((product.areas.len(), product.quality.loss), (1, 4.0));
    // Of each leaf, the earliest cut that loses nothing comes first: 1 | 1 | 0 0 and 0 | 0 | 1 1.
    let both = search.partition(0.0).expect("nobody interrupts");
    assert_eq!((both.areas.len(), both.quality.loss), (6, 0.0));
}

/// An interrupted search has no answer, and is as good as new once it may go on.
#[test]
fn interrupted_searches_stop() {
    let mut sample = Sample::groups(2, 3, 12, 2);
    for (leaf, slices) in sample.rho.iter_mut().enumerate() {
        for (slice, states) in slices.iter_mut().enumerate() {
            states[(leaf + slice) % 2] = 1.0;
        }
    }
    let set = Interrupt::new(|| true);
    assert_eq!(Measures::new(sample.model(), PartitionMeasure::Mean, &set).err(), Some(Interrupted));
    // Nine nodes ask once for each length from 2 on: the search stops in its middle, and once more in a later one.
    let asked = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&asked);
    let interrupt = Interrupt::new(move || count.fetch_add(1, Ordering::Relaxed) == 40);
    let mut search = sample.search(PartitionMeasure::Mean, Ties::Fewest).with_interrupt(interrupt);
    assert_eq!(search.partition(0.3), Err(Interrupted));
    assert_eq!(search.partition(0.3), sample.search(PartitionMeasure::Mean, Ties::Fewest).partition(0.3));
    asked.store(30, Ordering::Relaxed);
    assert_eq!(levels(&mut search, 0.001), Err(Interrupted));
    assert!(levels(&mut search, 0.001).is_ok());
}

/// The number of additions, counted one by one.
#[test]
fn additions_are_counted() {
    for (nodes, slices) in [(1, 1), (1, 2), (3, 7), (5, 20)] {
        let mut count = 0;
        for length in 1..=slices {
            count += nodes * (slices + 1 - length) * (length - 1);
        }
        assert_eq!(additions(nodes, slices), count as f64);
    }
}
