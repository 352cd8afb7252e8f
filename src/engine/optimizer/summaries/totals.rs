//! Totals of whole traces from summaries: time and number of states by container, type, value, depth, number of events and
//! variables, and time, number and volume of links.
//!
//! ```text
//!  aggregate: sum(end_tick - start_tick), count(*)        aggregate: sum(end_tick - start_tick), sum(states)
//!    states                                         ─►      states_bands, of the widest bands
//! ```
//! Every state lies in bands of each width, and its time in them adds up to its length. So the widest bands, which are few,
//! say all. A table of a union that has no summary is read as it is, each row as one state. `sum_seconds` and `avg_seconds`, by
//! which times are added up, are sums as well; a mean is told how many states a row stands for.
//!
//! Volumes are doubles. Their sum is that of the rows, bit by bit, where all are whole numbers and not too large: then no
//! addition rounds. The store knows; all other volumes are read from the rows.

use std::sync::Arc;

use datafusion::common::{Result, ScalarValue};
use datafusion::datasource::source::DataSourceExec;
use datafusion::functions_aggregate::sum::sum_udaf;
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_expr::aggregate::{AggregateExprBuilder, AggregateFunctionExpr};
use datafusion::physical_expr::expressions::{CaseExpr, Column, Literal};
use datafusion::physical_expr::projection::ProjectionExpr;
use datafusion::physical_plan::aggregates::{AggregateExec, AggregateMode};
use datafusion::physical_plan::coalesce_partitions::CoalescePartitionsExec;
use datafusion::physical_plan::filter::FilterExecBuilder;
use datafusion::physical_plan::projection::ProjectionExec;
use datafusion::physical_plan::{ExecutionPlan, ExecutionPlanProperties};

use super::known::{Origins, is_column, is_condition_known, is_row_length, origins, uses_keys};
use super::operators::{column, leaves, over_wider};
use super::scans::{RowGroupChoice, SummarizedScan, WantedBands, summary_shape};
use super::shape::{LEVEL, SummaryShape};

/// The aggregate of sums; `None` where rows have no summary, or more is asked for than it knows.
pub(super) fn summed(aggregate: &AggregateExec) -> Result<Option<Arc<dyn ExecutionPlan>>> {
    let is_plain = matches!(aggregate.mode(), AggregateMode::Partial | AggregateMode::Single)
        && aggregate.group_expr().is_single()
        && aggregate.limit_options().is_none();
    let shape = leaves(aggregate.input()).into_iter().find_map(summary_shape);
    let Some(shape) = shape.filter(|_| is_plain) else {
        return Ok(None);
    };
    let rows = shape.count;
    let Some(origins) = origins(aggregate.input(), shape, None) else {
        return Ok(None);
    };
    let mut groups = aggregate.group_expr().expr().iter();
    let mut conditions = aggregate.filter_expr().iter().flatten();
    let summed = if has_whole_values(aggregate.input()) { shape.values } else { &[] };
    let is_known = aggregate.aggr_expr().iter().all(|function| is_total(function, &origins, shape, summed))
        && groups.all(|(group, _)| uses_keys(group, &origins))
        && conditions.all(|condition| is_condition_known(condition, &origins, None));
    if !is_known {
        return Ok(None);
    }
    let mut is_summed = false;
    let input = over_wider(aggregate.input(), &[rows], &mut |scan| match SummarizedScan::of(scan) {
        Some(summarized) if summarized.has_counts(shape) => {
            is_summed = true;
            widest(&summarized, shape)
        }
        _ => one_each(scan, rows).map(Some),
    })?;
    let Some(input) = input.filter(|_| is_summed) else {
        return Ok(None);
    };
    let count = input.schema().fields().len() - 1;
    let total = |function: &Arc<AggregateFunctionExpr>| -> Result<Arc<AggregateFunctionExpr>> {
        let states: Arc<dyn PhysicalExpr> = Arc::new(Column::new(rows, count));
        let sum = match function.fun().name() {
            "count" => AggregateExprBuilder::new(sum_udaf(), vec![states]),
            "avg_seconds" => {
                let arguments = function.expressions().into_iter().chain([states]).collect();
                AggregateExprBuilder::new(Arc::new(function.fun().clone()), arguments)
            }
            _ => return Ok(Arc::clone(function)),
        };
        Ok(Arc::new(sum.schema(input.schema()).alias(function.name()).build()?))
    };
    let functions = aggregate.aggr_expr().iter().map(total).collect::<Result<Vec<_>>>()?;
    let (groups, conditions) = (aggregate.group_expr().clone(), aggregate.filter_expr().to_vec());
    let schema = input.schema();
    let sums = AggregateExec::try_new(AggregateMode::Partial, groups, functions, conditions, input, schema)?;
    if *aggregate.mode() == AggregateMode::Partial {
        return Ok(Some(Arc::new(sums)));
    }
    finished(aggregate, &(Arc::new(sums) as _)).map(Some)
}

/// The result of an aggregate in one step, from sums in its place.
fn finished(aggregate: &AggregateExec, sums: &Arc<dyn ExecutionPlan>) -> Result<Arc<dyn ExecutionPlan>> {
    let groups = aggregate.group_expr().as_final();
    let functions = aggregate.aggr_expr().to_vec();
    let conditions = vec![None; functions.len()];
    let sums = match sums.output_partitioning().partition_count() {
        1 => Arc::clone(sums),
        _ => Arc::new(CoalescePartitionsExec::new(Arc::clone(sums))),
    };
    let schema = aggregate.input_schema();
    Ok(Arc::new(AggregateExec::try_new(AggregateMode::Final, groups, functions, conditions, sums, schema)?))
}

/// Tables whose volumes add up without rounding, together.
const MOST_WHOLE_TABLES: usize = 8;

/// Whether every order of adding up the values of all rows gives the same.
fn has_whole_values(input: &Arc<dyn ExecutionPlan>) -> bool {
    let leaves = leaves(input);
    let is_whole =
        |scan: &&DataSourceExec| SummarizedScan::of(scan).is_some_and(|scan| scan.summary.bands.whole_volume);
    leaves.len() <= MOST_WHOLE_TABLES && leaves.iter().all(is_whole)
}

/// Whether a function gives the same of bands: the time of states, their number, the least or largest of a key, or the sum of
/// one of some columns.
fn is_total(function: &Arc<AggregateFunctionExpr>, origins: &Origins, shape: &SummaryShape, summed: &[&str]) -> bool {
    if function.is_distinct() || !function.order_bys().is_empty() {
        return false;
    }
    let arguments = function.expressions();
    match (function.fun().name(), arguments.as_slice()) {
        ("sum", [value]) if summed.iter().any(|name| is_column(value, name, origins)) => true,
        ("sum" | "sum_ticks", [length]) | ("sum_seconds" | "avg_seconds", [length, _]) => {
            shape.has_all_time && is_length(length, origins)
        }
        ("count", arguments) => arguments.iter().all(is_something),
        ("min" | "max", [key]) => uses_keys(key, origins),
        _ => false,
    }
}

/// The length of states, of all or of some: of those of some keys.
fn is_length(expression: &Arc<dyn PhysicalExpr>, origins: &Origins) -> bool {
    if let Some(case) = expression.downcast_ref::<CaseExpr>() {
        let branches = case.when_then_expr().iter();
        let results = branches.clone().map(|(_, then)| then).chain(case.else_expr());
        let mut questions = branches.map(|(when, _)| when).chain(case.expr());
        return questions.all(|question| uses_keys(question, origins))
            && results.into_iter().all(|result| is_nothing(result) || is_length(result, origins));
    }
    is_row_length(expression, origins)
}

/// No time, or NULL.
fn is_nothing(expression: &Arc<dyn PhysicalExpr>) -> bool {
    let literal = expression.downcast_ref::<Literal>().map(Literal::value);
    literal.is_some_and(|value| value.is_null() || *value == ScalarValue::Int64(Some(0)))
}

/// A constant that is not NULL.
fn is_something(expression: &Arc<dyn PhysicalExpr>) -> bool {
    expression.downcast_ref::<Literal>().is_some_and(|literal| !literal.value().is_null())
}

/// The widest bands of a summary, with the number of rows.
fn widest(scan: &SummarizedScan<'_>, shape: &SummaryShape) -> Result<Option<Arc<dyn ExecutionPlan>>> {
    let wanted = WantedBands::Width { shift: scan.summary.bands.coarsest };
    let Some(bands) = scan.sums(shape, &[LEVEL, shape.count], &wanted, RowGroupChoice::Condition)? else {
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
