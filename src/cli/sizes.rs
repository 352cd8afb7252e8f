//! Sizes in bytes and numbers, as people write and read them.

#[cfg(test)]
mod tests;

use indicatif::{HumanBytes, HumanCount};

/// Reads `64`, `512MB`, `1.5GiB`, `2g`: KB is 1000 bytes, KiB and K are 1024.
pub fn parse_size(text: &str) -> Result<usize, String> {
    let wrong = || format!("expected a size such as 512MB or 2GiB, got {text}");
    let text = text.trim();
    let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let factor: f64 = match unit.trim().to_ascii_lowercase().as_str() {
        "" | "b" => 1.0,
        "kb" => 1e3,
        "mb" => 1e6,
        "gb" => 1e9,
        "tb" => 1e12,
        "k" | "kib" => 1024.0,
        "m" | "mib" => 1024.0 * 1024.0,
        "g" | "gib" => 1024.0 * 1024.0 * 1024.0,
        "t" | "tib" => 1024.0 * 1024.0 * 1024.0 * 1024.0,
        _ => return Err(wrong()),
    };
    let bytes = number.parse::<f64>().map_err(|_| wrong())? * factor;
    if bytes < 1.0 || bytes > usize::MAX as f64 {
        return Err(wrong());
    }
    Ok(bytes as usize)
}

/// `1.5 MiB`.
pub fn bytes(size: u64) -> String {
    HumanBytes(size).to_string()
}

/// `1,234,567`.
pub fn count(number: u64) -> String {
    HumanCount(number).to_string()
}

/// `1 line`, `1,000 lines`.
pub fn counted(number: u64, thing: &str) -> String {
    format!("{} {thing}{}", count(number), if number == 1 { "" } else { "s" })
}
