//! Numbers with units: `1Gbps`, `125MBps`, `50us`.

#[cfg(test)]
mod tests;

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
