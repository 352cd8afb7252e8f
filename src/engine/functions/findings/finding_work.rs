//! What containers begin: states per slice, and the times between states where these are computation.

use arrow::datatypes::DataType;
use datafusion::common::{Result, ScalarValue};
use datafusion::functions::math::expr_fn::floor;
use datafusion::functions_aggregate::expr_fn::{count, max, min, sum};
use datafusion::functions_window::expr_fn::lag;
use datafusion::logical_expr::{Expr, ExprFunctionExt, JoinType, LogicalPlan, LogicalPlanBuilder, lit, when};
use datafusion::prelude::{cast, col};

use super::finding_table::{CONTAINER, NOTE, NUMBER, SLICE, TYPE, VALUE, input, source};
use crate::functions::calls::call::Call;
use crate::functions::calls::window::TimeWindow;
use crate::functions::communication::comm_messages::{column, required, ticks};
use crate::functions::slices::slice_plan::SLICES;

/// Of what begins: where, what, and of a time between two states what ends it.
const STATE_KEYS: [&str; 3] = ["container_id", "type", "value"];
const GAP_KEYS: [&str; 4] = ["container_id", "type", "value", "until"];

/// How many states begin in each slice, how long they take in total, beyond the slice too, and when the first begins and the last ends.
pub(super) fn begun_states(call: &Call<'_>) -> Result<LogicalPlan> {
    let (plan, rate) = states(call)?;
    per_slice(call, plan, &STATE_KEYS, rate)
}

/// The same of times between two states, with the values of both, where time in no state is computation.
pub(super) fn begun_gaps(call: &Call<'_>) -> Result<LogicalPlan> {
    let computes = LogicalPlanBuilder::from(call.table("state_activities")?)
        .filter(col("no_state_activity").eq(lit("computation")))?
        .project(vec![cast(col("type"), DataType::Utf8View).alias("known_type")])?
        .distinct()?
        .build()?;
    let (plan, rate) = states(call)?;
    let before = |name: &str| -> Result<Expr> {
        lag(col(name), Some(1), None)
            .partition_by(vec![col("container_id"), col("type")])
            .order_by(vec![col("from").sort(true, false), col("to").sort(true, false)])
            .build()
    };
    let plan = plan
        .join(computes, JoinType::LeftSemi, (vec!["type"], vec!["known_type"]), None)?
        .window(vec![before("value")?.alias("before"), before("to")?.alias("gap_from")])?
        .filter(col("gap_from").lt(col("from")))?
        .project(vec![
            col("container_id"),
            col("type"),
            col("before").alias("value"),
            col("gap_from").alias("from"),
            col("from").alias("to"),
            col("value").alias("until"),
        ])?;
    per_slice(call, plan, &GAP_KEYS, rate)
}

/// The states of a call with their times in ticks, and how many of these are a second.
fn states(call: &Call<'_>) -> Result<(LogicalPlanBuilder, i64)> {
    let states = call.relation(0)?;
    let (start, end, rate) = ticks(call, &states)?;
    let text = |name: &str| {
        column(&states, name)
            .map_or(lit(ScalarValue::Utf8View(None)), |found| cast(found, DataType::Utf8View))
            .alias(name)
    };
    let shown = vec![
        required(call, &states, "container_id")?.alias("container_id"),
        text("type"),
        text("value"),
        start.alias("from"),
        end.alias("to"),
    ];
    Ok((LogicalPlanBuilder::from(states).project(shown)?, rate))
}

fn per_slice(call: &Call<'_>, plan: LogicalPlanBuilder, keys: &[&str], rate: i64) -> Result<LogicalPlan> {
    let window = TimeWindow::of_call(call, &call.relation(0)?)?;
    let factor = rate / window.resolution.ticks_per_second().min(rate);
    let [from, until] = [window.start_tick, window.stop_tick].map(|tick| tick.saturating_mul(factor));
    let slices = call.big_int(SLICES.name).unwrap_or(1);
    let width = (until as f64 - from as f64) / slices as f64;
    let slice = floor((cast(col("from"), DataType::Float64) - lit(from as f64)) / lit(width));
    let slice = cast(slice, DataType::Int64);
    let slice = when(slice.clone().gt_eq(lit(slices)), lit(slices - 1)).otherwise(slice)?;
    let within = col("from").gt_eq(lit(from)).and(col("from").lt(lit(until))).and(col("to").gt_eq(col("from")));
    let mut shown: Vec<Expr> = keys.iter().copied().map(col).collect();
    shown.extend([col("from"), col("to"), slice.alias("slice"), (col("to") - col("from")).alias("ticks")]);
    let plan = plan.filter(within)?.project(shown)?.aggregate(
        keys.iter().chain(&["slice"]).copied().map(col),
        vec![
            count(lit(1)).alias("states"),
            sum(col("ticks")).alias("ticks"),
            min(col("from")).alias("first"),
            max(col("to")).alias("last"),
        ],
    )?;
    let seconds = |name: &str| cast(col(name), DataType::Float64) / lit(rate as f64);
    let mut given = vec![
        (CONTAINER, col("container_id")),
        (SLICE, col("slice")),
        (TYPE, col("type")),
        (VALUE, col("value")),
        (NUMBER, col("states")),
        (NUMBER + 1, seconds("ticks")),
        (NUMBER + 2, seconds("first")),
        (NUMBER + 3, seconds("last")),
    ];
    if keys.contains(&"until") {
        given.push((NOTE, col("until")));
    }
    input(plan, source::BEGUN, given)
}
