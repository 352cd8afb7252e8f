//! `wait_states([states], [links], …)`: who waits for whom, in which state, and for how long.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow::array::{ArrayRef, Int32Array, Int64Array, StringViewArray};
use arrow::datatypes::DataType;
use datafusion::common::{Result, ScalarValue};
use datafusion::logical_expr::{Expr, LogicalPlan, LogicalPlanBuilder};
use datafusion::prelude::col;

use super::comm_messages::{LINKS, seconds, shown};
use super::comm_waits::{COLLECTIVES, COLUMNS, CollectedWaits, RECEIVES, SENDS, StateSelection, states_and_links};
use crate::functions::calls::call::Call;
use crate::functions::calls::definition::{Definition, Form, OutputColumn, RelationParameter};
use crate::functions::calls::sql_function::TableFunction;
use crate::functions::plans::table_kernel::TableKernel;
use ocellus_kernels::waiting::{Reason, waits};

pub static FUNCTION: TableFunction = TableFunction {
    definition: Definition {
        name: "wait_states",
        family: "communication",
        form: Form::Table,
        description: "Adds up who waits for whom: late senders, late receivers, and waits at collectives.",
        notes: "late sender: the receiver is in a receive, from before the message is sent; it waits from the start \
                of the receive until the message is sent. The receive is the last state of the target that begins before \
                the message arrives and is not over by then. late receiver: the sender is still in its send when the \
                receive begins, after the message was sent; it waits from then until the receive begins. wait at \
                collective: states of one value that have an instant in common are one collective, in which everyone waits \
                for the last to come. A state that waits for several counts once, for the last of them; ties go to \
                the smaller container. Which states are receives, sends and collectives is told by their values. \
                Rows come in no order.",
        relations: &[
            RelationParameter {
                name: "states",
                default: Some("states"),
                doc: "States, with container_id, value, start_time and end_time.",
            },
            LINKS,
        ],
        constants: &[RECEIVES, SENDS, COLLECTIVES],
        columns: &[
            OutputColumn { name: "kind", kind: "TEXT", doc: "late sender, late receiver or wait at collective." },
            OutputColumn { name: "container_id", kind: "INTEGER", doc: "Container that waits." },
            OutputColumn { name: "container", kind: "TEXT", doc: "Its name." },
            OutputColumn { name: "culprit_id", kind: "INTEGER", doc: "Container that it waits for." },
            OutputColumn { name: "culprit", kind: "TEXT", doc: "Its name." },
            OutputColumn { name: "state", kind: "TEXT", doc: "Value of the state in which it waits." },
            OutputColumn { name: "waits", kind: "BIGINT", doc: "How often." },
            OutputColumn { name: "seconds", kind: "DOUBLE", doc: "For how long in all." },
        ],
        examples: &[
            "SELECT kind, container, culprit, state, waits, seconds FROM wait_states() ORDER BY kind, container",
        ],
    },
    plan,
};

pub static KERNEL: TableKernel = TableKernel {
    name: "container_waits",
    columns: &COLUMNS,
    constants: &[],
    rows: &[
        ("kind", DataType::Utf8View),
        ("container_id", DataType::Int32),
        ("culprit_id", DataType::Int32),
        ("state", DataType::Utf8View),
        ("waits", DataType::Int64),
        ("ticks", DataType::Int64),
    ],
    run,
};

fn plan(call: Call<'_>) -> Result<LogicalPlan> {
    let (rows, rate) = states_and_links(&call, StateSelection::Waiting)?;
    let rows = KERNEL.over(rows, vec![])?;
    let known = ["kind", "container_id", "culprit_id", "state", "waits"].map(col);
    let columns: Vec<Expr> = known.into_iter().chain([seconds(col("ticks"), rate).alias("seconds")]).collect();
    let rows = LogicalPlanBuilder::from(rows).project(columns)?.build()?;
    shown(&call, rows, rate, &[("container_id", "container"), ("culprit_id", "culprit")])
}

fn run(columns: &[ArrayRef], _constants: &[ScalarValue]) -> Result<Vec<ArrayRef>> {
    let CollectedWaits { states, messages, values, .. } = CollectedWaits::of(columns);
    let mut sums: BTreeMap<(Reason, u32, u32, u32), (i64, i64)> = BTreeMap::new();
    for wait in waits(&states, &messages) {
        let sum = sums.entry((wait.reason, wait.waiter, wait.culprit, states[wait.state].value)).or_default();
        sum.0 += 1;
        sum.1 += wait.end - wait.start;
    }
    let kind = |reason: Reason| match reason {
        Reason::LateSender => "late sender",
        Reason::LateReceiver => "late receiver",
        Reason::Collective => "wait at collective",
    };
    Ok(vec![
        Arc::new(StringViewArray::from_iter_values(sums.keys().map(|key| kind(key.0)))),
        Arc::new(Int32Array::from_iter_values(sums.keys().map(|key| key.1 as i32))),
        Arc::new(Int32Array::from_iter_values(sums.keys().map(|key| key.2 as i32))),
        Arc::new(sums.keys().map(|key| values[key.3 as usize].as_deref()).collect::<StringViewArray>()),
        Arc::new(Int64Array::from_iter_values(sums.values().map(|sum| sum.0))),
        Arc::new(Int64Array::from_iter_values(sums.values().map(|sum| sum.1))),
    ])
}
