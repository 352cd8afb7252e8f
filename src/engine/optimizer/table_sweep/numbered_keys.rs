//! Numbers for the keys of rows, from 0 in the order in which they come.

use std::sync::Arc;

use arrow::array::ArrayRef;
use arrow::datatypes::{DataType, Field, Schema};
use datafusion::common::Result;
use datafusion::logical_expr::EmitTo;
use datafusion::physical_plan::aggregates::group_values::{GroupValues, new_group_values};
use datafusion::physical_plan::aggregates::order::GroupOrdering;

/// The keys so far.
pub(super) struct NumberedKeys {
    /// `None` for keys without columns: all rows have the same.
    known: Option<Box<dyn GroupValues>>,
}

impl NumberedKeys {
    /// No keys so far, with columns of some types.
    pub(super) fn new(types: impl IntoIterator<Item = DataType>) -> Result<NumberedKeys> {
        let field = |(place, kind): (usize, DataType)| Field::new(format!("key_{place}"), kind, true);
        let keys: Vec<Field> = types.into_iter().enumerate().map(field).collect();
        let known = match keys.is_empty() {
            true => None,
            false => Some(new_group_values(Arc::new(Schema::new(keys)), &GroupOrdering::None)?),
        };
        Ok(NumberedKeys { known })
    }

    /// The number of the key of each row.
    pub(super) fn numbers(&mut self, keys: &[ArrayRef], rows: usize) -> Result<Vec<usize>> {
        let mut numbers = Vec::with_capacity(rows);
        match &mut self.known {
            Some(known) => known.intern(keys, &mut numbers)?,
            None => numbers.resize(rows, 0),
        }
        Ok(numbers)
    }

    /// How many there are.
    pub(super) fn count(&self) -> usize {
        self.known.as_ref().map_or(1, |known| known.len())
    }

    /// Takes all of them, by number.
    pub(super) fn take(&mut self) -> Result<Vec<ArrayRef>> {
        self.known.as_mut().map_or(Ok(vec![]), |known| known.emit(EmitTo::All))
    }

    /// Bytes that are held.
    pub(super) fn size(&self) -> usize {
        self.known.as_ref().map_or(0, |known| known.size())
    }
}
