//! Totals are those of all paths together.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;
use crate::call_path::CallPath;

/// Container, kind, path, name and depth.
type PathKey = (u32, u32, Option<String>, Option<u32>, Option<u32>);

/// The twin: each lane by itself, its calls sorted, a path for each.
fn at_once(calls: &[TimedCall]) -> BTreeMap<PathKey, (i64, i64)> {
    let mut sorted = calls.to_vec();
    sorted.sort_by_key(|call| (call.container, call.kind, call.start, call.depth, call.end, call.name));
    let mut totals = BTreeMap::new();
    for lane in sorted.chunk_by(|one, other| (one.container, one.kind) == (other.container, other.kind)) {
        let mut path = CallPath::default();
        for call in lane {
            let known = call.name.zip(call.depth);
            let text = known.map(|(name, depth)| path.enter(depth as usize, &name.to_string()).to_string());
            let total: &mut (i64, i64) =
                totals.entry((call.container, call.kind, text, call.name, call.depth)).or_default();
            total.0 += 1;
            total.1 += call.end - call.start;
        }
    }
    totals
}

fn swept(calls: &[TimedCall]) -> BTreeMap<PathKey, (i64, i64)> {
    let mut sorted = calls.to_vec();
    sorted.sort_by_key(|call| call.start);
    let mut totals = CallTotals::default();
    sorted.into_iter().for_each(|call| totals.add(call));
    totals.finish();
    let mut found: BTreeMap<PathKey, (i64, i64)> = BTreeMap::new();
    for path in totals.totals() {
        let mut names: Vec<String> = totals.names(path).map(|name| name.to_string()).collect();
        names.reverse();
        let text = (!names.is_empty()).then(|| names.join("/"));
        // Where levels are missing, a path of the same names has several totals.
        let total = found.entry((path.container, path.kind, text, path.name, path.depth)).or_default();
        total.0 += path.calls;
        total.1 += path.ticks;
    }
    found
}

fn timed_call() -> impl Strategy<Value = TimedCall> {
    let name = prop::option::weighted(0.9, 0_u32..3);
    let depth = prop::option::weighted(0.9, 0_u32..4);
    (0_u32..2, 0_u32..2, name, depth, -20_i64..20, 0_i64..10).prop_map(
        |(container, kind, name, depth, start, length)| TimedCall {
            container,
            kind,
            name,
            depth,
            start,
            end: start + length,
        },
    )
}

#[test]
fn a_call_within_another() {
    let call =
        |depth, name, start, end| TimedCall { container: 7, kind: 0, name: Some(name), depth: Some(depth), start, end };
    let found = swept(&[call(0, 1, 0, 12), call(1, 2, 2, 5), call(1, 2, 7, 9)]);
    let key = |path: &str, name, depth| (7, 0, Some(path.to_string()), Some(name), Some(depth));
    assert_eq!(found, BTreeMap::from([(key("1", 1, 0), (1, 12)), (key("1/2", 2, 1), (2, 5))]));
}

proptest! {
    #[test]
    fn agrees_with_the_twin(calls in prop::collection::vec(timed_call(), 0..60)) {
        prop_assert_eq!(swept(&calls), at_once(&calls));
    }
}
