//! Tests of `window`.

use super::*;

#[test]
fn seconds_become_the_nearest_tick() {
    let ms = Resolution::MILLISECONDS;
    for (seconds, tick) in [(0.0, 0), (1.5, 1500), (0.1, 100), (0.0014, 1), (0.0016, 2), (-0.3, -300)] {
        assert_eq!(nearest_tick(ms, seconds), Some(tick), "{seconds}");
    }
    assert_eq!(nearest_tick(ms, 1e300), None);
}

#[test]
fn spans_join_in_the_finer_resolution() {
    let one = TraceSpan { start_tick: 5, end_tick: 10, resolution: Resolution::MILLISECONDS, origin: 0 };
    let other = TraceSpan { start_tick: 7, end_tick: 20_000_000, resolution: Resolution::NANOSECONDS, origin: 0 };
    let joined = TraceSpan { start_tick: 7, end_tick: 20_000_000, resolution: Resolution::NANOSECONDS, origin: 0 };
    assert_eq!(join(one, other), joined);
    assert_eq!(join(other, one), joined);
}
