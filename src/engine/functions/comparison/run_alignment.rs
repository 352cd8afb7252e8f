//! `align => 'phases'`: which slices of one run show the same as which of the other.
//!
//! ```text
//!  both runs in parts of one length ─► mean share of every state ─► dynamic time warping ─► pairs of parts
//! ```

use std::collections::BTreeSet;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, Float64Array, Int64Array};
use arrow::datatypes::{DataType, Float64Type, Int64Type};
use datafusion::common::{Result, ScalarValue, internal_datafusion_err};
use datafusion::functions_aggregate::expr_fn::{count, sum};
use datafusion::logical_expr::{Expr, LogicalPlan, LogicalPlanBuilder, lit};
use datafusion::prelude::{cast, col};

use super::compared_run::{ComparedRun, prefixed};
use crate::functions::plans::table_kernel::{TableKernel, big_int, union_rows};
use ocellus_kernels::alignment::align;

/// Into how many parts a slice is cut for the alignment.
const PARTS: i64 = 8;
/// More parts than this are not made of the baseline.
const MOST_PARTS: i64 = 4096;
/// Bytes that an alignment may take: one for each part of one run and each of the other.
const MOST_CELLS: i64 = 1 << 26;

/// How many parts each of some slices has.
pub(super) fn parts_of(slices: i64) -> i64 {
    (MOST_PARTS / slices).clamp(1, PARTS)
}

/// How many parts the other run has, if each is as long as those of the baseline; fewer when that were too many.
pub(super) fn right_parts(left_parts: i64, left_seconds: f64, right_seconds: f64) -> i64 {
    let most = (MOST_CELLS / left_parts).max(1);
    let parts = (left_parts as f64 * right_seconds / left_seconds).round();
    // What is no number is no run either.
    if parts.is_finite() { (parts as i64).clamp(1, most) } else { 1 }
}

pub static KERNEL: TableKernel = TableKernel {
    name: "aligned_slices",
    columns: &[DataType::Int64, DataType::Int64, DataType::Utf8View, DataType::Utf8View, DataType::Float64],
    constants: &[DataType::Int64, DataType::Int64, DataType::Int64],
    rows: &[
        ("aligned_left", DataType::Int64),
        ("aligned_right", DataType::Int64),
        ("of_left", DataType::Float64),
        ("of_right", DataType::Float64),
        ("first_right", DataType::Int64),
        ("last_right", DataType::Int64),
    ],
    run,
};

/// The pairs of parts of two runs, of which the left one has `parts` in each slice: aligned_left and aligned_right; of_left
/// and of_right, one over the number of pairs that the part of that side is in; first_right and last_right, the parts of
/// the right run that the slice around aligned_left begins and ends with.
pub(super) fn alignment(
    left: &ComparedRun<'_, '_>,
    right: &ComparedRun<'_, '_>,
    [left_parts, right_parts]: [i64; 2],
    parts: i64,
) -> Result<LogicalPlan> {
    let rows = union_rows(totals(left, "left", 0)?, totals(right, "right", 1)?)?;
    KERNEL.over(rows, [left_parts, right_parts, parts].map(ScalarValue::from).to_vec())
}

/// The mean share of each state over all containers of a run, by slice.
fn totals(run: &ComparedRun<'_, '_>, side: &str, number: i64) -> Result<LogicalPlan> {
    let own = |name: &str| col(prefixed(side, name));
    let containers = LogicalPlanBuilder::from(run.compared()?)
        .aggregate(Vec::<Expr>::new(), vec![count(lit(1)).alias("containers")])?
        .build()?;
    LogicalPlanBuilder::from(run.shares()?)
        .aggregate([own("slice"), own("type"), own("value")], vec![sum(own("share")).alias("share")])?
        .cross_join(containers)?
        .project([
            lit(number).alias("side"),
            own("slice").alias("slice"),
            cast(own("type"), DataType::Utf8View).alias("type"),
            cast(own("value"), DataType::Utf8View).alias("value"),
            (col("share") / cast(col("containers"), DataType::Float64)).alias("share"),
        ])?
        .build()
}

fn run(columns: &[ArrayRef], constants: &[ScalarValue]) -> Result<Vec<ArrayRef>> {
    let absent = || internal_datafusion_err!("an alignment has no size");
    let number =
        |index: usize| big_int(constants, index)?.and_then(|size| usize::try_from(size).ok()).ok_or_else(absent);
    let (lengths, parts) = ([number(0)?, number(1)?], number(2)?);
    let [left, right] = sequences(columns, lengths);
    let pairs = align(&left, &right);
    let [mut of_left, mut of_right] = lengths.map(|length| vec![0_u32; length]);
    // Of each slice of the left run: the first and the last part of the right run that it is aligned with.
    let mut reach: Vec<Option<(usize, usize)>> = vec![None; lengths[0].div_ceil(parts)];
    for (one, other) in &pairs {
        of_left[*one] += 1;
        of_right[*other] += 1;
        let (first, _) = reach[one / parts].unwrap_or((*other, *other));
        reach[one / parts] = Some((first, *other));
    }
    let whole = |get: &dyn Fn(usize, usize) -> usize| -> ArrayRef {
        Arc::new(pairs.iter().map(|(one, other)| Some(get(*one, *other) as i64)).collect::<Int64Array>())
    };
    let real = |get: &dyn Fn(usize, usize) -> u32| -> ArrayRef {
        Arc::new(pairs.iter().map(|(one, other)| Some(1.0 / f64::from(get(*one, *other)))).collect::<Float64Array>())
    };
    let reached = |one: usize| reach[one / parts].unwrap_or_default();
    Ok(vec![
        whole(&|one, _| one),
        whole(&|_, other| other),
        real(&|one, _| of_left[one]),
        real(&|_, other| of_right[other]),
        whole(&|one, _| reached(one).0),
        whole(&|one, _| reached(one).1),
    ])
}

/// For each run, the shares of all states in every part.
fn sequences(columns: &[ArrayRef], lengths: [usize; 2]) -> [Vec<Vec<f64>>; 2] {
    let (sides, places) = (columns[0].as_primitive::<Int64Type>(), columns[1].as_primitive::<Int64Type>());
    let (types, values) = (columns[2].as_string_view(), columns[3].as_string_view());
    let shares = columns[4].as_primitive::<Float64Type>();
    let state = |row: usize| {
        let kind = types.is_valid(row).then(|| types.value(row));
        (kind, values.is_valid(row).then(|| values.value(row)))
    };
    let known: BTreeSet<_> = (0..shares.len()).map(state).collect();
    let known: Vec<_> = known.into_iter().collect();
    let mut sequences = lengths.map(|length| vec![vec![0.0; known.len()]; length]);
    for row in 0..shares.len() {
        let place = usize::try_from(places.value(row)).ok();
        let side = &mut sequences[usize::from(sides.value(row) == 1)];
        if let (Some(vector), Ok(state)) =
            (place.and_then(|place| side.get_mut(place)), known.binary_search(&state(row)))
        {
            vector[state] = shares.value(row);
        }
    }
    sequences
}
