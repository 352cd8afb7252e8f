//! Numbers: texts of floats, and PostgreSQL's binary numeric.

#[cfg(test)]
mod tests;

use std::fmt::Write;

use bytes::{BufMut, BytesMut};

/// Writes a float from its shortest scientific form, such as `1.5e20`. Numbers with an exponent from
/// −4 to below the limit are written out; the limit is 15 for float8 and 6 for float4.
pub(super) fn put_float(scientific: &str, limit: i32, out: &mut BytesMut) {
    let Some((mantissa, exponent)) = scientific.split_once('e') else {
        out.put_slice(match scientific {
            "inf" => b"Infinity",
            "-inf" => b"-Infinity",
            _ => b"NaN".as_slice(),
        });
        return;
    };
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if !(-4..limit).contains(&exponent) {
        let sign = if exponent < 0 { '-' } else { '+' };
        // Writing to a buffer does not fail.
        let _ = write!(out, "{mantissa}e{sign}{:02}", exponent.abs());
        return;
    }
    let digits = match mantissa.strip_prefix('-') {
        Some(digits) => {
            out.put_u8(b'-');
            digits
        }
        None => mantissa,
    };
    let digits: Vec<u8> = digits.bytes().filter(u8::is_ascii_digit).collect();
    if exponent < 0 {
        out.put_slice(b"0.");
        (1..-exponent).for_each(|_| out.put_u8(b'0'));
        out.put_slice(&digits);
        return;
    }
    for place in 0..digits.len().max(exponent as usize + 1) {
        if place == exponent as usize + 1 {
            out.put_u8(b'.');
        }
        out.put_u8(digits.get(place).copied().unwrap_or(b'0'));
    }
}

/// Writes a decimal number, such as `-12.50`, as a binary numeric: digits to the base 10000 with the
/// weight of the first, a sign, and the number of decimals.
pub(super) fn put_numeric(text: &str, out: &mut BytesMut) {
    let (sign, text) = match text.strip_prefix('-') {
        Some(rest) => (0x4000, rest),
        None => (0, text),
    };
    let (whole, decimals) = text.split_once('.').unwrap_or((text, ""));
    let whole = whole.trim_start_matches('0');
    let mut digits = groups(whole, decimals);
    let mut weight = whole.len().div_ceil(4) as i16 - 1;
    let leading = digits.iter().take_while(|digit| **digit == 0).count();
    digits.drain(..leading);
    weight -= leading as i16;
    digits.truncate(digits.iter().rposition(|digit| *digit != 0).map_or(0, |last| last + 1));
    let is_zero = digits.is_empty();
    out.put_u16(digits.len() as u16);
    out.put_i16(if is_zero { 0 } else { weight });
    out.put_u16(if is_zero { 0 } else { sign });
    out.put_u16(decimals.len() as u16);
    digits.iter().for_each(|digit| out.put_u16(*digit));
}

/// Groups of four decimal digits to both sides of the point.
fn groups(whole: &str, decimals: &str) -> Vec<u16> {
    let missing = whole.len().next_multiple_of(4) - whole.len();
    let after = decimals.len().next_multiple_of(4) - decimals.len();
    let zeros = |count| std::iter::repeat_n(b'0', count);
    let digits: Vec<u8> = zeros(missing).chain(whole.bytes()).chain(decimals.bytes()).chain(zeros(after)).collect();
    let group = |four: &[u8]| four.iter().fold(0, |sum, digit| sum * 10 + u16::from(digit - b'0'));
    digits.chunks(4).map(group).collect()
}
