//! Tests of `routes`.

use proptest::prelude::*;

use super::*;

fn edge(source: usize, target: usize, length: f64) -> NetworkEdge {
    NetworkEdge { source, target, is_directed: false, length }
}

fn demand(source: usize, target: usize, volume: f64) -> Demand {
    Demand { slice: 0, source: Some(source), target: Some(target), messages: 1, volume }
}

/// A lane as its edge and whether it leads forward, then messages and volume.
type Shown = (Option<(usize, bool)>, i64, f64);

fn shown(loads: &[Load]) -> Vec<Shown> {
    let lane = |lane: EdgeLane| (lane.edge, lane.direction == EdgeDirection::Forward);
    loads.iter().map(|load| (load.lane.map(lane), load.messages, load.volume)).collect()
}

/// Three machines around a switch, and a node that nothing leads to.
#[test]
fn loads_add_up_on_the_way() {
    let edges = [edge(0, 1, 1.0), edge(2, 1, 1.0), edge(3, 1, 1.0)];
    let demands = [demand(0, 2, 10.0), demand(0, 3, 5.0), demand(2, 0, 1.0), demand(0, 4, 7.0), demand(3, 3, 9.0)];
    let expected = [
        (None, 1, 7.0),
        (Some((0, true)), 2, 15.0),
        (Some((0, false)), 1, 1.0),
        (Some((1, true)), 1, 1.0),
        (Some((1, false)), 1, 10.0),
        (Some((2, false)), 1, 5.0),
    ];
    assert_eq!(shown(&route(5, &edges, &demands)), expected);
}

#[test]
fn lengths_and_directions_decide() {
    let edges = [edge(0, 1, 10.0), edge(0, 2, 1.0), NetworkEdge { is_directed: true, ..edge(2, 1, 1.0) }];
    assert_eq!(shown(&route(3, &edges, &[demand(0, 1, 1.0)])), [(Some((1, true)), 1, 1.0), (Some((2, true)), 1, 1.0)]);
    assert_eq!(shown(&route(3, &edges, &[demand(1, 0, 1.0)])), [(Some((0, false)), 1, 1.0)]);
    assert!(route(0, &[], &[]).is_empty());
    let lost = Demand { source: None, ..demand(0, 0, 3.0) };
    assert_eq!(shown(&route(0, &[], &[lost])), [(None, 1, 3.0)]);
}

proptest! {
    /// Alone, a message takes a way as long as the shortest one of a search over all pairs; together,
    /// messages load what they load alone.
    #[test]
    fn ways_are_shortest_and_loads_are_sums(
        edges in prop::collection::vec((0_usize..8, 0_usize..8, any::<bool>(), 0_u32..5), 0..20),
        demands in prop::collection::vec((0_usize..8, 0_usize..8, 0_i64..3, 1_u32..100), 0..20),
    ) {
        let edges: Vec<NetworkEdge> = edges.into_iter()
            .map(|(source, target, is_directed, length)| NetworkEdge { source, target, is_directed, length: f64::from(length) })
            .collect();
        let demands: Vec<Demand> = demands.into_iter()
            .map(|(source, target, slice, volume)| Demand { slice, ..demand(source, target, f64::from(volume)) })
            .collect();
        let mut distances = [[f64::INFINITY; 8]; 8];
        for (node, row) in distances.iter_mut().enumerate() {
            row[node] = 0.0;
        }
        for edge in &edges {
            distances[edge.source][edge.target] = distances[edge.source][edge.target].min(edge.length);
            if !edge.is_directed {
                distances[edge.target][edge.source] = distances[edge.target][edge.source].min(edge.length);
            }
        }
        for (middle, from, to) in (0..512).map(|i| (i / 64, i / 8 % 8, i % 8)) {
            distances[from][to] = distances[from][to].min(distances[from][middle] + distances[middle][to]);
        }
        let mut sums: BTreeMap<(Option<EdgeLane>, i64), (i64, f64)> = BTreeMap::new();
        for demand in &demands {
            let alone = route(8, &edges, &[*demand]);
            let (source, target) = (demand.source.expect("a source"), demand.target.expect("a target"));
            let length: f64 = alone.iter().map(|load| load.lane.map_or(f64::INFINITY, |lane| edges[lane.edge].length)).sum();
            prop_assert_eq!(length, distances[source][target]);
            for load in alone {
                let sum = sums.entry((load.lane, load.slice)).or_default();
                *sum = (sum.0 + load.messages, sum.1 + load.volume);
            }
        }
        let together: BTreeMap<_, _> = route(8, &edges, &demands).into_iter()
            .map(|load| ((load.lane, load.slice), (load.messages, load.volume))).collect();
        prop_assert_eq!(together, sums);
    }
}
