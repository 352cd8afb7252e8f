//! `comm_phases([links], phases)`: the phase of each message, or the phases themselves.

use std::sync::Arc;

use arrow::array::{ArrayRef, Float64Array, Int32Array, Int64Array, StringViewArray, UInt32Array};
use arrow::compute::take;
use arrow::datatypes::DataType;
use datafusion::common::{Result, ScalarValue};
use datafusion::logical_expr::LogicalPlan;

use super::comm_messages::{LINKS, MESSAGE_COLUMNS, PHASES, messages, shown, sorted_messages};
use crate::functions::calls::call::Call;
use crate::functions::calls::definition::{
    Accepts, ConstantKind, ConstantParameter, DefaultValue, Definition, Form, OutputColumn,
};
use crate::functions::calls::sql_function::TableFunction;
use crate::functions::plans::table_kernel::{TableKernel, big_int, text};
use ocellus_kernels::commgram::{CommMessage, cut_phases, span, volume};

pub static FUNCTION: TableFunction = TableFunction {
    definition: Definition {
        name: "comm_phases",
        family: "communication",
        form: Form::Table,
        description: "Cuts messages into phases by time: each link with its phase, or each phase.",
        notes: "Agglomerative clustering: the time of a link is the mean of its start and its end; always the two \
                closest neighbors are merged, of equals the earlier pair; a merged cluster stands at the mean of the \
                two. A cut into q phases omits the last q - 1 merges. Phases are numbered from 0 in the order of \
                time. Links of equal times are ordered by their ends, volume, type, value and key, never by rows. With \
                per => 'phase', times reach from the earliest start to the latest end of a link, and what belongs to \
                one link is NULL. Links without a source, a target or times, and links that end before they start, are \
                left out. No links give no rows. Row order is unspecified. Cost: n log n for n links.",
        relations: &[LINKS],
        constants: &[
            PHASES,
            ConstantParameter {
                name: "per",
                kind: ConstantKind::Text,
                default: DefaultValue::Text("link"),
                accepts: Accepts::OneOf(&["link", "phase"]),
                doc: "What a row is.",
            },
        ],
        columns: &[
            OutputColumn { name: "phase", kind: "BIGINT", doc: "Number of the phase, from 0." },
            OutputColumn {
                name: "link",
                kind: "BIGINT",
                doc: "Number of the link in the order of time, from 0: a leaf of phase_tree.",
            },
            OutputColumn { name: "start_time", kind: "DOUBLE", doc: "Start of the link or of the phase, in seconds." },
            OutputColumn { name: "end_time", kind: "DOUBLE", doc: "End of it." },
            OutputColumn { name: "messages", kind: "BIGINT", doc: "Links in the phase; 1 for a link." },
            OutputColumn { name: "volume", kind: "DOUBLE", doc: "Sum of their volumes; NULL when none has one." },
            OutputColumn { name: "type", kind: "TEXT", doc: "Type of the link." },
            OutputColumn { name: "value", kind: "TEXT", doc: "Value of the link." },
            OutputColumn { name: "key", kind: "TEXT", doc: "Key of the link." },
            OutputColumn { name: "source_id", kind: "INTEGER", doc: "Container that sends." },
            OutputColumn { name: "source", kind: "TEXT", doc: "Its name." },
            OutputColumn { name: "target_id", kind: "INTEGER", doc: "Container that receives." },
            OutputColumn { name: "target", kind: "TEXT", doc: "Its name." },
        ],
        examples: &[
            "SELECT phase, start_time, end_time, messages, volume FROM comm_phases(phases => 3, per => 'phase') \
             ORDER BY phase",
            "SELECT phase, source, target, volume FROM comm_phases(phases => 3) WHERE phase = 0 ORDER BY source, target",
        ],
    },
    plan,
};

pub static KERNEL: TableKernel = TableKernel {
    name: "message_phases",
    columns: &{
        let [start, end, source, target, volume] = MESSAGE_COLUMNS;
        [start, end, source, target, volume, DataType::Utf8View, DataType::Utf8View, DataType::Utf8View]
    },
    constants: &[DataType::Int64, DataType::Utf8],
    rows: &[
        ("phase", DataType::Int64),
        ("link", DataType::Int64),
        ("start_time", DataType::Int64),
        ("end_time", DataType::Int64),
        ("messages", DataType::Int64),
        ("volume", DataType::Float64),
        ("type", DataType::Utf8View),
        ("value", DataType::Utf8View),
        ("key", DataType::Utf8View),
        ("source_id", DataType::Int32),
        ("target_id", DataType::Int32),
    ],
    run,
};

fn plan(call: Call<'_>) -> Result<LogicalPlan> {
    let (messages, rate) = messages(&call, call.relation(0)?, &["type", "value", "key"])?;
    let per = ScalarValue::from(call.text("per").unwrap_or("link"));
    let rows = KERNEL.over(messages, vec![ScalarValue::Int64(call.big_int("phases")), per])?;
    shown(&call, rows, rate, &[("source_id", "source"), ("target_id", "target")])
}

fn run(columns: &[ArrayRef], constants: &[ScalarValue]) -> Result<Vec<ArrayRef>> {
    let (messages, rows) = sorted_messages(columns);
    let phases = cut_phases(&messages, big_int(constants, 0)?.unwrap_or(1) as usize);
    if text(constants, 1)? == "phase" {
        let phases: Vec<&[CommMessage]> = phases.into_iter().map(|range| &messages[range]).collect();
        return Ok(per_phase(&phases));
    }
    let numbers = phases.iter().zip(0..).flat_map(|(range, phase)| range.clone().map(move |_| phase));
    let rows = UInt32Array::from(rows);
    let of_link = |index: usize| -> Result<ArrayRef> { Ok(take(&columns[index], &rows, None)?) };
    Ok(vec![
        Arc::new(Int64Array::from_iter_values(numbers)),
        Arc::new(Int64Array::from_iter_values(0..messages.len() as i64)),
        of_link(0)?,
        of_link(1)?,
        Arc::new(Int64Array::from_value(1, messages.len())),
        of_link(4)?,
        of_link(5)?,
        of_link(6)?,
        of_link(7)?,
        of_link(2)?,
        of_link(3)?,
    ])
}

fn per_phase(phases: &[&[CommMessage]]) -> Vec<ArrayRef> {
    let spans: Vec<(i64, i64)> = phases.iter().map(|messages| span(messages)).collect();
    let no_text = || Arc::new(StringViewArray::new_null(phases.len()));
    let no_id = || Arc::new(Int32Array::new_null(phases.len()));
    vec![
        Arc::new(Int64Array::from_iter_values(0..phases.len() as i64)),
        Arc::new(Int64Array::new_null(phases.len())),
        Arc::new(Int64Array::from_iter_values(spans.iter().map(|(start, _)| *start))),
        Arc::new(Int64Array::from_iter_values(spans.iter().map(|(_, end)| *end))),
        Arc::new(Int64Array::from_iter_values(phases.iter().map(|messages| messages.len() as i64))),
        Arc::new(phases.iter().map(|messages| volume(*messages)).collect::<Float64Array>()),
        no_text(),
        no_text(),
        no_text(),
        no_id(),
        no_id(),
    ]
}
