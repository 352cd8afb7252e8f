//! `critical_path([states], [links], start, stop, …)`: the chain of states and messages that sets the end.

use arrow::datatypes::DataType;
use datafusion::common::{Result, ScalarValue};
use datafusion::logical_expr::{Expr, LogicalPlan, LogicalPlanBuilder};
use datafusion::prelude::col;

use super::comm_messages::{LINKS, seconds, shown};
use super::comm_waits::{COLLECTIVES, COLUMNS, LinkDetail, STATES, StateSelection, states_and_links};
use super::path_rows::BY_PACKED_BEGIN;
use super::path_steps;
use crate::functions::calls::call::Call;
use crate::functions::calls::definition::{Definition, Form, OutputColumn};
use crate::functions::calls::sql_function::TableFunction;
use crate::functions::calls::window::TimeWindow;
use crate::functions::plans::table_kernel::TableKernel;
use crate::functions::plans::table_sweep::TableSweep;
use crate::functions::slices::slice_plan::{START, STOP};

pub static FUNCTION: TableFunction = TableFunction {
    definition: Definition {
        name: "critical_path",
        family: "communication",
        form: Form::Table,
        description: "Walks back from the end over whatever containers waited for: the chain of steps that determines the end.",
        notes: "It starts at the end of the window in the container whose last state ends last, of several in the smallest \
                (containers whose states are all of unknown activity count only where there are no others), and goes back in time through the states of that container. In a state whose activity is waiting or \
                communication, or that is a collective, it looks for what let the container go on. (1) The last message \
                that arrived in the state until then, of several that arrived at once the one that was sent last: the \
                path follows it to its sender at the instant of sending, whether that lies before or after the start of \
                the wait. A message that was in the state for less than a hundredth of its flight had arrived before \
                and is not followed. (2) In a collective, the member that came last: the path goes on with it, at that \
                instant. Where a trace records a collective as links, as DUMPI and OTF2 do, these are followed as messages are; otherwise \
                the n-th states of a value are one collective if every container has as many of them, else those that \
                have an instant in common. (3) At the end of a state in which messages of the container itself were \
                still to be received, the receiver that began last: the path goes on there, except for buffered messages, \
                see wait_states. What remains is time of the container itself: kind is transfer in a state of \
                communication and in a collective that all have reached, whatever its activity; wait in a waiting state \
                that nothing explains; computation in a state of computation and in no state; other in states of any \
                other activity, such as input/output, overhead or unknown, and in the start or end of a container that \
                is alone with it. A message received before it was sent (clocks that differ) counts as sent when it was \
                received. The steps follow each other without gaps from the start to the end of the window, and the path \
                is the longest one there is when a wait that something ends weighs nothing. GROUP BY kind, container \
                shows what determines the end. States that overlap in a container, such as those of two types, are refused: give the relation one type \
                of them. Without states there are no rows. Row order is unspecified.",
        relations: &[STATES, LINKS],
        constants: &[START, STOP, COLLECTIVES],
        columns: &[
            OutputColumn { name: "step", kind: "BIGINT", doc: "Number of the step in the order of time, from 0." },
            OutputColumn {
                name: "kind",
                kind: "TEXT",
                doc: "computation, transfer, wait: one that nothing explains, or other: activity says what.",
            },
            OutputColumn { name: "container_id", kind: "INTEGER", doc: "Container of the state, or that sends." },
            OutputColumn { name: "container", kind: "TEXT", doc: "Its name." },
            OutputColumn {
                name: "target_id",
                kind: "INTEGER",
                doc: "Container that receives the message; NULL for a state.",
            },
            OutputColumn { name: "target", kind: "TEXT", doc: "Its name." },
            OutputColumn {
                name: "value",
                kind: "TEXT",
                doc: "Value of the state or link; NULL where a container is in no state.",
            },
            OutputColumn {
                name: "activity",
                kind: "TEXT",
                doc: "Activity of the state; NULL for a message, and in no state.",
            },
            OutputColumn { name: "start_time", kind: "DOUBLE", doc: "Start of the step, in seconds." },
            OutputColumn { name: "end_time", kind: "DOUBLE", doc: "End of the step, in seconds." },
            OutputColumn { name: "seconds", kind: "DOUBLE", doc: "Its length." },
            OutputColumn { name: "share", kind: "DOUBLE", doc: "Its share of the window, from 0 to 1." },
            OutputColumn { name: "start_tick", kind: "BIGINT", doc: "start_time in ticks." },
            OutputColumn { name: "end_tick", kind: "BIGINT", doc: "end_time in ticks." },
        ],
        examples: &[
            "SELECT step, kind, container, target, value, start_time, end_time FROM critical_path() ORDER BY step",
        ],
    },
    plan,
};

pub static KERNEL: TableKernel = TableKernel {
    name: "path_steps",
    columns: &COLUMNS,
    constants: &[DataType::Int64, DataType::Int64],
    rows: &[
        ("step", DataType::Int64),
        ("kind", DataType::Utf8View),
        ("container_id", DataType::Int32),
        ("target_id", DataType::Int32),
        ("value", DataType::Utf8View),
        ("activity", DataType::Utf8View),
        ("start_tick", DataType::Int64),
        ("end_tick", DataType::Int64),
        ("share", DataType::Float64),
    ],
    run: |columns, constants| SWEEP.run(columns, constants),
};

/// Walks over rows that are not held.
pub(crate) static SWEEP: TableSweep = TableSweep { kernel: &KERNEL, order: BY_PACKED_BEGIN, begin: path_steps::begin };

fn plan(call: Call<'_>) -> Result<LogicalPlan> {
    let window = TimeWindow::of_call(&call, &call.relation(0)?)?;
    let (rows, rate) = states_and_links(&call, StateSelection::All, LinkDetail::Plain)?;
    let factor = rate / window.resolution.ticks_per_second().min(rate);
    let bounds = [window.start_tick, window.stop_tick].map(|tick| ScalarValue::from(tick.saturating_mul(factor)));
    let rows = KERNEL.over(rows, bounds.to_vec())?;
    let mut columns: Vec<Expr> = KERNEL.rows.iter().map(|(name, _)| col(*name)).collect();
    columns.push(col("start_tick").alias("start_time"));
    columns.push(col("end_tick").alias("end_time"));
    columns.push(seconds(col("end_tick") - col("start_tick"), rate).alias("seconds"));
    let rows = LogicalPlanBuilder::from(rows).project(columns)?.build()?;
    shown(&call, rows, rate, &[("container_id", "container"), ("target_id", "target")])
}
