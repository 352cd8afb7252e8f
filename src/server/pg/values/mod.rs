//! Values of columns as PostgreSQL writes them, as text and in binary.
//!
//! ```text
//! mod ─► binary ─► text ─► json, nested ─► column
//!          └─────────┴──► arrays, calendar, number
//! ```

mod arrays;
mod binary;
mod calendar;
mod column;
mod json;
mod nested;
mod number;
#[cfg(test)]
mod tests;
mod text;

use arrow::array::{ArrayRef, RecordBatch};
use arrow::datatypes::{FieldRef, Schema};

pub(super) use calendar::{EPOCH_DAYS, EPOCH_MICROSECONDS};
pub(super) use column::{PgValueColumn, ValueStyle, put_sized};
use pgwire::api::results::FieldFormat;

/// A column in the format that is wanted.
pub(super) fn encode(array: &ArrayRef, field: &FieldRef, format: FieldFormat, style: ValueStyle) -> PgValueColumn {
    match format {
        FieldFormat::Binary => binary::column(array, field, style),
        FieldFormat::Text => text::column(array, style),
    }
}

/// The columns of a batch in the formats that are wanted.
pub(super) fn encode_columns(
    schema: &Schema,
    batch: &RecordBatch,
    formats: &[FieldFormat],
    style: ValueStyle,
) -> Vec<PgValueColumn> {
    let fields = schema.fields().iter().zip(batch.columns()).enumerate();
    let format = |index: usize| formats.get(index).copied().unwrap_or(FieldFormat::Text);
    fields.map(|(index, (field, array))| encode(array, field, format(index), style)).collect()
}
