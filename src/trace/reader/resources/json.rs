//! JSON, also as it stands inside YAML: words need no quotes.
//!
//! ```text
//! item = '{' [ key ':' item { ',' key ':' item } ] '}' | '[' [ item { ',' item } ] ']' | text
//! ```

use super::scanner::TextScanner;
use super::{DEEPEST, DescriptionFault, DescriptionItem, DescriptionValue, too_deep};

/// The one item of a file.
pub(super) fn parse(text: &str) -> Result<DescriptionItem, DescriptionFault> {
    let mut scanner = TextScanner::new(text);
    let item = item(&mut scanner, 0)?;
    space(&mut scanner);
    match scanner.peek() {
        None => Ok(item),
        Some(_) => Err(expected(&scanner, "the end of the file")),
    }
}

fn space(scanner: &mut TextScanner<'_>) {
    scanner.take_while(char::is_whitespace);
}

fn expected(scanner: &TextScanner<'_>, wanted: &str) -> DescriptionFault {
    DescriptionFault::at(scanner.line, format!("expected {wanted}, got {}", scanner.shown()))
}

fn item(scanner: &mut TextScanner<'_>, depth: usize) -> Result<DescriptionItem, DescriptionFault> {
    space(scanner);
    let line = scanner.line;
    if depth > DEEPEST {
        return Err(too_deep(line));
    }
    let value = if scanner.take("{") {
        let mut entries = vec![];
        members(scanner, '}', |scanner| {
            let key = word(scanner)?;
            space(scanner);
            if !scanner.take(":") {
                return Err(expected(scanner, &format!(": after {key}")));
            }
            entries.push((key, item(scanner, depth + 1)?));
            Ok(())
        })?;
        DescriptionValue::Map(entries)
    } else if scanner.take("[") {
        let mut items = vec![];
        members(scanner, ']', |scanner| {
            items.push(item(scanner, depth + 1)?);
            Ok(())
        })?;
        DescriptionValue::List(items)
    } else {
        DescriptionValue::Text(word(scanner)?)
    };
    Ok(DescriptionItem { line, value })
}

/// Members up to the closing character, with commas between them.
fn members<'a>(
    scanner: &mut TextScanner<'a>,
    close: char,
    mut member: impl FnMut(&mut TextScanner<'a>) -> Result<(), DescriptionFault>,
) -> Result<(), DescriptionFault> {
    let close_text = close.to_string();
    space(scanner);
    if scanner.take(&close_text) {
        return Ok(());
    }
    loop {
        space(scanner);
        member(scanner)?;
        space(scanner);
        if scanner.take(&close_text) {
            return Ok(());
        }
        if !scanner.take(",") {
            return Err(expected(scanner, &format!(", or {close}")));
        }
    }
}

fn word(scanner: &mut TextScanner<'_>) -> Result<String, DescriptionFault> {
    for quote in ['"', '\''] {
        if scanner.take(&quote.to_string()) {
            return scanner.quoted(quote);
        }
    }
    let word = scanner.take_while(|c| !c.is_whitespace() && !"{}[],:\"".contains(c));
    if word.is_empty() { Err(expected(scanner, "a text, [ or {")) } else { Ok(word.to_string()) }
}
