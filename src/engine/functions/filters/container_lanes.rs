//! `container_lanes([containers])`: containers whose lifetimes do not overlap share a lane.
//!
//! ```text
//!  containers ─► lane(start, end) OVER (siblings of one type by start) ─► max(lane) OVER (the same)
//! ```

use datafusion::common::{Result, plan_err};
use datafusion::functions_aggregate::min_max::max_udaf;
use datafusion::logical_expr::expr::WindowFunction;
use datafusion::logical_expr::{Expr, ExprFunctionExt, LogicalPlan, LogicalPlanBuilder, WindowFunctionDefinition, lit};
use datafusion::prelude::col;
use std::sync::Arc;

use super::{NumberType, TRACE, TimeExpression, column, lane, required, seconds, text, trace_column};
use crate::functions::calls::call::Call;
use crate::functions::calls::definition::{Definition, Form, OutputColumn, RelationParameter};
use crate::functions::calls::sql_function::TableFunction;
use crate::functions::calls::window::TimeWindow;

pub static FUNCTION: TableFunction = TableFunction {
    definition: Definition {
        name: "container_lanes",
        family: "filters",
        form: Form::Table,
        description: "Assigns lanes to containers such that those whose lifetimes do not overlap share one, with as few lanes as possible.",
        notes: "The repositioning filter of Pajé: the screen space of a thread that has ended is used again. Lanes are \
                shared among containers of one parent and one type, so that a picture stays grouped; roots have no \
                parent and are siblings. In the order of their start, and of container_id among equal ones, each \
                takes the lowest lane that is free. Lifetimes are half-open: one that begins where another ends \
                may share its lane. A lifetime without length takes its instant. Containers of different traces, told apart by a column \
                trace, share no lane, and that column comes first. Row order is unspecified.",
        relations: &[RelationParameter {
            name: "containers",
            default: Some("containers"),
            doc: "Rows with container_id, parent_id, start_time and end_time, and name and type.",
        }],
        constants: &[],
        columns: &[
            OutputColumn { name: "container_id", kind: "INTEGER", doc: "The container." },
            OutputColumn { name: "container", kind: "TEXT", doc: "Name of the container." },
            OutputColumn { name: "parent_id", kind: "INTEGER", doc: "The container that holds it; NULL for a root." },
            OutputColumn { name: "type", kind: "TEXT", doc: "Name of its container type." },
            OutputColumn {
                name: "lane",
                kind: "BIGINT",
                doc: "Its lane among its siblings of that type, counted from 0.",
            },
            OutputColumn { name: "lanes", kind: "BIGINT", doc: "How many lanes they have." },
            OutputColumn { name: "start_time", kind: "DOUBLE", doc: "When it was created." },
            OutputColumn { name: "end_time", kind: "DOUBLE", doc: "When it was destroyed." },
        ],
        examples: &["SELECT container, lane, lanes, start_time, end_time FROM container_lanes() ORDER BY container_id"],
    },
    plan,
};

fn plan(call: Call<'_>) -> Result<LogicalPlan> {
    let relation = call.relation(0)?;
    let window = TimeWindow::of_call(&call, &relation)?;
    let (container, _) = required(&call, &relation, "container_id", NumberType::WholeNumbers)?;
    let parent = match column(&relation, "parent_id") {
        Some((parent, _)) => parent,
        None => {
            return plan_err!(
                "container_lanes: its relation has no column parent_id; it needs container_id, parent_id, start_time and end_time"
            );
        }
    };
    let traces = trace_column(&call, &relation)?;
    // What containers that share lanes have in common.
    let siblings = || {
        let trace = traces.iter().map(|_| col(TRACE));
        trace.chain([col("parent_id"), col("type")]).collect::<Vec<Expr>>()
    };
    let lane = WindowFunctionDefinition::WindowUDF(Arc::new((lane::FUNCTION.make)()));
    let lane = Expr::from(WindowFunction::new(lane, vec![col("start_tick"), col("end_tick")]))
        .partition_by(siblings())
        .order_by(vec![col("start_tick").sort(true, false), col("container_id").sort(true, false)])
        .build()?;
    let highest = WindowFunctionDefinition::AggregateUDF(max_udaf());
    let highest = Expr::from(WindowFunction::new(highest, vec![col("lane")])).partition_by(siblings()).build()?;
    let mut rows = traces.clone();
    rows.extend([
        container.alias("container_id"),
        text(&relation, "name").alias("container"),
        parent.alias("parent_id"),
        text(&relation, "type").alias("type"),
        TimeExpression::of(&call, &relation, &window, "start_time")?.ticks.alias("start_tick"),
        TimeExpression::of(&call, &relation, &window, "end_time")?.ticks.alias("end_tick"),
    ]);
    let mut shown: Vec<Expr> = traces.iter().map(|_| col(TRACE)).collect();
    shown.extend([
        col("container_id"),
        col("container"),
        col("parent_id"),
        col("type"),
        col("lane"),
        (col("highest_lane") + lit(1_i64)).alias("lanes"),
        seconds(col("start_tick"), &window).alias("start_time"),
        seconds(col("end_tick"), &window).alias("end_time"),
    ]);
    LogicalPlanBuilder::from(relation.clone())
        .project(rows)?
        .window(vec![lane.alias("lane")])?
        .window(vec![highest.alias("highest_lane")])?
        .project(shown)?
        .build()
}
