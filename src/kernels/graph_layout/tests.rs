//! Known small layouts, the laws of all layouts, and slow twins.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::radial::ShortestWays;
use super::*;

const ALGORITHMS: [LayoutAlgorithm; 5] = [
    LayoutAlgorithm::Force,
    LayoutAlgorithm::Circular,
    LayoutAlgorithm::Radial,
    LayoutAlgorithm::Layered,
    LayoutAlgorithm::Grid,
];

fn options(algorithm: LayoutAlgorithm) -> LayoutOptions {
    LayoutOptions { algorithm, width: 400.0, height: 300.0, iterations: 60, seed: 1 }
}

fn graph(nodes: usize, edges: &[(usize, usize)]) -> LayoutGraph {
    LayoutGraph { nodes, edges: edges.to_vec() }
}

fn rounded(points: &[LayoutPoint]) -> Vec<(i64, i64)> {
    points.iter().map(|point| ((point.x * 1000.0).round() as i64, (point.y * 1000.0).round() as i64)).collect()
}

fn distance(one: LayoutPoint, other: LayoutPoint) -> f64 {
    (one.x - other.x).hypot(one.y - other.y)
}

#[test]
fn circles_begin_at_the_top_and_go_clockwise() {
    let options = LayoutOptions { width: 2.0, height: 2.0, ..options(LayoutAlgorithm::Circular) };
    let expected = [(1000, 0), (2000, 1000), (1000, 2000), (0, 1000)];
    assert_eq!(rounded(&layout(&graph(4, &[]), &options)), expected);
}

#[test]
fn grids_have_cells_near_squares() {
    let options = LayoutOptions { width: 3.0, height: 2.0, ..options(LayoutAlgorithm::Grid) };
    let expected = [(500, 500), (1500, 500), (2500, 500), (500, 1500), (1500, 1500), (2500, 1500)];
    assert_eq!(rounded(&layout(&graph(6, &[]), &options)), expected);
}

/// A star of four: the middle in the middle, the others around it on one ring.
#[test]
fn a_star_is_radial() {
    let options = LayoutOptions { width: 2.0, height: 2.0, ..options(LayoutAlgorithm::Radial) };
    let points = layout(&graph(5, &[(2, 0), (2, 1), (3, 2), (4, 2)]), &options);
    assert!(
        (0..5).filter(|node| *node != 2).all(|node| (distance(points[node], points[2]) - 2_f64.sqrt()).abs() < 1e-9)
    );
}

/// Rows of a diamond and of a cycle, whose closing edge goes up.
#[test]
fn edges_go_down() {
    assert_eq!(layered::layers(&graph(4, &[(0, 1), (0, 2), (1, 3), (2, 3), (0, 3)])), [0, 1, 1, 2]);
    assert_eq!(layered::layers(&graph(3, &[(0, 1), (1, 2), (2, 0)])), [0, 1, 2]);
    let options = LayoutOptions { width: 2.0, height: 3.0, ..options(LayoutAlgorithm::Layered) };
    let points = layout(&graph(4, &[(0, 1), (0, 2), (1, 3), (2, 3)]), &options);
    assert_eq!(rounded(&points), [(1000, 500), (500, 1500), (1500, 1500), (1000, 2500)]);
}

/// Rows are sorted so that two edges that need not cross do not.
#[test]
fn crossings_are_taken_out() {
    let points = layout(&graph(4, &[(0, 3), (1, 2)]), &options(LayoutAlgorithm::Layered));
    assert_eq!(points[0].x < points[1].x, points[3].x < points[2].x);
}

/// The ends of a path lie farther apart than any two neighbors, and no edge is much longer than another.
#[test]
fn forces_unfold_a_path() {
    let edges: Vec<(usize, usize)> = (0..9).map(|node| (node, node + 1)).collect();
    let points = layout(&graph(10, &edges), &LayoutOptions { iterations: 500, ..options(LayoutAlgorithm::Force) });
    let lengths: Vec<f64> = edges.iter().map(|(one, other)| distance(points[*one], points[*other])).collect();
    let (least, most) = (lengths.iter().copied().fold(f64::MAX, f64::min), lengths.iter().copied().fold(0.0, f64::max));
    assert!(distance(points[0], points[9]) > 3.0 * most, "{points:?}");
    assert!(most < 2.0 * least, "{lengths:?}");
}

#[test]
fn one_node_and_none() {
    for algorithm in ALGORITHMS {
        assert!(layout(&LayoutGraph::default(), &options(algorithm)).is_empty());
        assert_eq!(rounded(&layout(&graph(1, &[(0, 0)]), &options(algorithm))), [(200_000, 150_000)]);
    }
}

fn graphs() -> impl Strategy<Value = LayoutGraph> {
    (1_usize..40).prop_flat_map(|nodes| {
        prop::collection::vec((0..nodes, 0..nodes), 0..80).prop_map(move |edges| LayoutGraph { nodes, edges })
    })
}

/// Up to two hundred points, none on another.
fn points() -> impl Strategy<Value = Vec<LayoutPoint>> {
    let places = prop::collection::vec((0.0..10.0_f64, 0.0..10.0_f64), 1..200);
    let points =
        places.prop_map(|places| places.into_iter().map(|(x, y)| LayoutPoint { x, y }).collect::<Vec<LayoutPoint>>());
    points.prop_filter("apart", |points| {
        points
            .iter()
            .enumerate()
            .all(|(index, one)| points[index + 1..].iter().all(|other| distance(*one, *other) > 1e-6))
    })
}

/// What each point gets from each other, one by one.
fn slow_repulsions(points: &[LayoutPoint]) -> Vec<LayoutPoint> {
    let push = |node: usize| {
        let mut push = LayoutPoint::default();
        for (_, point) in points.iter().enumerate().filter(|(other, _)| *other != node) {
            let square = distance(points[node], *point).powi(2);
            push.x += (points[node].x - point.x) / square;
            push.y += (points[node].y - point.y) / square;
        }
        push
    };
    (0..points.len()).map(push).collect()
}

/// Points on one place are pushed in different directions.
#[test]
fn twins_part() {
    let pushes = squares::repulsions(&[LayoutPoint { x: 3.0, y: 4.0 }; 50], 1.0);
    let different: BTreeSet<(i64, i64)> = rounded(&pushes).into_iter().collect();
    assert_eq!(different.len(), 50);
}

proptest! {
    #[test]
    fn points_lie_inside_and_apart(graph in graphs(), algorithm in prop::sample::select(&ALGORITHMS[..])) {
        let options = options(algorithm);
        let points = layout(&graph, &options);
        prop_assert_eq!(points.len(), graph.nodes);
        for point in &points {
            prop_assert!((0.0..=options.width).contains(&point.x) && (0.0..=options.height).contains(&point.y), "{:?}", point);
        }
        for (index, one) in points.iter().enumerate() {
            prop_assert!(points[index + 1..].iter().all(|other| distance(*one, *other) > 1e-6));
        }
    }

    #[test]
    fn repeated_and_shuffled_edges_change_nothing(graph in graphs(), algorithm in prop::sample::select(&ALGORITHMS[..])) {
        let mut edges = graph.edges.clone();
        edges.extend(graph.edges.iter().rev());
        edges.reverse();
        let same = LayoutGraph { nodes: graph.nodes, edges };
        prop_assert_eq!(layout(&graph, &options(algorithm)), layout(&same, &options(algorithm)));
    }

    #[test]
    fn without_shortcuts_the_tree_of_squares_gives_the_sum_over_all(points in points()) {
        for (given, expected) in squares::repulsions(&points, 0.0).into_iter().zip(slow_repulsions(&points)) {
            prop_assert!(distance(given, expected) < 1e-6 * (1.0 + expected.x.hypot(expected.y)), "{:?} {:?}", given, expected);
        }
    }

    /// A cell that is seen under an angle of less than one is at most so wrong as a dipole of its size.
    #[test]
    fn with_shortcuts_it_gives_nearly_that(points in points()) {
        let strongest = points.len() as f64 / 10.0;
        for (given, expected) in squares::repulsions(&points, 0.5).into_iter().zip(slow_repulsions(&points)) {
            let room = 0.1 * (strongest + expected.x.hypot(expected.y));
            prop_assert!(distance(given, expected) < room, "{:?} {:?}", given, expected);
        }
    }

    #[test]
    fn distances_are_those_of_the_slow_twin(graph in graphs()) {
        let neighbors = Neighbors::of(&graph);
        let centers = neighbors.centers();
        let given = ShortestWays::from(&neighbors, &centers).distances;
        // Distances by relaxing every edge as often as there are nodes.
        let mut expected = vec![usize::MAX; graph.nodes];
        centers.iter().for_each(|center| expected[*center] = 0);
        for _ in 0..graph.nodes {
            for (one, other) in graph.edges.iter().flat_map(|(a, b)| [(*a, *b), (*b, *a)]) {
                expected[other] = expected[other].min(expected[one].saturating_add(1));
            }
        }
        prop_assert_eq!(given, expected);
    }

    /// Every edge leaves its row, and without cycles each row is the longest way to it.
    #[test]
    fn rows_are_the_longest_ways(edges in prop::collection::vec((0_usize..20, 0_usize..20), 0..50)) {
        let downwards: Vec<(usize, usize)> =
            edges.iter().filter(|(a, b)| a != b).map(|(a, b)| (*a.min(b), *a.max(b))).collect();
        let given = layered::layers(&graph(20, &downwards));
        let mut expected = vec![0; 20];
        for _ in 0..20 {
            for (source, target) in &downwards {
                expected[*target] = expected[*target].max(expected[*source] + 1);
            }
        }
        prop_assert_eq!(given, expected);
        let unique: BTreeSet<_> = edges.iter().filter(|(a, b)| a != b).copied().collect();
        let layers = layered::layers(&graph(20, &edges));
        prop_assert!(unique.iter().all(|(source, target)| layers[*source] != layers[*target]));
    }
}
