//! The window of an aggregate of slices, and the constant that carries it as the first argument.
//!
//! One constant holds all settings, so that a plan that is sent elsewhere needs nothing but itself:
//!
//! ```text
//!  {start: 0, stop: 9000000000, slices: 3, ticks_per_second: 1000000000, first_slice: 0, last_slice: 2, fill: true, …}
//! ```
//! It is a struct in runs: DataFusion makes a column of a constant argument, and one run per batch costs nothing.

#[cfg(test)]
mod tests;

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, BooleanArray, Int64Array, StructArray};
use arrow::datatypes::{DataType, Field, Fields, Int64Type};
use datafusion::common::{Result, ScalarValue, internal_datafusion_err};
use datafusion::logical_expr::function::AccumulatorArgs;
use datafusion::logical_expr::{Expr, lit};
use datafusion::physical_expr::expressions::Literal;

use ocellus_kernels::slices::Slicing;
use ocellus_kernels::slices::events::LastInstant;
use ocellus_kernels::slices::links::Boundary;

/// A window in slices, and what else an aggregate of slices is told.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct SliceWindow {
    pub(crate) slicing: Slicing,
    /// Gives slices without anything too.
    pub(crate) fill: bool,
    /// Whether what happens at the very end of the window belongs to its last slice.
    pub(crate) last_instant: LastInstant,
    /// What becomes of links that cross a boundary.
    pub(crate) boundary: Boundary,
    /// What the rows are.
    pub(crate) rows: SlicedRows,
}

/// What the rows of an aggregate of slices are: all that there are, or a part of them beside a summary of the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SlicedRows {
    /// All rows.
    All,
    /// Rows that count in those bands of `2^shift` ticks which hold a boundary of slices.
    InCutBands { shift: u32 },
    /// Sums of bands, with the width of the band as one more argument. They count where they lie in one slice, and the
    /// next wider band does not. The widest ones have `2^coarsest` ticks.
    BandSums { coarsest: u32 },
}

impl SliceWindow {
    /// A window without anything special.
    pub(crate) fn new(slicing: Slicing) -> SliceWindow {
        SliceWindow {
            slicing,
            fill: false,
            last_instant: LastInstant::Outside,
            boundary: Boundary::Inside,
            rows: SlicedRows::All,
        }
    }

    /// The argument of an aggregate.
    pub(crate) fn literal(&self) -> Expr {
        lit(self.to_scalar())
    }

    /// The window that an aggregate was given.
    pub(crate) fn of_arguments(arguments: &AccumulatorArgs<'_>) -> Result<SliceWindow> {
        let literal = arguments.exprs.first().and_then(|argument| argument.downcast_ref::<Literal>());
        literal
            .and_then(|literal| SliceWindow::from_scalar(literal.value()))
            .ok_or_else(|| internal_datafusion_err!("{} has no window", arguments.name))
    }

    /// The constant that holds the window.
    pub(crate) fn to_scalar(self) -> ScalarValue {
        let slicing = &self.slicing;
        let (first, last) = slicing.asked();
        let (cut_bands, band_sums) = match self.rows {
            SlicedRows::All => (NO_BANDS, NO_BANDS),
            SlicedRows::InCutBands { shift } => (shift.into(), NO_BANDS),
            SlicedRows::BandSums { coarsest } => (NO_BANDS, coarsest.into()),
        };
        let numbers = [
            slicing.start(),
            slicing.stop(),
            i64::from(slicing.slices()),
            slicing.per_second(),
            i64::from(first),
            i64::from(last),
            cut_bands,
            band_sums,
        ];
        let flags = [self.fill, self.last_instant == LastInstant::Within, self.boundary == Boundary::Clip];
        encode(numbers, flags)
    }

    /// The window that a constant holds; `None` when it holds something else.
    pub(crate) fn from_scalar(constant: &ScalarValue) -> Option<SliceWindow> {
        let (numbers, [fill, includes_end, clips_links]) = decode(constant)?;
        let [start, stop, slices, per_second, first, last, cut_bands, band_sums] = numbers;
        let slicing = Slicing::new(start, stop, u32::try_from(slices).ok()?, per_second)?;
        let slicing = slicing.only(u32::try_from(first).ok()?, u32::try_from(last).ok()?);
        let last_instant = if includes_end { LastInstant::Within } else { LastInstant::Outside };
        let boundary = if clips_links { Boundary::Clip } else { Boundary::Inside };
        let shift = |number: i64| u32::try_from(number).ok().filter(|shift| *shift < 62);
        let rows = match (cut_bands, band_sums) {
            (NO_BANDS, NO_BANDS) => SlicedRows::All,
            (shift_of_cut, NO_BANDS) => SlicedRows::InCutBands { shift: shift(shift_of_cut)? },
            (NO_BANDS, coarsest) => SlicedRows::BandSums { coarsest: shift(coarsest)? },
            _ => return None,
        };
        Some(SliceWindow { slicing, fill, last_instant, boundary, rows })
    }
}

/// Whole numbers of the constant: the window and its rate in ticks, the slices that are asked for, and what the rows are.
const NUMBERS: [&str; 8] =
    ["start", "stop", "slices", "ticks_per_second", "first_slice", "last_slice", "cut_bands", "band_sums"];
/// In place of the width of bands: rows are not about bands.
const NO_BANDS: i64 = -1;
const FLAGS: [&str; 3] = ["fill", "includes_end", "clips_links"];

fn fields() -> Fields {
    let numbers = NUMBERS.iter().map(|name| Field::new(*name, DataType::Int64, false));
    numbers.chain(FLAGS.iter().map(|name| Field::new(*name, DataType::Boolean, false))).collect()
}

fn encode(numbers: [i64; 8], flags: [bool; 3]) -> ScalarValue {
    let numbers = numbers.iter().map(|number| Arc::new(Int64Array::from(vec![*number])) as ArrayRef);
    let flags = flags.iter().map(|flag| Arc::new(BooleanArray::from(vec![*flag])) as ArrayRef);
    let value = StructArray::new(fields(), numbers.chain(flags).collect(), None);
    let ends = Arc::new(Field::new("run_ends", DataType::Int32, false));
    let values = Arc::new(Field::new("values", value.data_type().clone(), true));
    ScalarValue::RunEndEncoded(ends, values, Box::new(ScalarValue::Struct(Arc::new(value))))
}

fn decode(constant: &ScalarValue) -> Option<([i64; 8], [bool; 3])> {
    let ScalarValue::RunEndEncoded(_, _, value) = constant else {
        return None;
    };
    let ScalarValue::Struct(value) = &**value else {
        return None;
    };
    if value.fields() != &fields() || value.len() != 1 || value.is_null(0) {
        return None;
    }
    let number = |place: usize| value.column(place).as_primitive::<Int64Type>().value(0);
    let flag = |place: usize| value.column(NUMBERS.len() + place).as_boolean().value(0);
    Some((std::array::from_fn(number), std::array::from_fn(flag)))
}
