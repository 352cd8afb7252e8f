//! Classes of links: what a summary of links keeps of their values and keys, which differ from link to link.
//!
//! In: the value and the key of a link. Out: whether each matches a pattern by which the view `link_kinds` tells collective
//! operations from messages. A summary has a text in the place of both that matches, or does not, as those of its links do.

#[cfg(test)]
mod tests;

/// The columns that a summary of links has classes of, each with the pattern that tells them apart. Nothing else can be asked
/// of these columns in a summary.
pub const LINK_CLASSES: [(&str, &str); 2] =
    [("value", "^(collective|1TA|AT1|ATA)$"), ("key", "^[0-9]+_[0-9]+_-[0-9]+_[0-9]+$")];

/// In the place of all values and keys that match, and of those that do not.
const MATCHES: [&str; 2] = ["collective", "0_0_-0_0"];
const OTHER: &str = "";

/// Whether a value matches its pattern.
pub(super) fn is_collective_value(value: &str) -> bool {
    ["collective", "1TA", "AT1", "ATA"].contains(&value)
}

/// Whether a key matches its pattern.
pub(super) fn is_collective_key(key: &[u8]) -> bool {
    let after_number = |text: &mut &[u8]| {
        let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
        *text = &text[digits..];
        digits > 0
    };
    let after = |text: &mut &[u8], sign: &[u8]| {
        let rest = text.strip_prefix(sign);
        *text = rest.unwrap_or(text);
        rest.is_some()
    };
    let mut rest = key;
    after_number(&mut rest)
        && after(&mut rest, b"_")
        && after_number(&mut rest)
        && after(&mut rest, b"_-")
        && after_number(&mut rest)
        && after(&mut rest, b"_")
        && after_number(&mut rest)
        && rest.is_empty()
}

/// The text in the place of those of a class: of column `column` of [`LINK_CLASSES`].
pub(super) fn class_text(column: usize, is_match: bool) -> &'static str {
    if is_match { MATCHES[column] } else { OTHER }
}
