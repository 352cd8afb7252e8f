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
use datafusion::functions::math::expr_fn::abs;
use datafusion::functions_aggregate::expr_fn::{bool_or, min};
use datafusion::functions_aggregate::min_max::max_udaf;
use datafusion::logical_expr::expr::WindowFunction;
use datafusion::logical_expr::{Expr, ExprFunctionExt, LogicalPlan, LogicalPlanBuilder, lit, when};
use datafusion::prelude::{cast, col};

use crate::functions::calls::call::Call;
use crate::functions::slices::slice_plan::{
    CONTAINER, CONTAINER_ID, SLICE, SLICE_END, SLICE_START, START, STOP, Sliced,
};
use crate::functions::slices::{event_slices, state_slices, variable_slices};

/// What a relation holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RelationContent {
    Model,
    States,
    Variables,
    Events,
}

impl RelationContent {
    pub(crate) fn of(call: &Call<'_>, relation: &LogicalPlan) -> Result<RelationContent> {
        let has = |name: &str| relation.schema().qualified_field_with_unqualified_name(name).is_ok();
        if has("slice") && has("rho") {
            return Ok(RelationContent::Model);
        }
        if has("start_time") && has("end_time") {
            let value = relation.schema().qualified_field_with_unqualified_name("value");
            let is_number = value.is_ok_and(|(_, field)| field.data_type().is_numeric());
            return Ok(if is_number { RelationContent::Variables } else { RelationContent::States });
        }
        if has("time") {
            return Ok(RelationContent::Events);
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
pub(crate) fn model(call: &Call<'_>, relation: LogicalPlan) -> Result<LogicalPlan> {
    let cells = match RelationContent::of(call, &relation)? {
        RelationContent::Model => return Ok(relation),
        RelationContent::States => {
            let slices = state_slices::slices(call, relation.clone())?;
            shown(LogicalPlanBuilder::from(slices), col("value"), col("seconds"), col("share"))?
        }
        RelationContent::Variables => {
            let slices = variable_slices::slices(call, relation.clone())?;
            let (slices, rho) = normalized(slices, "mean")?;
            shown(slices, col("type"), col("covered"), rho)?
        }
        RelationContent::Events => {
            let slices = event_slices::slices(call, relation.clone())?;
            let (slices, rho) = normalized(slices, "events")?;
            shown(slices, col("value"), lit(ScalarValue::Float64(None)), rho)?
        }
    };
    match idle(call, &relation)? {
        None => Ok(cells),
        Some(idle) => LogicalPlanBuilder::from(cells).union(idle)?.build(),
    }
}

/// The columns of a model.
fn shown(slices: LogicalPlanBuilder, value: Expr, seconds: Expr, rho: Expr) -> Result<LogicalPlan> {
    let mut columns: Vec<Expr> =
        ["slice", "slice_start", "slice_end", "container_id", "container", "type"].map(col).to_vec();
    columns.extend([value.alias("value"), seconds.alias("seconds"), rho.alias("rho")]);
    slices.project(columns)?.build()
}

/// A measure of slices, divided by the largest of its type; 0 where all are.
fn normalized(slices: LogicalPlan, measure: &str) -> Result<(LogicalPlanBuilder, Expr)> {
    let measure = cast(col(measure), DataType::Float64);
    let largest = WindowFunction::new(max_udaf(), vec![abs(measure.clone())]);
    let largest = Expr::from(largest).partition_by(vec![col("type")]).build()?;
    let name = largest.schema_name().to_string();
    let slices = LogicalPlanBuilder::from(slices).window(vec![largest])?;
    let largest = Expr::Column(Column::from_name(name));
    let rho = when(largest.clone().gt(lit(0.0)), measure / largest).otherwise(lit(0.0))?;
    Ok((slices, rho))
}

/// The containers that have nothing in the window, each with a cell of nothing; `None` when the window is the trace.
fn idle(call: &Call<'_>, relation: &LogicalPlan) -> Result<Option<LogicalPlan>> {
    if call.constant(START.name).is_none() && call.constant(STOP.name).is_none() {
        return Ok(None);
    }
    let sliced = Sliced::new(call, relation.clone())?;
    let slicing = sliced.window.slicing;
    let (start, stop) = (lit(slicing.boundary(0)), lit(slicing.boundary(i64::from(slicing.slices()))));
    let is_within = match sliced.column("start_time") {
        Some(begins) => begins.lt(stop).and(sliced.required("end_time")?.gt(start)),
        None => sliced.required("time")?.between(start, stop),
    };
    let (container_id, container) = (sliced.required("container_id")?, sliced.text("container")?);
    let nothing = || lit(ScalarValue::Utf8View(None));
    let idle = LogicalPlanBuilder::from(sliced.relation)
        .aggregate(
            vec![container_id.alias(CONTAINER_ID.name)],
            vec![min(container).alias(CONTAINER.name), bool_or(is_within).alias("within")],
        )?
        .filter(col("within").is_not_true())?
        .project(vec![
            lit(0_i64).alias(SLICE.name),
            lit(slicing.boundary(0)).alias(SLICE_START.name),
            lit(slicing.boundary(1)).alias(SLICE_END.name),
            col(CONTAINER_ID.name),
            col(CONTAINER.name),
            nothing().alias("type"),
            nothing().alias("value"),
            lit(0.0).alias("seconds"),
            lit(0.0).alias("rho"),
        ])?;
    Ok(Some(idle.build()?))
}
