//! `comm_phases([links], phases)`: the phase of each message, or the phases themselves.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, Float64Array, Int32Array, Int64Array, StringViewArray};
use arrow::datatypes::DataType;
use datafusion::common::{Result, ScalarValue};
use datafusion::logical_expr::LogicalPlan;

use super::comm_messages::{LINKS, MESSAGE_COLUMNS, PHASES, messages, shown};
use super::comm_sweeps::{BY_MIDDLE_AND_TEXTS, messages_of};
use crate::functions::calls::call::Call;
use crate::functions::calls::definition::{
    Accepts, ConstantKind, ConstantParameter, DefaultValue, Definition, Form, OutputColumn,
};
use crate::functions::calls::sql_function::TableFunction;
use crate::functions::plans::table_kernel::{TableKernel, big_int, text};
use crate::functions::plans::table_sweep::{RowSweep, TableSweep};
use ocellus_kernels::commgram::boundaries::{PhaseBoundaries, PhaseCursor};
use ocellus_kernels::commgram::streamed::{PhaseTotals, TotalsByPhase};

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

/// Finds where phases begin, then gives each link its phase, or adds phases up.
pub(crate) static SWEEP: TableSweep = TableSweep { kernel: &KERNEL, order: BY_MIDDLE_AND_TEXTS, begin };

fn run(columns: &[ArrayRef], constants: &[ScalarValue]) -> Result<Vec<ArrayRef>> {
    SWEEP.run(columns, constants)
}

fn begin(constants: &[ScalarValue]) -> Result<Box<dyn RowSweep>> {
    let boundaries = PhaseBoundaries::new(big_int(constants, 0)?.unwrap_or(1) as usize);
    let rows = match text(constants, 1)? {
        "phase" => PhaseRows::Phases(TotalsByPhase::default()),
        _ => PhaseRows::Links(PhaseCursor::default()),
    };
    Ok(Box::new(PhaseSweep { boundaries, rows, links: 0, ready: None }))
}

/// What the rows are.
#[derive(Debug)]
enum PhaseRows {
    Links(PhaseCursor),
    Phases(TotalsByPhase),
}

#[derive(Debug)]
struct PhaseSweep {
    boundaries: PhaseBoundaries,
    rows: PhaseRows,
    /// Links that have their phase.
    links: i64,
    ready: Option<Vec<ArrayRef>>,
}

impl RowSweep for PhaseSweep {
    fn passes(&self) -> usize {
        2
    }

    fn update(&mut self, pass: usize, columns: &[ArrayRef]) -> Result<()> {
        if pass == 0 {
            messages_of(columns).for_each(|message| self.boundaries.add(message.twice_middle()));
            return Ok(());
        }
        let cursor = match &mut self.rows {
            PhaseRows::Phases(totals) => {
                messages_of(columns).for_each(|message| totals.add(&message));
                return Ok(());
            }
            PhaseRows::Links(cursor) => cursor,
        };
        let rows = columns[0].len();
        let phases = (0..rows).map(|_| cursor.advance() as i64);
        let first = self.links;
        self.links += rows as i64;
        let of_link = |index: usize| Arc::clone(&columns[index]);
        self.ready = Some(vec![
            Arc::new(Int64Array::from_iter_values(phases)),
            Arc::new(Int64Array::from_iter_values(first..self.links)),
            of_link(0),
            of_link(1),
            Arc::new(Int64Array::from_value(1, rows)),
            of_link(4),
            of_link(5),
            of_link(6),
            of_link(7),
            of_link(2),
            of_link(3),
        ]);
        Ok(())
    }

    fn finish(&mut self, pass: usize) -> Result<()> {
        if pass == 0 {
            let boundaries = std::mem::take(&mut self.boundaries).finish();
            match &mut self.rows {
                PhaseRows::Links(cursor) => *cursor = PhaseCursor::new(boundaries),
                PhaseRows::Phases(totals) => *totals = TotalsByPhase::new(boundaries),
            }
        } else if let PhaseRows::Phases(totals) = &self.rows {
            self.ready = Some(per_phase(totals.totals()));
        }
        Ok(())
    }

    fn take(&mut self) -> Result<Option<Vec<ArrayRef>>> {
        Ok(self.ready.take())
    }

    fn size(&self) -> usize {
        let rows = match &self.rows {
            PhaseRows::Links(cursor) => cursor.bytes(),
            PhaseRows::Phases(totals) => totals.bytes(),
        };
        size_of_val(self) + self.boundaries.bytes() + rows
    }
}

fn per_phase(phases: &[PhaseTotals]) -> Vec<ArrayRef> {
    let no_text = || Arc::new(StringViewArray::new_null(phases.len()));
    let no_id = || Arc::new(Int32Array::new_null(phases.len()));
    vec![
        Arc::new(Int64Array::from_iter_values(0..phases.len() as i64)),
        Arc::new(Int64Array::new_null(phases.len())),
        Arc::new(Int64Array::from_iter_values(phases.iter().map(|phase| phase.start))),
        Arc::new(Int64Array::from_iter_values(phases.iter().map(|phase| phase.end))),
        Arc::new(Int64Array::from_iter_values(phases.iter().map(|phase| phase.messages as i64))),
        Arc::new(phases.iter().map(|phase| phase.volume).collect::<Float64Array>()),
        no_text(),
        no_text(),
        no_text(),
        no_id(),
        no_id(),
    ]
}
