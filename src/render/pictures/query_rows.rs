//! Rows of a query as plain values.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, RecordBatch};
use arrow::compute::cast;
use arrow::datatypes::{DataType, Field, Fields, Float64Type, SchemaRef};

use super::container_labels::ContainerLabels;
use ocellus_trace::error::{Error, Result};

/// The result of a query, column by column.
pub struct QueryRows {
    schema: SchemaRef,
    batches: Vec<RecordBatch>,
    labels: Arc<ContainerLabels>,
}

impl QueryRows {
    /// The rows of all batches, in their order.
    pub fn new(schema: SchemaRef, batches: Vec<RecordBatch>) -> QueryRows {
        QueryRows { schema, batches, labels: Arc::default() }
    }

    /// The same rows, with labels in place of names of containers that repeat.
    pub fn with_labels(mut self, labels: &Arc<ContainerLabels>) -> QueryRows {
        self.labels = Arc::clone(labels);
        self
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.batches.iter().map(RecordBatch::num_rows).sum()
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The rows as Arrow batches.
    pub fn batches(&self) -> &[RecordBatch] {
        &self.batches
    }

    /// Whether the result has a column.
    pub fn has_column(&self, name: &str) -> bool {
        self.schema.column_with_name(name).is_some()
    }

    /// A column of numbers; NULL is not a number.
    pub fn numbers(&self, name: &str) -> Result<Vec<f64>> {
        let mut values = Vec::with_capacity(self.len());
        for array in self.column(name, &DataType::Float64)? {
            values.extend(array.as_primitive::<Float64Type>().iter().map(|value| value.unwrap_or(f64::NAN)));
        }
        Ok(values)
    }

    /// A column as text; NULL is empty.
    pub fn texts(&self, name: &str) -> Result<Vec<String>> {
        let mut values = Vec::with_capacity(self.len());
        for array in self.column(name, &DataType::Utf8)? {
            let array = array.as_string::<i32>();
            values
                .extend((0..array.len()).map(|row| if array.is_null(row) { "" } else { array.value(row) }.to_string()));
        }
        if let Some(ids) = ContainerLabels::id_column(name)
            && self.has_column(ids)
            && !self.labels.is_empty()
        {
            for (value, id) in values.iter_mut().zip(self.numbers(ids)?) {
                if let Some(label) = self.labels.of(id, value) {
                    *value = label.to_string();
                }
            }
        }
        Ok(values)
    }

    /// A column of names as they are shown: without blanks around them, which tracers leave behind.
    pub fn names(&self, name: &str) -> Result<Vec<String>> {
        Ok(self.texts(name)?.into_iter().map(|text| text.trim().to_string()).collect())
    }

    /// A column of lists with an entry per value: its name and its proportion.
    pub fn proportions(&self, name: &str) -> Result<Vec<Vec<(String, f64)>>> {
        let item = DataType::Struct(Fields::from(vec![
            Field::new("value", DataType::Utf8, true),
            Field::new("proportion", DataType::Float64, true),
        ]));
        let mut lists = Vec::with_capacity(self.len());
        for array in self.column(name, &DataType::List(Arc::new(Field::new_list_field(item, true))))? {
            for entries in array.as_list::<i32>().iter() {
                let Some(entries) = entries else {
                    lists.push(vec![]);
                    continue;
                };
                let entries = entries.as_struct();
                let (names, shares) =
                    (entries.column(0).as_string::<i32>(), entries.column(1).as_primitive::<Float64Type>());
                lists.push((0..entries.len()).map(|row| (names.value(row).to_string(), shares.value(row))).collect());
            }
        }
        Ok(lists)
    }

    /// A column of every batch, cast to a type.
    fn column(&self, name: &str, data_type: &DataType) -> Result<Vec<ArrayRef>> {
        let Some((index, _)) = self.schema.column_with_name(name) else {
            return Err(Error::query(format!("the query gives no column {name}, which the picture is drawn from")));
        };
        let arrays = self.batches.iter().map(|batch| cast(batch.column(index), data_type));
        arrays.collect::<std::result::Result<_, _>>().map_err(|e| Error::query(format!("column {name}: {e}")))
    }
}
