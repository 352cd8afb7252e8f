//! The columns of `column_mix`, and what its rows are.

use std::sync::Arc;

use arrow::array::{ArrayRef, AsArray};
use arrow::buffer::ScalarBuffer;
use arrow::compute::cast;
use arrow::datatypes::{DataType, Int64Type};
use datafusion::common::{Result, ScalarValue, internal_err, plan_err};
use datafusion::logical_expr::function::AccumulatorArgs;
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_expr::expressions::Literal;

use ocellus_kernels::columns::ScreenColumns;
use ocellus_kernels::slices::CutBands;

/// The most columns of a window.
pub(in crate::functions::filters) const MOST_COLUMNS: i64 = 1_000_000;

/// How many arguments there are for rows of bands, and for sums of bands.
pub(super) const CUT_ARGUMENTS: usize = 8;
pub(super) const SUM_ARGUMENTS: usize = 10;

/// The columns, and what the rows are. The optimizer adds arguments where rows are not all rows there are:
///
/// ```text
///  …, width, shift                         rows of bands of 2^shift ticks that hold the begin or the end of a column
///  …, width, coarsest, level, states       sums of bands, none of them wider than 2^coarsest ticks
/// ```
#[derive(Debug, Clone)]
pub(super) struct ColumnRows {
    pub(super) columns: ScreenColumns,
    pub(super) summed: SummedStates,
}

/// What of the states was added up before.
#[derive(Debug, Clone)]
pub(super) enum SummedStates {
    /// Nothing: rows are states.
    Nothing,
    /// What lies in other bands than these.
    Elsewhere(CutBands),
    /// Rows are sums, of bands that have at most `2^coarsest` ticks.
    Bands { coarsest: u32 },
}

impl ColumnRows {
    pub(super) fn of(arguments: &AccumulatorArgs<'_>) -> Result<ColumnRows> {
        let columns = columns_of(arguments.exprs)?;
        let shift = || match u32::try_from(constant(arguments.exprs, 7)?) {
            Ok(shift) if shift < 62 => Ok(shift),
            _ => internal_err!("bands of column_mix are a power of two of ticks"),
        };
        let summed = match arguments.exprs.len() {
            CUT_ARGUMENTS => SummedStates::Elsewhere(columns.cut_bands(shift()?)),
            SUM_ARGUMENTS => SummedStates::Bands { coarsest: shift()? },
            _ => SummedStates::Nothing,
        };
        Ok(ColumnRows { columns, summed })
    }
}

/// The constant at a place of the arguments.
fn constant(arguments: &[Arc<dyn PhysicalExpr>], index: usize) -> Result<i64> {
    let literal = arguments.get(index).and_then(|argument| argument.downcast_ref::<Literal>());
    match literal.map(Literal::value) {
        Some(ScalarValue::Int64(Some(value))) => Ok(*value),
        _ => plan_err!("column_mix: window_start, window_stop and width must be constants of type BIGINT"),
    }
}

/// The columns that window_start, window_stop and width tell.
pub(crate) fn columns_of(arguments: &[Arc<dyn PhysicalExpr>]) -> Result<ScreenColumns> {
    let [start, stop, width] = [constant(arguments, 4)?, constant(arguments, 5)?, constant(arguments, 6)?];
    if !(1..=MOST_COLUMNS).contains(&width) {
        return plan_err!("column_mix: width must be between 1 and {MOST_COLUMNS}, got {width}");
    }
    match ScreenColumns::new(start, stop, width as u32) {
        Some(columns) => Ok(columns),
        None => plan_err!("column_mix: window_stop must be later than window_start, got {start} and {stop}"),
    }
}

/// The width of bands, as a power of two, and how many states begin in them.
pub(super) fn band_columns(values: &[ArrayRef]) -> Result<[ScalarBuffer<i64>; 2]> {
    let column = |place: usize| match values.get(place).map(|column| cast(column, &DataType::Int64)) {
        Some(column) => Ok(column?.as_primitive::<Int64Type>().values().clone()),
        None => internal_err!("sums of bands have a width and a number of states"),
    };
    Ok([column(8)?, column(9)?])
}
