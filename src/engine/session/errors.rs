//! Errors of queries: kind, message, place and hint, from what DataFusion reports.
//!
//! In: a chain of DataFusion errors and the text of the statement. Out: one [`QueryError`], such as `no column
//! valeu` of the kind [`QueryErrorKind::UnknownColumn`], at line 2, columns 7 to 12, with the hint `did you mean
//! value?`. DataFusion tells many errors apart by their words only; this file is the one that reads them.

mod explanation;
#[cfg(test)]
mod tests;
mod wording;

use std::collections::BTreeSet;

use arrow::error::ArrowError;
use datafusion::catalog::information_schema::INFORMATION_SCHEMA;
use datafusion::common::{DataFusionError, SchemaError, Span};

use crate::catalog::{ALL_TRACES, UNDECIDED};
use crate::functions::registry;
use explanation::Explanation;
use ocellus_trace::error::{Error, QueryError, QueryErrorKind, TextPosition, TextSpan};
use wording::{cleaned, reworded};

/// Traces that a message names; of more it says how many there are.
const MOST_LISTED_TRACES: usize = 20;

/// The names that a query could have meant.
#[derive(Debug, Default)]
pub(super) struct KnownNames {
    /// Tables and views, with and without their schema.
    pub(super) tables: Vec<String>,
    /// Traces of the store.
    pub(super) traces: Vec<String>,
    /// Functions in FROM.
    pub(super) table_functions: Vec<String>,
    /// All other functions.
    pub(super) functions: Vec<String>,
}

impl KnownNames {
    /// How a table function of that name is called; `None` when there is none.
    fn call_of(&self, name: &str) -> Option<String> {
        let name = self.table_functions.iter().find(|known| known.eq_ignore_ascii_case(name))?;
        let definition = registry::TABLE_FUNCTIONS.iter().map(|function| &function.definition);
        let definition = definition.into_iter().find(|definition| definition.name == name.as_str());
        Some(definition.map_or_else(|| format!("{name}(…)"), |definition| definition.shortest_call()))
    }

    /// The table or view of that name, without its schema.
    fn table_of(&self, name: &str) -> Option<&str> {
        let names = self.tables.iter().filter_map(|known| known.rsplit('.').next());
        names.into_iter().find(|known| known.eq_ignore_ascii_case(name))
    }
}

/// Explains an error about a text.
pub(super) fn explain(error: &DataFusionError, text: &str, names: &KnownNames) -> QueryError {
    if let Some(error) = error_of_store(error) {
        return QueryError::new(QueryErrorKind::DamagedStore, error.to_string());
    }
    let Explanation { mut message, hint } = describe(error, names);
    let kind = kind_of(error.find_root());
    let place = reported_span(error).or_else(|| span_in(&message)).or_else(|| end_of(text, &message));
    if place.is_some() {
        message = strip_place(&message);
    }
    QueryError { kind, message, span: place.filter(|span| lies_in(span, text)), hint }
}

/// What was wrong with the store, if that is why the query failed.
fn error_of_store(error: &DataFusionError) -> Option<&Error> {
    let mut error: &(dyn std::error::Error + 'static) = error;
    loop {
        if let Some(found) = error.downcast_ref::<Error>() {
            return matches!(found, Error::Store(_) | Error::Io { .. }).then_some(found);
        }
        if let Some(DataFusionError::Collection(errors)) = error.downcast_ref() {
            return errors.iter().find_map(error_of_store);
        }
        error = error.source()?;
    }
}

fn kind_of(error: &DataFusionError) -> QueryErrorKind {
    match error {
        DataFusionError::SQL(..) => QueryErrorKind::Syntax,
        DataFusionError::SchemaError(error, _) => match error.as_ref() {
            SchemaError::FieldNotFound { .. } => QueryErrorKind::UnknownColumn,
            SchemaError::AmbiguousReference { .. } => QueryErrorKind::AmbiguousColumn,
            _ => QueryErrorKind::Invalid,
        },
        DataFusionError::NotImplemented(_) => QueryErrorKind::Unsupported,
        DataFusionError::ResourcesExhausted(_) => QueryErrorKind::OutOfMemory,
        DataFusionError::Internal(_) | DataFusionError::IoError(_) | DataFusionError::ObjectStore(_) => {
            QueryErrorKind::Internal
        }
        DataFusionError::ArrowError(error, _) => kind_of_arrow(error),
        DataFusionError::Collection(errors) => {
            errors.first().map_or(QueryErrorKind::Invalid, |error| kind_of(error.find_root()))
        }
        DataFusionError::Plan(text) => kind_of_planning(text),
        _ => QueryErrorKind::Invalid,
    }
}

fn kind_of_arrow(error: &ArrowError) -> QueryErrorKind {
    match error {
        ArrowError::DivideByZero => QueryErrorKind::DivisionByZero,
        ArrowError::CastError(_) | ArrowError::ParseError(_) => QueryErrorKind::InvalidValue,
        ArrowError::ArithmeticOverflow(_) => QueryErrorKind::OutOfRange,
        ArrowError::MemoryError(_) => QueryErrorKind::OutOfMemory,
        ArrowError::NotYetImplemented(_) => QueryErrorKind::Unsupported,
        _ => QueryErrorKind::Invalid,
    }
}

/// The kind of an error of planning, which DataFusion says in words only.
fn kind_of_planning(text: &str) -> QueryErrorKind {
    let refused = ["DDL not supported", "DML not supported", "Statement not supported"];
    let contains_all = |words: &[&str]| words.iter().all(|word| text.contains(word));
    if refused.iter().any(|start| text.starts_with(start)) {
        QueryErrorKind::ReadOnly
    } else if contains_all(&["able function '", "' not found"])
        || text.contains("Invalid function '")
        || text.contains("No function matches")
    {
        QueryErrorKind::UnknownFunction
    } else if contains_all(&["table '", "' not found"]) {
        QueryErrorKind::UnknownTable
    } else if text.contains("type_coercion") || text.contains("Cannot coerce") || text.contains("common argument type")
    {
        QueryErrorKind::TypeMismatch
    } else {
        QueryErrorKind::Invalid
    }
}

/// The useful part of a chain of errors.
fn describe(error: &DataFusionError, names: &KnownNames) -> Explanation {
    match core(error) {
        DataFusionError::SchemaError(schema_error, _) => describe_schema_error(schema_error),
        DataFusionError::SQL(parser_error, _) => {
            let text = parser_error.to_string();
            let text = text.strip_prefix("sql parser error: ").unwrap_or(&text);
            Explanation::plain(format!("syntax error: {}", lower_first(text)))
        }
        DataFusionError::ResourcesExhausted(text) => Explanation::with_hint(
            format!("out of memory: {}", first_line(text)),
            "raise the limit, or ask for less at a time",
        ),
        DataFusionError::NotImplemented(text) => {
            let plain = || Explanation::plain(format!("not supported: {}", lower_first(&cleaned(text))));
            reworded(text).unwrap_or_else(plain)
        }
        DataFusionError::Internal(text) => reworded(text).unwrap_or_else(|| {
            Explanation::plain(format!("internal error of the engine: {}", cleaned(first_line(text))))
        }),
        other => describe_message(&other.message(), names),
    }
}

fn describe_schema_error(error: &SchemaError) -> Explanation {
    match error {
        SchemaError::FieldNotFound { field, valid_fields } => {
            if let Some(explanation) = reworded(&field.name) {
                return explanation;
            }
            let message = format!("no column {}", field.flat_name());
            let mut known: Vec<&str> = valid_fields.iter().map(|field| field.name.as_str()).collect();
            let suggested = Explanation::suggesting(message, &field.name, known.iter().copied());
            if suggested.hint.is_some() || known.is_empty() {
                return suggested;
            }
            let mut seen = BTreeSet::new();
            known.retain(|name| seen.insert(*name));
            Explanation::with_hint(suggested.message, format!("there are: {}", known.join(", ")))
        }
        SchemaError::AmbiguousReference { field } => Explanation::with_hint(
            format!("the column {} is ambiguous", field.name),
            "write it with its table, or give one of two another name with AS",
        ),
        other => {
            let text = other.to_string();
            reworded(&text).unwrap_or_else(|| Explanation::plain(lower_first(&cleaned(&text))))
        }
    }
}

/// Messages of DataFusion that can be put better.
fn describe_message(message: &str, names: &KnownNames) -> Explanation {
    let message = message.trim_start_matches("Error during planning: ");
    let quoted = |start: &str, end: &str| {
        let (_, rest) = message.split_once(start)?;
        rest.split_once(end).map(|(name, _)| name.to_string())
    };
    if message.starts_with("Projections require unique expression names") {
        let name = quoted("the expression \"", "\"").unwrap_or_default();
        let name = name.rsplit(" AS ").next().and_then(|name| name.rsplit('.').next()).unwrap_or_default();
        return Explanation::with_hint(format!("two columns have the name {name}"), "give one another name with AS");
    }
    if let Some(table) = quoted("table '", "' not found") {
        return unknown_table(&table, names);
    }
    if let Some(function) = quoted("Invalid function '", "'") {
        if let Some(call) = names.call_of(&function) {
            return Explanation::with_hint(format!("{function} is a table function"), format!("write FROM {call}"));
        }
        let known = names.functions.iter().chain(&names.table_functions).map(String::as_str);
        return Explanation::suggesting(format!("no function {function}"), &function, known);
    }
    let table_function =
        quoted("table function '", "' not found").or_else(|| quoted("Table function '", "' not found"));
    if let Some(function) = table_function {
        return unknown_table_function(&function, names);
    }
    if let Some(call) = quoted("No function matches the given name and argument types '", "'") {
        let accepted = message.split_once("Candidate functions:").map_or("", |(_, candidates)| candidates);
        let accepted: Vec<&str> = accepted.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        let hint = format!("there are: {}", accepted.join(", "));
        return Explanation::with_hint(cleaned(&format!("no function {call}")), cleaned(&hint));
    }
    if let Some((_, qualifier)) = message.split_once("nvalid qualifier ") {
        let hint = "name a relation as FROM does: by its alias, if it has one";
        return Explanation::with_hint(format!("FROM has no relation {qualifier}"), hint);
    }
    if let Some((_, given)) = message.split_once("non-boolean predicate ") {
        let (condition, kind) = given.rsplit_once(" returning ").unwrap_or((given, "another type"));
        let message = format!("a condition must be true or false, {} is a {}", cleaned(condition), cleaned(kind));
        return Explanation::with_hint(message, "compare it with something");
    }
    reworded(message).unwrap_or_else(|| Explanation::split(lower_first(&cleaned(message))))
}

/// A name that is called in FROM: of a table or view, of a function of values, or of nothing.
fn unknown_table_function(function: &str, names: &KnownNames) -> Explanation {
    if let Some(table) = names.table_of(function) {
        let kind = if is_view(table) { "view" } else { "table" };
        let hint = format!("write FROM {table}, without parentheses");
        return Explanation::with_hint(format!("{table} is a {kind}, not a function"), hint);
    }
    if names.functions.iter().any(|known| known.eq_ignore_ascii_case(function)) {
        let message = format!("{function} is a function of values, not a table function");
        return Explanation::with_hint(message, format!("write SELECT {function}(…)"));
    }
    let tables = names.tables.iter().filter_map(|known| known.rsplit('.').next()).filter(|name| is_view(name));
    let known = names.table_functions.iter().map(String::as_str).chain(tables);
    Explanation::suggesting(format!("no table function {function}"), function, known)
}

fn is_view(name: &str) -> bool {
    registry::VIEWS.iter().any(|view| view.definition.name == name)
}

/// DataFusion names the table in full; the user wrote its end.
fn unknown_table(table: &str, names: &KnownNames) -> Explanation {
    let known = names.tables.as_slice();
    let short = table.strip_prefix("ocellus.").unwrap_or(table);
    let (schema, name) = short.split_once('.').unwrap_or(("", short));
    if let Some(call) = names.call_of(name) {
        return Explanation::with_hint(
            format!("{name} is a table function, not a table"),
            format!("write FROM {call}"),
        );
    }
    let message = format!("no table {name}");
    let prefix = format!("{schema}.");
    let is_qualified = known.iter().any(|known| known.starts_with(&prefix));
    // Names without a schema end in one that is always there.
    let is_schema = ["", ALL_TRACES, UNDECIDED, INFORMATION_SCHEMA].contains(&schema) || name.contains('.');
    match is_qualified {
        false if !is_schema => unknown_trace(schema, &names.traces),
        true => Explanation::suggesting(message, name, known.iter().filter_map(|known| known.strip_prefix(&prefix))),
        false => Explanation::suggesting(message, name, known.iter().map(String::as_str)),
    }
}

fn unknown_trace(schema: &str, traces: &[String]) -> Explanation {
    if traces.is_empty() {
        return Explanation::plain(format!("no trace {schema}: the store is empty"));
    }
    let mut listed: Vec<&str> = traces.iter().map(String::as_str).take(MOST_LISTED_TRACES).collect();
    let more = format!("{} more", traces.len() - listed.len());
    if traces.len() > listed.len() {
        listed.push(&more);
    }
    let message = format!("no trace {schema} in the store; it has: {}", listed.join(", "));
    Explanation::suggesting(message, schema, traces.iter().map(String::as_str))
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

/// Where DataFusion says that the error is.
fn reported_span(error: &DataFusionError) -> Option<TextSpan> {
    let diagnostic = match error {
        DataFusionError::Collection(errors) => errors.iter().find_map(DataFusionError::diagnostic),
        error => error.diagnostic(),
    };
    diagnostic.and_then(|diagnostic| diagnostic.span).map(text_span)
}

fn text_span(span: Span) -> TextSpan {
    let Span { start, end } = span;
    TextSpan {
        start: TextPosition { line: start.line, column: start.column },
        end: TextPosition { line: end.line, column: end.column },
    }
}

/// Reads what the parser writes into its message: `… at Line: 1, Column: 8`.
fn span_in(message: &str) -> Option<TextSpan> {
    let (_, rest) = message.rsplit_once("at Line: ")?;
    let (line, rest) = rest.split_once(", Column: ")?;
    let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
    let position = TextPosition { line: line.parse().ok()?, column: digits.parse().ok()? };
    Some(TextSpan { start: position, end: position })
}

/// The end of the text, when the parser expected more.
fn end_of(text: &str, message: &str) -> Option<TextSpan> {
    if !message.ends_with("found: EOF") {
        return None;
    }
    let text = text.trim_end();
    let line = text.lines().count().max(1) as u64;
    let column = text.lines().last().unwrap_or_default().chars().count() as u64 + 1;
    let end = TextPosition { line, column };
    Some(TextSpan { start: end, end })
}

/// Whether a span begins in a text. Parts that DataFusion made itself have spans at line 0.
fn lies_in(span: &TextSpan, text: &str) -> bool {
    let lines = text.lines().count() as u64;
    (1..=lines).contains(&span.start.line) && span.start.column > 0
}

fn strip_place(message: &str) -> String {
    let end = message.rfind(" at Line: ").unwrap_or(message.len());
    message[..end].to_string()
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
