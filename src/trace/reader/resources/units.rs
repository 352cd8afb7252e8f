//! Numbers with units: `1Gbps`, `125MBps`, `50us`.

/// Bytes per second: a number, or one with k, M, G, T before `bit`, `bps`, `b/s` (bits) or `B`, `Bps`, `B/s` (bytes).
pub(super) fn bandwidth(text: &str) -> Option<f64> {
    let (number, unit) = split(text)?;
    if unit.is_empty() {
        return Some(number);
    }
    let (factor, rest) = match unit.chars().next()? {
        'k' | 'K' => (1e3, &unit[1..]),
        'M' => (1e6, &unit[1..]),
        'G' => (1e9, &unit[1..]),
        'T' => (1e12, &unit[1..]),
        _ => (1.0, unit),
    };
    match rest {
        "bps" | "bit" | "bit/s" | "b/s" | "bits" => Some(number * factor / 8.0),
        "B" | "Bps" | "B/s" => Some(number * factor),
        _ => None,
    }
}

/// Seconds: a number, or one with s, ms, us or ns.
pub(super) fn latency(text: &str) -> Option<f64> {
    let (number, unit) = split(text)?;
    let per_second = match unit {
        "" | "s" => 1.0,
        "ms" => 1e3,
        "us" | "µs" => 1e6,
        "ns" => 1e9,
        _ => return None,
    };
    Some(number / per_second)
}

/// A number that is finite and not negative, and its unit.
fn split(text: &str) -> Option<(f64, &str)> {
    let text = text.trim();
    let is_number = |(index, character): (usize, char)| {
        let before = text[..index].chars().last();
        character.is_ascii_digit()
            || character == '.'
            || (matches!(character, 'e' | 'E') && before.is_some_and(|c| c.is_ascii_digit()))
            || (matches!(character, '+' | '-') && before.is_none_or(|c| matches!(c, 'e' | 'E')))
    };
    let end = text.char_indices().find(|place| !is_number(*place)).map_or(text.len(), |(index, _)| index);
    let number: f64 = text[..end].parse().ok()?;
    (number.is_finite() && number >= 0.0).then(|| (number, text[end..].trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_bytes_and_seconds() {
        for (text, bytes) in
            [("1000", 1000.0), ("1Gbps", 1.25e8), ("125MBps", 1.25e8), ("100 Mbit", 1.25e7), ("1e3 kB/s", 1e6)]
        {
            assert_eq!(bandwidth(text), Some(bytes), "{text}");
        }
        for (text, seconds) in [("0.5", 0.5), ("50us", 5e-5), ("2 ms", 0.002), ("1e-6s", 1e-6)] {
            assert_eq!(latency(text), Some(seconds), "{text}");
        }
        for bad in ["", "fast", "-1", "1 mile", "1e999", "NaN"] {
            assert_eq!((bandwidth(bad), latency(bad)), (None, None), "{bad}");
        }
    }
}
