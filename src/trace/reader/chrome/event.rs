//! One trace event: the members of its object that have a meaning of their own.

#[cfg(test)]
mod tests;

use std::ops::Range;

use super::json::{JsonWalker, WalkResult};

/// A number without an exponent: `digits / 10^decimals`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct JsonDecimal {
    pub digits: i64,
    pub decimals: u32,
}

/// A member of the arguments: where key (without quotes) and value stand in them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct MemberSpan {
    pub key: Range<usize>,
    pub value: Range<usize>,
    /// The value, when it is a whole number that is written as Rust would write it.
    pub whole: Option<i64>,
}

/// An event as it stands in the text; `V` are values of members, and `M` the members of the arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct TraceEvent<V, M> {
    pub phase: u8,
    pub name: V,
    pub category: V,
    pub start: V,
    pub duration: V,
    pub process: V,
    pub thread: V,
    pub id: V,
    pub scope: V,
    pub binding: V,
    pub flow_id: V,
    pub flow_in: bool,
    pub flow_out: bool,
    /// Scope of an instant.
    pub reach: u8,
    pub arguments: V,
    /// The start as a number, where it is known already.
    pub start_number: Option<JsonDecimal>,
    /// The duration as a number, where it is known already.
    pub duration_number: Option<JsonDecimal>,
    /// The members of the arguments, where they are known already.
    pub members: Option<M>,
}

/// An event whose values are JSON, empty when missing.
pub(super) type RawEvent<'a> = TraceEvent<&'a [u8], &'a [MemberSpan]>;

impl<V: Copy, M> TraceEvent<V, M> {
    /// The same event with other values and members.
    #[inline(always)]
    pub fn with<W, N>(&self, value: impl Fn(V) -> W, members: Option<N>) -> TraceEvent<W, N> {
        TraceEvent {
            phase: self.phase,
            name: value(self.name),
            category: value(self.category),
            start: value(self.start),
            duration: value(self.duration),
            process: value(self.process),
            thread: value(self.thread),
            id: value(self.id),
            scope: value(self.scope),
            binding: value(self.binding),
            flow_id: value(self.flow_id),
            flow_in: self.flow_in,
            flow_out: self.flow_out,
            reach: self.reach,
            arguments: value(self.arguments),
            start_number: self.start_number,
            duration_number: self.duration_number,
            members,
        }
    }
}

/// What a microsecond is in ticks, by the number of decimals: ticks of the last of them, 0 where it is finer than a tick.
#[derive(Debug, Clone, Copy)]
pub(super) struct MicrosecondTicks([i64; 7]);

impl MicrosecondTicks {
    pub fn new(ticks_per_second: i64) -> MicrosecondTicks {
        MicrosecondTicks(std::array::from_fn(|decimals| {
            let units = 10_i64.pow(6 + decimals as u32);
            if ticks_per_second % units == 0 { ticks_per_second / units } else { 0 }
        }))
    }

    /// The tick of a time; `None` when it is finer than a tick or than a picosecond, or too large.
    #[inline(always)]
    pub fn of(&self, time: JsonDecimal) -> Option<i64> {
        match self.0.get(time.decimals as usize) {
            None | Some(0) => None,
            Some(ticks) => time.digits.checked_mul(*ticks),
        }
    }
}

impl<'a> RawEvent<'a> {
    /// Reads the object that starts here.
    #[inline]
    pub fn read(walker: &mut JsonWalker<'a>) -> WalkResult<RawEvent<'a>> {
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

/// The first character of a string.
#[inline(always)]
pub(super) fn first_character(value: &[u8]) -> u8 {
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
