//! Totals of whole traces from summaries: time and number of states by container, type, value, depth, and number of events.
//!
//! ```text
//!  aggregate: sum(end_tick - start_tick), count(*)        aggregate: sum(end_tick - start_tick), sum(states)
//!    states                                         ─►      states_bands, of the widest bands
//! ```
//! Every state lies in bands of each width, and its time in them adds up to its length. So the widest bands, which are few,
//! say all. A table of a union that has no summary is read as it is, each row as one state.

use std::sync::Arc;

use datafusion::common::{Result, ScalarValue};
use datafusion::datasource::source::DataSourceExec;
use datafusion::functions_aggregate::sum::sum_udaf;
use datafusion::logical_expr::Operator;
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_expr::aggregate::{AggregateExprBuilder, AggregateFunctionExpr};
use datafusion::physical_expr::expressions::{BinaryExpr, Column, Literal};
use datafusion::physical_expr::projection::ProjectionExpr;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::aggregates::{AggregateExec, AggregateMode};
use datafusion::physical_plan::filter::FilterExecBuilder;
use datafusion::physical_plan::projection::ProjectionExec;

use super::known::{Origins, is_column, is_condition_known, origins, uses_keys};
use super::operators::{column, leaves, over_wider};
use super::scans::{RowGroupChoice, SummarizedScan, WantedBands};
use super::shape::{LEVEL, SummaryShape};

/// The aggregate of sums; `None` where rows have no summary, or more is asked for than it knows.
pub(super) fn summed(aggregate: &AggregateExec) -> Result<Option<Arc<dyn ExecutionPlan>>> {
    let is_plain = *aggregate.mode() == AggregateMode::Partial
        && aggregate.group_expr().is_single()
        && aggregate.limit_options().is_none();
    let shape = leaves(aggregate.input()).into_iter().find_map(SummaryShape::of_scan);
    let (Some(shape), Some(rows)) = (shape.filter(|_| is_plain), shape.and_then(SummaryShape::count)) else {
        return Ok(None);
    };
    let Some(origins) = origins(aggregate.input(), shape, None) else {
        return Ok(None);
    };
    let mut groups = aggregate.group_expr().expr().iter();
    let mut conditions = aggregate.filter_expr().iter().flatten();
    let is_known = aggregate.aggr_expr().iter().all(|function| is_total(function, shape, &origins))
        && groups.all(|(group, _)| uses_keys(group, &origins))
        && conditions.all(|condition| is_condition_known(condition, &origins, None));
    if !is_known {
        return Ok(None);
    }
    let mut is_summed = false;
    let input = over_wider(aggregate.input(), &[rows], &mut |scan| match SummarizedScan::of(scan) {
        Some(summarized) => {
            is_summed = true;
            widest(&summarized, shape)
        }
        None => one_each(scan, rows).map(Some),
    })?;
    let Some(input) = input.filter(|_| is_summed) else {
        return Ok(None);
    };
    let count = input.schema().fields().len() - 1;
    let total = |function: &Arc<AggregateFunctionExpr>| -> Result<Arc<AggregateFunctionExpr>> {
        if function.fun().name() != "count" {
            return Ok(Arc::clone(function));
        }
        let sum = AggregateExprBuilder::new(sum_udaf(), vec![Arc::new(Column::new(rows, count))]);
        Ok(Arc::new(sum.schema(input.schema()).alias(function.name()).build()?))
    };
    let functions = aggregate.aggr_expr().iter().map(total).collect::<Result<Vec<_>>>()?;
    let (groups, conditions) = (aggregate.group_expr().clone(), aggregate.filter_expr().to_vec());
    let schema = input.schema();
    Ok(Some(Arc::new(AggregateExec::try_new(AggregateMode::Partial, groups, functions, conditions, input, schema)?)))
}

/// Whether a function gives the same of bands: the time of states, their number, or the least or largest of a key.
fn is_total(function: &Arc<AggregateFunctionExpr>, shape: &SummaryShape, origins: &Origins) -> bool {
    if function.is_distinct() || !function.order_bys().is_empty() {
        return false;
    }
    let arguments = function.expressions();
    match (function.fun().name(), arguments.as_slice()) {
        ("sum", [length]) => is_length(length, shape, origins),
        ("count", arguments) => arguments.iter().all(is_something),
        ("min" | "max", [key]) => uses_keys(key, origins),
        _ => false,
    }
}

/// `end_tick - start_tick`.
fn is_length(expression: &Arc<dyn PhysicalExpr>, shape: &SummaryShape, origins: &Origins) -> bool {
    let [start, end] = shape.times else {
        return false;
    };
    expression.downcast_ref::<BinaryExpr>().is_some_and(|length| {
        *length.op() == Operator::Minus
            && is_column(length.left(), end, origins)
            && is_column(length.right(), start, origins)
    })
}

/// A constant that is not NULL.
fn is_something(expression: &Arc<dyn PhysicalExpr>) -> bool {
    expression.downcast_ref::<Literal>().is_some_and(|literal| !literal.value().is_null())
}

/// The widest bands of a summary, with the number of rows. Such summaries have the width and that number alone.
fn widest(scan: &SummarizedScan<'_>, shape: &SummaryShape) -> Result<Option<Arc<dyn ExecutionPlan>>> {
    let wanted = WantedBands::Width { shift: scan.summary.bands.coarsest };
    let Some(bands) = scan.sums(shape, &wanted, RowGroupChoice::Condition)? else {
        return Ok(None);
    };
    let count = bands.schema().fields().len();
    let level: Arc<dyn PhysicalExpr> = Arc::new(Column::new(LEVEL, count - 2));
    // The scan may leave out row groups of other widths, but need not.
    let places = (0..count - 2).chain([count - 1]).collect();
    let only = FilterExecBuilder::new(wanted.condition(&level, &level), bands).apply_projection(Some(places))?;
    Ok(Some(Arc::new(only.build()?)))
}

/// The rows of a scan, each of them counted once.
fn one_each(scan: &DataSourceExec, count: &str) -> Result<Arc<dyn ExecutionPlan>> {
    let scan: Arc<dyn ExecutionPlan> = Arc::new(scan.clone());
    let schema = scan.schema();
    let one = ProjectionExpr { expr: Arc::new(Literal::new(ScalarValue::Int64(Some(1)))), alias: count.to_string() };
    let shown = schema.fields().iter().enumerate().map(|(place, field)| column(field.name(), place));
    let shown = shown.chain([one]).collect::<Vec<_>>();
    Ok(Arc::new(ProjectionExec::try_new(shown, scan)?))
}
