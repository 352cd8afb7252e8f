//! Messages that come one by one give what messages give that are all there.

use proptest::prelude::*;

use super::super::{cut_phases, gram, middles, phases, places, span, volume};
use super::*;

fn streamed(messages: &[CommMessage], phases: usize, cut: CommunityCut, weight: Weight) -> StreamedResult {
    let mut gram = StreamedGram::new(phases, cut, weight);
    let (mut found, mut places) = (vec![], vec![]);
    for pass in 0..StreamedGram::PASSES {
        for message in messages {
            found.extend(gram.add(pass, message));
        }
        found.extend(gram.finish(pass));
        if pass == 1 {
            places = gram.places();
        }
    }
    StreamedResult { phases: found, places, totals: gram.totals().to_vec() }
}

struct StreamedResult {
    phases: Vec<CommPhase>,
    places: Vec<(u32, u32)>,
    totals: Vec<PhaseTotals>,
}

/// Volumes whose sum depends on the order of adding, that are too large to be weights, and that count for nothing.
fn volumes() -> impl Strategy<Value = Option<f64>> {
    prop_oneof![
        Just(None),
        (0_u32..5000).prop_map(|bytes| Some(f64::from(bytes))),
        (1_u32..1000).prop_map(|tenths| Some(f64::from(tenths) / 10.0)),
        Just(Some(9e15)),
        Just(Some(-3.0)),
        Just(Some(f64::INFINITY)),
    ]
}

fn messages() -> impl Strategy<Value = Vec<CommMessage>> {
    let message = (0_i64..60, 0_i64..9, 0_u32..7, 0_u32..7, volumes());
    prop::collection::vec(message, 0..60).prop_map(|rows| {
        let mut messages: Vec<CommMessage> = rows
            .into_iter()
            .map(|(start, length, source, target, volume)| CommMessage {
                start: start * start,
                end: start * start + length,
                source,
                target,
                volume,
            })
            .collect();
        messages.sort_by_key(CommMessage::twice_middle);
        messages
    })
}

/// Bits, so that sums that differ in rounding are not the same.
fn bits(volume: Option<f64>) -> Option<u64> {
    volume.map(f64::to_bits)
}

#[test]
fn the_drawing_of_the_phases() {
    let mut boundaries = PhaseBoundaries::new(3);
    for time in [0, 1, 4, 5, 6] {
        boundaries.add(2 * time);
    }
    assert_eq!(boundaries.finish(), [2, 4]);
    assert!(PhaseBoundaries::new(3).finish().is_empty());
}

#[test]
fn the_stack_stays_small_where_gaps_do_not_shrink() {
    let mut boundaries = PhaseBoundaries::new(27);
    for time in 0..100_000 {
        boundaries.add(time * 7 % 50_000 + time * 50_000);
    }
    assert!(boundaries.bytes() < 10_000, "{} bytes", boundaries.bytes());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn boundaries_are_those_of_the_merges(messages in messages(), count in 1_usize..70) {
        let ranges = cut_phases(&messages, count);
        let mut boundaries = PhaseBoundaries::new(count);
        messages.iter().for_each(|message| boundaries.add(message.twice_middle()));
        let expected: Vec<u64> = ranges.iter().skip(1).map(|range| range.start as u64).collect();
        prop_assert_eq!(boundaries.finish(), expected);
    }

    #[test]
    fn far_times_round_alike(gaps in prop::collection::vec(0_i64..1 << 58, 1..20), count in 1_usize..20) {
        let mut time = i64::MIN;
        let at = |gap: i64| {
            time = time.saturating_add(gap);
            CommMessage { start: time, end: time, source: 0, target: 1, volume: None }
        };
        let messages: Vec<CommMessage> = gaps.into_iter().map(at).collect();
        let merges = phases::merges(&middles(&messages));
        let numbers = phases::cut(messages.len(), &merges, count);
        let mut boundaries = PhaseBoundaries::new(count);
        messages.iter().for_each(|message| boundaries.add(message.twice_middle()));
        let mut cursor = PhaseCursor::new(boundaries.finish());
        let found: Vec<u32> = messages.iter().map(|_| cursor.advance() as u32).collect();
        prop_assert_eq!(found, numbers);
    }

    #[test]
    fn phases_and_communities_are_the_same(
        messages in messages(),
        count in 1_usize..9,
        communities in prop::option::of(1_usize..5),
        by_volume in any::<bool>(),
    ) {
        let cut = communities.map_or(CommunityCut::LargestModularity, CommunityCut::Communities);
        let weight = if by_volume { Weight::Volume } else { Weight::Messages };
        let found = streamed(&messages, count, cut, weight);
        let expected = gram(&messages, count, cut, weight);
        prop_assert_eq!(&found.phases, &expected);
        prop_assert_eq!(found.places, places(&messages, weight));
        prop_assert_eq!(found.totals.len(), expected.len());
        for (totals, phase) in found.totals.iter().zip(&expected) {
            let messages = &messages[phase.messages.clone()];
            prop_assert_eq!((totals.start, totals.end), span(messages));
            prop_assert_eq!(totals.messages as usize, messages.len());
            prop_assert_eq!(bits(totals.volume), bits(volume(messages)));
        }
    }
}
