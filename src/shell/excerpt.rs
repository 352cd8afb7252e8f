//! Excerpts of statements: the line that an error is about, with carets below its place.
//!
//! ```text
//! no column valeu; did you mean value?
//!   |
//! 2 | WHERE valeu = 'idle'
//!   |       ^^^^^
//! ```

#[cfg(test)]
mod tests;

use ocellus_trace::error::{Error, QueryError, TextSpan};

/// Adds the excerpt of a statement's text to an error that has a place in it. Whoever prints the error later
/// needs the text no more, so that the place is gone.
pub fn with_excerpt(error: Error, text: &str) -> Error {
    let Error::Query(query) = error else { return error };
    let Some(excerpt) = query.span.and_then(|span| excerpt(text, span)) else { return Error::Query(query) };
    let message = format!("{query}\n{excerpt}");
    Error::Query(Box::new(QueryError::new(query.kind, message)))
}

/// The line of a place, with carets below it; `None` when the text has no such line.
fn excerpt(text: &str, span: TextSpan) -> Option<String> {
    let line_index = usize::try_from(span.start.line).ok()?.checked_sub(1)?;
    let line = text.lines().nth(line_index)?;
    let start = usize::try_from(span.start.column).ok()?.checked_sub(1)?;
    let length = line.chars().count();
    let start = start.min(length);
    let end = match span.end.line == span.start.line {
        true => usize::try_from(span.end.column).ok()?.saturating_sub(1),
        false => length,
    };
    let carets = end.clamp(start + 1, (start + 1).max(length)) - start;
    let number = span.start.line.to_string();
    let margin = " ".repeat(number.len());
    // Tabs stay tabs, so that the carets stand below what they mean.
    let indent: String = line.chars().take(start).map(|c| if c == '\t' { '\t' } else { ' ' }).collect();
    Some(format!("{margin} |\n{number} | {line}\n{margin} | {indent}{}", "^".repeat(carets)))
}
