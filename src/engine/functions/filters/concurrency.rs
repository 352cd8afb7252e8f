//! `concurrency([states], …)`: how many containers are in a state at each instant.
//!
//! ```text
//!  states ─► clip to the window ─► [lift to a depth] ─► active_intervals by type and value ─► unnest
//! ```

use arrow::datatypes::DataType;
use datafusion::common::{Result, ScalarValue};
use datafusion::functions::core::expr_fn::{get_field, greatest, least};
use datafusion::logical_expr::{LogicalPlan, LogicalPlanBuilder, lit};
use datafusion::prelude::{cast, col};

use super::{
    DEPTH, RowSelection, STAND_IN, START, STOP, TYPE, active_intervals, containers_of, lifted, seconds, states,
    trace_key, with_stand_ins,
};
use crate::functions::calls::call::Call;
use crate::functions::calls::definition::{
    Accepts, ConstantKind, ConstantParameter, DefaultValue, Definition, Form, OutputColumn, RelationParameter,
};
use crate::functions::calls::sql_function::TableFunction;
use crate::functions::calls::window::TimeWindow;
use crate::functions::plans::unnest::unnest_lists;

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

const INTERVALS: &str = "intervals";

fn plan(call: Call<'_>) -> Result<LogicalPlan> {
    let relation = call.relation(0)?;
    let window = TimeWindow::of_call(&call, &relation)?;
    let is_clipped = call.constant("start").is_some() || call.constant("stop").is_some();
    let rows = match is_clipped {
        true => clipped(states(&call, &relation, &window, RowSelection::Window)?, &window)?,
        false => states(&call, &relation, &window, RowSelection::All)?,
    };
    let active = (active_intervals::FUNCTION.make)()
        .call(vec![cast(col("container_id"), DataType::Int64), col("start_tick"), col("end_tick")])
        .alias(INTERVALS);
    let mut keys = trace_key(&rows);
    keys.extend([col("type"), col("value")]);
    let groups = match call.big_int("depth") {
        None => {
            let mut shown = keys.clone();
            shown.extend([
                lit(ScalarValue::Int32(None)).alias("container_id"),
                lit(ScalarValue::Utf8View(None)).alias("container"),
                col(INTERVALS),
            ]);
            rows.aggregate(keys, vec![active])?.project(shown)?
        }
        Some(depth) => {
            let containers = containers_of(&call, &relation)?;
            keys.push(col(STAND_IN));
            let groups = lifted(rows, containers.clone(), depth)?.aggregate(keys, vec![active])?;
            with_stand_ins(groups, containers)?
        }
    };
    shown(groups, &window)
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

fn shown(groups: LogicalPlanBuilder, window: &TimeWindow) -> Result<LogicalPlan> {
    let of_interval = |name: &str| get_field(col(INTERVALS), name);
    let (start, end) = (of_interval("start_tick"), of_interval("end_tick"));
    let mut shown = trace_key(&groups);
    shown.extend([
        col("container_id"),
        col("container"),
        col("type"),
        col("value"),
        of_interval("active").alias("active"),
        seconds(start.clone(), window).alias("start_time"),
        seconds(end.clone(), window).alias("end_time"),
        seconds(end.clone() - start.clone(), window).alias("duration"),
        start.alias("start_tick"),
        end.alias("end_tick"),
    ]);
    unnest_lists(groups, INTERVALS, &["type"])?.project(shown)?.build()
}
