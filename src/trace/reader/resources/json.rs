//! JSON, also as it stands inside YAML: words need no quotes.
//!
//! ```text
//! item = '{' [ key ':' item { ',' key ':' item } ] '}' | '[' [ item { ',' item } ] ']' | text
//! ```

use super::scanner::Scanner;
use super::{DEEPEST, Fault, Item, Value, too_deep};

/// The one item of a file.
pub(super) fn parse(text: &str) -> Result<Item, Fault> {
    let mut scanner = Scanner::new(text);
    let item = item(&mut scanner, 0)?;
    space(&mut scanner);
    match scanner.peek() {
        None => Ok(item),
        Some(_) => Err(expected(&scanner, "the end of the file")),
    }
}

fn space(scanner: &mut Scanner<'_>) {
    scanner.take_while(char::is_whitespace);
}

fn expected(scanner: &Scanner<'_>, wanted: &str) -> Fault {
    Fault::at(scanner.line, format!("expected {wanted}, got {}", scanner.shown()))
}

fn item(scanner: &mut Scanner<'_>, depth: usize) -> Result<Item, Fault> {
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
        Value::Map(entries)
    } else if scanner.take("[") {
        let mut items = vec![];
        members(scanner, ']', |scanner| {
            items.push(item(scanner, depth + 1)?);
            Ok(())
        })?;
        Value::List(items)
    } else {
        Value::Text(word(scanner)?)
    };
    Ok(Item { line, value })
}

/// Members up to the closing character, with commas between them.
fn members<'a>(
    scanner: &mut Scanner<'a>,
    close: char,
    mut member: impl FnMut(&mut Scanner<'a>) -> Result<(), Fault>,
) -> Result<(), Fault> {
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

fn word(scanner: &mut Scanner<'_>) -> Result<String, Fault> {
    for quote in ['"', '\''] {
        if scanner.take(&quote.to_string()) {
            return scanner.quoted(quote);
        }
    }
    let word = scanner.take_while(|c| !c.is_whitespace() && !"{}[],:\"".contains(c));
    if word.is_empty() { Err(expected(scanner, "a text, [ or {")) } else { Ok(word.to_string()) }
}
