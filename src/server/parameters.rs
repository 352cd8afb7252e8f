//! Values for the `?` and `$1` of a text: each becomes a literal where its mark stands.
//!
//! A literal can stand wherever SQL takes a constant, such as the arguments of table functions, where
//! a mark whose type must be guessed could not. Values are quoted by their type; what looks like a mark
//! within quotes or a comment stays.
//!
//! ```text
//! SELECT * FROM state_slices(slices => ?) WHERE value = ?     with 30, 'it''s'
//! SELECT * FROM state_slices(slices => 30) WHERE value = 'it''s'
//! ```

#[cfg(test)]
mod tests;

use std::any::TypeId;
use std::fmt::Write;

use arrow::array::Array;
use arrow::datatypes::DataType;
use arrow::util::display::{ArrayFormatter, FormatOptions};
use datafusion::common::ScalarValue;
use sqlparser::dialect::{Dialect, GenericDialect};
use sqlparser::tokenizer::{Token, Tokenizer};

use super::failure::{Failure, Kind};
use super::position::Position;

/// The text with its marks replaced. Every value must have a mark, and every mark a value.
pub(super) fn bind(text: &str, values: &[ScalarValue]) -> Result<String, Failure> {
    let marks = match marks(text) {
        Ok(marks) => marks,
        // The engine tells better what is wrong with the text.
        Err(_) if values.is_empty() => return Ok(text.to_string()),
        Err(failure) => return Err(failure),
    };
    let needed = marks.iter().map(|mark| mark.parameter).max().unwrap_or(0);
    if needed != values.len() {
        let (given, marks) = (values.len(), needed);
        return Err(wrong(format!("the statement has {marks} parameters, and {given} values were given")));
    }
    let literals = values.iter().map(literal).collect::<Result<Vec<String>, Failure>>()?;
    let mut bound = String::with_capacity(text.len());
    let mut copied = 0;
    for mark in marks {
        bound.push_str(&text[copied..mark.start]);
        bound.push_str(&literals[mark.parameter - 1]);
        copied = mark.end;
    }
    bound.push_str(&text[copied..]);
    Ok(bound)
}

/// How many parameters a text has.
pub(super) fn count(text: &str) -> Result<usize, Failure> {
    Ok(marks(text)?.iter().map(|mark| mark.parameter).max().unwrap_or(0))
}

/// The text with its marks numbered, as DataFusion wants them.
pub(super) fn numbered(text: &str) -> Result<String, Failure> {
    let mut numbered = String::with_capacity(text.len());
    let mut copied = 0;
    for mark in marks(text)? {
        // Writing to a string does not fail.
        let _ = write!(numbered, "{}${}", &text[copied..mark.start], mark.parameter);
        copied = mark.end;
    }
    numbered.push_str(&text[copied..]);
    Ok(numbered)
}

/// A place for a value; parameters count from 1.
struct Mark {
    start: usize,
    end: usize,
    parameter: usize,
}

fn marks(text: &str) -> Result<Vec<Mark>, Failure> {
    let tokens = Tokenizer::new(&Marked, text).tokenize_with_location();
    let tokens = tokens.map_err(|error| Failure::new(Kind::Syntax, error.to_string()))?;
    let mut marks: Vec<Mark> = vec![];
    let mut position = Position::new(text);
    for token in tokens {
        let Token::Placeholder(name) = &token.token else { continue };
        let start = position.advance(token.span.start);
        let end = position.advance(token.span.end);
        let parameter = match name.as_str() {
            "?" => marks.len() + 1,
            name => number_of(name)?,
        };
        marks.push(Mark { start, end, parameter });
    }
    let is_plain = |mark: &Mark| &text[mark.start..mark.end] == "?";
    if marks.iter().any(is_plain) && !marks.iter().all(is_plain) {
        return Err(wrong("parameters are all ? or all numbered, such as $1".to_string()));
    }
    Ok(marks)
}

fn number_of(name: &str) -> Result<usize, Failure> {
    let number = name[1..].parse().ok().filter(|number| (1..=u16::MAX.into()).contains(number));
    number.ok_or_else(|| wrong(format!("the parameter {name} has no number: write ? or $1")))
}

/// The dialect of the engine, where `?` is a mark and no operator.
#[derive(Debug)]
struct Marked;

impl Dialect for Marked {
    fn dialect(&self) -> TypeId {
        TypeId::of::<GenericDialect>()
    }

    fn is_identifier_start(&self, character: char) -> bool {
        GenericDialect.is_identifier_start(character)
    }

    fn is_identifier_part(&self, character: char) -> bool {
        GenericDialect.is_identifier_part(character)
    }

    fn is_delimited_identifier_start(&self, character: char) -> bool {
        GenericDialect.is_delimited_identifier_start(character)
    }

    fn supports_string_escape_constant(&self) -> bool {
        GenericDialect.supports_string_escape_constant()
    }

    fn supports_unicode_string_literal(&self) -> bool {
        GenericDialect.supports_unicode_string_literal()
    }

    fn supports_quote_delimited_string(&self) -> bool {
        GenericDialect.supports_quote_delimited_string()
    }

    fn supports_nested_comments(&self) -> bool {
        GenericDialect.supports_nested_comments()
    }

    fn supports_multiline_comment_hints(&self) -> bool {
        GenericDialect.supports_multiline_comment_hints()
    }
}

fn wrong(message: String) -> Failure {
    Failure::new(Kind::InvalidValue, message)
}

/// A value as SQL writes it. Text is quoted; what SQL has no literal for is cast from its number or text.
fn literal(value: &ScalarValue) -> Result<String, Failure> {
    if value.is_null() {
        return Ok("NULL".to_string());
    }
    if let Some(text) = value.try_as_str().flatten() {
        return Ok(quoted(text));
    }
    let kind = value.data_type();
    match value {
        ScalarValue::Boolean(Some(value)) => Ok(value.to_string()),
        ScalarValue::Binary(Some(bytes))
        | ScalarValue::LargeBinary(Some(bytes))
        | ScalarValue::BinaryView(Some(bytes))
        | ScalarValue::FixedSizeBinary(_, Some(bytes)) => Ok(hexadecimal(bytes)),
        _ if kind.is_integer() => integer(value),
        _ if kind.is_floating() => Ok(format!("CAST('{value}' AS DOUBLE)")),
        ScalarValue::Dictionary(_, value) => literal(value),
        ScalarValue::DurationSecond(Some(count))
        | ScalarValue::DurationMillisecond(Some(count))
        | ScalarValue::DurationMicrosecond(Some(count))
        | ScalarValue::DurationNanosecond(Some(count)) => {
            Ok(format!("arrow_cast(CAST('{count}' AS BIGINT), {})", quoted(&kind.to_string())))
        }
        _ if is_cast_from_text(&kind) => {
            Ok(format!("arrow_cast({}, {})", quoted(&text_of(value)?), quoted(&kind.to_string())))
        }
        _ => Err(wrong(format!("a parameter cannot be a value of the type {kind}: write it as text and cast it"))),
    }
}

/// Times and decimals.
fn is_cast_from_text(kind: &DataType) -> bool {
    kind.is_temporal() || kind.is_decimal()
}

fn integer(value: &ScalarValue) -> Result<String, Failure> {
    let text = value.to_string();
    Ok(match text.strip_prefix('-') {
        // The least BIGINT has no positive twin to negate.
        Some(_) => format!("CAST('{text}' AS BIGINT)"),
        None => text,
    })
}

fn text_of(value: &ScalarValue) -> Result<String, Failure> {
    let broken = |error: String| Failure::new(Kind::Internal, error);
    let array = value.to_array().map_err(|error| broken(error.to_string()))?;
    let formatter = ArrayFormatter::try_new(array.as_ref(), &FormatOptions::new());
    Ok(formatter.map_err(|error| broken(error.to_string()))?.value(0).to_string())
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

fn hexadecimal(bytes: &[u8]) -> String {
    let digits: String = bytes.iter().map(|byte| format!("{byte:02X}")).collect();
    format!("X'{digits}'")
}

/// The values of one row.
pub(super) fn row(columns: &[arrow::array::ArrayRef], row: usize) -> Result<Vec<ScalarValue>, Failure> {
    let value = |column: &arrow::array::ArrayRef| match column.is_null(row) {
        true => Ok(ScalarValue::Null),
        false => ScalarValue::try_from_array(column, row),
    };
    let values: Result<Vec<ScalarValue>, _> = columns.iter().map(value).collect();
    values.map_err(|error| wrong(error.to_string()))
}
