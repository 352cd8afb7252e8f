//! Property lists in the old text form.
//!
//! ```text
//! item = text | '(' [ item { ',' item } [ ',' ] ] ')' | '{' { text '=' item ';' } '}'
//! text = '"' … '"' | characters other than white space and { } ( ) = ; , "
//! ```
//! `//` and `/* */` are comments.

use super::item::{DEEPEST, DescriptionFault, DescriptionItem, DescriptionValue, too_deep};
use super::scanner::TextScanner;

/// The one item of a file.
pub(super) fn parse(text: &str) -> Result<DescriptionItem, DescriptionFault> {
    let mut scanner = TextScanner::new(text);
    scanner.skip(None)?;
    if scanner.peek() == Some('<') {
        return Err(DescriptionFault::at(scanner.line, "this is XML; write it as a text property list, JSON or YAML"));
    }
    let item = item(&mut scanner, 0)?;
    scanner.skip(None)?;
    match scanner.peek() {
        None => Ok(item),
        Some(_) => Err(expected(&scanner, "the end of the file")),
    }
}

fn expected(scanner: &TextScanner<'_>, wanted: &str) -> DescriptionFault {
    DescriptionFault::at(scanner.line, format!("expected {wanted}, got {}", scanner.shown()))
}

fn item(scanner: &mut TextScanner<'_>, depth: usize) -> Result<DescriptionItem, DescriptionFault> {
    scanner.skip(None)?;
    let line = scanner.line;
    if depth > DEEPEST {
        return Err(too_deep(line));
    }
    let value = if scanner.take("{") {
        map(scanner, depth)?
    } else if scanner.take("(") {
        list(scanner, depth)?
    } else {
        DescriptionValue::Text(word(scanner, "a name, ( or {")?)
    };
    Ok(DescriptionItem { line, value })
}

fn map(scanner: &mut TextScanner<'_>, depth: usize) -> Result<DescriptionValue, DescriptionFault> {
    let mut entries = vec![];
    loop {
        scanner.skip(None)?;
        if scanner.take("}") {
            return Ok(DescriptionValue::Map(entries));
        }
        let key = word(scanner, "a key or }")?;
        scanner.skip(None)?;
        if !scanner.take("=") {
            return Err(expected(scanner, &format!("= after {key}")));
        }
        let value = item(scanner, depth + 1)?;
        scanner.skip(None)?;
        if !scanner.take(";") {
            return Err(expected(scanner, &format!("; after the value of {key}")));
        }
        entries.push((key, value));
    }
}

fn list(scanner: &mut TextScanner<'_>, depth: usize) -> Result<DescriptionValue, DescriptionFault> {
    let mut items = vec![];
    loop {
        scanner.skip(None)?;
        if scanner.take(")") {
            return Ok(DescriptionValue::List(items));
        }
        items.push(item(scanner, depth + 1)?);
        scanner.skip(None)?;
        if !scanner.take(",") && scanner.peek() != Some(')') {
            return Err(expected(scanner, ", or )"));
        }
    }
}

fn word(scanner: &mut TextScanner<'_>, wanted: &str) -> Result<String, DescriptionFault> {
    if scanner.take("\"") {
        return scanner.quoted('"');
    }
    let word = scanner.take_while(|c| !c.is_whitespace() && !"{}()=;,\"".contains(c));
    if word.is_empty() { Err(expected(scanner, wanted)) } else { Ok(word.to_string()) }
}
