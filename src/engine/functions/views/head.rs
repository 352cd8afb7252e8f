//! The head of a view's file: the comment that defines the view.
//!
//! In: the text of a file of `sql/views`. Out: description, notes, columns and examples. The head is the
//! block of `--` lines on top of the file; comments after its end belong to the query.
//!
//! ```text
//! head        = description, { paragraph }, columns, example, { example }
//! description = "-- " sentence
//! paragraph   = "--", "-- " line, { "-- " line }
//! columns     = "--", "-- Columns:", column, { column }
//! column      = "--   " name, spaces, TYPE, two spaces or more, text, { continuation }
//! example     = "--", "-- Example:", "--   " line, { "--   " line }
//! ```
//!
//! The lines of a paragraph, of a column's text and of an example are joined with a space. A continuation
//! of a column's text is indented deeper than the columns are.

#[cfg(test)]
mod tests;

use std::fmt;
use std::iter::Peekable;

/// The definition that a head holds.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Head {
    /// One sentence.
    pub(super) description: String,
    /// The paragraphs below it, separated by empty lines.
    pub(super) notes: String,
    /// The columns of the view, in their order.
    pub(super) columns: Vec<HeadColumn>,
    /// Statements that run as they stand.
    pub(super) examples: Vec<String>,
}

/// A column that a head documents.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct HeadColumn {
    pub(super) name: String,
    /// The SQL name of its type.
    pub(super) kind: String,
    pub(super) doc: String,
}

/// A head that is not well-formed.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct HeadError {
    file: String,
    /// Counted from 1.
    line: usize,
    message: String,
}

impl fmt::Display for HeadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.file, self.line, self.message)
    }
}

impl std::error::Error for HeadError {}

/// A line of a head: its number, and its text after the dashes and one space.
type HeadLine<'a> = (usize, &'a str);

/// Why a block is wrong, and at which line.
type BlockError = (usize, String);

/// Reads the head of a file.
pub(super) fn parse(file: &str, text: &str) -> Result<Head, HeadError> {
    read(text).map_err(|(line, message)| HeadError { file: file.to_string(), line, message })
}

fn read(text: &str) -> Result<Head, BlockError> {
    let lines = lines(text)?;
    let end = lines.len() + 1;
    let mut blocks = lines.split(|(_, line)| line.is_empty());
    let description = match blocks.next() {
        Some([(_, line)]) if line.ends_with('.') && !line.starts_with(' ') => line.to_string(),
        Some([_, (number, _), ..]) => {
            return Err((*number, "the description is one line; `--` follows it".to_string()));
        }
        _ => return Err((1, "the first line is the description: a sentence that ends with a full stop".to_string())),
    };
    let mut paragraphs: Vec<String> = vec![];
    let mut columns = vec![];
    let mut examples = vec![];
    for block in blocks {
        match block {
            [] => return Err((end, "an empty block: two lines `--` in a row, or one at the end".to_string())),
            [(number, "Columns:"), rows @ ..] => {
                if !columns.is_empty() {
                    return Err((*number, "a second list of columns".to_string()));
                }
                columns = read_columns(*number, rows)?;
            }
            [(number, "Example:"), rows @ ..] => {
                if columns.is_empty() {
                    return Err((*number, "an example comes after the columns".to_string()));
                }
                examples.push(read_example(*number, rows)?);
            }
            [(number, _), ..] if !columns.is_empty() => {
                return Err((*number, "a paragraph comes before the columns".to_string()));
            }
            rows => paragraphs.push(read_paragraph(rows)?),
        }
    }
    if columns.is_empty() {
        return Err((end, "the head ends without `Columns:`".to_string()));
    }
    if examples.is_empty() {
        return Err((end, "the head ends without `Example:`".to_string()));
    }
    Ok(Head { description, notes: paragraphs.join("\n\n"), columns, examples })
}

/// The lines of the head, without their dashes.
fn lines(text: &str) -> Result<Vec<HeadLine<'_>>, BlockError> {
    let comments = text.lines().map_while(|line| line.strip_prefix("--"));
    let mut lines = vec![];
    for (index, line) in comments.enumerate() {
        let number = index + 1;
        match line.strip_prefix(' ') {
            Some(line) => lines.push((number, line)),
            None if line.is_empty() => lines.push((number, "")),
            None => return Err((number, "a space follows the dashes".to_string())),
        }
    }
    Ok(lines)
}

fn read_paragraph(rows: &[HeadLine<'_>]) -> Result<String, BlockError> {
    match rows.iter().find(|(_, line)| line.starts_with(' ')) {
        Some((number, _)) => Err((*number, "a paragraph is not indented".to_string())),
        None => Ok(join(rows.iter().map(|(_, line)| *line))),
    }
}

fn read_example(heading: usize, rows: &[HeadLine<'_>]) -> Result<String, BlockError> {
    if let Some((number, _)) = rows.iter().find(|(_, line)| !line.starts_with(INDENT)) {
        return Err((*number, "the statement of an example is indented by two spaces".to_string()));
    }
    match rows {
        [] => Err((heading, "`Example:` without a statement".to_string())),
        rows => Ok(join(rows.iter().map(|(_, line)| line.trim()))),
    }
}

/// What columns and examples are indented by.
const INDENT: &str = "  ";

fn read_columns(heading: usize, rows: &[HeadLine<'_>]) -> Result<Vec<HeadColumn>, BlockError> {
    let mut columns = vec![];
    let mut rows = rows.iter().peekable();
    while let Some(&(number, line)) = rows.next() {
        let mut column = read_column(line).ok_or_else(|| (number, format!("no column `  name TYPE  text`: {line}")))?;
        for continuation in continuations(&mut rows) {
            column.doc.push(' ');
            column.doc.push_str(continuation);
        }
        columns.push(column);
    }
    match columns.is_empty() {
        true => Err((heading, "`Columns:` without a column".to_string())),
        false => Ok(columns),
    }
}

/// Reads `  name TYPE  text`.
fn read_column(line: &str) -> Option<HeadColumn> {
    let line = line.strip_prefix(INDENT)?;
    let (name, rest) = line.split_once(' ')?;
    let (kind, doc) = rest.trim_start().split_once("  ")?;
    let is_name = name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
    let is_type = !kind.is_empty() && kind.chars().all(|c| c.is_ascii_uppercase() || " ()[],".contains(c));
    let doc = doc.trim();
    if !is_name || !is_type || doc.is_empty() {
        return None;
    }
    Some(HeadColumn { name: name.to_string(), kind: kind.to_string(), doc: doc.to_string() })
}

/// The lines that go on with a column's text.
fn continuations<'a, 'b: 'a>(rows: &mut Peekable<impl Iterator<Item = &'a HeadLine<'b>>>) -> Vec<&'b str> {
    let mut lines = vec![];
    while let Some((_, line)) = rows.next_if(|(_, line)| line.starts_with("   ")) {
        lines.push(line.trim());
    }
    lines
}

fn join<'a>(lines: impl Iterator<Item = &'a str>) -> String {
    lines.collect::<Vec<_>>().join(" ")
}
