//! Rust as text: without comments, without tests, as tokens.

#[cfg(test)]
mod tests;

/// Rust text with comments, strings and characters blanked; lines stay where they are.
pub fn code_only(text: &str) -> String {
    let mut code = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let skipped = skipped_length(rest, code.chars().last());
        let length = if skipped > 0 { skipped } else { first.len_utf8() };
        let (piece, tail) = rest.split_at(length);
        match skipped {
            0 => code.push(first),
            _ => code.extend(piece.chars().map(|c| if c == '\n' { '\n' } else { ' ' })),
        }
        rest = tail;
    }
    code
}

/// Code without the items that only tests see.
pub fn without_tests(code: &str) -> String {
    let mut kept = code.to_string();
    while let Some(start) = kept.find("#[cfg(test)]") {
        let item = &kept[start..];
        let end = match (item.find('{'), item.find(';')) {
            (Some(brace), semicolon) if semicolon.is_none_or(|semicolon| brace < semicolon) => {
                brace + braced(&item[brace..]).len()
            }
            (_, Some(semicolon)) => semicolon + 1,
            _ => item.len(),
        };
        kept.replace_range(start..start + end, "");
    }
    kept
}

/// The words of code, `::`, and all other characters one by one.
pub fn tokens(code: &str) -> Vec<&str> {
    let mut found = vec![];
    let mut rest = code.trim_start();
    while let Some(first) = rest.chars().next() {
        let is_in_word = |c: char| c.is_alphanumeric() || c == '_';
        let length = match is_in_word(first) {
            true => rest.find(|c: char| !is_in_word(c)).unwrap_or(rest.len()),
            false if rest.starts_with("::") => 2,
            false => first.len_utf8(),
        };
        let (token, tail) = rest.split_at(length);
        found.push(token);
        rest = tail.trim_start();
    }
    found
}

/// Length of the comment or literal at the start of the text; 0 when there is none.
fn skipped_length(text: &str, before: Option<char>) -> usize {
    let until =
        |end: &str, from: usize| text[from..].find(end).map_or(text.len(), |position| from + position + end.len());
    if text.starts_with("//") {
        return text.find('\n').unwrap_or(text.len());
    }
    if text.starts_with("/*") {
        return until("*/", 2);
    }
    let is_in_word = before.is_some_and(|c| c.is_alphanumeric() || c == '_');
    if text.starts_with('r') && !is_in_word {
        let hashes = text[1..].bytes().take_while(|byte| *byte == b'#').count();
        if text[1 + hashes..].starts_with('"') {
            return until(&format!("\"{}", "#".repeat(hashes)), 2 + hashes);
        }
    }
    if text.starts_with('"') {
        return quoted_length(text, '"');
    }
    // A lifetime has no closing quote right after its first character.
    let mut after = text.chars().skip(1);
    if text.starts_with('\'') && (after.next() == Some('\\') || after.next() == Some('\'')) {
        return quoted_length(text, '\'');
    }
    0
}

fn quoted_length(text: &str, quote: char) -> usize {
    let mut is_escaped = false;
    for (position, character) in text.char_indices().skip(1) {
        if is_escaped {
            is_escaped = false;
        } else if character == '\\' {
            is_escaped = true;
        } else if character == quote {
            return position + 1;
        }
    }
    text.len()
}

/// The text up to the brace that closes the one it starts with.
fn braced(text: &str) -> &str {
    let mut depth = 0_usize;
    for (position, byte) in text.bytes().enumerate() {
        match byte {
            b'{' => depth += 1,
            b'}' if depth <= 1 => return &text[..=position],
            b'}' => depth -= 1,
            _ => {}
        }
    }
    text
}
