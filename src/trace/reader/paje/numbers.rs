//! Decimal text to doubles, quickly when the text is short.

#[cfg(test)]
mod tests;

/// Parses a double. Short decimal numbers take an exact short cut: an integer below 2^53 divided by
/// a power of ten up to 10^22 is rounded once, hence correctly.
#[inline]
pub(super) fn parse_double(text: &[u8]) -> Option<f64> {
    let (negative, digits) = match text {
        [b'-', rest @ ..] => (true, rest),
        _ => (false, text),
    };
    if digits.is_empty() || digits.len() > 17 {
        return slow(text);
    }
    let mut mantissa: u64 = 0;
    let mut point = digits.len();
    for (index, byte) in digits.iter().enumerate() {
        let digit = byte.wrapping_sub(b'0');
        if digit < 10 {
            mantissa = mantissa * 10 + u64::from(digit);
        } else if *byte == b'.' && point == digits.len() {
            point = index;
        } else {
            return slow(text);
        }
    }
    let decimals = (digits.len() - point).saturating_sub(1);
    if mantissa >= 1 << 53 || digits == b"." {
        return slow(text);
    }
    let magnitude = mantissa as f64 / POWERS[decimals];
    Some(if negative { -magnitude } else { magnitude })
}

const POWERS: [f64; 18] =
    [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17];

#[cold]
fn slow(text: &[u8]) -> Option<f64> {
    std::str::from_utf8(text).ok()?.parse().ok()
}
