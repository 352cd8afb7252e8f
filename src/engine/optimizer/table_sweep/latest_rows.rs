//! The latest row of each key.
//!
//! ```text
//!  held      a: 1   b: 2
//!  rows      a: 3   c: 4   a: 5      get  1, nothing, 3
//!  held      a: 5   b: 2   c: 4
//! ```

#[cfg(test)]
mod tests;

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, new_empty_array, new_null_array};
use arrow::compute::interleave;
use arrow::datatypes::{DataType, Schema};
use datafusion::common::Result;
use datafusion::physical_expr::PhysicalExpr;

use super::numbered_keys::NumberedKeys;

/// Where a row is: among those held, in the batch, or nowhere.
const HELD: usize = 0;
const IN_BATCH: usize = 1;
const NOWHERE: usize = 2;

/// See the file's head.
pub(super) struct LatestRows {
    numbers: NumberedKeys,
    /// The values of the latest row of each key.
    held: Vec<ArrayRef>,
}

impl LatestRows {
    /// No rows so far; keys and values are those of rows of a schema.
    pub(super) fn new(
        keys: &[Arc<dyn PhysicalExpr>],
        values: &[Arc<dyn PhysicalExpr>],
        schema: &Schema,
    ) -> Result<LatestRows> {
        let types = |expressions: &[Arc<dyn PhysicalExpr>]| -> Result<Vec<DataType>> {
            expressions.iter().map(|expression| expression.data_type(schema)).collect()
        };
        LatestRows::of_types(types(keys)?, &types(values)?)
    }

    fn of_types(keys: Vec<DataType>, values: &[DataType]) -> Result<LatestRows> {
        Ok(LatestRows { numbers: NumberedKeys::new(keys)?, held: values.iter().map(new_empty_array).collect() })
    }

    /// How many keys there are.
    pub(super) fn keys(&self) -> usize {
        self.held.first().map_or(0, |values| values.len())
    }

    /// Gives the values that were held for the key of each row, and holds those of the row. Rows of one key follow each
    /// other here as they do in the batch.
    pub(super) fn replace(&mut self, rows: usize, keys: &[ArrayRef], values: &[ArrayRef]) -> Result<Vec<ArrayRef>> {
        let numbers = self.numbers.numbers(keys, rows)?;
        let mut latest: Vec<(usize, usize)> = (0..self.keys()).map(|number| (HELD, number)).collect();
        let count = numbers.iter().max().map_or(0, |number| number + 1);
        latest.resize(count.max(latest.len()), (NOWHERE, 0));
        let before = |(row, number): (usize, &usize)| std::mem::replace(&mut latest[*number], (IN_BATCH, row));
        let previous: Vec<(usize, usize)> = numbers.iter().enumerate().map(before).collect();
        let (mut found, mut held) = (vec![], vec![]);
        for (known, column) in self.held.iter().zip(values) {
            let nothing = new_null_array(column.data_type(), 1);
            found.push(interleave(&[known.as_ref(), column.as_ref(), nothing.as_ref()], &previous)?);
            held.push(interleave(&[known.as_ref(), column.as_ref()], &latest)?);
        }
        self.held = held;
        Ok(found)
    }

    /// Bytes that are held.
    pub(super) fn size(&self) -> usize {
        let held: usize = self.held.iter().map(|column| column.get_array_memory_size()).sum();
        held + self.numbers.size()
    }
}
