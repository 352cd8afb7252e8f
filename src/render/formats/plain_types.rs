//! Plain types for files: dictionaries and views become the text or bytes that they stand for.
//!
//! An Arrow file allows one dictionary per column while every batch brings its own, and not every
//! reader knows views; readers of our files should need neither.

#[cfg(test)]
mod tests;

use std::sync::Arc;

use arrow::array::{RecordBatch, RecordBatchOptions};
use arrow::compute::cast;
use arrow::datatypes::{DataType, Field, FieldRef, Schema, SchemaRef};

use super::errors::arrow_failed;
use ocellus_trace::error::Result;

/// The schema with plain types.
pub fn plain_schema(schema: &SchemaRef) -> SchemaRef {
    let fields: Vec<FieldRef> = schema.fields().iter().map(plain_field).collect();
    Arc::new(Schema::new(fields))
}

/// The batch with the types of a schema, such as plain ones.
pub fn plain_batch(batch: &RecordBatch, schema: &SchemaRef) -> Result<RecordBatch> {
    let columns = batch
        .columns()
        .iter()
        .zip(schema.fields())
        .map(|(array, field)| cast(array, field.data_type()).map_err(arrow_failed))
        .collect::<Result<Vec<_>>>()?;
    let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
    RecordBatch::try_new_with_options(schema.clone(), columns, &options).map_err(arrow_failed)
}

fn plain_field(field: &FieldRef) -> FieldRef {
    // Nullable whatever the plan says: a reader loses nothing by it.
    Arc::new(Field::new(field.name(), plain_type(field.data_type()), true))
}

fn plain_type(data_type: &DataType) -> DataType {
    match data_type {
        DataType::Dictionary(_, values) => plain_type(values),
        DataType::RunEndEncoded(_, values) => plain_type(values.data_type()),
        DataType::Utf8View => DataType::Utf8,
        DataType::BinaryView => DataType::Binary,
        DataType::List(item) => DataType::List(plain_field(item)),
        DataType::LargeList(item) => DataType::LargeList(plain_field(item)),
        DataType::FixedSizeList(item, size) => DataType::FixedSizeList(plain_field(item), *size),
        DataType::Struct(fields) => DataType::Struct(fields.iter().map(plain_field).collect()),
        other => other.clone(),
    }
}
