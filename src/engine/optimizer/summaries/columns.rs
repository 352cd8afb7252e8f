//! Columns of a screen from rows of states and their summary.

use std::sync::Arc;

use datafusion::common::{Result, ScalarValue, internal_err};
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_expr::aggregate::{AggregateExprBuilder, AggregateFunctionExpr};
use datafusion::physical_expr::expressions::{Column, Literal};
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::aggregates::{AggregateExec, AggregateMode};

use super::grid::{SummedRows, TimeGrid};
use super::known::{is_column, is_condition_known, origins, uses_keys};
use super::shape::SummaryShape;
use crate::functions::filters::column_mix::{ColumnMix, columns_of, summed};

/// The columns that an aggregate is asked for, and what its rows have; `None` when it is about something else.
pub(super) fn asked(aggregate: &AggregateExec) -> Option<(&'static SummaryShape, TimeGrid)> {
    let [call] = aggregate.aggr_expr() else {
        return None;
    };
    let arguments = call.expressions();
    call.fun().inner().downcast_ref::<ColumnMix>()?;
    // That of sums has more arguments.
    let is_plain = *aggregate.mode() == AggregateMode::Partial && arguments.len() == PLAIN_ARGUMENTS;
    let columns = is_plain.then(|| columns_of(&arguments).ok())??;
    Some((SummaryShape::of_function("state_cells")?, TimeGrid::Columns(columns)))
}

/// Arguments of the function, when its rows are all rows there are.
const PLAIN_ARGUMENTS: usize = 7;

/// Whether everything from the aggregate to the files asks for what a summary knows.
pub(super) fn is_known(aggregate: &AggregateExec, shape: &'static SummaryShape, grid: &TimeGrid) -> bool {
    let (Some(origins), [call]) = (origins(aggregate.input(), shape, Some(grid)), aggregate.aggr_expr()) else {
        return false;
    };
    let arguments = call.expressions();
    let ([start, end], [starts, ends, value, weight, ..]) = (shape.times, arguments.as_slice()) else {
        return false;
    };
    let is_one = weight.downcast_ref::<Literal>().is_some_and(|one| *one.value() == ScalarValue::Int64(Some(1)));
    let mut groups = aggregate.group_expr().expr().iter();
    let mut conditions = aggregate.filter_expr().iter().flatten();
    is_one
        && is_column(starts, start, &origins)
        && is_column(ends, end, &origins)
        && uses_keys(value, &origins)
        && groups.all(|(group, _)| uses_keys(group, &origins))
        && conditions.all(|condition| is_condition_known(condition, &origins, Some(grid)))
}

/// The aggregate of other rows: with the width of the bands that are cut, or with that of the widest bands and the columns
/// that sums have, which come last.
pub(super) fn over(
    aggregate: &AggregateExec,
    shape: &SummaryShape,
    input: &Arc<dyn ExecutionPlan>,
    rows: SummedRows,
) -> Result<Arc<dyn ExecutionPlan>> {
    let first = input.schema().fields().len().saturating_sub(shape.more.len());
    let changed = |function: &Arc<AggregateFunctionExpr>| -> Result<Arc<AggregateFunctionExpr>> {
        let mut arguments = function.expressions();
        let constant =
            |shift: u32| Arc::new(Literal::new(ScalarValue::from(i64::from(shift)))) as Arc<dyn PhysicalExpr>;
        match rows {
            SummedRows::InCutBands { shift } => arguments.push(constant(shift)),
            SummedRows::BandSums { coarsest } => {
                arguments.push(constant(coarsest));
                arguments.extend(
                    shape.more.iter().zip(first..).map(|(name, place)| Arc::new(Column::new(name, place)) as _),
                );
            }
        }
        let Some(plain) = function.fun().inner().downcast_ref::<ColumnMix>() else {
            return internal_err!("{} is not about columns", function.fun().name());
        };
        let call = AggregateExprBuilder::new(Arc::new(summed(plain)), arguments);
        Ok(Arc::new(call.schema(input.schema()).alias(function.name()).build()?))
    };
    let functions = aggregate.aggr_expr().iter().map(changed).collect::<Result<Vec<_>>>()?;
    let (groups, conditions) = (aggregate.group_expr().clone(), aggregate.filter_expr().to_vec());
    let schema = input.schema();
    Ok(Arc::new(AggregateExec::try_new(*aggregate.mode(), groups, functions, conditions, Arc::clone(input), schema)?))
}
