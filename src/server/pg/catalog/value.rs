//! A value of a catalogue: what tables are filled with, and what functions take and give.

#[cfg(test)]
mod tests;

use std::sync::Arc;

use arrow::array::{
    Array, ArrayRef, AsArray, BooleanArray, Float32Array, Int16Array, Int32Array, Int32Builder, Int64Array,
    ListBuilder, StringArray, StringBuilder,
};
use arrow::datatypes::{DataType, Field, Int16Type, Int32Type, Int64Type};
use datafusion::common::ScalarValue;

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Value {
    Null,
    Bool(bool),
    Int(i64),
    Text(String),
    /// An array of any element type, as text.
    List(Vec<Value>),
}

/// Type of a column of a catalogue, or of the result of a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Shape {
    Bool,
    Int2,
    /// Also numbers of objects.
    Int4,
    Int8,
    Float4,
    Text,
    Texts,
    Int4s,
}

impl Shape {
    pub(super) fn data_type(self) -> DataType {
        let list = |item: DataType| DataType::List(Arc::new(Field::new_list_field(item, true)));
        match self {
            Shape::Bool => DataType::Boolean,
            Shape::Int2 => DataType::Int16,
            Shape::Int4 => DataType::Int32,
            Shape::Int8 => DataType::Int64,
            Shape::Float4 => DataType::Float32,
            Shape::Text => DataType::Utf8,
            Shape::Texts => list(DataType::Utf8),
            Shape::Int4s => list(DataType::Int32),
        }
    }

    /// Values of one column; one of another kind is NULL.
    pub(super) fn array<'a>(self, values: impl Iterator<Item = &'a Value>) -> ArrayRef {
        match self {
            Shape::Bool => Arc::new(values.map(Value::bool).collect::<BooleanArray>()),
            Shape::Int2 => Arc::new(
                values.map(|value| value.int().and_then(|int| i16::try_from(int).ok())).collect::<Int16Array>(),
            ),
            Shape::Int4 => Arc::new(values.map(Value::number).collect::<Int32Array>()),
            Shape::Int8 => Arc::new(values.map(Value::int).collect::<Int64Array>()),
            Shape::Float4 => Arc::new(values.map(|value| value.int().map(|int| int as f32)).collect::<Float32Array>()),
            Shape::Text => Arc::new(values.map(|value| value.text()).collect::<StringArray>()),
            Shape::Texts => {
                let mut lists = ListBuilder::new(StringBuilder::new());
                for value in values {
                    let items = value.items().map(|items| items.iter().map(Value::text).collect::<Vec<_>>());
                    lists.append_option(items);
                }
                Arc::new(lists.finish())
            }
            Shape::Int4s => {
                let mut lists = ListBuilder::new(Int32Builder::new());
                for value in values {
                    let items = value.items().map(|items| items.iter().map(Value::number).collect::<Vec<_>>());
                    lists.append_option(items);
                }
                Arc::new(lists.finish())
            }
        }
    }
}

impl Value {
    pub(super) fn of(text: impl Into<String>) -> Value {
        Value::Text(text.into())
    }

    /// NULL for an empty text.
    pub(super) fn unless_empty(text: &str) -> Value {
        if text.is_empty() { Value::Null } else { Value::of(text) }
    }

    pub(super) fn bool(&self) -> Option<bool> {
        match self {
            Value::Bool(value) => Some(*value),
            Value::Text(text) => Some(matches!(text.as_str(), "t" | "true" | "on" | "1")),
            _ => None,
        }
    }

    pub(super) fn int(&self) -> Option<i64> {
        match self {
            Value::Int(value) => Some(*value),
            Value::Text(text) => text.trim().parse().ok(),
            _ => None,
        }
    }

    /// The number of an object or a type.
    pub(super) fn number(&self) -> Option<i32> {
        self.int().and_then(|int| i32::try_from(int).ok())
    }

    /// The value as text: NULL stays NULL.
    pub(super) fn text(&self) -> Option<String> {
        match self {
            Value::Null => None,
            Value::Bool(value) => Some(if *value { "t" } else { "f" }.to_string()),
            Value::Int(value) => Some(value.to_string()),
            Value::Text(text) => Some(text.clone()),
            Value::List(items) => {
                let items: Vec<String> =
                    items.iter().map(|item| item.text().unwrap_or_else(|| "NULL".to_string())).collect();
                Some(format!("{{{}}}", items.join(",")))
            }
        }
    }

    /// The elements of an array; a text such as `{a,b}` is one too.
    pub(super) fn items(&self) -> Option<Vec<Value>> {
        match self {
            Value::List(items) => Some(items.clone()),
            Value::Text(text) => {
                let inner = text.trim().strip_prefix('{')?.strip_suffix('}')?;
                Some(split(inner).into_iter().map(Value::Text).collect())
            }
            _ => None,
        }
    }

    /// A row of a column.
    pub(super) fn at(array: &ArrayRef, row: usize) -> Value {
        if array.is_null(row) {
            return Value::Null;
        }
        match array.data_type() {
            DataType::Null => Value::Null,
            DataType::Boolean => Value::Bool(array.as_boolean().value(row)),
            DataType::Int16 => Value::Int(array.as_primitive::<Int16Type>().value(row).into()),
            DataType::Int32 => Value::Int(array.as_primitive::<Int32Type>().value(row).into()),
            DataType::Int64 => Value::Int(array.as_primitive::<Int64Type>().value(row)),
            DataType::Utf8 => Value::of(array.as_string::<i32>().value(row)),
            DataType::LargeUtf8 => Value::of(array.as_string::<i64>().value(row)),
            DataType::Utf8View => Value::of(array.as_string_view().value(row)),
            DataType::List(_) => {
                let items = array.as_list::<i32>().value(row);
                Value::List((0..items.len()).map(|item| Value::at(&items, item)).collect())
            }
            _ => Value::scalar(ScalarValue::try_from_array(array, row).ok()),
        }
    }

    fn scalar(scalar: Option<ScalarValue>) -> Value {
        scalar.map_or(Value::Null, |scalar| Value::of(scalar.to_string()))
    }
}

/// Splits the inside of `{a,"b,c"}`.
fn split(inner: &str) -> Vec<String> {
    let (mut items, mut item, mut is_quoted) = (vec![], String::new(), false);
    let mut letters = inner.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '"' => is_quoted = !is_quoted,
            '\\' => item.extend(letters.next()),
            ',' if !is_quoted => items.push(std::mem::take(&mut item)),
            ' ' if !is_quoted => {}
            _ => item.push(letter),
        }
    }
    if !inner.is_empty() {
        items.push(item);
    }
    items
}
