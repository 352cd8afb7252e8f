//! The microscopic model of a relation: its plan.
//!
//! ```text
//!  states     ─► state_slices     rho = share of the slice
//!  variables  ─► variable_slices  rho = mean / largest mean of the type
//!  events     ─► event_slices     rho = number / largest number of the type
//!             ∪  containers of the relation that have nothing in the window
//! ```

use arrow::datatypes::DataType;
use datafusion::common::{Column, Result, ScalarValue, plan_err};
use datafusion::functions_aggregate::expr_fn::{bool_or, min};
use datafusion::logical_expr::{Expr, LogicalPlan, LogicalPlanBuilder, lit};
use datafusion::prelude::{cast, col};

use super::call::Call;
use super::slice_plan::{START, STOP, TYPE};
use super::slices::{slice_time, state_slices};
use super::window::Window;
use crate::kernels::slices::Slicing;

/// What a relation holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Model,
    States,
    Variables,
    Events,
}

impl Kind {
    pub(super) fn of(call: &Call<'_>, relation: &LogicalPlan) -> Result<Kind> {
        let has = |name: &str| relation.schema().qualified_field_with_unqualified_name(name).is_ok();
        if has("slice") && has("rho") {
            return Ok(Kind::Model);
        }
        if has("start_time") && has("end_time") {
            let value = relation.schema().qualified_field_with_unqualified_name("value");
            let is_number = value.is_ok_and(|(_, field)| field.data_type().is_numeric());
            return Ok(if is_number { Kind::Variables } else { Kind::States });
        }
        if has("time") {
            return Ok(Kind::Events);
        }
        let known: Vec<&str> = relation.schema().fields().iter().map(|field| field.name().as_str()).collect();
        plan_err!(
            "{}: the relation must have slice and rho (a model), start_time and end_time (states or variables), or time \
             (events); it has {}",
            call.definition.name,
            known.join(", ")
        )
    }
}

/// The microscopic model of a relation, in the window of a call with slices, start, stop and type.
pub(super) fn model(call: &Call<'_>, relation: LogicalPlan) -> Result<LogicalPlan> {
    let cells = match Kind::of(call, &relation)? {
        Kind::Model => return Ok(relation),
        Kind::States => states(call, relation.clone())?,
        Kind::Variables | Kind::Events => return plan_err!("{}: not yet", call.definition.name),
    };
    match idle(call, relation)? {
        None => Ok(cells),
        Some(idle) => LogicalPlanBuilder::from(cells).union(idle)?.build(),
    }
}

fn states(call: &Call<'_>, relation: LogicalPlan) -> Result<LogicalPlan> {
    let slices = state_slices::slices(call, relation)?;
    LogicalPlanBuilder::from(slices).project(shown(col("value"), col("seconds"), col("share")))?.build()
}

/// The columns of a model.
fn shown(value: Expr, seconds: Expr, rho: Expr) -> Vec<Expr> {
    let mut columns: Vec<Expr> =
        ["slice", "slice_start", "slice_end", "container_id", "container", "type"].map(col).to_vec();
    columns.extend([value.alias("value"), seconds.alias("seconds"), rho.alias("rho")]);
    columns
}

/// The containers that have nothing in the window, each with a cell of nothing; `None` when the window is the trace.
fn idle(call: &Call<'_>, relation: LogicalPlan) -> Result<Option<LogicalPlan>> {
    if call.constant(START.name).is_none() && call.constant(STOP.name).is_none() {
        return Ok(None);
    }
    let window = Window::of_call(call, &relation)?;
    let (start, stop) = (window.resolution.seconds(window.start_tick), window.resolution.seconds(window.stop_tick));
    let find = |name: &str| relation.schema().qualified_field_with_unqualified_name(name).ok().map(|field| Expr::Column(Column::from(field)));
    let time = |name: &str| find(name).or_else(|| find("time")).unwrap_or_else(|| col(name));
    let is_within = match find("time") {
        Some(time) if find("start_time").is_none() => time.clone().gt_eq(lit(start)).and(time.lt_eq(lit(stop))),
        _ => time("start_time").lt(lit(stop)).and(time("end_time").gt(lit(start))),
    };
    let Some(container_id) = find("container_id") else {
        return Ok(None);
    };
    let text = |column: Option<Expr>| match column {
        Some(column) => cast(column, DataType::Utf8View),
        None => lit(ScalarValue::Utf8View(None)),
    };
    let (name, kind) = (text(find("container")), find("type"));
    let mut rows = LogicalPlanBuilder::from(relation.clone());
    if let (Some(wanted), Some(kind)) = (call.text(TYPE.name), kind) {
        rows = rows.filter(kind.eq(lit(wanted)))?;
    }
    let slices = call.big_int("slices").and_then(|slices| u32::try_from(slices).ok()).unwrap_or(1);
    let per_second = window.resolution.ticks_per_second();
    let Some(slicing) = Slicing::new(window.start_tick, window.stop_tick, slices, per_second) else {
        return Ok(None);
    };
    let nothing = lit(ScalarValue::Utf8View(None));
    let rows = rows
        .aggregate(vec![container_id.alias("container_id")], vec![min(name).alias("container"), bool_or(is_within).alias("within")])?
        .filter(Expr::Not(Box::new(col("within"))))?
        .project(vec![
            lit(0_i64).alias("slice"),
            slice_time::boundary(lit(0_i64), &slicing).alias("slice_start"),
            slice_time::boundary(lit(1_i64), &slicing).alias("slice_end"),
            col("container_id"),
            col("container"),
            nothing.clone().alias("type"),
            nothing.alias("value"),
            lit(0.0).alias("seconds"),
            lit(0.0).alias("rho"),
        ])?;
    Ok(Some(rows.build()?))
}
