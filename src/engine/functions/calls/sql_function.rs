//! The functions themselves: a definition, and what runs it.

use datafusion::common::Result;
use datafusion::logical_expr::{AggregateUDF, LogicalPlan, ScalarUDF, WindowUDF};

use super::call::Call;
use super::definition::Definition;

/// A function in FROM: its definition, and the plan that a checked call stands for.
#[derive(Debug)]
pub struct TableFunction {
    pub definition: Definition,
    pub plan: fn(Call<'_>) -> Result<LogicalPlan>,
}

/// A function of values.
#[derive(Debug)]
pub struct ScalarFunction {
    pub definition: Definition,
    pub make: fn() -> ScalarUDF,
}

/// A function of many values at once.
#[derive(Debug)]
pub struct AggregateFunction {
    pub definition: Definition,
    pub make: fn() -> AggregateUDF,
}

/// A function of a value among others.
#[derive(Debug)]
pub struct WindowFunction {
    pub definition: Definition,
    pub make: fn() -> WindowUDF,
}
