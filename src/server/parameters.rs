//! Values for the `?` and `$1` of a text: each becomes a literal where its placeholder stands.
//!
//! A literal can stand wherever SQL takes a constant, such as the arguments of table functions, where
//! a placeholder whose type must be guessed could not. Values are quoted by their type; what looks like a placeholder
//! within quotes or a comment stays.
//!
//! ```text
//! SELECT * FROM state_slices(slices => ?) WHERE value = ?     with 30, 'it''s'
//! SELECT * FROM state_slices(slices => 30) WHERE value = 'it''s'
//! ```

#[cfg(test)]
mod tests;

use std::any::TypeId;

use arrow::array::{Array, ArrayRef};
use arrow::datatypes::DataType;
use arrow::util::display::{ArrayFormatter, FormatOptions};
use datafusion::common::ScalarValue;
use sqlparser::dialect::{Dialect, GenericDialect};
use sqlparser::tokenizer::{Token, Tokenizer};

use super::error::ServerError;
use super::position::Position;

/// A statement with places for values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Template {
    pub(super) text: String,
    pub(super) placeholders: Vec<Placeholder>,
}

/// A place for a value, from a byte of the text to another; parameters count from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Placeholder {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) parameter: usize,
}

impl Template {
    /// Finds the placeholders of a text: all are `?`, or all have numbers.
    pub(super) fn read(text: &str) -> Result<Template, ServerError> {
        let tokens = Tokenizer::new(&PlaceholderDialect, text).tokenize_with_location();
        let tokens = tokens.map_err(|error| ServerError::syntax(error.to_string()))?;
        let mut placeholders: Vec<Placeholder> = vec![];
        let mut position = Position::new(text);
        for token in tokens {
            let Token::Placeholder(name) = &token.token else { continue };
            let start = position.advance(token.span.start);
            let end = position.advance(token.span.end);
            let parameter = match name.as_str() {
                "?" => placeholders.len() + 1,
                name => number_of(name)?,
            };
            placeholders.push(Placeholder { start, end, parameter });
        }
        let is_plain = |placeholder: &Placeholder| &text[placeholder.start..placeholder.end] == "?";
        if placeholders.iter().any(is_plain) && !placeholders.iter().all(is_plain) {
            return Err(wrong("parameters are all ? or all numbered, such as $1".to_string()));
        }
        Ok(Template { text: text.to_string(), placeholders })
    }

    /// How many parameters it has: the highest number.
    pub(super) fn count(&self) -> usize {
        self.placeholders.iter().map(|placeholder| placeholder.parameter).max().unwrap_or(0)
    }

    /// The statement with every parameter replaced.
    pub(super) fn with(&self, value: impl Fn(usize) -> String) -> String {
        let mut text = String::with_capacity(self.text.len());
        let mut copied = 0;
        for placeholder in &self.placeholders {
            text.push_str(&self.text[copied..placeholder.start]);
            // Spaces, so that words do not grow together.
            text.push(' ');
            text.push_str(&value(placeholder.parameter));
            text.push(' ');
            copied = placeholder.end;
        }
        text.push_str(&self.text[copied..]);
        text
    }

    /// The statement with a value for each parameter.
    pub(super) fn bind(&self, values: &[ScalarValue]) -> Result<String, ServerError> {
        let (given, needed) = (values.len(), self.count());
        if given < needed {
            return Err(wrong(format!("the statement has {needed} parameters, and {given} values were given")));
        }
        let literals = values.iter().map(literal).collect::<Result<Vec<String>, ServerError>>()?;
        Ok(self.with(|parameter| literals[parameter - 1].clone()))
    }
}

/// The text with its placeholders replaced. Every value must have a placeholder, and every placeholder a value.
pub fn bind(text: &str, values: &[ScalarValue]) -> Result<String, ServerError> {
    let template = match Template::read(text) {
        Ok(template) => template,
        // The engine reports better what is wrong with the text.
        Err(_) if values.is_empty() => return Ok(text.to_string()),
        Err(error) => return Err(error),
    };
    let (given, needed) = (values.len(), template.count());
    if given > needed {
        return Err(wrong(format!("the statement has {needed} parameters, and {given} values were given")));
    }
    template.bind(values)
}

fn number_of(name: &str) -> Result<usize, ServerError> {
    let number = name[1..].parse().ok().filter(|number| (1..=u16::MAX.into()).contains(number));
    number.ok_or_else(|| wrong(format!("the parameter {name} has no number: write ? or $1")))
}

/// The dialect of the engine, where `?` is a placeholder and no operator.
#[derive(Debug)]
struct PlaceholderDialect;

impl Dialect for PlaceholderDialect {
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

fn wrong(message: String) -> ServerError {
    ServerError::invalid_value(message)
}

/// A value as SQL writes it. Text is quoted; what SQL has no literal for is cast from its number or text.
pub(super) fn literal(value: &ScalarValue) -> Result<String, ServerError> {
    let kind = value.data_type();
    if value.is_null() {
        let is_untyped = kind.is_null() || kind.is_nested() || kind.is_string();
        return Ok(if is_untyped {
            "NULL".to_string()
        } else {
            format!("arrow_cast(NULL, {})", quoted(&kind.to_string()))
        });
    }
    if let Some(text) = value.try_as_str().flatten() {
        return Ok(quoted(text));
    }
    match value {
        ScalarValue::List(list) => list_literal(list.values()),
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

fn list_literal(elements: &ArrayRef) -> Result<String, ServerError> {
    let literals = (0..elements.len()).map(|index| literal(&element_at(elements, index)?));
    let literals = literals.collect::<Result<Vec<String>, ServerError>>()?;
    if literals.is_empty() {
        // It needs the type of its elements.
        let element = ScalarValue::try_new_null(elements.data_type()).unwrap_or(ScalarValue::Null);
        return Ok(format!("array_resize(ARRAY[{}], 0)", literal(&element)?));
    }
    Ok(format!("ARRAY[{}]", literals.join(", ")))
}

/// Times and decimals.
fn is_cast_from_text(kind: &DataType) -> bool {
    kind.is_temporal() || kind.is_decimal()
}

fn integer(value: &ScalarValue) -> Result<String, ServerError> {
    let text = value.to_string();
    Ok(match text.strip_prefix('-') {
        // The least BIGINT has no positive twin to negate.
        Some(_) => format!("CAST('{text}' AS BIGINT)"),
        None => text,
    })
}

fn text_of(value: &ScalarValue) -> Result<String, ServerError> {
    let broken = |error: String| ServerError::internal(error);
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

/// The values of one row; NULL has no type.
pub(super) fn row(columns: &[ArrayRef], row: usize) -> Result<Vec<ScalarValue>, ServerError> {
    let value = |column: &ArrayRef| if column.is_null(row) { Ok(ScalarValue::Null) } else { element_at(column, row) };
    columns.iter().map(value).collect()
}

fn element_at(array: &ArrayRef, index: usize) -> Result<ScalarValue, ServerError> {
    ScalarValue::try_from_array(array, index).map_err(|error| wrong(error.to_string()))
}
