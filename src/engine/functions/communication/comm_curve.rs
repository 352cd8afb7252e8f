//! `comm_curve([links], phases, communities, weight)`: how much the pattern of communication changes.

use std::sync::Arc;

use arrow::array::{ArrayRef, Float64Array, Int64Array};
use arrow::datatypes::DataType;
use datafusion::common::{Result, ScalarValue};
use datafusion::logical_expr::LogicalPlan;

use super::comm_messages::{
    COMMUNITIES, GRAM_CONSTANTS, LINKS, MESSAGE_COLUMNS, PHASES, WEIGHT, gram_constants, messages, shown,
};
use super::comm_sweeps::{BY_MIDDLE, GramRows, GramSweep, bytes_of};
use crate::functions::calls::call::Call;
use crate::functions::calls::definition::{Definition, Form, OutputColumn};
use crate::functions::calls::sql_function::TableFunction;
use crate::functions::plans::table_kernel::TableKernel;
use crate::functions::plans::table_sweep::TableSweep;
use ocellus_kernels::commgram::streamed::StreamedGram;
use ocellus_kernels::commgram::{CommPhase, curve};

pub static FUNCTION: TableFunction = TableFunction {
    definition: Definition {
        name: "comm_curve",
        family: "communication",
        form: Form::Table,
        description: "Measures how much the communities of each phase differ from those before: the CommGram curve.",
        notes: "The difference of two phases is the least cost of a perfect matching of their communities: a pair costs \
                the containers that are in one of both only, and a community without a partner all of its containers. It \
                is divided by twice the number of containers that communicate at all, so that it lies between 0, the same \
                communities, and 1, nobody in common. height compares with the first phase: a pattern that comes back is at the \
                height that it had. Row order is unspecified.",
        relations: &[LINKS],
        constants: &[PHASES, COMMUNITIES, WEIGHT],
        columns: &[
            OutputColumn { name: "phase", kind: "BIGINT", doc: "Number of the phase, from 0, as in comm_phases." },
            OutputColumn { name: "start_time", kind: "DOUBLE", doc: "Earliest start of its messages, in seconds." },
            OutputColumn { name: "end_time", kind: "DOUBLE", doc: "Latest end of its messages, in seconds." },
            OutputColumn { name: "messages", kind: "BIGINT", doc: "How many messages it has." },
            OutputColumn { name: "volume", kind: "DOUBLE", doc: "Sum of their volumes; NULL when none has one." },
            OutputColumn { name: "communities", kind: "BIGINT", doc: "How many communities it has." },
            OutputColumn { name: "modularity", kind: "DOUBLE", doc: "Modularity of those." },
            OutputColumn {
                name: "difference",
                kind: "DOUBLE",
                doc: "Difference to the phase before; NULL for the first.",
            },
            OutputColumn { name: "height", kind: "DOUBLE", doc: "Difference to the first phase." },
        ],
        examples: &[
            "SELECT phase, start_time, end_time, difference, height FROM comm_curve(phases => 3) ORDER BY phase",
        ],
    },
    plan,
};

pub static KERNEL: TableKernel = TableKernel {
    name: "phase_differences",
    columns: &MESSAGE_COLUMNS,
    constants: &GRAM_CONSTANTS,
    rows: &[
        ("phase", DataType::Int64),
        ("start_time", DataType::Int64),
        ("end_time", DataType::Int64),
        ("messages", DataType::Int64),
        ("volume", DataType::Float64),
        ("communities", DataType::Int64),
        ("modularity", DataType::Float64),
        ("difference", DataType::Float64),
        ("height", DataType::Float64),
    ],
    run,
};

fn plan(call: Call<'_>) -> Result<LogicalPlan> {
    let (messages, rate) = messages(&call, call.relation(0)?, &[])?;
    shown(&call, KERNEL.over(messages, gram_constants(&call))?, rate, &[])
}

/// Finds phases and their communities.
pub(crate) static SWEEP: TableSweep = TableSweep {
    kernel: &KERNEL,
    order: BY_MIDDLE,
    begin: |constants| GramSweep::begin(constants, CurveRows::default()),
};

fn run(columns: &[ArrayRef], constants: &[ScalarValue]) -> Result<Vec<ArrayRef>> {
    SWEEP.run(columns, constants)
}

/// The phases so far.
#[derive(Debug, Default)]
struct CurveRows {
    phases: Vec<CommPhase>,
    ready: Option<Vec<ArrayRef>>,
}

impl GramRows for CurveRows {
    fn add(&mut self, phase: CommPhase) {
        self.phases.push(phase);
    }

    fn finish(&mut self, gram: &StreamedGram) -> Result<()> {
        let phases = std::mem::take(&mut self.phases);
        let (points, totals) = (curve(&phases), gram.totals());
        self.ready = Some(vec![
            Arc::new(Int64Array::from_iter_values(0..phases.len() as i64)),
            Arc::new(Int64Array::from_iter_values(totals.iter().map(|phase| phase.start))),
            Arc::new(Int64Array::from_iter_values(totals.iter().map(|phase| phase.end))),
            Arc::new(Int64Array::from_iter_values(totals.iter().map(|phase| phase.messages as i64))),
            Arc::new(totals.iter().map(|phase| phase.volume).collect::<Float64Array>()),
            Arc::new(Int64Array::from_iter_values(phases.iter().map(|phase| phase.count() as i64))),
            Arc::new(Float64Array::from_iter_values(phases.iter().map(|phase| phase.modularity()))),
            Arc::new(points.iter().map(|point| point.difference).collect::<Float64Array>()),
            Arc::new(Float64Array::from_iter_values(points.iter().map(|point| point.height))),
        ]);
        Ok(())
    }

    fn take(&mut self) -> Option<Vec<ArrayRef>> {
        self.ready.take()
    }

    fn bytes(&self) -> usize {
        bytes_of(&self.phases)
    }
}
