//! A value of a catalog: what tables are filled with, and what functions take and give.

#[cfg(test)]
mod tests;

use std::sync::Arc;

use arrow::array::{
    Array, ArrayRef, AsArray, BooleanArray, Float32Array, Int16Array, Int32Array, Int32Builder, Int64Array,
    ListBuilder, StringArray, StringBuilder,
};
use arrow::datatypes::{DataType, Field, Int16Type, Int32Type, Int64Type};
use datafusion::common::ScalarValue;

use crate::pg::parameters::elements;

#[derive(Debug, Clone, PartialEq)]
pub(super) enum CatalogValue {
    Null,
    Bool(bool),
    Int(i64),
    Text(String),
    /// An array of any element type, as text.
    List(Vec<CatalogValue>),
}

/// Type of a column of a catalog, or of the result of a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum CatalogType {
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

impl CatalogType {
    pub(super) fn data_type(self) -> DataType {
        let list = |item: DataType| DataType::List(Arc::new(Field::new_list_field(item, true)));
        match self {
            CatalogType::Bool => DataType::Boolean,
            CatalogType::Int2 => DataType::Int16,
            CatalogType::Int4 => DataType::Int32,
            CatalogType::Int8 => DataType::Int64,
            CatalogType::Float4 => DataType::Float32,
            CatalogType::Text => DataType::Utf8,
            CatalogType::Texts => list(DataType::Utf8),
            CatalogType::Int4s => list(DataType::Int32),
        }
    }

    /// Values of one column; one of another kind is NULL.
    pub(super) fn array<'a>(self, values: impl Iterator<Item = &'a CatalogValue>) -> ArrayRef {
        match self {
            CatalogType::Bool => Arc::new(values.map(CatalogValue::bool).collect::<BooleanArray>()),
            CatalogType::Int2 => Arc::new(
                values.map(|value| value.int().and_then(|int| i16::try_from(int).ok())).collect::<Int16Array>(),
            ),
            CatalogType::Int4 => Arc::new(values.map(CatalogValue::number).collect::<Int32Array>()),
            CatalogType::Int8 => Arc::new(values.map(CatalogValue::int).collect::<Int64Array>()),
            CatalogType::Float4 => {
                Arc::new(values.map(|value| value.int().map(|int| int as f32)).collect::<Float32Array>())
            }
            CatalogType::Text => Arc::new(values.map(|value| value.text()).collect::<StringArray>()),
            CatalogType::Texts => {
                let mut lists = ListBuilder::new(StringBuilder::new());
                for value in values {
                    let items = value.items().map(|items| items.iter().map(CatalogValue::text).collect::<Vec<_>>());
                    lists.append_option(items);
                }
                Arc::new(lists.finish())
            }
            CatalogType::Int4s => {
                let mut lists = ListBuilder::new(Int32Builder::new());
                for value in values {
                    let items = value.items().map(|items| items.iter().map(CatalogValue::number).collect::<Vec<_>>());
                    lists.append_option(items);
                }
                Arc::new(lists.finish())
            }
        }
    }
}

/// A row of values, from what they are made of.
macro_rules! row {
    ($($value:expr),* $(,)?) => { vec![$($crate::pg::catalog::value::CatalogValue::from($value)),*] };
}
pub(super) use row;

macro_rules! value_from {
    ($($given:ty, $make:expr;)*) => {
        $(impl From<$given> for CatalogValue {
            fn from(given: $given) -> CatalogValue {
                $make(given)
            }
        })*
    };
}

value_from! {
    &str, CatalogValue::of;
    &String, CatalogValue::of;
    String, CatalogValue::of;
    i32, |number: i32| CatalogValue::Int(number.into());
    i64, CatalogValue::Int;
    bool, CatalogValue::Bool;
}

impl<T: Into<CatalogValue>> From<Option<T>> for CatalogValue {
    fn from(value: Option<T>) -> CatalogValue {
        value.map_or(CatalogValue::Null, Into::into)
    }
}

impl CatalogValue {
    pub(super) fn of(text: impl Into<String>) -> CatalogValue {
        CatalogValue::Text(text.into())
    }

    /// NULL for an empty text.
    pub(super) fn unless_empty(text: &str) -> CatalogValue {
        if text.is_empty() { CatalogValue::Null } else { CatalogValue::of(text) }
    }

    pub(super) fn bool(&self) -> Option<bool> {
        match self {
            CatalogValue::Bool(value) => Some(*value),
            CatalogValue::Text(text) => Some(matches!(text.as_str(), "t" | "true" | "on" | "1")),
            _ => None,
        }
    }

    pub(super) fn int(&self) -> Option<i64> {
        match self {
            CatalogValue::Int(value) => Some(*value),
            CatalogValue::Text(text) => text.trim().parse().ok(),
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
            CatalogValue::Null => None,
            CatalogValue::Bool(value) => Some(if *value { "t" } else { "f" }.to_string()),
            CatalogValue::Int(value) => Some(value.to_string()),
            CatalogValue::Text(text) => Some(text.clone()),
            CatalogValue::List(items) => {
                let items: Vec<String> =
                    items.iter().map(|item| item.text().unwrap_or_else(|| "NULL".to_string())).collect();
                Some(format!("{{{}}}", items.join(",")))
            }
        }
    }

    /// The elements of an array; a text such as `{a,b}` is one too.
    pub(super) fn items(&self) -> Option<Vec<CatalogValue>> {
        match self {
            CatalogValue::List(items) => Some(items.clone()),
            CatalogValue::Text(text) => {
                let items = elements(text)?.into_iter();
                Some(items.map(|item| item.map_or(CatalogValue::Null, CatalogValue::Text)).collect())
            }
            _ => None,
        }
    }

    /// A row of a column.
    pub(super) fn at(array: &ArrayRef, row: usize) -> CatalogValue {
        if array.is_null(row) {
            return CatalogValue::Null;
        }
        match array.data_type() {
            DataType::Null => CatalogValue::Null,
            DataType::Boolean => CatalogValue::Bool(array.as_boolean().value(row)),
            DataType::Int16 => CatalogValue::Int(array.as_primitive::<Int16Type>().value(row).into()),
            DataType::Int32 => CatalogValue::Int(array.as_primitive::<Int32Type>().value(row).into()),
            DataType::Int64 => CatalogValue::Int(array.as_primitive::<Int64Type>().value(row)),
            DataType::Utf8 => CatalogValue::of(array.as_string::<i32>().value(row)),
            DataType::LargeUtf8 => CatalogValue::of(array.as_string::<i64>().value(row)),
            DataType::Utf8View => CatalogValue::of(array.as_string_view().value(row)),
            DataType::List(_) => {
                let items = array.as_list::<i32>().value(row);
                CatalogValue::List((0..items.len()).map(|item| CatalogValue::at(&items, item)).collect())
            }
            _ => CatalogValue::scalar(ScalarValue::try_from_array(array, row).ok()),
        }
    }

    fn scalar(scalar: Option<ScalarValue>) -> CatalogValue {
        scalar.map_or(CatalogValue::Null, |scalar| CatalogValue::of(scalar.to_string()))
    }
}
