//! Published examples, the laws of a treemap on any tree, and slow twins of the algorithms.

use proptest::prelude::*;

use super::*;

const ALGORITHMS: [TreemapAlgorithm; 3] =
    [TreemapAlgorithm::Squarified, TreemapAlgorithm::SliceAndDice, TreemapAlgorithm::Strip];

fn plain(algorithm: TreemapAlgorithm, width: f64, height: f64) -> TreemapOptions {
    TreemapOptions { algorithm, width, height, padding: 0.0, min_area: 0.0 }
}

fn siblings(weights: &[f64]) -> WeightTree {
    WeightTree { parents: vec![None; weights.len()], weights: weights.to_vec() }
}

fn rectangles(tree: &WeightTree, options: &TreemapOptions) -> Vec<[f64; 4]> {
    let shown = |r: Rectangle| [r.x, r.y, r.width, r.height];
    treemap(tree, options).iter().map(|placed| placed.rectangle.map_or([f64::NAN; 4], shown)).collect()
}

fn assert_close(given: &[[f64; 4]], expected: &[[f64; 4]]) {
    assert_eq!(given.len(), expected.len());
    for (one, other) in given.iter().flatten().zip(expected.iter().flatten()) {
        assert!((one - other).abs() < 1e-12, "{given:?}\n{expected:?}");
    }
}

/// The example of Bruls, Huizing and van Wijk: 6 and 6 at the left, then 4 and 3, then 2, 2 and 1.
#[test]
fn the_published_squarified_example() {
    let given =
        rectangles(&siblings(&[6.0, 6.0, 4.0, 3.0, 2.0, 2.0, 1.0]), &plain(TreemapAlgorithm::Squarified, 6.0, 4.0));
    let (split, third) = (12.0 / 7.0, 7.0 / 3.0);
    let expected = [
        [0.0, 0.0, 3.0, 2.0],
        [0.0, 2.0, 3.0, 2.0],
        [3.0, 0.0, split, third],
        [3.0 + split, 0.0, 3.0 - split, third],
        // What is left is 3 wide and 5/3 high, and is filled from the left.
        [3.0, third, 1.2, 5.0 / 3.0],
        [4.2, third, 1.2, 5.0 / 3.0],
        [5.4, third, 0.6, 5.0 / 3.0],
    ];
    assert_close(&given, &expected);
}

/// The hierarchy of Figure 4.11 of the thesis: A has B, C and D; B has E, F, G; C has H and I.
#[test]
fn the_hierarchy_of_the_thesis() {
    let tree = WeightTree {
        parents: [None, Some(0), Some(0), Some(0), Some(1), Some(1), Some(1), Some(2), Some(2)].to_vec(),
        weights: [0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0].to_vec(),
    };
    let placed = treemap(&tree, &plain(TreemapAlgorithm::SliceAndDice, 6.0, 6.0));
    let weights: Vec<f64> = placed.iter().map(|placed| placed.weight).collect();
    assert_eq!(weights, [6.0, 3.0, 2.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0]);
    // The root lies across, its children below each other, theirs beside each other.
    let expected = [
        [0.0, 0.0, 6.0, 6.0],
        [0.0, 0.0, 6.0, 3.0],
        [0.0, 3.0, 6.0, 2.0],
        [0.0, 5.0, 6.0, 1.0],
        [0.0, 0.0, 2.0, 3.0],
        [2.0, 0.0, 2.0, 3.0],
        [4.0, 0.0, 2.0, 3.0],
        [0.0, 3.0, 3.0, 2.0],
        [3.0, 3.0, 3.0, 2.0],
    ];
    assert_close(&rectangles(&tree, &plain(TreemapAlgorithm::SliceAndDice, 6.0, 6.0)), &expected);
}

/// Four equal weights in a square: a strip of two is square; a third would make it worse.
#[test]
fn strips_keep_the_order() {
    let given = rectangles(&siblings(&[1.0; 4]), &plain(TreemapAlgorithm::Strip, 2.0, 2.0));
    assert_close(&given, &[[0.0, 0.0, 1.0, 1.0], [1.0, 0.0, 1.0, 1.0], [0.0, 1.0, 1.0, 1.0], [1.0, 1.0, 1.0, 1.0]]);
}

#[test]
fn odd_trees() {
    for algorithm in ALGORITHMS {
        let options = plain(algorithm, 3.0, 2.0);
        assert!(treemap(&WeightTree::default(), &options).is_empty());
        let nothing = treemap(&siblings(&[0.0, 0.0]), &options);
        assert!(nothing.iter().all(|placed| placed.rectangle.is_none()));
        assert_close(&rectangles(&siblings(&[5.0]), &options), &[[0.0, 0.0, 3.0, 2.0]]);
    }
}

#[test]
fn padding_and_small_rectangles() {
    let tree = WeightTree { parents: vec![None, Some(0), Some(0)], weights: vec![0.0, 3.0, 1.0] };
    let padded = TreemapOptions { padding: 1.0, ..plain(TreemapAlgorithm::SliceAndDice, 10.0, 6.0) };
    assert_close(&rectangles(&tree, &padded), &[[0.0, 0.0, 10.0, 6.0], [1.0, 1.0, 8.0, 3.0], [1.0, 4.0, 8.0, 1.0]]);
    let cut = TreemapOptions { min_area: 8.5, ..padded };
    assert!(treemap(&tree, &cut)[2].rectangle.is_none());
    assert!(treemap(&tree, &cut)[1].rectangle.is_some());
}

/// A tree of up to forty nodes with weights from 1e-12 to 1e12, or none.
fn trees() -> impl Strategy<Value = WeightTree> {
    let weight =
        prop_oneof![1 => Just(0.0), 4 => (-12.0..12.0_f64).prop_map(|power| 10_f64.powf(power)), 2 => Just(1.0)];
    prop::collection::vec((any::<prop::sample::Index>(), weight), 0..40).prop_map(|nodes| {
        let parent = |(node, (index, _)): (usize, &(prop::sample::Index, f64))| index.index(node + 1).checked_sub(1);
        WeightTree {
            parents: nodes.iter().enumerate().map(parent).collect(),
            weights: nodes.iter().map(|(_, weight)| *weight).collect(),
        }
    })
}

fn algorithms() -> impl Strategy<Value = TreemapAlgorithm> {
    prop::sample::select(&ALGORITHMS[..])
}

fn overlap(a: (f64, f64), b: (f64, f64)) -> f64 {
    (a.0 + a.1).min(b.0 + b.1) - a.0.max(b.0)
}

proptest! {
    #[test]
    fn areas_are_proportional_and_nothing_is_lost(tree in trees(), algorithm in algorithms(), width in 0.1..5000.0, height in 0.1..5000.0) {
        let placed = treemap(&tree, &plain(algorithm, width, height));
        let total: f64 = (0..placed.len()).filter(|node| tree.parents[*node].is_none()).map(|node| placed[node].weight).sum();
        for (node, given) in placed.iter().enumerate() {
            prop_assert_eq!(given.rectangle.is_some(), given.weight > 0.0);
            let Some(r) = given.rectangle else { continue };
            prop_assert!([r.x, r.y, r.width, r.height].iter().all(|number| number.is_finite() && *number >= 0.0));
            let expected = given.weight / total * (width * height);
            prop_assert!((r.area() / expected - 1.0).abs() < 1e-9, "node {}: {} {}", node, r.area(), expected);
        }
    }

    #[test]
    fn nodes_lie_in_their_parents_and_beside_their_siblings(tree in trees(), algorithm in algorithms(), padding in prop_oneof![Just(0.0), 0.0..20.0]) {
        let options = TreemapOptions { padding, ..plain(algorithm, 800.0, 600.0) };
        let placed = treemap(&tree, &options);
        let slack = 1e-9 * 800.0;
        let whole = Rectangle { x: 0.0, y: 0.0, width: 800.0, height: 600.0 };
        for (node, given) in placed.iter().enumerate() {
            let Some(r) = given.rectangle else { continue };
            let outer = tree.parents[node].map_or(Some(whole), |parent| placed[parent].rectangle).expect("a place of the parent");
            prop_assert!(r.x >= outer.x - slack && r.x + r.width <= outer.x + outer.width + slack);
            prop_assert!(r.y >= outer.y - slack && r.y + r.height <= outer.y + outer.height + slack);
            for (sibling, other) in placed.iter().enumerate().skip(node + 1) {
                let (true, Some(o)) = (tree.parents[sibling] == tree.parents[node], other.rectangle) else { continue };
                let shared = overlap((r.x, r.width), (o.x, o.width)).min(overlap((r.y, r.height), (o.y, o.height)));
                prop_assert!(shared <= slack, "{} and {} overlap by {}", node, sibling, shared);
            }
        }
    }

    #[test]
    fn the_slow_twins_agree(weights in prop::collection::vec(0.01..100.0_f64, 1..40), width in 1.0..100.0, height in 1.0..100.0) {
        for (algorithm, twin) in [(TreemapAlgorithm::Squarified, slow_squarified as Twin), (TreemapAlgorithm::Strip, slow_strip)] {
            // Where two rows are equally good, rounding decides.
            let Some(expected) = twin(&weights, width, height) else { continue };
            let given = rectangles(&siblings(&weights), &plain(algorithm, width, height));
            for (one, other) in given.iter().flatten().zip(expected.iter().flatten()) {
                prop_assert!((one - other).abs() < 1e-8, "{:?}\n{:?}\n{:?}", algorithm, given, expected);
            }
        }
    }
}

type Twin = fn(&[f64], f64, f64) -> Option<Vec<[f64; 4]>>;

/// Grows a row item by item while a measure of its rectangles gets no worse; `None` at a near tie.
fn slow_row(areas: &[f64], side: f64, measure: fn(&[f64]) -> f64) -> Option<usize> {
    let ratios = |count: usize| -> Vec<f64> {
        let thickness = areas[..count].iter().sum::<f64>() / side;
        areas[..count].iter().map(|area| (area / thickness / thickness).max(thickness * thickness / area)).collect()
    };
    let mut count = 1;
    while count < areas.len() {
        let (now, longer) = (measure(&ratios(count)), measure(&ratios(count + 1)));
        if (now / longer - 1.0).abs() < 1e-9 {
            return None;
        }
        if longer > now {
            break;
        }
        count += 1;
    }
    Some(count)
}

/// As the paper has it: the heaviest first, rows along the shorter side, judged by their worst rectangle.
fn slow_squarified(weights: &[f64], width: f64, height: f64) -> Option<Vec<[f64; 4]>> {
    let mut order: Vec<usize> = (0..weights.len()).collect();
    order.sort_by(|a, b| weights[*b].total_cmp(&weights[*a]));
    let scale = width * height / weights.iter().sum::<f64>();
    let mut places = vec![[0.0; 4]; weights.len()];
    let [mut x, mut y, mut w, mut h] = [0.0, 0.0, width, height];
    let mut rest = &order[..];
    while !rest.is_empty() {
        let areas: Vec<f64> = rest.iter().map(|item| weights[*item] * scale).collect();
        let count = slow_row(&areas, w.min(h), |ratios| ratios.iter().copied().fold(0.0, f64::max))?;
        let thickness = areas[..count].iter().sum::<f64>() / w.min(h);
        let mut along = 0.0;
        for (item, area) in rest[..count].iter().zip(&areas) {
            let length = area / thickness;
            places[*item] = if w < h { [x + along, y, length, thickness] } else { [x, y + along, thickness, length] };
            along += length;
        }
        if w < h {
            (y, h) = (y + thickness, h - thickness)
        } else {
            (x, w) = (x + thickness, w - thickness)
        }
        rest = &rest[count..];
    }
    Some(places)
}

/// Strips from the top, judged by the mean of their rectangles.
fn slow_strip(weights: &[f64], width: f64, height: f64) -> Option<Vec<[f64; 4]>> {
    let scale = width * height / weights.iter().sum::<f64>();
    let areas: Vec<f64> = weights.iter().map(|weight| weight * scale).collect();
    let mut places = vec![];
    let mut y = 0.0;
    while places.len() < areas.len() {
        let rest = &areas[places.len()..];
        let count = slow_row(rest, width, |ratios| ratios.iter().sum::<f64>() / ratios.len() as f64)?;
        let thickness = rest[..count].iter().sum::<f64>() / width;
        let mut x = 0.0;
        for area in &rest[..count] {
            places.push([x, y, area / thickness, thickness]);
            x += area / thickness;
        }
        y += thickness;
    }
    Some(places)
}
