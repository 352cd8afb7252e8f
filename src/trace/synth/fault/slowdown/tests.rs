//! Tests of `slowdown`.

use super::*;

#[test]
fn work_is_cut_at_both_ends() {
    let slowdown = Slowdown { start: 100, end: 104, factor: 2000 };
    assert_eq!(slowdown.finish(98, 6), 106);
    assert_eq!(slowdown.finish(90, 10), 100);
    assert_eq!(slowdown.finish(104, 10), 114);
    assert_eq!(slowdown.finish(100, 2), 104);
    assert_eq!(slowdown.finish(100, 3), 105);
    assert_eq!(slowdown.finish(102, 1), 104);
}

/// The obvious twin: one nanosecond after the other.
#[test]
fn agrees_with_small_steps() {
    for (begin, length, factor) in [(0, 50, 3000), (15, 50, 1500), (25, 3, 2500), (28, 40, 4000), (35, 9, 2000)] {
        let slowdown = Slowdown { start: 20, end: 30, factor };
        let (mut now, mut left) = (begin, length * factor);
        while left > 0 {
            left -= left.min(if (20..30).contains(&now) { 1000 } else { factor });
            now += 1;
        }
        let exact = slowdown.finish(begin, length);
        assert!(exact.abs_diff(now) <= 1, "{begin} {length} {factor}: {exact} and {now}");
    }
}
