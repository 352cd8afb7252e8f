//! Window functions whose values may be large, or take long, get bounds; operators that make the values say when they
//! are emitted.
//!
//! ```text
//! array_agg(x) OVER (…)     ──►   array_agg(x), bounded, OVER (…)         (when a statement is planned)
//! window operator           ──►   WindowResultsExec                       (last, when its plan is done)
//!                                   window operator
//! ```
//! The bounds are those of [`bounded_windows`](crate::functions::plans::bounded_windows).

use std::sync::Arc;

use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode};
use datafusion::common::{DFSchema, Result, ScalarValue};
use datafusion::config::ConfigOptions;
use datafusion::logical_expr::expr::{WindowFunction, WindowFunctionParams};
use datafusion::logical_expr::expr_rewriter::NamePreserver;
use datafusion::logical_expr::{
    Expr, ExprSchemable, LogicalPlan, WindowFrame, WindowFrameBound, WindowFrameUnits, WindowFunctionDefinition,
};
use datafusion::optimizer::AnalyzerRule;
use datafusion::physical_expr::window::{
    PlainAggregateWindowExpr, SlidingAggregateWindowExpr, StandardWindowExpr, WindowExpr,
};
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::windows::{BoundedWindowAggExec, WindowAggExec, WindowUDFExpr};
use ocellus_planning::QueryControl;

use super::window_results::WindowResultsExec;
use crate::functions::plans::bounded_windows::{
    RowsOfValue, WindowBudget, bounded_aggregate, bounded_function, budget_of_aggregate, budget_of_function,
    has_small_values,
};

/// Aggregate functions that take no longer for a row than the rows that come and go, unless they count distinct values.
const QUICK: &[&str] = &["avg", "bit_and", "bit_or", "bit_xor", "bool_and", "bool_or", "count", "max", "min", "sum"];

/// A frame that ends so many rows after the current one ends with its partition.
const BEYOND_ALL_ROWS: u64 = 1 << 40;

/// The rule for plans as they were written; see the file's head.
#[derive(Debug)]
pub(crate) struct BoundedWindows {
    /// Bytes that the session may use.
    pub(crate) memory_limit: Option<usize>,
}

impl AnalyzerRule for BoundedWindows {
    fn name(&self) -> &str {
        "bounded_windows"
    }

    fn analyze(&self, plan: LogicalPlan, config: &ConfigOptions) -> Result<LogicalPlan> {
        let control = config.extensions.get::<QueryControl>();
        let budget = Arc::new(WindowBudget::new(self.memory_limit, control));
        plan.transform_up_with_subqueries(|node| {
            let LogicalPlan::Window(window) = &node else { return Ok(Transformed::no(node)) };
            let input = Arc::clone(window.input.schema());
            let names = NamePreserver::new(&node);
            node.map_expressions(|expression| {
                let name = names.save(&expression);
                let changed = expression.transform_up(|part| bound_call(part, &input, &budget))?;
                Ok(if changed.transformed { changed.update_data(|data| name.restore(data)) } else { changed })
            })
        })
        .data()
    }
}

fn bound_call(expression: Expr, input: &DFSchema, budget: &Arc<WindowBudget>) -> Result<Transformed<Expr>> {
    let is_small = expression.get_type(input).is_ok_and(|kind| has_small_values(&kind));
    let Expr::WindowFunction(mut call) = expression else { return Ok(Transformed::no(expression)) };
    let function = match &call.fun {
        WindowFunctionDefinition::AggregateUDF(function) => {
            let is_quick = QUICK.contains(&function.name()) && !call.params.distinct;
            if is_small && is_quick || budget_of_aggregate(function).is_some() {
                return Ok(Transformed::no(Expr::WindowFunction(call)));
            }
            let function = bounded_aggregate(function, budget, rows_of_value(&mut call.params));
            WindowFunctionDefinition::AggregateUDF(function)
        }
        WindowFunctionDefinition::WindowUDF(function) if !is_small && budget_of_function(function).is_none() => {
            WindowFunctionDefinition::WindowUDF(bounded_function(function, budget))
        }
        WindowFunctionDefinition::WindowUDF(_) => return Ok(Transformed::no(Expr::WindowFunction(call))),
    };
    Ok(Transformed::yes(Expr::from(WindowFunction { fun: function, params: call.params })))
}

/// Which rows get a value. DataFusion makes one value for all rows of a partition whose frames are the whole of it;
/// then the rows that the function saw are counted. Where FILTER hides some of them, a frame that only happens to be
/// the whole partition makes one value for each row.
fn rows_of_value(params: &mut WindowFunctionParams) -> RowsOfValue {
    let frame = &params.window_frame;
    let to_end = match frame.end_bound {
        WindowFrameBound::CurrentRow => frame.units == WindowFrameUnits::Range && params.order_by.is_empty(),
        _ => frame.end_bound.is_unbounded(),
    };
    match frame.start_bound.is_unbounded() && to_end {
        true if params.filter.is_some() => {
            params.window_frame = WindowFrame::new_bounds(
                WindowFrameUnits::Rows,
                WindowFrameBound::Preceding(ScalarValue::UInt64(None)),
                WindowFrameBound::Following(ScalarValue::UInt64(Some(BEYOND_ALL_ROWS))),
            );
            RowsOfValue::One
        }
        true => RowsOfValue::Partition,
        false => RowsOfValue::One,
    }
}

/// The rule for physical plans; see the file's head. It must come after every rule that looks at operators.
#[derive(Debug, Default)]
pub(crate) struct WindowResults;

impl WindowResults {
    /// Its name among the rules of a session.
    pub(super) const NAME: &str = "window_results";
}

impl PhysicalOptimizerRule for WindowResults {
    fn name(&self) -> &str {
        WindowResults::NAME
    }

    fn schema_check(&self) -> bool {
        true
    }

    fn optimize(&self, plan: Arc<dyn ExecutionPlan>, _config: &ConfigOptions) -> Result<Arc<dyn ExecutionPlan>> {
        plan.transform_up(|node| {
            let calls = if let Some(window) = node.downcast_ref::<WindowAggExec>() {
                window.window_expr()
            } else if let Some(window) = node.downcast_ref::<BoundedWindowAggExec>() {
                window.window_expr()
            } else {
                return Ok(Transformed::no(node));
            };
            // The values of calls are the last columns.
            let first = node.schema().fields().len() - calls.len();
            let bounded: Vec<(usize, Arc<WindowBudget>)> = calls
                .iter()
                .enumerate()
                .filter_map(|(place, call)| Some((first + place, Arc::clone(budget_of(call.as_ref())?))))
                .collect();
            Ok(match bounded.is_empty() {
                true => Transformed::no(node),
                false => Transformed::yes(Arc::new(WindowResultsExec::new(node, bounded)) as Arc<dyn ExecutionPlan>),
            })
        })
        .data()
    }
}

fn budget_of(call: &dyn WindowExpr) -> Option<&Arc<WindowBudget>> {
    let call = call.as_any();
    if let Some(aggregate) = call.downcast_ref::<PlainAggregateWindowExpr>() {
        return budget_of_aggregate(aggregate.get_aggregate_expr().fun());
    }
    if let Some(aggregate) = call.downcast_ref::<SlidingAggregateWindowExpr>() {
        return budget_of_aggregate(aggregate.get_aggregate_expr().fun());
    }
    let function = call.downcast_ref::<StandardWindowExpr>()?.get_standard_func_expr();
    budget_of_function(function.as_any().downcast_ref::<WindowUDFExpr>()?.fun())
}
