//! One trace event: the members of its object that have a meaning of their own.

use super::json::{Walk, Walker};

/// An event as it stands in the text; values of members are JSON, empty when missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct RawEvent<'a> {
    pub phase: u8,
    pub name: &'a [u8],
    pub category: &'a [u8],
    pub start: &'a [u8],
    pub duration: &'a [u8],
    pub process: &'a [u8],
    pub thread: &'a [u8],
    pub id: &'a [u8],
    pub scope: &'a [u8],
    pub binding: &'a [u8],
    pub flow_id: &'a [u8],
    pub flow_in: bool,
    pub flow_out: bool,
    /// Scope of an instant.
    pub reach: u8,
    pub arguments: &'a [u8],
}

impl<'a> RawEvent<'a> {
    /// Reads the object that starts here.
    #[inline]
    pub fn read(walker: &mut Walker<'a>) -> Walk<RawEvent<'a>> {
        let mut event = RawEvent::default();
        walker.members(|key, value| match key {
            b"ph" => event.phase = first_character(value),
            b"name" => event.name = value,
            b"cat" => event.category = value,
            b"ts" => event.start = value,
            b"dur" => event.duration = value,
            b"pid" => event.process = value,
            b"tid" => event.thread = value,
            b"id" | b"id2" => event.id = value,
            b"scope" => event.scope = value,
            b"bp" => event.binding = value,
            b"bind_id" => event.flow_id = value,
            b"flow_in" => event.flow_in = value == b"true",
            b"flow_out" => event.flow_out = value == b"true",
            b"s" => event.reach = first_character(value),
            b"args" => event.arguments = value,
            _ => (),
        })?;
        Ok(event)
    }
}

fn first_character(value: &[u8]) -> u8 {
    match value {
        [b'"', character, ..] => *character,
        _ => 0,
    }
}

/// Microseconds as text, in picoseconds and exactly; `None` when it is no number or too large. Digits
/// below a picosecond are cut off.
pub(super) fn picoseconds(value: &[u8]) -> Option<i128> {
    let value = match value {
        [b'"', inner @ .., b'"'] => inner,
        other => other,
    };
    let (is_negative, digits) = match value {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        _ => (false, value),
    };
    let (mut number, mut exponent, mut seen, mut after_point) = (0_i128, 6_i32, 0, false);
    for (place, byte) in digits.iter().enumerate() {
        match byte {
            b'0'..=b'9' => {
                seen += 1;
                if after_point && exponent == -12 {
                    continue;
                }
                number = number.checked_mul(10)?.checked_add(i128::from(byte - b'0'))?;
                exponent -= i32::from(after_point);
            }
            b'.' if !after_point => after_point = true,
            b'e' | b'E' if seen > 0 => {
                let power: i32 = std::str::from_utf8(&digits[place + 1..]).ok()?.parse().ok()?;
                exponent = exponent.checked_add(power)?;
                break;
            }
            _ => return None,
        }
    }
    if seen == 0 {
        return None;
    }
    let scaled = match u32::try_from(exponent) {
        Ok(_) if number == 0 => 0,
        Ok(more) => number.checked_mul(10_i128.checked_pow(more)?)?,
        Err(_) => number / 10_i128.checked_pow(exponent.unsigned_abs()).unwrap_or(i128::MAX),
    };
    // 10^28 picoseconds are more than any clock holds; sums stay far from overflow.
    (scaled < 10_i128.pow(28)).then_some(if is_negative { -scaled } else { scaled })
}

#[cfg(test)]
mod tests {
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
        let event = RawEvent::read(&mut Walker::new(text, 0)).expect("an event");
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
}
