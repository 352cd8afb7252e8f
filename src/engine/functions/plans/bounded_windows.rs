//! Window functions whose values may be large, with bounds on what the rows of a window hold together.
//!
//! `array_agg(x) OVER ()` makes a list of all rows for each row: the values grow with the square of the rows, and
//! DataFusion makes all of them before the first row is returned. So each value is counted when it is made, and given
//! back when the operator has emitted its row; see [`WindowBudget`]. Functions that take long for each row stop when
//! their query is cancelled, even if their values are small.

mod aggregate;
mod budget;
mod evaluator;
#[cfg(test)]
mod tests;

use arrow::datatypes::DataType;

pub(crate) use aggregate::{RowsOfValue, bounded_aggregate, budget_of_aggregate};
pub(crate) use budget::{BudgetUser, WindowBudget};
pub(crate) use evaluator::{bounded_function, budget_of_function};

/// Whether every value of a type has the same few bytes.
pub(crate) fn has_small_values(kind: &DataType) -> bool {
    kind.is_primitive() || matches!(kind, DataType::Boolean | DataType::Null)
}
