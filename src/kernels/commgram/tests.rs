//! Worked examples, slow twins, and the laws of all results.

use proptest::prelude::*;

use super::communities::{CommunityCut, CommunityGraph, tree};
use super::matching::{difference, largest_matching};
use super::patterns::{Section, sections};
use super::phases::{cut, merges};
use super::*;

// Phases.

#[test]
fn neighbors_merge_as_in_the_drawing() {
    let found = merges(&[0.0, 1.0, 4.0, 5.0, 6.0]);
    let shown: Vec<_> = found.iter().map(|m| (m.left, m.right, m.representative, m.distance)).collect();
    assert_eq!(shown, [(0, 1, 0.5, 1.0), (2, 3, 4.5, 1.0), (6, 4, 5.25, 1.5), (5, 7, 2.875, 4.75)]);
    assert_eq!(cut(5, &found, 1), [0; 5]);
    assert_eq!(cut(5, &found, 2), [0, 0, 1, 1, 1]);
    assert_eq!(cut(5, &found, 3), [0, 0, 1, 1, 2]);
    assert_eq!(cut(5, &found, 99), [0, 1, 2, 3, 4]);
    assert!(merges(&[]).is_empty() && merges(&[7.0]).is_empty());
    assert_eq!(cut(1, &[], 3), [0]);
    assert!(cut(0, &[], 3).is_empty());
}

/// The twin: looks at all neighbors for every merge.
fn slow_merges(times: &[f64]) -> Vec<(usize, usize, f64)> {
    let mut clusters: Vec<(usize, f64)> = times.iter().copied().enumerate().collect();
    let mut found = vec![];
    while clusters.len() > 1 {
        let gap = |at: &usize| clusters[at + 1].1 - clusters[*at].1;
        let at = (0..clusters.len() - 1).min_by(|a, b| gap(a).total_cmp(&gap(b))).expect("two clusters");
        let right = clusters.remove(at + 1);
        let representative = (clusters[at].1 + right.1) / 2.0;
        found.push((clusters[at].0, right.0, representative));
        clusters[at] = (times.len() + found.len() - 1, representative);
    }
    found
}

// Communities.

/// The modularity of a grouping from its definition: over all pairs of nodes, A/D - k k/D^2 where both are in one.
fn modularity(graph: &CommunityGraph, communities: &[u32]) -> f64 {
    let mut matrix = vec![vec![0.0; graph.nodes]; graph.nodes];
    for (one, other, weight) in &graph.edges {
        matrix[*one as usize][*other as usize] += *weight as f64;
        matrix[*other as usize][*one as usize] += *weight as f64;
    }
    let degrees: Vec<f64> = matrix.iter().map(|row| row.iter().sum()).collect();
    let total: f64 = degrees.iter().sum::<f64>().max(1.0);
    let mut sum = 0.0;
    for one in 0..graph.nodes {
        for other in 0..graph.nodes {
            if communities[one] == communities[other] {
                sum += matrix[one][other] / total - degrees[one] * degrees[other] / (total * total);
            }
        }
    }
    sum
}

/// The twin: of all pairs of communities that exchange something, the one whose merge gives the largest modularity.
fn slow_merge(graph: &CommunityGraph, communities: &[u32]) -> Option<(u32, u32)> {
    let exchanges = |one: u32, other: u32| {
        graph.edges.iter().any(|(a, b, weight)| {
            let ends = (communities[*a as usize], communities[*b as usize]);
            *weight > 0 && (ends == (one, other) || ends == (other, one))
        })
    };
    let mut heads = communities.to_vec();
    heads.sort_unstable();
    heads.dedup();
    let pairs =
        heads.iter().flat_map(|one| heads.iter().filter(move |other| one < other).map(move |other| (*one, *other)));
    let mut best: Option<((u32, u32), f64)> = None;
    for (one, other) in pairs.filter(|(one, other)| exchanges(*one, *other)) {
        let merged: Vec<u32> = communities.iter().map(|c| if *c == other { one } else { *c }).collect();
        let gained = modularity(graph, &merged);
        if best.is_none_or(|(_, largest)| gained > largest + 1e-12) {
            best = Some(((one, other), gained));
        }
    }
    best.map(|(pair, _)| pair)
}

/// Two triangles joined by one edge: the known communities, with Q = 6/7 - 1/2 = 5/14.
#[test]
fn two_triangles_are_two_communities() {
    let edges = vec![(0, 1, 1), (1, 2, 1), (0, 2, 1), (3, 4, 1), (4, 5, 1), (3, 5, 1), (2, 3, 1)];
    let found = tree(&CommunityGraph { nodes: 6, edges });
    assert_eq!(found.communities(found.merges_of(CommunityCut::LargestModularity)), [0, 0, 0, 1, 1, 1]);
    assert!((found.modularity_after(found.best) - 5.0 / 14.0).abs() < 1e-15);
    assert_eq!(found.merges.len(), 5);
    assert_eq!(found.merges[4].modularity, 0.0);
    assert_eq!(found.communities(found.merges_of(CommunityCut::Communities(1))), [0; 6]);
    assert_eq!(found.communities(found.merges_of(CommunityCut::Communities(9))), [0, 1, 2, 3, 4, 5]);
}

#[test]
fn graphs_without_anything_to_merge() {
    assert_eq!(tree(&CommunityGraph::default()).merges.len(), 0);
    let alone = tree(&CommunityGraph { nodes: 1, edges: vec![(0, 0, 5)] });
    assert_eq!((alone.modularity, alone.merges.len()), (0.0, 0));
    // Nodes that exchange nothing are merged last, the smallest degrees first.
    let apart = tree(&CommunityGraph { nodes: 4, edges: vec![(0, 1, 5)] });
    let pairs: Vec<(u32, u32)> = apart.merges.iter().map(|merge| (merge.left, merge.right)).collect();
    assert_eq!(pairs, [(0, 1), (2, 3), (0, 2)]);
    assert_eq!(apart.best, 1);
    assert!(apart.merges.iter().skip(1).all(|merge| merge.gain == 0.0));
}

// Matching.

/// The twin: tries every way to give each left node a partner or none.
fn exhaustive(lefts: usize, rights: usize, edges: &[(u32, u32, i64)]) -> i64 {
    fn go(left: usize, lefts: usize, taken: &mut Vec<bool>, edges: &[(u32, u32, i64)]) -> i64 {
        if left == lefts {
            return 0;
        }
        let mut best = go(left + 1, lefts, taken, edges);
        for (_, right, weight) in edges.iter().filter(|edge| edge.0 as usize == left) {
            if !taken[*right as usize] {
                taken[*right as usize] = true;
                best = best.max(weight + go(left + 1, lefts, taken, edges));
                taken[*right as usize] = false;
            }
        }
        best
    }
    go(0, lefts, &mut vec![false; rights], edges)
}

/// The twin of the difference: a square matrix of symmetric differences, padded with empty communities, and every
/// permutation of it.
fn slow_difference(one: &[(u32, u32)], other: &[(u32, u32)]) -> u64 {
    let sets = |grouping: &[(u32, u32)]| -> Vec<Vec<u32>> {
        let count = grouping.iter().map(|(_, community)| community + 1).max().unwrap_or(0);
        let members = |community| grouping.iter().filter(|pair| pair.1 == community).map(|pair| pair.0).collect();
        (0..count).map(members).collect()
    };
    let (mut lefts, mut rights) = (sets(one), sets(other));
    let size = lefts.len().max(rights.len());
    lefts.resize(size, vec![]);
    rights.resize(size, vec![]);
    let cost = |a: &Vec<u32>, b: &Vec<u32>| {
        let only = |x: &Vec<u32>, y: &Vec<u32>| x.iter().filter(|member| !y.contains(member)).count() as u64;
        only(a, b) + only(b, a)
    };
    fn go(left: usize, costs: &[Vec<u64>], taken: &mut Vec<bool>) -> u64 {
        let ways = (0..costs.len()).map(|right| {
            if left == costs.len() || taken[right] {
                return u64::MAX;
            }
            taken[right] = true;
            let sum = costs[left][right].saturating_add(go(left + 1, costs, taken));
            taken[right] = false;
            sum
        });
        if left == costs.len() { 0 } else { ways.min().unwrap_or(0) }
    }
    let costs: Vec<Vec<u64>> = lefts.iter().map(|a| rights.iter().map(|b| cost(a, b)).collect()).collect();
    go(0, &costs, &mut vec![false; size])
}

/// {1 2 3 4} against {1 2}, {3}, {4}: 2 with {1 2}, and 1 each for the two that go with nothing.
#[test]
fn differences_by_hand() {
    let one = [(1, 0), (2, 0), (3, 0), (4, 0)];
    let other = [(1, 0), (2, 0), (3, 1), (4, 2)];
    assert_eq!(difference(&one, &other), 4);
    assert_eq!(difference(&other, &one), 4);
    assert_eq!(difference(&one, &one), 0);
    assert_eq!(difference(&one, &[(5, 0), (6, 0)]), 6);
    assert_eq!(difference(&one, &[]), 4);
    assert_eq!(difference(&[], &[]), 0);
}

// Order.

/// 0 and 2 exchange most, then 1 and 3; across the seam 2 and 3 do.
#[test]
fn partners_are_neighbors() {
    let graph = CommunityGraph { nodes: 4, edges: vec![(0, 2, 9), (1, 3, 8), (2, 3, 1)] };
    // 0 2 | 3 1
    assert_eq!(order::places(&graph, &tree(&graph)), [0, 3, 1, 2]);
}

// Patterns.

#[test]
fn cycles_are_found_among_others() {
    let section = |start, period, repetitions| Section { start, period, repetitions };
    let pipeline: Vec<u32> = [0, 0, 0, 0, 0, 0, 0, 0, 1].repeat(3);
    assert_eq!(sections(&pipeline), [section(0, 9, 3)]);
    assert_eq!(
        sections(&[7, 0, 0, 1, 0, 0, 1, 0, 0, 1, 8, 9]),
        [section(0, 1, 1), section(1, 3, 3), section(10, 2, 1)]
    );
    assert_eq!(sections(&[4, 4, 4]), [section(0, 1, 3)]);
    assert_eq!(sections(&[1, 2, 3]), [section(0, 3, 1)]);
    assert!(sections(&[]).is_empty());
}

/// The twin: every start, period and length.
fn slow_longest(patterns: &[u32]) -> usize {
    let mut best = 0;
    for start in 0..patterns.len() {
        for period in 1..=patterns.len() {
            let cycle = &patterns[start..(start + period).min(patterns.len())];
            let repetitions = patterns[start..].chunks(period).take_while(|chunk| *chunk == cycle).count();
            if repetitions > 1 {
                best = best.max(repetitions * period);
            }
        }
    }
    best
}

// Laws.

fn graphs() -> impl Strategy<Value = CommunityGraph> {
    (1_usize..9).prop_flat_map(|nodes| {
        let node = 0..nodes as u32;
        let edges = prop::collection::vec((node.clone(), node, 0_u64..5), 0..20);
        edges.prop_map(move |edges| CommunityGraph { nodes, edges })
    })
}

fn grouping() -> impl Strategy<Value = Vec<(u32, u32)>> {
    prop::collection::btree_map(0_u32..9, 0_u32..6, 0..9).prop_map(|members| {
        // Numbers of communities without gaps, as they appear.
        let mut numbers: HashMap<u32, u32> = HashMap::new();
        let mut number = |community: u32| {
            let next = numbers.len() as u32;
            *numbers.entry(community).or_insert(next)
        };
        members.into_iter().map(|(container, community)| (container, number(community))).collect()
    })
}

fn messages() -> impl Strategy<Value = Vec<CommMessage>> {
    let message = (0_i64..50, 0_i64..10, 0_u32..6, 0_u32..6, prop::option::of(0_u32..1000));
    prop::collection::vec(message, 0..60).prop_map(|rows| {
        let mut messages: Vec<CommMessage> = rows
            .into_iter()
            .map(|(start, length, source, target, volume)| CommMessage {
                start,
                end: start + length,
                source,
                target,
                volume: volume.map(f64::from),
            })
            .collect();
        messages.sort_by_key(CommMessage::twice_middle);
        messages
    })
}

proptest! {
    #[test]
    fn merging_neighbors_agrees_with_its_twin(mut ticks in prop::collection::vec(0_u32..60, 0..40)) {
        ticks.sort_unstable();
        let times: Vec<f64> = ticks.into_iter().map(f64::from).collect();
        let found = merges(&times);
        let shown: Vec<_> = found.iter().map(|m| (m.left, m.right, m.representative)).collect();
        prop_assert_eq!(shown, slow_merges(&times));
        prop_assert!(found.windows(2).all(|pair| pair[0].distance <= pair[1].distance));
        for phases in 1..=times.len() {
            let numbers = cut(times.len(), &found, phases);
            prop_assert!(numbers.windows(2).all(|pair| pair[1] == pair[0] || pair[1] == pair[0] + 1));
            prop_assert_eq!(numbers.last().map(|last| *last as usize + 1), Some(phases));
        }
    }

    /// Each merge is the best one, and its gain and modularity are those of the definition.
    #[test]
    fn modularity_agrees_with_its_definition(graph in graphs()) {
        let found = tree(&graph);
        prop_assert_eq!(found.merges.len(), graph.nodes - 1);
        let mut heads: Vec<u32> = (0..graph.nodes as u32).collect();
        let mut last = modularity(&graph, &heads);
        prop_assert!((last - found.modularity).abs() < 1e-9);
        let mut largest = last;
        for (step, merge) in found.merges.iter().enumerate() {
            if let Some(pair) = slow_merge(&graph, &heads) {
                prop_assert_eq!((merge.left, merge.right), pair);
            }
            heads.iter_mut().filter(|head| **head == merge.right).for_each(|head| *head = merge.left);
            let now = modularity(&graph, &heads);
            prop_assert!((now - merge.modularity).abs() < 1e-9 && (now - last - merge.gain).abs() < 1e-9);
            let numbers = found.communities(step + 1);
            for (one, other) in (0..graph.nodes).flat_map(|one| (0..graph.nodes).map(move |other| (one, other))) {
                prop_assert_eq!(heads[one] == heads[other], numbers[one] == numbers[other]);
            }
            largest = largest.max(now);
            last = now;
        }
        prop_assert!((found.modularity_after(found.best) - largest).abs() < 1e-9);
    }

    #[test]
    fn matching_agrees_with_an_exhaustive_search(
        edges in prop::collection::btree_map((0_u32..6, 0_u32..6), 0_i64..6, 0..20)
    ) {
        let edges: Vec<(u32, u32, i64)> = edges.into_iter().map(|((left, right), weight)| (left, right, weight)).collect();
        let found = largest_matching(6, 6, &edges);
        let mut taken: Vec<u32> = found.iter().flatten().copied().collect();
        taken.sort_unstable();
        prop_assert!(taken.windows(2).all(|pair| pair[0] < pair[1]));
        let weight = |(left, right): (usize, &Option<u32>)| {
            edges.iter().find(|edge| (edge.0 as usize, Some(edge.1)) == (left, *right)).map_or(0, |edge| edge.2)
        };
        prop_assert_eq!(found.iter().enumerate().map(weight).sum::<i64>(), exhaustive(6, 6, &edges));
    }

    #[test]
    fn differences_agree_with_all_permutations(one in grouping(), other in grouping()) {
        prop_assert_eq!(difference(&one, &other), slow_difference(&one, &other));
        prop_assert_eq!(difference(&one, &other), difference(&other, &one));
    }

    #[test]
    fn every_node_has_a_place_of_its_own(graph in graphs()) {
        let mut places = order::places(&graph, &tree(&graph));
        places.sort_unstable();
        prop_assert_eq!(places, (0..graph.nodes as u32).collect::<Vec<_>>());
    }

    #[test]
    fn sections_cover_everything_and_the_longest_comes_first(patterns in prop::collection::vec(0_u32..3, 0..20)) {
        let found = sections(&patterns);
        let mut place = 0;
        for section in &found {
            prop_assert_eq!(section.start, place);
            place += section.length();
            let cycle = &patterns[section.start..section.start + section.period];
            prop_assert!(patterns[section.start..place].chunks(section.period).all(|chunk| chunk == cycle));
        }
        prop_assert_eq!(place, patterns.len());
        let longest = found.iter().filter(|section| section.repetitions > 1).map(Section::length).max();
        prop_assert_eq!(longest.unwrap_or(0), slow_longest(&patterns));
    }

    #[test]
    fn a_gram_covers_all_messages(messages in messages(), phases in 1_usize..9, count in prop::option::of(1_usize..5)) {
        let cut = count.map_or(CommunityCut::LargestModularity, CommunityCut::Communities);
        let found = gram(&messages, phases, cut, Weight::Volume);
        prop_assert_eq!(found.len(), phases.min(messages.len()));
        prop_assert_eq!(found.iter().map(|phase| phase.messages.len()).sum::<usize>(), messages.len());
        for phase in &found {
            if let Some(count) = count {
                prop_assert_eq!(phase.count(), count.min(phase.containers.len()));
            }
            let inside = phase.inside(0, Some(2));
            prop_assert_eq!(inside.len(), phase.communities.iter().filter(|community| **community == 0).count());
            prop_assert_eq!(inside.iter().map(|(_, part)| part + 1).max(), Some(inside.len().min(2) as u32));
        }
        let points = curve(&found);
        prop_assert!(points.iter().all(|point| (0.0..=1.0).contains(&point.height)));
        prop_assert!(points.first().is_none_or(|point| point.height == 0.0 && point.difference.is_none()));
        let patterns = pattern_numbers(&found, 0.0);
        for (pattern, point) in patterns.iter().zip(&points) {
            prop_assert_eq!(*pattern == 0, point.height == 0.0);
        }
    }
}
