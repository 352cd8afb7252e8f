//! Property lists in the old text form.
//!
//! ```text
//! item = text | '(' [ item { ',' item } [ ',' ] ] ')' | '{' { text '=' item ';' } '}'
//! text = '"' … '"' | characters other than white space and { } ( ) = ; , "
//! ```
//! `//` and `/* */` are comments.

use super::scanner::Scanner;
use super::{DEEPEST, Fault, Item, Value, too_deep};

/// The one item of a file.
pub(super) fn parse(text: &str) -> Result<Item, Fault> {
    let mut scanner = Scanner::new(text);
    scanner.skip(None)?;
    if scanner.peek() == Some('<') {
        return Err(Fault::at(scanner.line, "this is XML; write it as a text property list, JSON or YAML"));
    }
    let item = item(&mut scanner, 0)?;
    scanner.skip(None)?;
    match scanner.peek() {
        None => Ok(item),
        Some(_) => Err(expected(&scanner, "the end of the file")),
    }
}

fn expected(scanner: &Scanner<'_>, wanted: &str) -> Fault {
    Fault::at(scanner.line, format!("expected {wanted}, got {}", scanner.shown()))
}

fn item(scanner: &mut Scanner<'_>, depth: usize) -> Result<Item, Fault> {
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
        Value::Text(word(scanner, "a name, ( or {")?)
    };
    Ok(Item { line, value })
}

fn map(scanner: &mut Scanner<'_>, depth: usize) -> Result<Value, Fault> {
    let mut entries = vec![];
    loop {
        scanner.skip(None)?;
        if scanner.take("}") {
            return Ok(Value::Map(entries));
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

fn list(scanner: &mut Scanner<'_>, depth: usize) -> Result<Value, Fault> {
    let mut items = vec![];
    loop {
        scanner.skip(None)?;
        if scanner.take(")") {
            return Ok(Value::List(items));
        }
        items.push(item(scanner, depth + 1)?);
        scanner.skip(None)?;
        if !scanner.take(",") && scanner.peek() != Some(')') {
            return Err(expected(scanner, ", or )"));
        }
    }
}

fn word(scanner: &mut Scanner<'_>, wanted: &str) -> Result<String, Fault> {
    if scanner.take("\"") {
        return scanner.quoted('"');
    }
    let word = scanner.take_while(|c| !c.is_whitespace() && !"{}()=;,\"".contains(c));
    if word.is_empty() { Err(expected(scanner, wanted)) } else { Ok(word.to_string()) }
}
