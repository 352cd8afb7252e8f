//! Slices and columns of states, events, variables and links from their rows and their summary.

use std::sync::Arc;

use datafusion::common::Result;
use datafusion::physical_expr::aggregate::{AggregateExprBuilder, AggregateFunctionExpr};
use datafusion::physical_expr::expressions::{Column, Literal};
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::aggregates::AggregateExec;
use datafusion::physical_plan::union::UnionExec;

use super::columns;
use super::grid::{SummedRows, TimeGrid};
use super::known::{is_column, is_condition_known, origins, uses_keys};
use super::operators::{leaf, over_wider, replace_leaf, with_conditions};
use super::scans::{RowGroupChoice, SummarizedScan, WantedBands, summary_shape};
use super::shape::SummaryShape;
use crate::functions::slices::slice_times::time_arguments;
use crate::functions::slices::slice_window::{SliceWindow, SlicedRows};
use crate::optimizer::partial_aggregate::is_partial_of_trace_functions;

/// The aggregate of rows and sums; `None` where rows have no summary, or more is asked for than it knows.
pub(super) fn summed(aggregate: &AggregateExec, way: RowGroupChoice) -> Result<Option<Arc<dyn ExecutionPlan>>> {
    let sliced = sliced(aggregate);
    let asked = match &sliced {
        Some((shape, window)) if shape.rows_are_whole => {
            Some((*shape, TimeGrid::Links(window.slicing, window.boundary, window.last_instant)))
        }
        Some((shape, window)) => Some((*shape, TimeGrid::Slices(window.slicing))),
        None => columns::asked(aggregate),
    };
    let Some((shape, grid)) = asked else {
        return Ok(None);
    };
    let Some(leaf) = leaf(aggregate.input()).filter(|leaf| summary_shape(leaf) == Some(shape)) else {
        return Ok(None);
    };
    let Some(scan) = SummarizedScan::of(leaf) else {
        return Ok(None);
    };
    let (shift, coarsest) = (u32::from(scan.summary.bands.shift), u32::from(scan.summary.bands.coarsest));
    let is_known = match &sliced {
        Some(_) => is_known(aggregate, shape, &grid),
        None => columns::is_known(aggregate, shape, &grid),
    };
    // Volumes per second were added up as those of the trace.
    let is_same_second = |window: &SliceWindow| window.slicing.per_second() == scan.summary.ticks_per_second;
    let is_same_second = !shape.rows_are_whole || sliced.iter().all(|(_, window)| is_same_second(window));
    if !is_known || !is_same_second || !grid.pays(shift) {
        return Ok(None);
    }
    let wanted = WantedBands::Between { grid: &grid, coarsest };
    let Some(rows) = scan.rows(shape, grid.cut_bands(shift), way)? else {
        return Ok(None);
    };
    let input = match shape.rows_are_whole {
        true => about_keys(aggregate.input(), shape, &grid)?,
        false => Arc::clone(aggregate.input()),
    };
    let Some(sums) = over_wider(&input, shape.more, &mut |_| scan.sums(shape, shape.more, &wanted, way))? else {
        return Ok(None);
    };
    let rows = replace_leaf(aggregate.input(), &rows)?;
    let over = |input: &Arc<dyn ExecutionPlan>, rows: SummedRows| match &sliced {
        Some((_, window)) => over(aggregate, shape, input, SliceWindow { rows: rows.into(), ..*window }),
        None => columns::over(aggregate, shape, input, rows),
    };
    let rows = over(&rows, SummedRows::InCutBands { shift })?;
    let sums = over(&sums, SummedRows::BandSums { coarsest })?;
    UnionExec::try_new(vec![rows, sums]).map(Some)
}

/// What is below an aggregate, with the conditions on keys alone: those on times only repeat the window, and sums of whole rows
/// do not fulfill them.
fn about_keys(
    input: &Arc<dyn ExecutionPlan>,
    shape: &'static SummaryShape,
    grid: &TimeGrid,
) -> Result<Arc<dyn ExecutionPlan>> {
    with_conditions(input, &|condition, below| {
        origins(below, shape, Some(grid)).is_some_and(|origins| uses_keys(condition, &origins))
    })
}

impl From<SummedRows> for SlicedRows {
    fn from(rows: SummedRows) -> SlicedRows {
        match rows {
            SummedRows::InCutBands { shift } => SlicedRows::InCutBands { shift },
            SummedRows::BandSums { coarsest } => SlicedRows::BandSums { coarsest },
        }
    }
}

/// The only function of an aggregate whose rows may have a summary, and its window.
fn sliced(aggregate: &AggregateExec) -> Option<(&'static SummaryShape, SliceWindow)> {
    if !is_partial_of_trace_functions(aggregate) {
        return None;
    }
    let mut calls = aggregate.aggr_expr().iter().filter_map(|call| {
        let shape = SummaryShape::of_function(call.fun().name())?;
        Some((shape, call))
    });
    let ((shape, call), None) = (calls.next()?, calls.next()) else {
        return None;
    };
    let arguments = call.expressions();
    let window = SliceWindow::from_scalar(arguments.first()?.downcast_ref::<Literal>()?.value())?;
    (window.rows == SlicedRows::All).then_some((shape, window))
}

/// Whether everything from the aggregate to the files asks for what a summary knows.
fn is_known(aggregate: &AggregateExec, shape: &'static SummaryShape, grid: &TimeGrid) -> bool {
    let Some(origins) = origins(aggregate.input(), shape, Some(grid)) else {
        return false;
    };
    // Times and values are those of the rows themselves; all else only tells rows apart.
    let is_call_known = |function: &Arc<AggregateFunctionExpr>| {
        let arguments = function.expressions();
        let name = function.fun().name();
        let Some(times) = time_arguments(name).filter(|_| name == shape.cells) else {
            return arguments.iter().all(|other| uses_keys(other, &origins));
        };
        let (Some(labels), Some(own)) = (arguments.get(1..times.begins), arguments.get(times.begins..)) else {
            return false;
        };
        let columns = shape.times.iter().chain(shape.values);
        labels.iter().all(|label| uses_keys(label, &origins))
            && own.len() >= columns.clone().count()
            && own.iter().skip(columns.clone().count()).all(|other| uses_keys(other, &origins))
            && own.iter().zip(columns).all(|(argument, column)| is_column(argument, column, &origins))
    };
    let mut groups = aggregate.group_expr().expr().iter();
    let mut conditions = aggregate.filter_expr().iter().flatten();
    aggregate.aggr_expr().iter().all(is_call_known)
        && groups.all(|(group, _)| uses_keys(group, &origins))
        && conditions.all(|condition| is_condition_known(condition, &origins, Some(grid)))
}

/// The aggregate of other rows, with another window. Rows of a summary have columns of their own, which come last.
fn over(
    aggregate: &AggregateExec,
    shape: &SummaryShape,
    input: &Arc<dyn ExecutionPlan>,
    window: SliceWindow,
) -> Result<Arc<dyn ExecutionPlan>> {
    let first = input.schema().fields().len().saturating_sub(shape.more.len());
    let changed = |function: &Arc<AggregateFunctionExpr>| -> Result<Arc<AggregateFunctionExpr>> {
        if function.fun().name() != shape.cells {
            return Ok(Arc::clone(function));
        }
        let mut arguments = function.expressions();
        arguments[0] = Arc::new(Literal::new(window.to_scalar()));
        if let SlicedRows::BandSums { .. } = window.rows {
            let more = shape.more.iter().zip(first..).map(|(name, place)| Arc::new(Column::new(name, place)) as _);
            arguments.extend(more);
        }
        let call = AggregateExprBuilder::new(Arc::new(function.fun().clone()), arguments);
        Ok(Arc::new(call.schema(input.schema()).alias(function.name()).build()?))
    };
    let functions = aggregate.aggr_expr().iter().map(changed).collect::<Result<Vec<_>>>()?;
    Ok(Arc::new(AggregateExec::try_new(
        *aggregate.mode(),
        aggregate.group_expr().clone(),
        functions,
        aggregate.filter_expr().to_vec(),
        Arc::clone(input),
        input.schema(),
    )?))
}
