//! The functions themselves: a definition, and what runs it.

use datafusion::common::Result;
use datafusion::logical_expr::{AggregateUDF, LogicalPlan, ScalarUDF, WindowUDF};

use super::call::Call;
use super::definition::Definition;

/// A function in FROM: its definition, and the plan that a checked call stands for.
#[derive(Debug)]
pub struct TableFunction {
    /// Its signature and documentation.
    pub definition: Definition,
    /// Plans a call.
    pub(crate) plan: fn(Call<'_>) -> Result<LogicalPlan>,
}

/// A function of values.
#[derive(Debug)]
pub(crate) struct ScalarFunction {
    /// Its signature and documentation.
    pub(crate) definition: Definition,
    /// Makes what DataFusion runs.
    pub(crate) make: fn() -> ScalarUDF,
}

/// A function of many values at once.
#[derive(Debug)]
pub(crate) struct AggregateFunction {
    /// Its signature and documentation.
    pub(crate) definition: Definition,
    /// Makes what DataFusion runs.
    pub(crate) make: fn() -> AggregateUDF,
}

/// A function of a value among others.
#[derive(Debug)]
pub(crate) struct WindowFunction {
    /// Its signature and documentation.
    pub(crate) definition: Definition,
    /// Makes what DataFusion runs.
    pub(crate) make: fn() -> WindowUDF,
}
