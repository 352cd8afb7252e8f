//! Tests of `in_flight`.

use proptest::prelude::*;

use super::*;

/// The twin: every message against every slice.
fn slow(messages: &[InFlightMessage], slices: &SlicedWindow) -> Vec<Traffic> {
    let count = slices.count as i64;
    let of_slice = |slice: i64| {
        let boundary = |slice: i64| (slices.stop - slices.start) * slice;
        let (low, high) = (boundary(slice), boundary(slice + 1));
        let is_last = slice + 1 == count && slices.last == LastInstant::Within;
        let mut traffic = Traffic::default();
        for message in messages {
            let at = |tick: i64| (tick - slices.start) * count;
            let (begin, end) = (at(message.start), at(message.end));
            let has = |instant: i64| (low..high).contains(&instant) || (is_last && instant == high);
            if has(begin) {
                traffic.sent += 1;
                traffic.sent_volume += message.volume;
            }
            if (begin == end && has(begin)) || (begin < end && begin < high && end > low) {
                traffic.in_flight += 1;
                traffic.in_flight_volume += message.volume;
                let share = (end.min(high) - begin.max(low)) as f64 / (high - low) as f64;
                traffic.mean_messages += share;
                traffic.mean_volume += share * message.volume;
            }
        }
        traffic
    };
    (0..count).map(of_slice).collect()
}

#[test]
fn a_long_message_is_under_way_everywhere() {
    let slices = SlicedWindow { start: 0, stop: 30, count: 3, last: LastInstant::Within };
    let found = in_flight(&[InFlightMessage { start: 5, end: 30, volume: 4.0 }], &slices);
    let means: Vec<(i64, i64, f64, f64)> =
        found.iter().map(|slice| (slice.sent, slice.in_flight, slice.mean_messages, slice.mean_volume)).collect();
    assert_eq!(means, [(1, 1, 0.5, 2.0), (0, 1, 1.0, 4.0), (0, 1, 1.0, 4.0)]);
}

proptest! {
    #[test]
    fn agrees_with_its_twin(
        rows in prop::collection::vec((-10_i64..50, 0_i64..30, 0_u32..100), 0..30),
        start in -5_i64..20,
        length in 1_i64..30,
        count in 1_usize..8,
        within in any::<bool>(),
    ) {
        let messages: Vec<InFlightMessage> = rows
            .into_iter()
            .map(|(start, length, volume)| InFlightMessage { start, end: start + length, volume: f64::from(volume) })
            .collect();
        let last = if within { LastInstant::Within } else { LastInstant::Outside };
        let slices = SlicedWindow { start, stop: start + length, count, last };
        for (found, expected) in in_flight(&messages, &slices).iter().zip(slow(&messages, &slices)) {
            prop_assert_eq!((found.sent, found.in_flight), (expected.sent, expected.in_flight));
            prop_assert_eq!((found.sent_volume, found.in_flight_volume), (expected.sent_volume, expected.in_flight_volume));
            prop_assert!((found.mean_messages - expected.mean_messages).abs() < 1e-9);
            prop_assert!((found.mean_volume - expected.mean_volume).abs() < 1e-6);
        }
    }
}
