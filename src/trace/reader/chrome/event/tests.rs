//! Tests of `event`.

use super::*;
use proptest::prelude::*;

#[test]
fn microseconds_are_exact() {
    let of = |text: &str| picoseconds(text.as_bytes());
    assert_eq!(of("0.1"), Some(100_000));
    assert_eq!(of("1621401187223005.123"), Some(1_621_401_187_223_005_123_000));
    assert_eq!(of("-2.5e-1"), Some(-250_000));
    assert_eq!(of("1.5E3"), Some(1_500_000_000));
    assert_eq!(of("\"12\""), Some(12_000_000));
    assert_eq!(of("0.30000000000000004"), Some(300_000));
    assert_eq!(of("1e-30"), Some(0));
    for text in ["", "-", "abc", "1.2.3", "1e", "null", "1e400", "NaN"] {
        assert_eq!(of(text), None, "{text}");
    }
}

#[test]
fn an_event_is_read() {
    let text = br#"{"ph":"X","name":"f","ts":1.5,"dur":2,"pid":1,"tid":"a","args":{"x":[1]},"other":{}} "#;
    let event = RawEvent::read(&mut JsonWalker::new(text, 0)).expect("an event");
    assert_eq!((event.phase, event.name, event.start), (b'X', &b"\"f\""[..], &b"1.5"[..]));
    assert_eq!((event.thread, event.arguments), (&b"\"a\""[..], &br#"{"x":[1]}"#[..]));
}

proptest! {
    #[test]
    fn numbers_agree_with_wide_arithmetic(whole in 0_u64..1_000_000_000_000, fraction in 0_u32..1_000_000) {
        let expected = i128::from(whole) * 1_000_000 + i128::from(fraction);
        prop_assert_eq!(picoseconds(format!("{whole}.{fraction:06}").as_bytes()), Some(expected));
    }
}
