//! Rows of tables, wherever they are stored: in a SQLite database, or in Parquet files.
//!
//! Columns are found by name; one that is not there is NULL in every row.

use hashbrown::HashMap;

/// The value of a column.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::reader) enum TableValue {
    Null,
    Int(i64),
    Real(f64),
    Text(String),
    Blob(Vec<u8>),
}

impl TableValue {
    /// The value as a whole number.
    pub fn int(&self) -> Option<i64> {
        match self {
            TableValue::Int(number) => Some(*number),
            TableValue::Real(number) => Some(*number as i64).filter(|whole| *whole as f64 == *number),
            TableValue::Text(text) => text.trim().parse().ok(),
            _ => None,
        }
    }

    /// The value as a number.
    pub fn number(&self) -> Option<f64> {
        match self {
            TableValue::Real(number) => Some(*number).filter(|number| number.is_finite()),
            other => other.int().map(|number| number as f64),
        }
    }

    /// The value as text, when it is some.
    pub fn text(&self) -> Option<&str> {
        match self {
            TableValue::Text(text) => Some(text),
            _ => None,
        }
    }
}

/// A table: what it and its columns are called.
#[derive(Debug, Clone, Default)]
pub(in crate::reader) struct SourceTable {
    pub name: String,
    /// The columns in their order.
    pub columns: Vec<String>,
    places: HashMap<String, usize>,
}

impl SourceTable {
    pub fn new(name: &str, columns: Vec<String>) -> SourceTable {
        let places = columns.iter().enumerate().map(|(place, column)| (column.clone(), place)).collect();
        SourceTable { name: name.to_string(), columns, places }
    }

    /// The place of a column.
    pub fn column(&self, name: &str) -> Option<usize> {
        self.places.get(name).copied()
    }
}

/// A row of a table.
#[derive(Debug, Clone, Copy)]
pub(in crate::reader) struct TableRow<'a> {
    pub table: &'a SourceTable,
    pub values: &'a [TableValue],
    /// Where it is: the offset of its page in a database, its number in other files.
    pub byte: u64,
}

impl<'a> TableRow<'a> {
    /// The value at a place; NULL where the row is shorter than the table.
    pub fn at(&self, place: usize) -> &'a TableValue {
        self.values.get(place).unwrap_or(&TableValue::Null)
    }

    /// The value of a column; NULL when there is no such column.
    pub fn value(&self, column: &str) -> &'a TableValue {
        self.table.column(column).map_or(&TableValue::Null, |place| self.at(place))
    }

    /// The value of a column as a whole number.
    pub fn int(&self, column: &str) -> Option<i64> {
        self.value(column).int()
    }

    /// The value of a column as text.
    pub fn text(&self, column: &str) -> Option<&'a str> {
        self.value(column).text()
    }
}

/// Takes rows.
pub(in crate::reader) type RowConsumer<'a> = dyn FnMut(TableRow<'_>) -> crate::error::Result<()> + 'a;
