//! `difference_model(mapping, left, right, slices, align, by, depth)`: two runs beside each other, slice by slice.
//!
//! ```text
//!  left:  state_slices ─► slice, container ───────────────────────────────────────────┐
//!  right: state_slices ─► slice, or that of the left run that it is aligned with ─────┼► UNION ALL ─► GROUP BY
//!                         container, or that of the left run that it is compared with ┘
//! ```

use arrow::datatypes::DataType;
use datafusion::common::{Result, ScalarValue, internal_err, plan_err};
use datafusion::functions::core::expr_fn::coalesce;
use datafusion::functions::math::expr_fn::abs;
use datafusion::functions_aggregate::expr_fn::{bool_or, count, max, min, sum};
use datafusion::logical_expr::{Expr, JoinType, LogicalPlan, LogicalPlanBuilder, lit, when};
use datafusion::prelude::{cast, col};

use super::compared_run::{ComparedRun, prefixed};
use super::run_alignment::{alignment, parts_of, right_parts};
use super::run_pairs::{
    BY, DEPTH, LEFT, LEFT_CONTAINERS, MAPPING, MATCHED, RIGHT, RIGHT_CONTAINERS, RunPairs, mapping_of, match_by,
};
use crate::functions::calls::call::Call;
use crate::functions::calls::definition::{
    Accepts, ConstantKind, ConstantParameter, DefaultValue, Definition, Form, column,
};
use crate::functions::calls::sql_function::TableFunction;
use crate::functions::plans::table_kernel::union_rows;

/// Slices when the call says nothing.
const USUAL_SLICES: i64 = 30;
/// Most slices that phases are aligned in.
const MOST_ALIGNED: i64 = 4096;
/// The way to align that warps time.
const PHASES: &str = "phases";
/// Differences of proportions up to this are rounding.
pub(super) const ROUNDING: f64 = 1e-9;

pub(super) const SLICES: ConstantParameter = ConstantParameter {
    name: "slices",
    kind: ConstantKind::BigInt,
    default: DefaultValue::BigInt(USUAL_SLICES),
    accepts: Accepts::Between(1.0, 10_000.0),
    doc: "Into how many slices the runs are cut.",
};
pub(super) const ALIGN: ConstantParameter = ConstantParameter {
    name: "align",
    kind: ConstantKind::Text,
    default: DefaultValue::Text("normalised"),
    accepts: Accepts::OneOf(&["normalised", "start", "phases"]),
    doc: "What is compared with what: equal shares of the runs, equal seconds since their start, or what shows the same \
          states.",
};

pub static FUNCTION: TableFunction = TableFunction {
    definition: Definition {
        name: "difference_model",
        family: "comparison",
        form: Form::Table,
        description: "Puts two runs beside each other: how much of every slice each container spends in each state.",
        notes: "align decides what a slice of the baseline is compared with. normalised: the n-th of as many slices of the \
                other run. start: the same seconds since the start; slices reach to the end of the longer run, and the \
                shorter one is in no state there. phases: each slice is cut into 8 parts (fewer from 513 slices on), \
                the other run into parts of the same length, every part is the vector of the mean shares of all states over the containers of a run, and dynamic time \
                warping matches the parts of both runs in order, so that the sum of the absolute differences of matched \
                vectors is least: an iteration that takes longer is compared with the same iteration. The share of \
                the other run is then the mean of the parts that a part is matched with, and the seconds of a part that \
                is matched with several are divided among them: all seconds of both runs are counted once. Containers \
                are matched as in run_diff, or by a mapping of paths: (SELECT 'job/rank 0' AS left_path, 'job/rank 1' AS \
                right_path …). A container of the baseline with several partners is compared with their mean. A container without \
                partner has NULL for the other run and for the difference; matched, left_containers and right_containers \
                tell how many have one. Differences up to 1e-9 are rounding, and 0. What neither run has \
                gives no row. Row order is unspecified.",
        relations: &[MAPPING],
        constants: &[LEFT, RIGHT, SLICES, ALIGN, BY, DEPTH],
        columns: &[
            column("slice", "BIGINT", "Slice index in the baseline, from 0."),
            column("slice_start", "DOUBLE", "Start of the slice in the baseline, in seconds."),
            column("slice_end", "DOUBLE", "End of it; the interval is half-open."),
            column(
                "right_start",
                "DOUBLE",
                "Start of what it is compared with; NULL where only the baseline is in a state.",
            ),
            column("right_end", "DOUBLE", "End of that."),
            column("container_id", "INTEGER", "The container in the baseline; NULL where it has none."),
            column("path", "TEXT", "Path in the baseline; in the other run where the baseline has none."),
            column("type", "TEXT", "Type of the state."),
            column("value", "TEXT", "Name of the state."),
            column("left_seconds", "DOUBLE", "Time in the state in the slice of the baseline."),
            column("right_seconds", "DOUBLE", "Time in the state in what the slice is compared with."),
            column("left_share", "DOUBLE", "Share of the slice of the baseline."),
            column("right_share", "DOUBLE", "Share of what the slice is compared with."),
            column("difference", "DOUBLE", "right_share - left_share; NULL for a container without partner."),
            MATCHED,
            LEFT_CONTAINERS,
            RIGHT_CONTAINERS,
        ],
        examples: &["SELECT slice, path, value, left_seconds, right_seconds, difference \
             FROM difference_model('nested', 'nested_again', slices => 1) WHERE path = 'process 2' ORDER BY value"],
    },
    plan,
};

fn plan(call: Call<'_>) -> Result<LogicalPlan> {
    let shown: Vec<Expr> = call.definition.columns.iter().map(|column| col(column.name)).collect();
    LogicalPlanBuilder::from(counts(&call)?).cross_join(model(&call)?)?.project(shown)?.build()
}

/// When the slices of a run begin: `start + slice · length`.
#[derive(Debug, Clone, Copy)]
struct SliceGrid {
    start: f64,
    length: f64,
}

impl SliceGrid {
    fn new([start, stop]: [f64; 2], slices: i64) -> SliceGrid {
        SliceGrid { start, length: (stop - start) / slices as f64 }
    }

    /// When a slice begins.
    fn boundary(&self, slice: Expr) -> Expr {
        lit(self.start) + cast(slice, DataType::Float64) * lit(self.length)
    }
}

/// Both runs of a call, cut as it aligns them.
struct AlignedRuns<'a, 'b> {
    left: ComparedRun<'a, 'b>,
    right: ComparedRun<'a, 'b>,
    /// When the slices of each are; those of the right run are as fine as its parts.
    grids: [SliceGrid; 2],
    /// Into how many pieces each is cut.
    pieces: [i64; 2],
    /// How many of the left run are a slice.
    parts: i64,
}

impl<'a, 'b> AlignedRuns<'a, 'b> {
    fn new(call: &'a Call<'b>) -> Result<AlignedRuns<'a, 'b>> {
        let (Some(slices), Some(align)) = (call.big_int(SLICES.name), call.text(ALIGN.name)) else {
            return internal_err!("{} has no slices", call.definition.name);
        };
        if align == PHASES && slices > MOST_ALIGNED {
            return plan_err!(
                "{}: align => 'phases' takes at most {MOST_ALIGNED} slices, got {slices}",
                call.definition.name
            );
        }
        let parts = if align == PHASES { parts_of(slices) } else { 1 };
        let (left, right) = (ComparedRun::new(call, "left"), ComparedRun::new(call, "right"));
        let (one, other) = (left.span()?, right.span()?);
        let longer = (one[1] - one[0]).max(other[1] - other[0]);
        let pieces = match align {
            PHASES => [slices * parts, right_parts(slices * parts, one[1] - one[0], other[1] - other[0])],
            _ => [slices, slices],
        };
        let window = |[start, _]: [f64; 2]| (align == "start" && longer > 0.0).then_some([start, start + longer]);
        Ok(AlignedRuns {
            grids: [
                SliceGrid::new(window(one).unwrap_or(one), slices),
                SliceGrid::new(window(other).unwrap_or(other), pieces[1]),
            ],
            left: left.cut(pieces[0], window(one)),
            right: right.cut(pieces[1], window(other)),
            pieces,
            parts,
        })
    }

    fn pairs(&self, call: &Call<'_>) -> Result<RunPairs<'_, 'a, 'b>> {
        Ok(RunPairs {
            function: call.definition.name,
            left: &self.left,
            right: &self.right,
            by: match_by(call)?,
            mapping: mapping_of(call)?,
        })
    }
}

/// How many containers of the runs of a call match: one row.
pub(super) fn counts(call: &Call<'_>) -> Result<LogicalPlan> {
    AlignedRuns::new(call)?.pairs(call)?.counts()
}

/// The rows of a call, without the numbers of containers.
pub(super) fn model(call: &Call<'_>) -> Result<LogicalPlan> {
    let runs = AlignedRuns::new(call)?;
    let pairs = runs.pairs(call)?;
    let aligned = match call.text(ALIGN.name) {
        Some(PHASES) => Some(alignment(&runs.left, &runs.right, runs.pieces, runs.parts)?),
        _ => None,
    };
    let cells = union_rows(left_cells(&pairs, runs.parts)?, right_cells(&pairs, runs.parts, aligned)?)?;
    side_by_side(cells, runs.grids)
}

/// The columns of one cell: those that rows are grouped by, then the numbers of both sides.
fn cell(keys: [Expr; 6], times: [Expr; 2], left: [Expr; 3], right: [Expr; 3]) -> Vec<Expr> {
    const KEYS: [&str; 6] = ["slice", "container_id", "other_id", "path", "type", "value"];
    const TIMES: [&str; 2] = ["first_right", "last_right"];
    const LEFT: [&str; 3] = ["has_left", "left_seconds", "left_share"];
    const RIGHT: [&str; 3] = ["has_right", "right_seconds", "right_share"];
    let names = KEYS.into_iter().chain(TIMES).chain(LEFT).chain(RIGHT);
    let expressions = keys.into_iter().chain(times).chain(left).chain(right);
    expressions.zip(names).map(|(expression, name)| expression.alias(name)).collect()
}

fn text(expression: Expr) -> Expr {
    cast(expression, DataType::Utf8View)
}

fn no_number() -> Expr {
    lit(ScalarValue::Int64(None))
}

fn no_container() -> Expr {
    lit(ScalarValue::Int32(None))
}

/// Every container of the left run with the number of its partners.
fn partners(pairs: &RunPairs<'_, '_, '_>) -> Result<LogicalPlan> {
    LogicalPlanBuilder::from(pairs.pairs()?)
        .filter(col("left_id").is_not_null())?
        .aggregate([col("left_id"), col("left_path")], vec![count(col("right_id")).alias("partners")])?
        .project([col("left_id").alias("own_id"), col("left_path").alias("own_path"), col("partners")])?
        .build()
}

fn left_cells(pairs: &RunPairs<'_, '_, '_>, parts: i64) -> Result<LogicalPlan> {
    let slice = col("left_slice") / lit(parts);
    let keys =
        [slice, col("own_id"), no_container(), text(col("own_path")), text(col("left_type")), text(col("left_value"))];
    let share = col("left_share") / lit(parts as f64);
    LogicalPlanBuilder::from(pairs.left.shares()?)
        .join(partners(pairs)?, JoinType::Inner, (vec!["left_holder_id"], vec!["own_id"]), None)?
        .project(cell(
            keys,
            [no_number(), no_number()],
            [lit(true), col("left_seconds"), share],
            [col("partners").gt(lit(0_i64)), lit(0.0), lit(0.0)],
        ))?
        .build()
}

fn right_cells(pairs: &RunPairs<'_, '_, '_>, parts: i64, aligned: Option<LogicalPlan>) -> Result<LogicalPlan> {
    let owners = LogicalPlanBuilder::from(pairs.pairs()?)
        .filter(col("right_id").is_not_null())?
        .join(partners(pairs)?, JoinType::Left, (vec!["left_id"], vec!["own_id"]), None)?
        .project([col("left_id"), col("left_path"), col("right_id"), col("right_path"), col("partners")])?
        .build()?;
    let cells = LogicalPlanBuilder::from(pairs.right.shares()?).join(
        owners,
        JoinType::Inner,
        (vec!["right_holder_id"], vec!["right_id"]),
        None,
    )?;
    let slice_of = |name: &str| col(name) / lit(parts);
    let (cells, slice, times, of_left, of_right) = match aligned {
        None => (cells, slice_of("right_slice"), [col("right_slice"), col("right_slice")], lit(1.0), lit(1.0)),
        Some(aligned) => (
            cells.join(aligned, JoinType::Inner, (vec!["right_slice"], vec!["aligned_right"]), None)?,
            slice_of("aligned_left"),
            [col("first_right"), col("last_right")],
            col("of_left"),
            col("of_right"),
        ),
    };
    let shared = cast(coalesce(vec![col("partners"), lit(1_i64)]), DataType::Float64);
    let is_alone = col("left_id").is_null();
    let keys = [
        slice,
        col("left_id"),
        when(is_alone.clone(), col("right_id")).otherwise(no_container())?,
        text(coalesce(vec![col("left_path"), col("right_path")])),
        text(col("right_type")),
        text(col("right_value")),
    ];
    let seconds = col("right_seconds") * of_right / shared.clone();
    let share = col("right_share") * of_left / shared / lit(parts as f64);
    cells.project(cell(keys, times, [is_alone.is_false(), lit(0.0), lit(0.0)], [lit(true), seconds, share]))?.build()
}

/// Adds up the cells of both runs.
fn side_by_side(cells: LogicalPlan, [left, right]: [SliceGrid; 2]) -> Result<LogicalPlan> {
    let keys = ["slice", "container_id", "other_id", "path", "type", "value"].map(col);
    let mut sums: Vec<Expr> = ["left_seconds", "left_share", "right_seconds", "right_share"]
        .map(|name| sum(col(name)).alias(format!("sum_{name}")))
        .to_vec();
    sums.extend(["has_left", "has_right"].map(|name| bool_or(col(name)).alias(prefixed("any", name))));
    sums.extend([min(col("first_right")).alias("from_right"), max(col("last_right")).alias("to_right")]);
    let measure = |side: &str, name: &str| {
        let is_there = col(prefixed("any", &prefixed("has", side)));
        when(is_there, col(format!("sum_{side}_{name}"))).end()
    };
    let difference = measure("right", "share")? - measure("left", "share")?;
    let is_rounding = abs(difference.clone()).lt_eq(lit(ROUNDING));
    let mut shown = vec![
        col("slice"),
        left.boundary(col("slice")).alias("slice_start"),
        left.boundary(col("slice") + lit(1_i64)).alias("slice_end"),
        right.boundary(col("from_right")).alias("right_start"),
        right.boundary(col("to_right") + lit(1_i64)).alias("right_end"),
        col("container_id"),
        col("path"),
        col("type"),
        col("value"),
        when(is_rounding, lit(0.0)).otherwise(difference)?.alias("difference"),
    ];
    for name in ["seconds", "share"] {
        for side in ["left", "right"] {
            shown.push(measure(side, name)?.alias(prefixed(side, name)));
        }
    }
    LogicalPlanBuilder::from(cells).aggregate(keys, sums)?.project(shown)?.build()
}
