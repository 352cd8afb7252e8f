//! Rows of a query as plain values.

use arrow::array::{Array, ArrayRef, AsArray, RecordBatch};
use arrow::compute::cast;
use arrow::datatypes::{DataType, Float64Type, SchemaRef};

use ocellus_trace::error::{Error, Result};

/// A column of text or numbers, over all batches.
pub struct Column {
    parts: Vec<ArrayRef>,
}

/// The answer of a query, column by column.
pub struct Rows {
    schema: SchemaRef,
    batches: Vec<RecordBatch>,
}

impl Rows {
    pub fn new(schema: SchemaRef, batches: Vec<RecordBatch>) -> Rows {
        Rows { schema, batches }
    }

    pub fn len(&self) -> usize {
        self.batches.iter().map(RecordBatch::num_rows).sum()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn batches(&self) -> &[RecordBatch] {
        &self.batches
    }

    /// Whether the answer has a column.
    pub fn has(&self, name: &str) -> bool {
        self.schema.column_with_name(name).is_some()
    }

    fn column(&self, name: &str, kind: &DataType) -> Result<Column> {
        let Some((place, _)) = self.schema.column_with_name(name) else {
            return Err(Error::query(format!("the query gives no column {name}, which the picture is drawn from")));
        };
        let converted = |batch: &RecordBatch| cast(batch.column(place), kind);
        let parts = self.batches.iter().map(converted).collect::<std::result::Result<_, _>>();
        parts.map(|parts| Column { parts }).map_err(|e| Error::query(format!("column {name}: {e}")))
    }

    /// A column of numbers; NULL is not a number.
    pub fn numbers(&self, name: &str) -> Result<Vec<f64>> {
        let column = self.column(name, &DataType::Float64)?;
        let mut values = Vec::with_capacity(self.len());
        for part in &column.parts {
            values.extend(part.as_primitive::<Float64Type>().iter().map(|value| value.unwrap_or(f64::NAN)));
        }
        Ok(values)
    }

    /// A column as text; NULL is empty.
    pub fn texts(&self, name: &str) -> Result<Vec<String>> {
        let column = self.column(name, &DataType::Utf8)?;
        let mut values = Vec::with_capacity(self.len());
        for part in &column.parts {
            let part = part.as_string::<i32>();
            values.extend((0..part.len()).map(|row| if part.is_null(row) { "" } else { part.value(row) }.to_string()));
        }
        Ok(values)
    }
}
