//! `wait_states([states], [links], start, stop, per, …)`: who waits for whom, why, and for how long.

use arrow::datatypes::DataType;
use datafusion::common::{Result, ScalarValue};
use datafusion::logical_expr::{Expr, LogicalPlan, LogicalPlanBuilder};
use datafusion::prelude::col;

use super::comm_messages::{LINKS, seconds, shown};
use super::comm_waits::{COLLECTIVES, COLUMNS, DETAILED_COLUMNS, LinkDetail, STATES, StateSelection, states_and_links};
use super::path_rows::BY_PACKED_BEGIN;
use super::wait_sweep::{self, WaitRows};
use crate::functions::calls::call::Call;
use crate::functions::calls::definition::{
    Accepts, ConstantKind, ConstantParameter, DefaultValue, Definition, Form, OutputColumn,
};
use crate::functions::calls::sql_function::TableFunction;
use crate::functions::calls::window::TimeWindow;
use crate::functions::plans::table_kernel::TableKernel;
use crate::functions::plans::table_sweep::TableSweep;
use crate::functions::slices::slice_plan::{START, STOP};

pub static FUNCTION: TableFunction = TableFunction {
    definition: Definition {
        name: "wait_states",
        family: "communication",
        form: Form::Table,
        description: "Explains all waiting time: late senders, late receivers, transfers, collectives, and what remains unexplained.",
        notes: "A waiting state is one whose activity is waiting in state_activities; the seconds of all rows add up exactly to \
                the time in these states within the window. A wait that a message ends (the last that arrives in it, of \
                several that arrive at once the one that was sent last) is late sender until the message is sent, \
                transfer until it is received, and unexplained after that. A message that was in the wait for less than a \
                hundredth of its flight had arrived before and ends no wait. A wait in which no message arrives, and the \
                container has sent messages that are still to be received, is late receiver until the last receiver \
                has begun the state in which it receives, then transfer until that message is received. Buffered messages \
                are no reason to wait: those of a container that goes on before a receiver has begun, and all whose volume \
                has no more binary digits than that of a message with which some container went on, after a wait in which \
                nothing arrived, before any of its receivers had begun. A wait in a collective, or that is ended by a link \
                of a collective, is collective: for a partner until that one comes as the last, for nobody after that. \
                Where a trace records a collective as links, as DUMPI and OTF2 do, these say who was the last; otherwise the n-th states of a value are one collective if \
                every container has as many of them, else those that have an instant in common. Every other wait is \
                unexplained. A message received before it was sent (clocks that differ) counts as sent when it was \
                received. per => 'total' adds up the waits of a kind, container, partner and state, with the first \
                start and the last end; per => 'wait' has a row for each, with the message. A blocking send is not \
                waiting by default: give the relation a column activity to count it. Every state is explained by itself: where \
                containers have states of several types at once, as calls of MPI beside the states of Extrae, a wait counts once \
                for each type, so give the relation one of them: wait_states((SELECT * FROM state_segments WHERE type = 'State')). Ties go to the smaller container. \
                Row order is unspecified.",
        relations: &[STATES, LINKS],
        constants: &[
            START,
            STOP,
            ConstantParameter {
                name: "per",
                kind: ConstantKind::Text,
                default: DefaultValue::Text("total"),
                accepts: Accepts::OneOf(&["total", "wait"]),
                doc: "What a row is: a sum, or a wait (one row per kind where a wait has several).",
            },
            COLLECTIVES,
        ],
        columns: &[
            OutputColumn {
                name: "kind",
                kind: "TEXT",
                doc: "late sender, late receiver, transfer, collective or unexplained.",
            },
            OutputColumn { name: "container_id", kind: "INTEGER", doc: "Container that waits." },
            OutputColumn { name: "container", kind: "TEXT", doc: "Its name." },
            OutputColumn {
                name: "partner_id",
                kind: "INTEGER",
                doc: "Container that it waits for; NULL when it is unknown or there is none.",
            },
            OutputColumn { name: "partner", kind: "TEXT", doc: "Its name." },
            OutputColumn { name: "state", kind: "TEXT", doc: "Value of the state in which it waits." },
            OutputColumn { name: "waits", kind: "BIGINT", doc: "Number of waits." },
            OutputColumn { name: "start_time", kind: "DOUBLE", doc: "Start of the wait, or of the first, in seconds." },
            OutputColumn { name: "end_time", kind: "DOUBLE", doc: "End of the wait, or of the last." },
            OutputColumn { name: "seconds", kind: "DOUBLE", doc: "Total seconds of waiting." },
            OutputColumn {
                name: "wait",
                kind: "BIGINT",
                doc: "Number of the wait by container and time, from 0: kinds of one wait share it. NULL in totals, as \
                      all that follows but ticks.",
            },
            OutputColumn { name: "key", kind: "TEXT", doc: "Key of the link that explains it." },
            OutputColumn { name: "volume", kind: "DOUBLE", doc: "Volume of that link." },
            OutputColumn { name: "sent_time", kind: "DOUBLE", doc: "When that link starts, in seconds." },
            OutputColumn { name: "received_time", kind: "DOUBLE", doc: "When it ends." },
            OutputColumn { name: "ticks", kind: "BIGINT", doc: "seconds in ticks." },
        ],
        examples: &[
            "SELECT kind, container, partner, state, waits, seconds FROM wait_states() ORDER BY kind, container, partner",
        ],
    },
    plan,
};

/// Adds up waits.
pub static TOTALS: TableKernel = TableKernel {
    name: "wait_totals",
    columns: &COLUMNS,
    constants: &CONSTANTS,
    rows: &ROWS,
    run: |columns, constants| TOTALS_SWEEP.run(columns, constants),
};

/// Lists waits with their messages.
pub static KERNEL: TableKernel = TableKernel {
    name: "container_waits",
    columns: &DETAILED_COLUMNS,
    constants: &CONSTANTS,
    rows: &ROWS,
    run: |columns, constants| SWEEP.run(columns, constants),
};

/// Adds up waits as they are explained.
pub(crate) static TOTALS_SWEEP: TableSweep = TableSweep {
    kernel: &TOTALS,
    order: BY_PACKED_BEGIN,
    begin: |constants| wait_sweep::begin(constants, WaitRows::Totals),
};

/// Lists waits as they are explained.
pub(crate) static SWEEP: TableSweep = TableSweep {
    kernel: &KERNEL,
    order: BY_PACKED_BEGIN,
    begin: |constants| wait_sweep::begin(constants, WaitRows::Waits),
};

const CONSTANTS: [DataType; 2] = [DataType::Int64, DataType::Int64];

const ROWS: [(&str, DataType); 13] = [
    ("kind", DataType::Utf8View),
    ("container_id", DataType::Int32),
    ("partner_id", DataType::Int32),
    ("state", DataType::Utf8View),
    ("waits", DataType::Int64),
    ("start_time", DataType::Int64),
    ("end_time", DataType::Int64),
    ("ticks", DataType::Int64),
    ("wait", DataType::Int64),
    ("key", DataType::Utf8View),
    ("volume", DataType::Float64),
    ("sent_tick", DataType::Int64),
    ("received_tick", DataType::Int64),
];

fn plan(call: Call<'_>) -> Result<LogicalPlan> {
    let window = TimeWindow::of_call(&call, &call.relation(0)?)?;
    let (kernel, detail) = match call.text("per") {
        Some("wait") => (&KERNEL, LinkDetail::KeyAndVolume),
        _ => (&TOTALS, LinkDetail::Plain),
    };
    let (rows, rate) = states_and_links(&call, StateSelection::Blocked, detail)?;
    let factor = rate / window.resolution.ticks_per_second().min(rate);
    let bounds = [window.start_tick, window.stop_tick].map(|tick| ScalarValue::from(tick.saturating_mul(factor)));
    let rows = kernel.over(rows, bounds.to_vec())?;
    let mut columns: Vec<Expr> = ROWS.iter().map(|(name, _)| col(*name)).collect();
    for (ticks, name) in [("ticks", "seconds"), ("sent_tick", "sent_time"), ("received_tick", "received_time")] {
        columns.push(seconds(col(ticks), rate).alias(name));
    }
    let rows = LogicalPlanBuilder::from(rows).project(columns)?.build()?;
    shown(&call, rows, rate, &[("container_id", "container"), ("partner_id", "partner")])
}
