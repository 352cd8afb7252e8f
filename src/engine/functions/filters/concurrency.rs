//! `concurrency([states], …)`: how many containers are in a state at each instant.
//!
//! ```text
//!  states ─► clip to the window ─► [lift to a depth] ─► sweep in the order of time, by type and value ─► intervals
//! ```

use arrow::datatypes::DataType;
use datafusion::common::{Result, ScalarValue};
use datafusion::functions::core::expr_fn::{greatest, least};
use datafusion::logical_expr::{Expr, LogicalPlan, LogicalPlanBuilder, lit};
use datafusion::prelude::{cast, col};

use super::{
    DEPTH, RowSelection, STAND_IN, START, STOP, TRACE, TYPE, activity_sweep, containers_of, lifted, seconds, states,
    trace_key, with_stand_ins,
};
use crate::functions::calls::call::Call;
use crate::functions::calls::definition::{
    Accepts, ConstantKind, ConstantParameter, DefaultValue, Definition, Form, OutputColumn, RelationParameter,
};
use crate::functions::calls::sql_function::TableFunction;
use crate::functions::calls::window::TimeWindow;

pub static FUNCTION: TableFunction = TableFunction {
    definition: Definition {
        name: "concurrency",
        family: "filters",
        form: Form::Table,
        description: "Counts how many containers are in a state at each instant, as intervals.",
        notes: "The reduction filter of Pajé: with depth it gives the active threads of each node, and over all values \
                a mountain range. Each type and value is counted by itself. The default relation is states and not state_segments, as that of \
                timeline, so that a container is counted in every state that it is in, nested ones included. It counts containers, not states: one \
                that is in a state twice, by recursion, counts once. Intervals are half-open, and two of them that \
                touch differ in their number; an instant without any container is in no interval, so those of one \
                value may have gaps. States without length are at no instant. Counts are exact: they are made on \
                ticks, or on seconds rounded to ticks when the relation has no ticks. Only what lies between start \
                and stop counts, cut at both. Any relation with container_id, start_time and end_time will do, \
                such as containers; without a type or a value these are NULL, and a query that leaves them out counts \
                several states as one. Traces of a relation with a column trace, such as all_traces.states, are counted \
                each by itself, and that column comes first. Row order is unspecified.",
        relations: &[RelationParameter {
            name: "states",
            default: Some("states"),
            doc: "Rows with container_id, start_time and end_time, and type and value.",
        }],
        constants: &[
            TYPE,
            ConstantParameter {
                name: "value",
                kind: ConstantKind::Text,
                default: DefaultValue::Absent,
                accepts: Accepts::ValueName,
                doc: "Only states of this value.",
            },
            DEPTH,
            START,
            STOP,
        ],
        columns: &[
            OutputColumn {
                name: "container_id",
                kind: "INTEGER",
                doc: "The container at that depth whose members are counted; NULL without depth: all are.",
            },
            OutputColumn { name: "container", kind: "TEXT", doc: "Name of that container; NULL without depth." },
            OutputColumn { name: "type", kind: "TEXT", doc: "Type of the states." },
            OutputColumn { name: "value", kind: "TEXT", doc: "Value of the states." },
            OutputColumn { name: "active", kind: "BIGINT", doc: "How many containers; at least 1." },
            OutputColumn { name: "start_time", kind: "DOUBLE", doc: "Start of the interval, in seconds." },
            OutputColumn { name: "end_time", kind: "DOUBLE", doc: "End of the interval; it is half-open." },
            OutputColumn { name: "duration", kind: "DOUBLE", doc: "end_time - start_time." },
            OutputColumn { name: "start_tick", kind: "BIGINT", doc: "start_time in ticks." },
            OutputColumn { name: "end_tick", kind: "BIGINT", doc: "end_time in ticks." },
        ],
        examples: &[
            "SELECT value, active, start_time, end_time FROM concurrency(type => 'State') ORDER BY value, start_time",
            "SELECT container, active, start_time, end_time FROM concurrency(value => 'run', depth => 0) \
             ORDER BY container, start_time",
        ],
    },
    plan,
};

fn plan(call: Call<'_>) -> Result<LogicalPlan> {
    let relation = call.relation(0)?;
    let window = TimeWindow::of_call(&call, &relation)?;
    let is_clipped = call.constant("start").is_some() || call.constant("stop").is_some();
    let rows = match is_clipped {
        true => clipped(states(&call, &relation, &window, RowSelection::Window)?, &window)?,
        false => states(&call, &relation, &window, RowSelection::All)?,
    };
    let lift = match call.big_int("depth") {
        None => None,
        Some(depth) => Some((depth, containers_of(&call, &relation)?)),
    };
    let rows = match &lift {
        None => {
            let columns = not_lifted(&rows);
            rows.project(columns)?
        }
        Some((depth, containers)) => lifted(rows, containers.clone(), *depth)?,
    };
    let has_trace = !trace_key(&rows).is_empty();
    let intervals = LogicalPlanBuilder::from(activity_sweep::KERNEL.over(counted(rows)?, vec![])?);
    let (intervals, id, name) = match lift {
        None => (intervals, lit(ScalarValue::Int32(None)), lit(ScalarValue::Utf8View(None))),
        Some((_, containers)) => (with_stand_ins(intervals, containers)?, col("container_id"), col("container")),
    };
    let mut shown = if has_trace { vec![col(TRACE)] } else { vec![] };
    shown.extend([
        id.alias("container_id"),
        name.alias("container"),
        col("type"),
        col("value"),
        col("active"),
        seconds(col("start_tick"), &window).alias("start_time"),
        seconds(col("end_tick"), &window).alias("end_time"),
        seconds(col("end_tick") - col("start_tick"), &window).alias("duration"),
        col("start_tick"),
        col("end_tick"),
    ]);
    intervals.project(shown)?.build()
}

/// The columns of rows, with no stand-in.
fn not_lifted(rows: &LogicalPlanBuilder) -> Vec<Expr> {
    let columns = rows.schema().columns().into_iter().map(Expr::Column);
    columns.chain([lit(ScalarValue::Int32(None)).alias(STAND_IN)]).collect()
}

/// The columns of the kernel.
fn counted(rows: LogicalPlanBuilder) -> Result<LogicalPlan> {
    let trace = trace_key(&rows).pop().unwrap_or(lit(ScalarValue::Utf8View(None)));
    let columns = vec![
        trace.alias(TRACE),
        cast(col(STAND_IN), DataType::Int32).alias(STAND_IN),
        col("type"),
        col("value"),
        cast(col("container_id"), DataType::Int64).alias("container_id"),
        col("start_tick"),
        col("end_tick"),
    ];
    rows.project(columns)?.build()
}

fn clipped(rows: LogicalPlanBuilder, window: &TimeWindow) -> Result<LogicalPlanBuilder> {
    let (start, stop) = (window.start_tick, window.stop_tick);
    // What lies outside becomes an interval that is empty or backwards, and counts nothing.
    let mut shown = trace_key(&rows);
    shown.extend([
        col("container_id"),
        col("type"),
        col("value"),
        greatest(vec![col("start_tick"), lit(start)]).alias("start_tick"),
        least(vec![col("end_tick"), lit(stop)]).alias("end_tick"),
    ]);
    rows.project(shown)
}
