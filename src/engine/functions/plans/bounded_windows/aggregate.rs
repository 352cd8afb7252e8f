//! Aggregate functions over windows: each value is counted when it is made.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef};
use datafusion::common::{Result, ScalarValue};
use datafusion::logical_expr::function::AccumulatorArgs;
use datafusion::logical_expr::{Accumulator, AggregateUDF};

use super::budget::WindowBudget;
use super::has_small_values;
use crate::functions::plans::changed_aggregate::{AggregateChange, change_of, changed};

/// Which rows get a value that an accumulator makes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RowsOfValue {
    /// The current one.
    One,
    /// All rows of the partition, which is all that the accumulator saw.
    Partition,
}

#[derive(Debug, Clone)]
struct CountedValues {
    budget: Arc<WindowBudget>,
    rows: RowsOfValue,
}

/// The function with bounds.
pub(crate) fn bounded_aggregate(
    function: &Arc<AggregateUDF>,
    budget: &Arc<WindowBudget>,
    rows: RowsOfValue,
) -> Arc<AggregateUDF> {
    changed(function, CountedValues { budget: Arc::clone(budget), rows })
}

/// The budget of a function that has bounds.
pub(crate) fn budget_of_aggregate(function: &AggregateUDF) -> Option<&Arc<WindowBudget>> {
    change_of::<CountedValues>(function).map(|change| &change.budget)
}

impl CountedValues {
    fn counted(&self, function: &AggregateUDF, values: Box<dyn Accumulator>) -> Box<dyn Accumulator> {
        let (function, change) = (function.name().to_string(), self.clone());
        Box::new(CountedAccumulator { function, change, values, rows: 0 })
    }
}

impl AggregateChange for CountedValues {
    fn accumulator(&self, function: &AggregateUDF, arguments: AccumulatorArgs) -> Result<Box<dyn Accumulator>> {
        Ok(self.counted(function, function.accumulator(arguments)?))
    }

    fn sliding(&self, function: &AggregateUDF, arguments: AccumulatorArgs) -> Result<Box<dyn Accumulator>> {
        Ok(self.counted(function, function.create_sliding_accumulator(arguments)?))
    }
}

#[derive(Debug)]
struct CountedAccumulator {
    function: String,
    change: CountedValues,
    values: Box<dyn Accumulator>,
    /// Rows that were seen.
    rows: u64,
}

impl Accumulator for CountedAccumulator {
    fn update_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        self.rows += values.first().map_or(0, |column| column.len() as u64);
        self.values.update_batch(values)
    }

    fn evaluate(&mut self) -> Result<ScalarValue> {
        self.change.budget.check()?;
        let value = self.values.evaluate()?;
        if !has_small_values(&value.data_type()) {
            let rows = match self.change.rows {
                RowsOfValue::One => 1,
                RowsOfValue::Partition => self.rows,
            };
            self.change.budget.take_value(&self.function, &value, rows)?;
        }
        Ok(value)
    }

    fn size(&self) -> usize {
        size_of_val(self) + self.values.size()
    }

    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        self.values.state()
    }

    fn merge_batch(&mut self, states: &[ArrayRef]) -> Result<()> {
        self.values.merge_batch(states)
    }

    fn retract_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        self.values.retract_batch(values)
    }

    fn supports_retract_batch(&self) -> bool {
        self.values.supports_retract_batch()
    }
}
