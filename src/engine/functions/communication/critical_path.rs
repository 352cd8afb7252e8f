//! `critical_path([states], [links], start, stop, …)`: the chain of states and links that sets the end.

use std::sync::Arc;

use arrow::array::{ArrayRef, Float64Array, Int32Array, Int64Array, StringViewArray};
use arrow::datatypes::DataType;
use datafusion::common::{Result, ScalarValue, internal_err};
use datafusion::logical_expr::{Expr, LogicalPlan, LogicalPlanBuilder};
use datafusion::prelude::col;

use super::comm_messages::{LINKS, seconds, shown};
use super::comm_waits::{COLLECTIVES, COLUMNS, CollectedWaits, RECEIVES, SENDS, StateSelection, states_and_links};
use crate::functions::calls::call::Call;
use crate::functions::calls::definition::{Definition, Form, OutputColumn, RelationParameter};
use crate::functions::calls::sql_function::TableFunction;
use crate::functions::calls::window::TimeWindow;
use crate::functions::plans::table_kernel::{TableKernel, big_int};
use crate::functions::slices::slice_plan::{START, STOP};
use ocellus_kernels::waiting::{Kind, Piece, critical_path, waits};

pub static FUNCTION: TableFunction = TableFunction {
    definition: Definition {
        name: "critical_path",
        family: "communication",
        form: Form::Table,
        description: "Walks back from the end over whatever let containers wait: the chain of states and links that sets the end.",
        notes: "It begins with the container whose last state ends last in the window, of several the smallest. From there it \
                goes back in time to the last wait, as wait_states finds them, and on with the container that was waited \
                for: over the message of a late sender, to the receive of a late receiver, to the last one of a \
                collective. The pieces follow each other without gaps from the start of the window, and their shares add \
                up to 1: GROUP BY value, container tells who sets the end. Where a container has several types of states, give the \
                relation one of them. Rows come in no order.",
        relations: &[
            RelationParameter {
                name: "states",
                default: Some("state_segments"),
                doc: "States that are not nested, with container_id, value, start_time and end_time.",
            },
            LINKS,
        ],
        constants: &[START, STOP, RECEIVES, SENDS, COLLECTIVES],
        columns: &[
            OutputColumn { name: "step", kind: "BIGINT", doc: "Number of the piece in the order of time, from 0." },
            OutputColumn { name: "kind", kind: "TEXT", doc: "state or link." },
            OutputColumn { name: "container_id", kind: "INTEGER", doc: "Container of the state, or that sends." },
            OutputColumn { name: "container", kind: "TEXT", doc: "Its name." },
            OutputColumn { name: "target_id", kind: "INTEGER", doc: "Container that receives; NULL for a state." },
            OutputColumn { name: "target", kind: "TEXT", doc: "Its name." },
            OutputColumn {
                name: "value",
                kind: "TEXT",
                doc: "Value of the state or link; NULL where a container is in no state.",
            },
            OutputColumn { name: "start_time", kind: "DOUBLE", doc: "Start of the piece, in seconds." },
            OutputColumn { name: "end_time", kind: "DOUBLE", doc: "End of the piece, in seconds." },
            OutputColumn { name: "seconds", kind: "DOUBLE", doc: "Its length." },
            OutputColumn { name: "share", kind: "DOUBLE", doc: "Its part of the path, from 0 to 1." },
        ],
        examples: &[
            "SELECT step, kind, container, target, value, start_time, end_time FROM critical_path() ORDER BY step",
        ],
    },
    plan,
};

pub static KERNEL: TableKernel = TableKernel {
    name: "path_pieces",
    columns: &COLUMNS,
    constants: &[DataType::Int64, DataType::Int64],
    rows: &[
        ("step", DataType::Int64),
        ("kind", DataType::Utf8View),
        ("container_id", DataType::Int32),
        ("target_id", DataType::Int32),
        ("value", DataType::Utf8View),
        ("start_time", DataType::Int64),
        ("end_time", DataType::Int64),
        ("ticks", DataType::Int64),
        ("share", DataType::Float64),
    ],
    run,
};

fn plan(call: Call<'_>) -> Result<LogicalPlan> {
    let window = TimeWindow::of_call(&call, &call.relation(0)?)?;
    let (rows, rate) = states_and_links(&call, StateSelection::All)?;
    let factor = rate / window.resolution.ticks_per_second().min(rate);
    let bounds = [window.start_tick, window.stop_tick].map(|tick| ScalarValue::from(tick.saturating_mul(factor)));
    let rows = KERNEL.over(rows, bounds.to_vec())?;
    let known = ["step", "kind", "container_id", "target_id", "value", "start_time", "end_time", "share"].map(col);
    let columns: Vec<Expr> = known.into_iter().chain([seconds(col("ticks"), rate).alias("seconds")]).collect();
    let rows = LogicalPlanBuilder::from(rows).project(columns)?.build()?;
    shown(&call, rows, rate, &[("container_id", "container"), ("target_id", "target")])
}

fn run(columns: &[ArrayRef], constants: &[ScalarValue]) -> Result<Vec<ArrayRef>> {
    let CollectedWaits { states, messages, values, message_values } = CollectedWaits::of(columns);
    let (Some(start), Some(stop)) = (big_int(constants, 0)?, big_int(constants, 1)?) else {
        return internal_err!("critical_path has no window");
    };
    let pieces = critical_path(&states, &messages, &waits(&states, &messages), (start, stop));
    let length: i64 = pieces.iter().map(|piece| piece.end - piece.start).sum();
    let kind = |piece: &Piece| if matches!(piece.kind, Kind::State(_)) { "state" } else { "link" };
    let target = |piece: &Piece| match piece.kind {
        Kind::Message(place) => Some(messages[place].target as i32),
        Kind::State(_) => None,
    };
    let value = |piece: &Piece| match piece.kind {
        Kind::Message(place) => message_values[place].clone(),
        Kind::State(place) => place.and_then(|place| values[states[place].value as usize].clone()),
    };
    Ok(vec![
        Arc::new(Int64Array::from_iter_values(0..pieces.len() as i64)),
        Arc::new(StringViewArray::from_iter_values(pieces.iter().map(kind))),
        Arc::new(Int32Array::from_iter_values(pieces.iter().map(|piece| piece.container as i32))),
        Arc::new(pieces.iter().map(target).collect::<Int32Array>()),
        Arc::new(pieces.iter().map(value).collect::<StringViewArray>()),
        Arc::new(Int64Array::from_iter_values(pieces.iter().map(|piece| piece.start))),
        Arc::new(Int64Array::from_iter_values(pieces.iter().map(|piece| piece.end))),
        Arc::new(Int64Array::from_iter_values(pieces.iter().map(|piece| piece.end - piece.start))),
        Arc::new(Float64Array::from_iter_values(
            pieces.iter().map(|piece| (piece.end - piece.start) as f64 / length as f64),
        )),
    ])
}
