//! Tests of `time`.

use super::*;

fn ns(text: &str) -> Result<ParsedTick, TickError> {
    Clock::default().parse(text.as_bytes())
}

fn exact(tick: i64) -> Result<ParsedTick, TickError> {
    Ok(ParsedTick { tick, rounded: false })
}

fn rounded(tick: i64) -> Result<ParsedTick, TickError> {
    Ok(ParsedTick { tick, rounded: true })
}

#[test]
fn decimal_text_becomes_ticks_exactly() {
    assert_eq!(ns("0"), exact(0));
    assert_eq!(ns("0.986789"), exact(986_789_000));
    assert_eq!(ns("-1.5"), exact(-1_500_000_000));
    assert_eq!(ns("+.25"), exact(250_000_000));
    assert_eq!(ns("3."), exact(3_000_000_000));
    assert_eq!(ns("1.2e+01"), exact(12_000_000_000));
    assert_eq!(ns("12E-1"), exact(1_200_000_000));
    assert_eq!(ns("1700000000.123456789"), exact(1_700_000_000_123_456_789));
}

#[test]
fn what_is_finer_than_a_tick_is_rounded() {
    assert_eq!(ns("0.0000000004"), rounded(0));
    assert_eq!(ns("0.0000000005"), rounded(1));
    assert_eq!(ns("-0.0000000005"), rounded(-1));
    assert_eq!(ns("0.12345678949999999999999"), rounded(123_456_789));
    assert_eq!(ns("1e-400"), rounded(0));
}

#[test]
fn what_is_no_timestamp_is_refused() {
    for text in ["", ".", "-", "abc", "1.2.3", "1e", "1ex", "nan", "inf", "0x10", "1 2"] {
        assert_eq!(ns(text), Err(TickError::NotANumber), "{text:?}");
    }
    for text in ["1e10", "9223372037", "1e400", "99999999999999999999999"] {
        assert_eq!(ns(text), Err(TickError::OutOfRange), "{text:?}");
    }
}

#[test]
fn units_move_the_point() {
    let clock = Clock { unit: TimeUnit::Milliseconds, resolution: Resolution::NANOSECONDS };
    assert_eq!(clock.parse(b"1.5"), exact(1_500_000));
    let clock = Clock { unit: TimeUnit::Nanoseconds, resolution: Resolution::MICROSECONDS };
    assert_eq!(clock.parse(b"1500"), rounded(2));
}

proptest::proptest! {
    #[test]
    fn first_tick_is_the_border(seconds in -1e10_f64..1e10, digits in 0_u8..5) {
        let resolution = Resolution::from_digits(3 + 3 * digits).expect("a resolution");
        if let Some(tick) = resolution.first_tick_at(seconds) {
            proptest::prop_assert!(resolution.seconds(tick) >= seconds);
            if tick > i64::MIN {
                proptest::prop_assert!(resolution.seconds(tick - 1) < seconds);
            }
        } else {
            proptest::prop_assert!(resolution.seconds(i64::MAX) < seconds);
        }
    }

    #[test]
    fn the_quick_way_agrees_with_the_exact_one(
        text in "[0-9]{0,11}(\\.[0-9]{0,11})?[ e5]?", unit in 0_usize..4, digits in 0_u8..5,
    ) {
        let unit = [TimeUnit::Seconds, TimeUnit::Milliseconds, TimeUnit::Microseconds, TimeUnit::Nanoseconds][unit];
        let resolution = Resolution::from_digits(3 + 3 * digits).expect("a resolution");
        let clock = Clock { unit, resolution };
        if let Some((tick, end)) = clock.parse_prefix(text.as_bytes(), 0) {
            let exact = clock.parse(&text.as_bytes()[..end]);
            proptest::prop_assert_eq!(exact, Ok(ParsedTick { tick, rounded: false }));
        }
    }

    #[test]
    fn parsing_agrees_with_wide_arithmetic(whole in 0_u32..4_000_000, fraction in 0_u64..1_000_000_000_000) {
        let text = format!("{whole}.{fraction:012}");
        let picos = u128::from(whole) * 1_000_000_000_000 + u128::from(fraction);
        let expected = (picos + 500) / 1000;
        let parsed = ns(&text).expect("a number");
        proptest::prop_assert_eq!(parsed.tick as u128, expected);
        proptest::prop_assert_eq!(parsed.rounded, picos % 1000 != 0);
    }
}
