//! Errors of queries, told to a user: what is wrong, where, and what may have been meant.
//!
//! In: a chain of DataFusion errors and the text of the statement. Out: one message, such as
//!
//! ```text
//! no column valeu; did you mean value?
//!   |
//! 2 | WHERE valeu = 'idle'
//!   |       ^^^^^
//! ```

#[cfg(test)]
mod tests;

use datafusion::common::{DataFusionError, Location, SchemaError, Span};

use crate::catalog::did_you_mean;
use ocellus_trace::error::Error;

/// The names that a query could have meant.
#[derive(Debug, Default)]
pub(super) struct KnownNames {
    /// Tables and views, with and without their schema.
    pub(super) tables: Vec<String>,
    /// Functions in FROM.
    pub(super) table_functions: Vec<String>,
    /// All other functions.
    pub(super) functions: Vec<String>,
}

/// Renders an error about a text.
pub(super) fn render(error: &DataFusionError, text: &str, names: &KnownNames) -> Error {
    let mut message = describe(error, names);
    if let Some(span) = place(error, &message).or_else(|| end_of(text, &message)) {
        message = strip_place(&message);
        if let Some(excerpt) = excerpt(text, span) {
            message.push('\n');
            message.push_str(&excerpt);
        }
    }
    Error::query(message)
}

/// The useful part of a chain of errors.
fn describe(error: &DataFusionError, names: &KnownNames) -> String {
    let error = core(error);
    match error {
        DataFusionError::SchemaError(schema_error, _) => match schema_error.as_ref() {
            SchemaError::FieldNotFound { field, valid_fields } => {
                let known = valid_fields.iter().map(|field| field.name.as_str());
                let suggestion = did_you_mean(&field.name, known.clone());
                match (suggestion.is_empty(), valid_fields.is_empty()) {
                    (true, false) => {
                        let mut known: Vec<&str> = known.collect();
                        known.dedup();
                        format!("no column {}; there are: {}", field.flat_name(), known.join(", "))
                    }
                    _ => format!("no column {}{suggestion}", field.flat_name()),
                }
            }
            SchemaError::AmbiguousReference { field } => {
                format!("the column {} is ambiguous: write it with its table", field.name)
            }
            other => lower_first(&other.to_string()),
        },
        DataFusionError::SQL(parser_error, _) => {
            let text = parser_error.to_string();
            let text = text.strip_prefix("sql parser error: ").unwrap_or(&text);
            format!("syntax error: {}", lower_first(text))
        }
        DataFusionError::ResourcesExhausted(text) => {
            format!("out of memory: {}; raise the limit, or ask for less at a time", first_line(text))
        }
        DataFusionError::NotImplemented(text) => format!("not supported: {}", lower_first(text)),
        DataFusionError::Internal(text) => format!("internal error of the engine: {text}"),
        other => known_message(&other.message(), names),
    }
}

/// Messages of DataFusion that can be told better.
fn known_message(message: &str, names: &KnownNames) -> String {
    let message = message.trim_start_matches("Error during planning: ");
    let quoted = |start: &str, end: &str| {
        let (_, rest) = message.split_once(start)?;
        rest.split_once(end).map(|(name, _)| name.to_string())
    };
    fn names_of(names: &[String]) -> impl Iterator<Item = &str> {
        names.iter().map(String::as_str)
    }
    if let Some(table) = quoted("table '", "' not found") {
        // DataFusion names the table in full; the user wrote its end.
        let short = table.strip_prefix("ocellus.").unwrap_or(&table);
        let (schema, name) = short.split_once('.').unwrap_or(("", short));
        let is_qualified = names.tables.iter().any(|known| known.starts_with(&format!("{schema}.")));
        let suggestion = match is_qualified {
            true => did_you_mean(
                name,
                names_of(&names.tables).filter_map(|known| known.strip_prefix(&format!("{schema}."))),
            ),
            false => did_you_mean(name, names_of(&names.tables)),
        };
        return format!("no table {name}{suggestion}");
    }
    if let Some(function) = quoted("Invalid function '", "'") {
        let is_table_function = names.table_functions.iter().any(|known| known.eq_ignore_ascii_case(&function));
        if is_table_function {
            return format!("{function} gives a table: write FROM {function}(…)");
        }
        let known = names_of(&names.functions).chain(names_of(&names.table_functions));
        return format!("no function {function}{}", did_you_mean(&function, known));
    }
    let table_function =
        quoted("table function '", "' not found").or_else(|| quoted("Table function '", "' not found"));
    if let Some(function) = table_function {
        return format!("no function {function} for FROM{}", did_you_mean(&function, names_of(&names.table_functions)));
    }
    if let Some(call) = quoted("No function matches the given name and argument types '", "'") {
        let accepted = message.split_once("Candidate functions:").map_or("", |(_, candidates)| candidates);
        let accepted: Vec<&str> = accepted.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        return sql_types(&format!("no function {call}; there are: {}", accepted.join(", ")));
    }
    lower_first(message)
}

/// Arrow's names of types, in a message, as SQL calls them.
fn sql_types(message: &str) -> String {
    let names = [
        ("Utf8View", "TEXT"),
        ("LargeUtf8", "TEXT"),
        ("Utf8", "TEXT"),
        ("UInt64", "BIGINT UNSIGNED"),
        ("Int64", "BIGINT"),
        ("Int32", "INTEGER"),
        ("Float64", "DOUBLE"),
        ("Boolean", "BOOLEAN"),
    ];
    names.iter().fold(message.to_string(), |message, (arrow, sql)| message.replace(arrow, sql))
}

/// The first error of a chain that says something of its own.
fn core(error: &DataFusionError) -> &DataFusionError {
    match error {
        DataFusionError::Diagnostic(_, inner) | DataFusionError::Context(_, inner) => core(inner),
        DataFusionError::Shared(inner) => core(inner),
        DataFusionError::Collection(errors) => errors.first().map_or(error, core),
        DataFusionError::External(inner) => match inner.downcast_ref::<DataFusionError>() {
            Some(inner) => core(inner),
            None => error,
        },
        DataFusionError::ArrowError(inner, _) => match inner.as_ref() {
            arrow::error::ArrowError::ExternalError(inner) => match inner.downcast_ref::<DataFusionError>() {
                Some(inner) => core(inner),
                None => error,
            },
            _ => error,
        },
        _ => error,
    }
}

/// Where the error is: what DataFusion says, or what the parser wrote into its message.
fn place(error: &DataFusionError, message: &str) -> Option<Span> {
    let diagnostic = match error {
        DataFusionError::Collection(errors) => errors.iter().find_map(DataFusionError::diagnostic),
        error => error.diagnostic(),
    };
    diagnostic.and_then(|diagnostic| diagnostic.span).or_else(|| place_in(message))
}

/// Reads `… at Line: 1, Column: 8`.
fn place_in(message: &str) -> Option<Span> {
    let (_, rest) = message.rsplit_once("at Line: ")?;
    let (line, rest) = rest.split_once(", Column: ")?;
    let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
    let start = Location { line: line.parse().ok()?, column: digits.parse().ok()? };
    Some(Span::new(start, start))
}

/// The end of the text, when that is what the parser stumbled over.
fn end_of(text: &str, message: &str) -> Option<Span> {
    if !message.ends_with("found: EOF") {
        return None;
    }
    let text = text.trim_end();
    let line = text.lines().count().max(1) as u64;
    let column = text.lines().last().unwrap_or_default().chars().count() as u64 + 1;
    let end = Location { line, column };
    Some(Span::new(end, end))
}

fn strip_place(message: &str) -> String {
    let end = message.rfind(" at Line: ").unwrap_or(message.len());
    message[..end].to_string()
}

/// The line of a place, with carets below it.
fn excerpt(text: &str, span: Span) -> Option<String> {
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

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or(text)
}

/// Our messages start in lower case; words in capitals, such as keywords, stay.
fn lower_first(text: &str) -> String {
    let text = text.trim_end_matches('.');
    let mut characters = text.chars();
    match (characters.next(), characters.next()) {
        (Some(first), Some(second)) if first.is_uppercase() && second.is_lowercase() => {
            first.to_lowercase().collect::<String>() + &text[first.len_utf8()..]
        }
        _ => text.to_string(),
    }
}
