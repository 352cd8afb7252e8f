//! Time: integer ticks inside, seconds outside.
//!
//! A timestamp is a count of ticks since the zero of the trace's own clock. A tick is one nanosecond
//! unless the trace was imported with another [`Resolution`]. Decimal text is parsed straight into
//! ticks, without a detour over floating point, so that what was written is what is stored.

// size: the two ways to parse a time, and the tests that hold one against the other.

#[cfg(test)]
mod tests;

use std::fmt;
use std::str::FromStr;

/// How long a tick is: `10^-digits` seconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Resolution {
    digits: u8,
}

impl Resolution {
    /// Ticks of a millisecond.
    pub const MILLISECONDS: Resolution = Resolution { digits: 3 };
    /// Ticks of a microsecond.
    pub const MICROSECONDS: Resolution = Resolution { digits: 6 };
    /// Ticks of a nanosecond.
    pub const NANOSECONDS: Resolution = Resolution { digits: 9 };
    /// Ticks of a picosecond.
    pub const PICOSECONDS: Resolution = Resolution { digits: 12 };
    /// Ticks of a femtosecond.
    pub const FEMTOSECONDS: Resolution = Resolution { digits: 15 };

    /// The resolution of `10^-digits` seconds, when it is one that exists.
    pub fn from_digits(digits: u8) -> Option<Resolution> {
        matches!(digits, 3 | 6 | 9 | 12 | 15).then_some(Resolution { digits })
    }

    /// How many decimal digits of a second a tick resolves.
    pub fn digits(self) -> u8 {
        self.digits
    }

    /// How many ticks a second has.
    pub fn ticks_per_second(self) -> i64 {
        10_i64.pow(u32::from(self.digits))
    }

    /// Converts ticks to seconds: the double nearest to the exact quotient for up to 2^53 ticks,
    /// and monotone everywhere.
    pub fn seconds(self, tick: i64) -> f64 {
        tick as f64 / self.ticks_per_second() as f64
    }

    /// The first tick whose seconds are at least `seconds`; `None` when no tick is that late or
    /// `seconds` is NaN.
    ///
    /// This is what makes a filter on seconds exact on ticks: for every tick `t`,
    /// `self.seconds(t) >= s` if and only if `t >= self.first_tick_at(s)`.
    pub fn first_tick_at(self, seconds: f64) -> Option<i64> {
        if seconds.is_nan() || self.seconds(i64::MAX) < seconds {
            return None;
        }
        // The seconds of a tick never decrease, so a binary search finds the border exactly.
        let (mut below, mut at) = (i64::MIN as i128 - 1, i64::MAX as i128);
        let guess = (seconds * self.ticks_per_second() as f64).clamp(i64::MIN as f64, i64::MAX as f64) as i64;
        for reach in [2_i64, 4096, 1 << 20] {
            let low = guess.saturating_sub(reach);
            let high = guess.saturating_add(reach);
            if self.seconds(low) < seconds && self.seconds(high) >= seconds {
                (below, at) = (low as i128, high as i128);
                break;
            }
        }
        while at - below > 1 {
            let middle = (below + at).div_euclid(2);
            if self.seconds(middle as i64) >= seconds {
                at = middle;
            } else {
                below = middle;
            }
        }
        Some(at as i64)
    }
}

impl Default for Resolution {
    fn default() -> Resolution {
        Resolution::NANOSECONDS
    }
}

impl FromStr for Resolution {
    type Err = String;

    fn from_str(text: &str) -> Result<Resolution, String> {
        match text {
            "ms" => Ok(Resolution::MILLISECONDS),
            "us" => Ok(Resolution::MICROSECONDS),
            "ns" => Ok(Resolution::NANOSECONDS),
            "ps" => Ok(Resolution::PICOSECONDS),
            "fs" => Ok(Resolution::FEMTOSECONDS),
            _ => Err(format!("resolution must be ms, us, ns, ps or fs, got {text}")),
        }
    }
}

impl fmt::Display for Resolution {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.digits {
            3 => "ms",
            6 => "us",
            9 => "ns",
            12 => "ps",
            _ => "fs",
        })
    }
}

/// The unit of the numbers in a trace file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum TimeUnit {
    /// Seconds.
    #[default]
    Seconds,
    /// Milliseconds.
    Milliseconds,
    /// Microseconds.
    Microseconds,
    /// Nanoseconds.
    Nanoseconds,
}

impl TimeUnit {
    /// How many decimal places the point moves to the left to give seconds.
    pub fn shift(self) -> i32 {
        match self {
            TimeUnit::Seconds => 0,
            TimeUnit::Milliseconds => 3,
            TimeUnit::Microseconds => 6,
            TimeUnit::Nanoseconds => 9,
        }
    }

    /// The unit in words.
    pub fn name(self) -> &'static str {
        match self {
            TimeUnit::Seconds => "seconds",
            TimeUnit::Milliseconds => "milliseconds",
            TimeUnit::Microseconds => "microseconds",
            TimeUnit::Nanoseconds => "nanoseconds",
        }
    }
}

impl FromStr for TimeUnit {
    type Err = String;

    fn from_str(text: &str) -> Result<TimeUnit, String> {
        match text {
            "s" => Ok(TimeUnit::Seconds),
            "ms" => Ok(TimeUnit::Milliseconds),
            "us" => Ok(TimeUnit::Microseconds),
            "ns" => Ok(TimeUnit::Nanoseconds),
            _ => Err(format!("time unit must be s, ms, us or ns, got {text}")),
        }
    }
}

impl fmt::Display for TimeUnit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            TimeUnit::Seconds => "s",
            TimeUnit::Milliseconds => "ms",
            TimeUnit::Microseconds => "us",
            TimeUnit::Nanoseconds => "ns",
        })
    }
}

/// Why a decimal number is not a timestamp.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TickError {
    /// The text is not a decimal number.
    NotANumber,
    /// The number does not fit into 64 bits of ticks.
    OutOfRange,
}

/// A timestamp read from text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ParsedTick {
    /// The time.
    pub tick: i64,
    /// The text was finer than a tick, and was rounded to the nearest, halves away from zero.
    pub rounded: bool,
}

/// Turns decimal text into ticks, for one unit and one resolution.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Clock {
    /// Unit of the numbers in the trace.
    pub unit: TimeUnit,
    /// Length of a tick.
    pub resolution: Resolution,
}

impl Default for Clock {
    fn default() -> Clock {
        Clock { unit: TimeUnit::Seconds, resolution: Resolution::NANOSECONDS }
    }
}

impl Clock {
    /// The power of ten between the numbers of the trace and ticks.
    fn scale(self) -> i32 {
        i32::from(self.resolution.digits()) - self.unit.shift()
    }

    /// Reads `digits[.digits]` that starts at `at`, if it is of the usual size: up to nine digits
    /// before the point, and not finer than a tick. Gives the tick and the place after it.
    #[inline(always)]
    pub fn parse_prefix(self, text: &[u8], at: usize) -> Option<(i64, usize)> {
        let scale = self.scale();
        if !(0..=9).contains(&scale) {
            return None;
        }
        let (whole, point) = digits(text, at, 0);
        if point == at || point - at > 9 {
            return None;
        }
        let ticks = whole as i64 * POWERS[scale as usize];
        if text.get(point) != Some(&b'.') {
            return Some((ticks, point));
        }
        let start = point + 1;
        let (fraction, end) = match eight_digits(text, start) {
            Some(eight) => digits(text, start + 8, eight),
            None => digits(text, start, 0),
        };
        let missing = (scale as usize).checked_sub(end - start)?;
        Some((ticks + fraction as i64 * POWERS[missing], end))
    }

    /// Parses `[+-]digits[.digits][(e|E)[+-]digits]` exactly.
    pub fn parse(self, text: &[u8]) -> Result<ParsedTick, TickError> {
        let (negative, digits) = match text {
            [b'-', rest @ ..] => (true, rest),
            [b'+', rest @ ..] => (false, rest),
            _ => (false, text),
        };
        let mut mantissa: u64 = 0;
        let mut exponent = self.scale();
        let mut seen_digits = 0_usize;
        let mut seen_point = false;
        // Digits beyond the nineteenth cannot change a tick that fits, but decide the rounding.
        let mut dropped_nonzero = false;
        let mut index = 0;
        while index < digits.len() {
            let byte = digits[index];
            let digit = byte.wrapping_sub(b'0');
            if digit < 10 {
                seen_digits += 1;
                if mantissa < 1_000_000_000_000_000_000 {
                    mantissa = mantissa * 10 + u64::from(digit);
                    exponent -= i32::from(seen_point);
                } else {
                    dropped_nonzero |= digit != 0;
                    exponent = exponent.saturating_add(i32::from(!seen_point));
                }
            } else if byte == b'.' && !seen_point {
                seen_point = true;
            } else if (byte == b'e' || byte == b'E') && seen_digits > 0 {
                exponent = exponent.saturating_add(parse_exponent(&digits[index + 1..])?);
                break;
            } else {
                return Err(TickError::NotANumber);
            }
            index += 1;
        }
        if seen_digits == 0 {
            return Err(TickError::NotANumber);
        }
        let (magnitude, rounded) = shift_decimal(mantissa, exponent, dropped_nonzero)?;
        let tick = if negative { -magnitude } else { magnitude };
        Ok(ParsedTick { tick, rounded })
    }
}

const POWERS: [i64; 10] = [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000];

/// Appends the digits from `at` on to a number; gives the place after them. Wraps on absurd length,
/// which the callers refuse.
#[inline(always)]
fn digits(text: &[u8], mut at: usize, mut number: u64) -> (u64, usize) {
    while let Some(byte) = text.get(at) {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            break;
        }
        number = number.wrapping_mul(10).wrapping_add(u64::from(digit));
        at += 1;
    }
    (number, at)
}

/// The number that eight digits make, if there are eight: three multiplications instead of eight.
#[inline(always)]
fn eight_digits(text: &[u8], at: usize) -> Option<u64> {
    let bytes: [u8; 8] = text.get(at..at + 8)?.try_into().ok()?;
    let chunk = u64::from_le_bytes(bytes);
    let above = chunk.wrapping_add(0x4646_4646_4646_4646);
    let below = chunk.wrapping_sub(0x3030_3030_3030_3030);
    if (above | below) & 0x8080_8080_8080_8080 != 0 {
        return None;
    }
    let pairs = below.wrapping_mul(10).wrapping_add(below >> 8) & 0x00ff_00ff_00ff_00ff;
    let fours = pairs.wrapping_mul(100).wrapping_add(pairs >> 16) & 0x0000_ffff_0000_ffff;
    Some(fours.wrapping_mul(10_000).wrapping_add(fours >> 32) & 0xffff_ffff)
}

fn parse_exponent(text: &[u8]) -> Result<i32, TickError> {
    let (negative, digits) = match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        _ => (false, text),
    };
    if digits.is_empty() {
        return Err(TickError::NotANumber);
    }
    let mut value: i32 = 0;
    for byte in digits {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            return Err(TickError::NotANumber);
        }
        value = value.saturating_mul(10).saturating_add(i32::from(digit));
    }
    Ok(if negative { -value } else { value })
}

/// `mantissa * 10^exponent` as a whole number, and whether something was rounded away.
fn shift_decimal(mantissa: u64, exponent: i32, dropped: bool) -> Result<(i64, bool), TickError> {
    if mantissa == 0 {
        return Ok((0, dropped));
    }
    if exponent >= 0 {
        let factor = 10_u64.checked_pow(exponent as u32).ok_or(TickError::OutOfRange)?;
        let value = mantissa.checked_mul(factor).ok_or(TickError::OutOfRange)?;
        let value = i64::try_from(value).map_err(|_| TickError::OutOfRange)?;
        return Ok((value, dropped));
    }
    let Some(divisor) = 10_u64.checked_pow(exponent.unsigned_abs()) else {
        // Below a tenth of a tick: nothing is left of it.
        return Ok((0, true));
    };
    let quotient = mantissa / divisor;
    let rest = mantissa % divisor;
    let half_up = rest >= divisor / 2 + divisor % 2;
    let value = i64::try_from(quotient + u64::from(half_up)).map_err(|_| TickError::OutOfRange)?;
    Ok((value, rest != 0 || dropped))
}
