//! Columns of results and their PostgreSQL types.

#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::sync::LazyLock;

use arrow::datatypes::{DataType, Field, FieldRef, Schema};
use pgwire::api::Type;
use pgwire::api::results::FieldFormat;
use pgwire::messages::PgWireBackendMessage;
use pgwire::messages::data::{FieldDescription, RowDescription};
use postgres_types::Kind;

/// A column as a client sees it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ResultColumn {
    pub(super) name: String,
    pub(super) kind: Type,
}

impl ResultColumn {
    pub(super) fn new(name: &str, kind: Type) -> ResultColumn {
        ResultColumn { name: name.to_string(), kind }
    }

    /// Bytes of a value; −1: it varies.
    pub(super) fn size(&self) -> i16 {
        match self.kind {
            Type::BOOL | Type::CHAR => 1,
            Type::INT2 => 2,
            Type::INT4 | Type::FLOAT4 | Type::DATE | Type::OID | Type::REGCLASS | Type::REGTYPE | Type::REGPROC => 4,
            Type::INT8 | Type::FLOAT8 | Type::TIMESTAMP | Type::TIMESTAMPTZ | Type::TIME => 8,
            Type::INTERVAL => 16,
            _ => -1,
        }
    }
}

/// The message that describes columns, in formats that are text where none is given.
pub(super) fn description(columns: &[ResultColumn], formats: &[FieldFormat]) -> PgWireBackendMessage {
    let fields = columns.iter().enumerate().map(|(index, column)| {
        let format = formats.get(index).map_or(0, FieldFormat::value);
        // Names that come from values may hold zero bytes. The column is of no table that has a number.
        FieldDescription::new(column.name.replace('\0', ""), 0, 0, column.kind.oid(), column.size(), -1, format)
    });
    PgWireBackendMessage::RowDescription(RowDescription::new(fields.collect()))
}

/// The columns of rows.
pub(super) fn columns(schema: &Schema) -> Vec<ResultColumn> {
    schema.fields().iter().map(|field| ResultColumn::new(field.name(), type_of(field))).collect()
}

/// The type of a column. What PostgreSQL has no type for is text.
pub(super) fn type_of(field: &FieldRef) -> Type {
    match field.data_type() {
        DataType::Null => Type::TEXT,
        DataType::Dictionary(_, values) => type_of(&with_type(field, values)),
        DataType::RunEndEncoded(_, values) => type_of(&with_type(field, values.data_type())),
        DataType::Decimal32(..) | DataType::Decimal64(..) | DataType::Decimal256(..) => Type::NUMERIC,
        DataType::List(element) | DataType::LargeList(element) | DataType::FixedSizeList(element, _) => {
            list_of(element)
        }
        DataType::Struct(_) => Type::RECORD,
        _ => arrow_pg::datatypes::field_into_pg_type(field).unwrap_or(Type::TEXT),
    }
}

/// The same field with another type: what is said of its meaning stays.
fn with_type(field: &FieldRef, data_type: &DataType) -> FieldRef {
    std::sync::Arc::new(Field::clone(field).with_data_type(data_type.clone()))
}

/// Types of arrays, by the number of the type of their elements. Those that came first have no arrays of their own, such
/// as `int2vector`, and give way to the others.
static ARRAYS: LazyLock<HashMap<u32, Type>> = LazyLock::new(|| {
    let element_of = |kind: &Type| match kind.kind() {
        Kind::Array(element) => Some(element.oid()),
        _ => None,
    };
    (1..10_000).filter_map(Type::from_oid).filter_map(|kind| Some((element_of(&kind)?, kind))).collect()
});

/// Lists of lists may have rows of unequal lengths, which PostgreSQL's arrays cannot have: they are text.
fn list_of(element: &FieldRef) -> Type {
    match type_of(element) {
        // Arrays of records without a name make clients fail.
        Type::RECORD | Type::JSON => Type::JSON,
        Type::TEXT if !is_plain(element.data_type()) => Type::TEXT,
        kind => ARRAYS.get(&kind.oid()).cloned().unwrap_or(Type::TEXT),
    }
}

/// Whether text is what it really is, rather than what it is shown as.
fn is_plain(data_type: &DataType) -> bool {
    match data_type {
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View | DataType::Null => true,
        DataType::Dictionary(_, values) => is_plain(values),
        _ => false,
    }
}

/// Whether a field is written as text in the binary format, too.
pub(super) fn is_shown_as_text(field: &FieldRef) -> bool {
    matches!(type_of(field), Type::TEXT | Type::CHAR | Type::JSON)
}
