//! Window functions such as `first_value`: a long text may become the value of every row.

use std::hash::{Hash, Hasher};
use std::ops::Range;
use std::sync::Arc;

use arrow::array::ArrayRef;
use arrow::compute::SortOptions;
use arrow::datatypes::{DataType, FieldRef};
use datafusion::common::{Result, ScalarValue};
use datafusion::logical_expr::function::{ExpressionArgs, PartitionEvaluatorArgs, WindowUDFFieldArgs};
use datafusion::logical_expr::window_state::WindowAggState;
use datafusion::logical_expr::{
    Documentation, LimitEffect, PartitionEvaluator, ReversedUDWF, Signature, WindowUDF, WindowUDFImpl,
};
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_expr::expressions::Literal;

use super::budget::WindowBudget;
use crate::functions::plans::bounded_values::literal_bytes;

/// A function of DataFusion whose values are counted.
#[derive(Debug)]
struct BoundedWindowFunction {
    function: Arc<WindowUDF>,
    budget: Arc<WindowBudget>,
}

/// The function with bounds.
pub(crate) fn bounded_function(function: &Arc<WindowUDF>, budget: &Arc<WindowBudget>) -> Arc<WindowUDF> {
    let (function, budget) = (Arc::clone(function), Arc::clone(budget));
    Arc::new(WindowUDF::new_from_impl(BoundedWindowFunction { function, budget }))
}

/// The budget of a function that has bounds.
pub(crate) fn budget_of_function(function: &WindowUDF) -> Option<&Arc<WindowBudget>> {
    function.inner().downcast_ref::<BoundedWindowFunction>().map(|bounded| &bounded.budget)
}

impl PartialEq for BoundedWindowFunction {
    fn eq(&self, other: &BoundedWindowFunction) -> bool {
        self.function == other.function
    }
}

impl Eq for BoundedWindowFunction {}

impl Hash for BoundedWindowFunction {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.function.hash(state);
    }
}

impl WindowUDFImpl for BoundedWindowFunction {
    fn name(&self) -> &str {
        self.function.name()
    }

    fn aliases(&self) -> &[String] {
        self.function.aliases()
    }

    fn signature(&self) -> &Signature {
        self.function.signature()
    }

    fn expressions(&self, expr_args: ExpressionArgs) -> Vec<Arc<dyn PhysicalExpr>> {
        self.function.inner().expressions(expr_args)
    }

    fn partition_evaluator(&self, args: PartitionEvaluatorArgs) -> Result<Box<dyn PartitionEvaluator>> {
        let constants = args.input_exprs().iter().skip(1).filter_map(|argument| argument.downcast_ref::<Literal>());
        let largest_constant = constants.map(|constant| literal_bytes(constant.value())).max().unwrap_or(0);
        Ok(Box::new(CountedEvaluator {
            function: self.name().to_string(),
            budget: Arc::clone(&self.budget),
            values: self.function.inner().partition_evaluator(args)?,
            largest_constant,
        }))
    }

    fn field(&self, field_args: WindowUDFFieldArgs) -> Result<FieldRef> {
        self.function.inner().field(field_args)
    }

    fn sort_options(&self) -> Option<SortOptions> {
        self.function.inner().sort_options()
    }

    fn coerce_types(&self, arg_types: &[DataType]) -> Result<Vec<DataType>> {
        self.function.inner().coerce_types(arg_types)
    }

    fn reverse_expr(&self) -> ReversedUDWF {
        match self.function.inner().reverse_expr() {
            ReversedUDWF::Reversed(function) => ReversedUDWF::Reversed(bounded_function(&function, &self.budget)),
            other => other,
        }
    }

    fn documentation(&self) -> Option<&Documentation> {
        self.function.inner().documentation()
    }

    fn limit_effect(&self, args: &[Arc<dyn PhysicalExpr>]) -> LimitEffect {
        self.function.inner().limit_effect(args)
    }
}

#[derive(Debug)]
struct CountedEvaluator {
    function: String,
    budget: Arc<WindowBudget>,
    values: Box<dyn PartitionEvaluator>,
    /// Bytes of a constant that may become the value of each row, as the default of `lag` may.
    largest_constant: u64,
}

impl PartitionEvaluator for CountedEvaluator {
    fn memoize(&mut self, state: &mut WindowAggState) -> Result<()> {
        self.values.memoize(state)
    }

    fn get_range(&self, idx: usize, n_rows: usize) -> Result<Range<usize>> {
        self.values.get_range(idx, n_rows)
    }

    fn is_causal(&self) -> bool {
        self.values.is_causal()
    }

    fn evaluate_all(&mut self, values: &[ArrayRef], num_rows: usize) -> Result<ArrayRef> {
        self.budget.check()?;
        self.budget.check_copies(&self.function, self.largest_constant, num_rows)?;
        let column = self.values.evaluate_all(values, num_rows)?;
        self.budget.take_column(&self.function, &column)?;
        Ok(column)
    }

    fn evaluate(&mut self, values: &[ArrayRef], range: &Range<usize>) -> Result<ScalarValue> {
        self.budget.check()?;
        let value = self.values.evaluate(values, range)?;
        self.budget.take_value(&self.function, &value, 1)?;
        Ok(value)
    }

    fn evaluate_all_with_rank(&self, num_rows: usize, ranks_in_partition: &[Range<usize>]) -> Result<ArrayRef> {
        self.values.evaluate_all_with_rank(num_rows, ranks_in_partition)
    }

    fn supports_bounded_execution(&self) -> bool {
        self.values.supports_bounded_execution()
    }

    fn uses_window_frame(&self) -> bool {
        self.values.uses_window_frame()
    }

    fn include_rank(&self) -> bool {
        self.values.include_rank()
    }
}
