//! `phase_tree([links])`: the merges behind comm_phases.

use std::sync::Arc;

use arrow::array::{ArrayRef, Float64Array, Int64Array};
use arrow::datatypes::DataType;
use datafusion::common::{Result, ScalarValue};
use datafusion::logical_expr::LogicalPlan;

use super::comm_messages::{LINKS, MESSAGE_COLUMNS, messages, shown, sorted_messages};
use crate::functions::calls::call::Call;
use crate::functions::calls::definition::{Definition, Form, OutputColumn};
use crate::functions::calls::sql_function::TableFunction;
use crate::functions::plans::table_kernel::{TableKernel, double};
use ocellus_kernels::commgram::{CommMessage, middles, phases};

pub static FUNCTION: TableFunction = TableFunction {
    definition: Definition {
        name: "phase_tree",
        family: "communication",
        form: Form::Table,
        description: "Lists the merges by which messages become phases, in their order.",
        notes: "With n links, the clusters 0 to n - 1 are the links in the order of time, as comm_phases numbers them, and \
                the merge of step s makes cluster n - 1 + s. The clusters after step n - q are the q phases of \
                comm_phases(phases => q). The distances never shrink. Row order is unspecified.",
        relations: &[LINKS],
        constants: &[],
        columns: &[
            OutputColumn { name: "step", kind: "BIGINT", doc: "Number of the merge, from 1." },
            OutputColumn { name: "left", kind: "BIGINT", doc: "The earlier of the two clusters." },
            OutputColumn { name: "right", kind: "BIGINT", doc: "The later one." },
            OutputColumn {
                name: "representative",
                kind: "DOUBLE",
                doc: "Time that stands for the merged cluster, in seconds.",
            },
            OutputColumn { name: "distance", kind: "DOUBLE", doc: "How far the two were apart, in seconds." },
            OutputColumn { name: "messages", kind: "BIGINT", doc: "Links in the merged cluster." },
            OutputColumn { name: "start_time", kind: "DOUBLE", doc: "Earliest start of one of them, in seconds." },
            OutputColumn { name: "end_time", kind: "DOUBLE", doc: "Latest end of one of them, in seconds." },
        ],
        examples: &["SELECT step, left, right, representative, messages FROM phase_tree() ORDER BY step DESC LIMIT 2"],
    },
    plan,
};

pub static KERNEL: TableKernel = TableKernel {
    name: "phase_merges",
    columns: &MESSAGE_COLUMNS,
    constants: &[DataType::Float64],
    rows: &[
        ("step", DataType::Int64),
        ("left", DataType::Int64),
        ("right", DataType::Int64),
        ("representative", DataType::Float64),
        ("distance", DataType::Float64),
        ("messages", DataType::Int64),
        ("start_time", DataType::Int64),
        ("end_time", DataType::Int64),
    ],
    run,
};

fn plan(call: Call<'_>) -> Result<LogicalPlan> {
    let (messages, rate) = messages(&call, call.relation(0)?, &[])?;
    let rows = KERNEL.over(messages, vec![ScalarValue::from(rate as f64)])?;
    shown(&call, rows, rate, &[])
}

/// What a cluster holds.
#[derive(Clone, Copy)]
struct PhaseTreeNode {
    messages: i64,
    start: i64,
    end: i64,
}

fn run(columns: &[ArrayRef], constants: &[ScalarValue]) -> Result<Vec<ArrayRef>> {
    let rate = double(constants, 0)?;
    let (messages, _) = sorted_messages(columns);
    let merges = phases::merges(&middles(&messages));
    let single = |message: &CommMessage| PhaseTreeNode { messages: 1, start: message.start, end: message.end };
    let mut clusters: Vec<PhaseTreeNode> = messages.iter().map(single).collect();
    for merge in &merges {
        let (left, right) = (clusters[merge.left], clusters[merge.right]);
        clusters.push(PhaseTreeNode {
            messages: left.messages + right.messages,
            start: left.start.min(right.start),
            end: left.end.max(right.end),
        });
    }
    let merged = &clusters[messages.len()..];
    let first = messages.first().map_or(0.0, |message| message.twice_middle() as f64 / 2.0);
    Ok(vec![
        Arc::new(Int64Array::from_iter_values(1..=merges.len() as i64)),
        Arc::new(Int64Array::from_iter_values(merges.iter().map(|merge| merge.left as i64))),
        Arc::new(Int64Array::from_iter_values(merges.iter().map(|merge| merge.right as i64))),
        Arc::new(Float64Array::from_iter_values(merges.iter().map(|merge| (first + merge.representative) / rate))),
        Arc::new(Float64Array::from_iter_values(merges.iter().map(|merge| merge.distance / rate))),
        Arc::new(Int64Array::from_iter_values(merged.iter().map(|cluster| cluster.messages))),
        Arc::new(Int64Array::from_iter_values(merged.iter().map(|cluster| cluster.start))),
        Arc::new(Int64Array::from_iter_values(merged.iter().map(|cluster| cluster.end))),
    ])
}
