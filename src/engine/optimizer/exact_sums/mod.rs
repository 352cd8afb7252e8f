//! Adds times up as ticks, so that sums and means are exact and the same whatever the order of rows.
//!
//! ```text
//!  aggregate: sum(duration)                       aggregate: sum_seconds(end_tick - start_tick, 1000000000)
//!    projection: tick_seconds(…) AS duration  ─►    projection: end_tick, start_tick
//!      scan                                           scan
//! ```
//! Seconds are doubles, and each sum of two of them is rounded; ticks are whole numbers. `avg` and windows of both are treated
//! in the same way. What is no time from ticks, or was rounded before (a mean, a square), is left alone, and so is DISTINCT.
//! The rule must run before common subexpressions are eliminated, and after the rules for DISTINCT.

mod carried;
mod forms;
mod sources;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use datafusion::common::Result;
use datafusion::common::alias::AliasGenerator;
use datafusion::common::tree_node::Transformed;
use datafusion::functions_aggregate::average::Avg;
use datafusion::functions_aggregate::sum::Sum;
use datafusion::logical_expr::expr::{AggregateFunction, Alias, WindowFunction};
use datafusion::logical_expr::{
    Aggregate, AggregateUDF, Expr, ExprSchemable, LogicalPlan, Projection, Window, WindowFunctionDefinition, lit,
};
use datafusion::optimizer::{ApplyOrder, OptimizerConfig, OptimizerRule};

use arrow::datatypes::DataType;

use crate::functions::time::tick_totals::TickTotal;
use forms::Seconds;
use sources::{Search, seconds_in};

/// The rule; see the file's head.
#[derive(Debug, Default)]
pub(super) struct ExactSums;

impl OptimizerRule for ExactSums {
    fn name(&self) -> &str {
        "exact_sums"
    }

    // What is added up further below becomes exact first.
    fn apply_order(&self) -> Option<ApplyOrder> {
        Some(ApplyOrder::BottomUp)
    }

    fn rewrite(&self, plan: LogicalPlan, config: &dyn OptimizerConfig) -> Result<Transformed<LogicalPlan>> {
        let names = config.alias_generator();
        match &plan {
            LogicalPlan::Aggregate(Aggregate { input, group_expr, aggr_expr, .. }) => {
                let Some((functions, input)) = exact(aggr_expr, input, names)? else {
                    return Ok(Transformed::no(plan));
                };
                let exact = Aggregate::try_new(input, group_expr.clone(), functions)?;
                Ok(Transformed::yes(LogicalPlan::Aggregate(exact)))
            }
            LogicalPlan::Window(Window { input, window_expr, .. }) => {
                let Some((functions, wider)) = exact(window_expr, input, names)? else {
                    return Ok(Transformed::no(plan));
                };
                let exact = LogicalPlan::Window(Window::try_new(functions, wider)?);
                // A window shows what it reads: the same columns as before, in their places.
                let shown = plan.schema().columns().into_iter().map(Expr::Column).collect();
                let shown = Projection::try_new(shown, Arc::new(exact))?;
                Ok(Transformed::yes(LogicalPlan::Projection(shown)))
            }
            _ => Ok(Transformed::no(plan)),
        }
    }
}

/// The functions over ticks, with an input that shows these; `None` when no function adds up times.
fn exact(
    functions: &[Expr],
    input: &Arc<LogicalPlan>,
    names: &AliasGenerator,
) -> Result<Option<(Vec<Expr>, Arc<LogicalPlan>)>> {
    let mut input = LogicalPlan::clone(input);
    let search = Search::new(names);
    let mut is_changed = false;
    let mut exact = Vec::with_capacity(functions.len());
    for function in functions {
        let mut wider = input.clone();
        match over_ticks(function, &mut wider, &search)? {
            Some(function) => {
                input = wider;
                is_changed = true;
                exact.push(function);
            }
            None => exact.push(function.clone()),
        }
    }
    Ok(is_changed.then(|| (exact, Arc::new(input))))
}

/// A sum or a mean of times over ticks, by the name that it has.
fn over_ticks(function: &Expr, input: &mut LogicalPlan, search: &Search<'_>) -> Result<Option<Expr>> {
    let (total, argument) = match bare(function) {
        Expr::AggregateFunction(AggregateFunction { func, params })
            if !params.distinct && params.order_by.is_empty() =>
        {
            (total_of(func), params.args.as_slice())
        }
        Expr::WindowFunction(call) if !call.params.distinct => match &call.fun {
            WindowFunctionDefinition::AggregateUDF(func) => (total_of(func), call.params.args.as_slice()),
            WindowFunctionDefinition::WindowUDF(_) => return Ok(None),
        },
        _ => return Ok(None),
    };
    let (Some(total), [seconds]) = (total, argument) else {
        return Ok(None);
    };
    if seconds.get_type(input.schema())? != DataType::Float64 {
        return Ok(None);
    }
    let form = match seconds_in(seconds, input, search)? {
        Some(Seconds::Ticks(form)) => form,
        _ => return Ok(None),
    };
    let Some((ticks, per_second)) = form.per_second() else {
        return Ok(None);
    };
    let func = Arc::new(total.function());
    let args = vec![ticks, lit(per_second)];
    let exact = match bare(function) {
        Expr::WindowFunction(call) => {
            let mut params = call.params.clone();
            params.args = args;
            Expr::from(WindowFunction { fun: WindowFunctionDefinition::AggregateUDF(func), params })
        }
        Expr::AggregateFunction(AggregateFunction { params, .. }) => {
            let mut params = params.clone();
            params.args = args;
            Expr::AggregateFunction(AggregateFunction { func, params })
        }
        _ => return Ok(None),
    };
    Ok(Some(named_as(function, exact)))
}

fn bare(function: &Expr) -> &Expr {
    match function {
        Expr::Alias(alias) => bare(&alias.expr),
        other => other,
    }
}

fn total_of(function: &AggregateUDF) -> Option<TickTotal> {
    let inner = function.inner();
    if inner.is::<Sum>() {
        return Some(TickTotal::Sum);
    }
    inner.is::<Avg>().then_some(TickTotal::Mean)
}

/// An expression by the name of another.
fn named_as(function: &Expr, exact: Expr) -> Expr {
    match function {
        Expr::Alias(alias) => Expr::Alias(Alias { expr: Box::new(exact), ..alias.clone() }),
        other => {
            let (relation, name) = other.qualified_name();
            exact.alias_qualified(relation, name)
        }
    }
}
