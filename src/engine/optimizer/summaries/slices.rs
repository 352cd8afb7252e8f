//! Slices of states from their rows and their summary.

use std::sync::Arc;

use datafusion::common::Result;
use datafusion::physical_expr::aggregate::{AggregateExprBuilder, AggregateFunctionExpr};
use datafusion::physical_expr::expressions::{Column, Literal};
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::aggregates::AggregateExec;
use datafusion::physical_plan::union::UnionExec;

use super::known::{TIMES, is_column, is_condition_known, origins, uses_keys};
use super::operators::{leaf, over_wider, replace_leaf};
use super::scans::{LEVEL, RowGroupChoice, STATES, SummarizedScan, WantedBands};
use crate::functions::slices::slice_window::{SliceWindow, SlicedRows};
use crate::optimizer::partial_aggregate::is_partial_of_trace_functions;
use ocellus_kernels::slices::{CutBands, Slicing};

/// The aggregate function whose rows have summaries.
const STATE_CELLS: &str = "state_cells";

/// How many bands there must be for each boundary of slices: reading rows of one costs as much as that of several.
const BANDS_PER_BOUNDARY: i64 = 2;

/// The aggregate of rows and sums; `None` where rows have no summary, or more is asked for than it knows.
pub(super) fn summed(aggregate: &AggregateExec, way: RowGroupChoice) -> Result<Option<Arc<dyn ExecutionPlan>>> {
    if !is_partial_of_trace_functions(aggregate) {
        return Ok(None);
    }
    let Some(window) = window_of(aggregate) else {
        return Ok(None);
    };
    let Some(scan) = leaf(aggregate.input()).and_then(SummarizedScan::of) else {
        return Ok(None);
    };
    let (shift, coarsest) = (u32::from(scan.summary.bands.shift), u32::from(scan.summary.bands.coarsest));
    let slicing = &window.slicing;
    if !pays(slicing, shift) || !is_known(aggregate, slicing) {
        return Ok(None);
    }
    let (first, last) = slicing.asked();
    let wanted =
        WantedBands::Within { begin: slicing.boundary_ticks(first).1, end: slicing.boundary_ticks(last + 1).0 };
    let Some(rows) = scan.rows(CutBands::new(slicing, shift), way)? else {
        return Ok(None);
    };
    let Some(sums) = over_wider(aggregate.input(), &[LEVEL, STATES], &mut |_| scan.sums(&wanted))? else {
        return Ok(None);
    };
    let rows = replace_leaf(aggregate.input(), &rows)?;
    let rows = over(aggregate, &rows, SliceWindow { rows: SlicedRows::InCutBands { shift }, ..window }, None)?;
    let level = sums.schema().fields().len() - 2;
    let sums = over(aggregate, &sums, SliceWindow { rows: SlicedRows::BandSums { coarsest }, ..window }, Some(level))?;
    UnionExec::try_new(vec![rows, sums]).map(Some)
}

/// The window of the only function of states.
fn window_of(aggregate: &AggregateExec) -> Option<SliceWindow> {
    let mut calls = aggregate.aggr_expr().iter().filter(|function| function.fun().name() == STATE_CELLS);
    let (call, None) = (calls.next()?, calls.next()) else {
        return None;
    };
    let arguments = call.expressions();
    let window = SliceWindow::from_scalar(arguments.first()?.downcast_ref::<Literal>()?.value())?;
    (arguments.len() == 5 && window.rows == SlicedRows::All).then_some(window)
}

/// Whether there are enough bands for each boundary.
fn pays(slicing: &Slicing, shift: u32) -> bool {
    let (first, last) = slicing.asked();
    if first > last {
        return false;
    }
    let (begin, end) = (slicing.boundary_ticks(first).0, slicing.boundary_ticks(last + 1).1);
    let bands = end.saturating_sub(begin) >> shift;
    i64::from(last - first).saturating_add(2).saturating_mul(BANDS_PER_BOUNDARY) <= bands
}

/// Whether everything from the aggregate to the files asks for what a summary knows.
fn is_known(aggregate: &AggregateExec, slicing: &Slicing) -> bool {
    let Some(origins) = origins(aggregate.input(), Some(slicing)) else {
        return false;
    };
    // Times are those of the rows themselves; all else only tells rows apart.
    let is_call_known = |function: &Arc<AggregateFunctionExpr>| {
        let arguments = function.expressions();
        match arguments.as_slice() {
            [_, labels @ .., start, end] if function.fun().name() == STATE_CELLS => {
                is_column(start, TIMES[0], &origins)
                    && is_column(end, TIMES[1], &origins)
                    && labels.iter().all(|label| uses_keys(label, &origins))
            }
            others => others.iter().all(|other| uses_keys(other, &origins)),
        }
    };
    let mut groups = aggregate.group_expr().expr().iter();
    let mut conditions = aggregate.filter_expr().iter().flatten();
    aggregate.aggr_expr().iter().all(is_call_known)
        && groups.all(|(group, _)| uses_keys(group, &origins))
        && conditions.all(|condition| is_condition_known(condition, &origins, Some(slicing)))
}

/// The aggregate of other rows, with another window and perhaps with the width of bands.
fn over(
    aggregate: &AggregateExec,
    input: &Arc<dyn ExecutionPlan>,
    window: SliceWindow,
    level: Option<usize>,
) -> Result<Arc<dyn ExecutionPlan>> {
    let changed = |function: &Arc<AggregateFunctionExpr>| -> Result<Arc<AggregateFunctionExpr>> {
        if function.fun().name() != STATE_CELLS {
            return Ok(Arc::clone(function));
        }
        let mut arguments = function.expressions();
        arguments[0] = Arc::new(Literal::new(window.to_scalar()));
        if let Some(level) = level {
            arguments.push(Arc::new(Column::new(LEVEL, level)));
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
