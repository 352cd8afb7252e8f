//! Ticks as decimal numbers, exactly.

#[cfg(test)]
mod tests;

/// A count of `10^-digits` as a decimal number without trailing zeros; negative digits are powers of ten.
pub(super) fn decimal(count: i64, digits: i32) -> String {
    if digits <= 0 {
        let zeros = if count == 0 { 0 } else { digits.unsigned_abs() as usize };
        return format!("{count}{}", "0".repeat(zeros));
    }
    let digits = digits as usize;
    let sign = if count < 0 { "-" } else { "" };
    let text = format!("{:0>width$}", count.unsigned_abs(), width = digits + 1);
    let (whole, fraction) = text.split_at(text.len() - digits);
    match fraction.trim_end_matches('0') {
        "" => format!("{sign}{whole}"),
        fraction => format!("{sign}{whole}.{fraction}"),
    }
}

/// A number that is read back as it is.
pub(super) fn number(value: f64) -> String {
    match value.abs() {
        0.0 => "0".to_string(),
        size if (1e-5..1e16).contains(&size) => value.to_string(),
        _ => format!("{value:e}"),
    }
}
