//! What findings are made of: a few aggregated inputs, one below the other in one table.
//!
//! ```text
//!  containers, state_activities, trace_info, diagnostics ─┐
//!  states ─► state_slices, begins and gaps per slice ──────┤
//!  links ─► link_slices, totals of pairs ─────────────────┼─► one table ─► kernel
//!  states, links ─► wait_states ──────────────────────────┤
//!  variables ─► variable_slices, time at capacities ──────┘
//! ```
//! None of these grows with the number of events: there is a row per container, value or partner, and slice.

use arrow::datatypes::DataType;
use datafusion::common::{Column, Result, ScalarValue, TableReference, plan_err};
use datafusion::functions::math::expr_fn::floor;
use datafusion::functions::regex::expr_fn::regexp_like;
use datafusion::functions_aggregate::expr_fn::{count, max, min, sum};
use datafusion::logical_expr::{Expr, GroupingSet, JoinType, LogicalPlan, LogicalPlanBuilder, lit, not, when};
use datafusion::prelude::{cast, col};

use super::finding_table::{CONTAINER, NOTE, NUMBER, PARTNER, SLICE, TYPE, VALUE, input, source};
use super::finding_work::{begun_gaps, begun_states};
use crate::functions::calls::call::{Call, Constant};
use crate::functions::calls::constants::default_of;
use crate::functions::calls::definition::DefaultValue;
use crate::functions::calls::sql_function::TableFunction;
use crate::functions::calls::window::TimeWindow;
use crate::functions::communication::comm_messages::{column, required, ticks};
use crate::functions::communication::comm_waits::{COLLECTIVE_LINK, COLLECTIVES, activity_number};
use crate::functions::communication::wait_states;
use crate::functions::plans::table_kernel::union_rows;
use crate::functions::slices::slice_plan::SLICES;
use crate::functions::slices::{link_slices, state_slices, variable_slices};
use crate::functions::tree::chosen_containers::subtrees_of;

/// Name of the argument that says which calls of communication do not block.
pub(crate) const NONBLOCKING: &str = "nonblocking";
/// What it is when it is not given.
pub(crate) const NONBLOCKING_CALLS: &str = r"(?i)(^|mpi_|shmem_|gaspi_)i[a-z]|test|start|cancel|request|_nb";

/// The values of states that are collectives: those of wait_states, and the one that Extrae has for all of them.
pub(crate) fn collectives() -> String {
    let known = match COLLECTIVES.default {
        DefaultValue::Text(known) => known,
        _ => "",
    };
    format!("{known}|^group communication$")
}

/// All inputs of a call in one table.
pub(crate) fn inputs(call: &Call<'_>) -> Result<LogicalPlan> {
    let mut rows = containers(call)?;
    for input in [
        activities(call)?,
        state_cells(call)?,
        begun_states(call)?,
        begun_gaps(call)?,
        link_cells(call)?,
        pairs(call)?,
        waits(call)?,
        variable_cells(call)?,
        resources(call)?,
        diagnostics(call)?,
        trace(call)?,
    ] {
        rows = union_rows(rows, input)?;
    }
    Ok(rows)
}

/// The containers that are looked at.
fn chosen(call: &Call<'_>) -> Result<LogicalPlan> {
    match call.constant("container") {
        Some(_) => subtrees_of(call, "container"),
        None => call.table("containers"),
    }
}

fn containers(call: &Call<'_>) -> Result<LogicalPlan> {
    let given = vec![
        (CONTAINER, col("container_id")),
        (PARTNER, col("parent_id")),
        (SLICE, col("preorder")),
        (TYPE, col("type")),
        (NOTE, col("name")),
        (NUMBER, col("start_time")),
        (NUMBER + 1, col("end_time")),
    ];
    input(LogicalPlanBuilder::from(chosen(call)?), source::CONTAINER, given)
}

fn activities(call: &Call<'_>) -> Result<LogicalPlan> {
    let plan = LogicalPlanBuilder::from(call.table("state_activities")?);
    let given = vec![
        (TYPE, col("type")),
        (VALUE, col("value")),
        (NUMBER, activity_number(col("activity"))?),
        (NUMBER + 1, activity_number(col("no_state_activity"))?),
    ];
    input(plan, source::ACTIVITY, given)
}

fn state_cells(call: &Call<'_>) -> Result<LogicalPlan> {
    let plan = LogicalPlanBuilder::from(state_slices::slices(call, call.relation(0)?)?);
    let given = vec![
        (CONTAINER, col("container_id")),
        (SLICE, col("slice")),
        (TYPE, col("type")),
        (VALUE, col("value")),
        (NUMBER, col("seconds")),
    ];
    input(plan, source::STATE, given)
}

fn link_cells(call: &Call<'_>) -> Result<LogicalPlan> {
    let clipped = [("boundary", Constant::Text("clip".to_string()))];
    let plan = inner(call, &link_slices::FUNCTION, vec![call.relation(1)?], &clipped)?;
    let given = vec![
        (CONTAINER, col("container_id")),
        (SLICE, col("slice")),
        (VALUE, col("role")),
        (NUMBER, col("links")),
        (NUMBER + 1, col("seconds")),
        (NUMBER + 2, col("volume")),
        (NUMBER + 3, col("partners")),
    ];
    input(LogicalPlanBuilder::from(plan), source::LINK, given)
}

/// The links of the whole window by source and target, how many of them are messages, and how many end before they start.
fn pairs(call: &Call<'_>) -> Result<LogicalPlan> {
    let links = call.relation(1)?;
    let window = TimeWindow::of_call(call, &links)?;
    let (start, end, rate) = ticks(call, &links)?;
    let factor = rate / window.resolution.ticks_per_second().min(rate);
    let [from, until] = [window.start_tick, window.stop_tick].map(|tick| tick.saturating_mul(factor));
    let volume =
        column(&links, "volume").map_or(lit(ScalarValue::Float64(None)), |volume| cast(volume, DataType::Float64));
    let is_message = column(&links, "value").map_or(lit(true), |value| {
        let mark = cast(lit(COLLECTIVE_LINK), DataType::Utf8View);
        value.clone().is_null().or(cast(value, DataType::Utf8View).not_eq(mark))
    });
    let shown = vec![
        required(call, &links, "source_id")?.alias("source_id"),
        required(call, &links, "target_id")?.alias("target_id"),
        (end.clone() - start.clone()).alias("ticks"),
        when(is_message.clone(), volume).end()?.alias("volume"),
        when(is_message, lit(1_i64)).otherwise(lit(0_i64))?.alias("message"),
    ];
    let mut plan = LogicalPlanBuilder::from(links);
    if call.constant("start").is_some() || call.constant("stop").is_some() {
        plan = plan.filter(start.lt(lit(until)).and(end.gt_eq(lit(from))))?;
    }
    let is_reversed = when(col("ticks").lt(lit(0_i64)), lit(1_i64)).otherwise(lit(0_i64))?;
    let plan = plan.project(shown)?.aggregate(
        ["source_id", "target_id"].map(col),
        vec![
            count(lit(1)).alias("links"),
            sum(col("message")).alias("messages"),
            sum(col("ticks")).alias("ticks"),
            sum(col("volume")).alias("volume"),
            sum(is_reversed).alias("reversed"),
            min(col("ticks")).alias("shortest"),
        ],
    )?;
    let given = vec![
        (CONTAINER, col("source_id")),
        (PARTNER, col("target_id")),
        (SLICE, col("messages")),
        (NUMBER, col("links")),
        (NUMBER + 1, cast(col("ticks"), DataType::Float64) / lit(rate as f64)),
        (NUMBER + 2, col("volume")),
        (NUMBER + 3, col("reversed")),
        (NUMBER + 4, cast(col("shortest"), DataType::Float64) / lit(rate as f64)),
    ];
    input(plan, source::PAIR, given)
}

/// Who waits for whom, and who is waited for in which slice. Collectives and blocking sends count as waiting here: how much
/// of them is waiting is the question. A wait that states of several types tell counts once.
fn waits(call: &Call<'_>) -> Result<LogicalPlan> {
    let states = blocking_states(call)?;
    let window = TimeWindow::of_call(call, &states)?;
    let each = [("per", Constant::Text("wait".to_string())), (COLLECTIVES.name, Constant::Text(collectives()))];
    let waits = inner(call, &wait_states::FUNCTION, vec![states, call.relation(1)?], &each)?;
    let rate = window.resolution.ticks_per_second();
    let [from, until] = [window.start_tick, window.stop_tick].map(|tick| tick as f64 / rate as f64);
    let slices = call.big_int(SLICES.name).unwrap_or(1);
    let slice = floor((col("start_time") - lit(from)) / lit((until - from) / slices as f64));
    let slice = cast(slice, DataType::Int64);
    let slice = when(slice.clone().gt_eq(lit(slices)), lit(slices - 1)).otherwise(slice)?;
    let names = ["kind", "container_id", "partner_id"].map(col);
    let mut shown = names.to_vec();
    shown.extend([slice.alias("slice"), col("waits"), col("ticks"), col("seconds")]);
    shown.extend([col("start_time"), col("end_time")]);
    let sets = Expr::GroupingSet(GroupingSet::GroupingSets(vec![
        ["kind", "container_id", "partner_id"].map(col).to_vec(),
        ["kind", "partner_id", "slice"].map(col).to_vec(),
    ]));
    let plan = LogicalPlanBuilder::from(waits).project(shown)?.aggregate(
        vec![sets],
        vec![
            sum(col("waits")).alias("waits"),
            sum(col("ticks")).alias("ticks"),
            max(col("seconds")).alias("longest"),
            min(col("start_time")).alias("first"),
            max(col("end_time")).alias("last"),
        ],
    )?;
    let given = vec![
        (CONTAINER, col("container_id")),
        (PARTNER, col("partner_id")),
        (SLICE, col("slice")),
        (NOTE, col("kind")),
        (NUMBER, col("waits")),
        (NUMBER + 1, cast(col("ticks"), DataType::Float64) / lit(rate as f64)),
        (NUMBER + 2, col("longest")),
        (NUMBER + 3, col("first")),
        (NUMBER + 4, col("last")),
    ];
    input(plan, source::WAIT, given)
}

/// The states of a call, without those in which containers wait a second time: see `finding_waits.sql`.
fn told_once(call: &Call<'_>) -> Result<LogicalPlan> {
    const TOLD: &str = "findings_told";
    let states = call.relation(0)?;
    let given = vec![("slices", state_slices::slices(call, states.clone())?), ("chosen", chosen(call)?)];
    let told = call.tables.plan_text(&call.tables.schema, include_str!("finding_waits.sql"), given)?;
    let told = LogicalPlanBuilder::from(told).alias(TOLD)?.build()?;
    let of = |name: &str| Expr::Column(Column::new(Some(TableReference::bare(TOLD)), name));
    let again = vec![
        required(call, &states, "container_id")?.eq(of("told_container_id")),
        required(call, &states, "type")?.not_eq(of("told_type")),
    ];
    LogicalPlanBuilder::from(told).join_on(states, JoinType::RightAnti, again)?.build()
}

/// The states of a call with a column of activities, in which blocking communication is waiting.
fn blocking_states(call: &Call<'_>) -> Result<LogicalPlan> {
    const KNOWN: &str = "findings_activities";
    let states = told_once(call)?;
    let pattern = call.text(NONBLOCKING).unwrap_or_default();
    if let Err(error) = regex::Regex::new(pattern) {
        return plan_err!(
            "{}: {NONBLOCKING} must be a regular expression, got '{pattern}': {error}",
            call.definition.name
        );
    }
    let returns_at_once = regexp_like(cast(col("value"), DataType::Utf8View), lit(pattern), None);
    let blocks = col("activity").eq(lit("communication")).and(not(returns_at_once));
    let activity = when(blocks, lit("waiting")).otherwise(cast(col("activity"), DataType::Utf8))?;
    let known = LogicalPlanBuilder::from(call.table("state_activities")?)
        .project(vec![
            col("type").alias("known_type"),
            col("value").alias("known_value"),
            activity.alias("known_activity"),
        ])?
        .alias(KNOWN)?
        .build()?;
    let of = |name: &str| Expr::Column(Column::new(Some(TableReference::bare(KNOWN)), name));
    let same = vec![
        required(call, &states, "type")?.eq(of("known_type")),
        required(call, &states, "value")?.eq(of("known_value")),
    ];
    let mut shown: Vec<Expr> =
        states.schema().columns().into_iter().filter(|found| found.name != "activity").map(Expr::Column).collect();
    shown.push(of("known_activity").alias("activity"));
    LogicalPlanBuilder::from(known).join_on(states, JoinType::Right, same)?.project(shown)?.build()
}

fn variable_cells(call: &Call<'_>) -> Result<LogicalPlan> {
    let plan = inner(call, &variable_slices::FUNCTION, vec![call.relation(2)?], &[])?;
    let given = vec![
        (CONTAINER, col("container_id")),
        (SLICE, col("slice")),
        (TYPE, col("type")),
        (NUMBER, col("integral")),
        (NUMBER + 1, col("minimum")),
        (NUMBER + 2, col("maximum")),
        (NUMBER + 3, col("covered")),
    ];
    input(LogicalPlanBuilder::from(plan), source::VARIABLE, given)
}

/// How long resources are used up to their capacity: see `finding_resources.sql`.
fn resources(call: &Call<'_>) -> Result<LogicalPlan> {
    let window = TimeWindow::of_call(call, &call.relation(0)?)?;
    let [start, stop] = [window.start_tick, window.stop_tick].map(|tick| window.resolution.seconds(tick));
    let text = include_str!("finding_resources.sql")
        .replace("$start", &format!("{start:?}"))
        .replace("$stop", &format!("{stop:?}"));
    let plan = call.tables.plan_text(&call.tables.schema, &text, vec![("variables", call.relation(2)?)])?;
    let given = vec![(CONTAINER, col("container_id")), (TYPE, col("type")), (NUMBER, col("seconds"))];
    input(LogicalPlanBuilder::from(plan), source::RESOURCE, given)
}

fn diagnostics(call: &Call<'_>) -> Result<LogicalPlan> {
    let plan = LogicalPlanBuilder::from(call.table("diagnostics")?);
    let given =
        vec![(TYPE, col("severity")), (VALUE, col("code")), (NOTE, col("message")), (NUMBER, col("occurrences"))];
    input(plan, source::DIAGNOSTIC, given)
}

fn trace(call: &Call<'_>) -> Result<LogicalPlan> {
    let plan = LogicalPlanBuilder::from(call.table("trace_info")?);
    let given = vec![
        (NOTE, col("source")),
        (NUMBER, col("lines")),
        (NUMBER + 1, col("lost_lines")),
        (NUMBER + 2, col("start_time")),
        (NUMBER + 3, col("end_time")),
    ];
    input(plan, source::TRACE, given)
}

/// The plan of another function over the same window and slices.
fn inner(
    call: &Call<'_>,
    function: &'static TableFunction,
    relations: Vec<LogicalPlan>,
    given: &[(&str, Constant)],
) -> Result<LogicalPlan> {
    let definition = &function.definition;
    if definition.relations.len() != relations.len() {
        return plan_err!("{}: {} takes other relations", call.definition.name, definition.name);
    }
    let constant = |parameter: &crate::functions::calls::definition::ConstantParameter| {
        let own = given.iter().find(|(name, _)| *name == parameter.name).map(|(_, constant)| constant.clone());
        let same = || call.constant(parameter.name).filter(|_| ["start", "stop", "slices"].contains(&parameter.name));
        own.or_else(|| same().cloned()).or_else(|| default_of(parameter))
    };
    let constants = definition.constants.iter().map(constant).collect();
    (function.plan)(Call {
        definition,
        relations,
        constants,
        tables: call.tables.clone(),
        aggregates: call.aggregates,
        limits: call.limits,
        definitions: call.definitions,
    })
}
