//! `comm_patterns([links], phases, communities, weight, tolerance)`: which phases are alike, and which cycle repeats.

use std::sync::Arc;

use arrow::array::{ArrayRef, Int64Array};
use arrow::datatypes::DataType;
use datafusion::common::{Result, ScalarValue};
use datafusion::logical_expr::LogicalPlan;

use super::comm_messages::{COMMUNITIES, LINKS, MESSAGE_COLUMNS, PHASES, WEIGHT, gram_constants, messages, shown};
use super::comm_sweeps::{BY_MIDDLE, GramRows, GramSweep, bytes_of};
use crate::functions::calls::call::Call;
use crate::functions::calls::definition::{
    Accepts, ConstantKind, ConstantParameter, DefaultValue, Definition, Form, OutputColumn,
};
use crate::functions::calls::sql_function::TableFunction;
use crate::functions::plans::table_kernel::{TableKernel, double};
use crate::functions::plans::table_sweep::TableSweep;
use ocellus_kernels::commgram::patterns::{Section, sections};
use ocellus_kernels::commgram::streamed::{PhaseTotals, StreamedGram};
use ocellus_kernels::commgram::{CommPhase, pattern_numbers};

pub static FUNCTION: TableFunction = TableFunction {
    definition: Definition {
        name: "comm_patterns",
        family: "communication",
        form: Form::Table,
        description: "Groups phases with equal patterns of communication, and finds the cycles of phases that repeat.",
        notes: "Two phases have the same pattern when their communities are the same, that is, when their difference in \
                comm_curve is 0, or at most the tolerance from the first phase that has it. The sequence of patterns is cut \
                into sections: the cycle whose repetitions cover most phases is one; of equals the shorter cycle, then the \
                earlier one; what is left before and after it is searched in the same way. A section that repeats \
                nothing has one repetition. SELECT DISTINCT period, repetitions shows what repeats how often. Row order is \
                unspecified. Cost beside that of comm_communities: the square of the number of phases.",
        relations: &[LINKS],
        constants: &[
            ConstantParameter { accepts: Accepts::Between(1.0, 1e4), ..PHASES },
            COMMUNITIES,
            WEIGHT,
            ConstantParameter {
                name: "tolerance",
                kind: ConstantKind::Double,
                default: DefaultValue::Double(0.0),
                accepts: Accepts::Between(0.0, 1.0),
                doc: "Difference up to which phases count as equal.",
            },
        ],
        columns: &[
            OutputColumn { name: "phase", kind: "BIGINT", doc: "Number of the phase, from 0." },
            OutputColumn { name: "start_time", kind: "DOUBLE", doc: "Earliest start of its messages, in seconds." },
            OutputColumn { name: "end_time", kind: "DOUBLE", doc: "Latest end of its messages, in seconds." },
            OutputColumn { name: "pattern", kind: "BIGINT", doc: "Number of its pattern, from 0 as they appear." },
            OutputColumn { name: "occurrences", kind: "BIGINT", doc: "How many phases have that pattern." },
            OutputColumn { name: "section", kind: "BIGINT", doc: "Number of the section that it lies in, from 0." },
            OutputColumn { name: "period", kind: "BIGINT", doc: "Phases of one cycle of the section." },
            OutputColumn { name: "repetitions", kind: "BIGINT", doc: "How often the cycle comes in the section." },
            OutputColumn { name: "repetition", kind: "BIGINT", doc: "In which of those the phase is, from 0." },
            OutputColumn { name: "position", kind: "BIGINT", doc: "Its place in the cycle, from 0." },
        ],
        examples: &["SELECT DISTINCT period, repetitions FROM comm_patterns(phases => 27)"],
    },
    plan,
};

pub static KERNEL: TableKernel = TableKernel {
    name: "phase_patterns",
    columns: &MESSAGE_COLUMNS,
    constants: &[DataType::Int64, DataType::Int64, DataType::Utf8, DataType::Float64],
    rows: &[
        ("phase", DataType::Int64),
        ("start_time", DataType::Int64),
        ("end_time", DataType::Int64),
        ("pattern", DataType::Int64),
        ("occurrences", DataType::Int64),
        ("section", DataType::Int64),
        ("period", DataType::Int64),
        ("repetitions", DataType::Int64),
        ("repetition", DataType::Int64),
        ("position", DataType::Int64),
    ],
    run,
};

fn plan(call: Call<'_>) -> Result<LogicalPlan> {
    let (messages, rate) = messages(&call, call.relation(0)?, &[])?;
    let mut constants = gram_constants(&call);
    constants.push(ScalarValue::from(call.double("tolerance")?));
    shown(&call, KERNEL.over(messages, constants)?, rate, &[])
}

/// Finds phases and their communities.
pub(crate) static SWEEP: TableSweep = TableSweep {
    kernel: &KERNEL,
    order: BY_MIDDLE,
    begin: |constants| {
        let tolerance = double(constants, 3)?;
        GramSweep::begin(constants, PatternRows { tolerance, phases: vec![], ready: None })
    },
};

fn run(columns: &[ArrayRef], constants: &[ScalarValue]) -> Result<Vec<ArrayRef>> {
    SWEEP.run(columns, constants)
}

/// The phases so far.
#[derive(Debug)]
struct PatternRows {
    tolerance: f64,
    phases: Vec<CommPhase>,
    ready: Option<Vec<ArrayRef>>,
}

impl GramRows for PatternRows {
    fn add(&mut self, phase: CommPhase) {
        self.phases.push(phase);
    }

    fn finish(&mut self, gram: &StreamedGram) -> Result<()> {
        let phases = std::mem::take(&mut self.phases);
        self.ready = Some(pattern_columns(&pattern_numbers(&phases, self.tolerance), gram.totals()));
        Ok(())
    }

    fn take(&mut self) -> Option<Vec<ArrayRef>> {
        self.ready.take()
    }

    fn bytes(&self) -> usize {
        bytes_of(&self.phases)
    }
}

fn pattern_columns(patterns: &[u32], totals: &[PhaseTotals]) -> Vec<ArrayRef> {
    let occurrences = |pattern: u32| patterns.iter().filter(|other| **other == pattern).count();
    let sections = sections(patterns);
    // For each phase the number of its section, and its place in it.
    let places: Vec<(usize, &Section, usize)> = sections
        .iter()
        .enumerate()
        .flat_map(|(number, section)| (0..section.length()).map(move |place| (number, section, place)))
        .collect();
    let column =
        |of: &dyn Fn(usize) -> i64| -> ArrayRef { Arc::new(Int64Array::from_iter_values((0..patterns.len()).map(of))) };
    vec![
        column(&|phase| phase as i64),
        column(&|phase| totals[phase].start),
        column(&|phase| totals[phase].end),
        column(&|phase| i64::from(patterns[phase])),
        column(&|phase| occurrences(patterns[phase]) as i64),
        column(&|phase| places[phase].0 as i64),
        column(&|phase| places[phase].1.period as i64),
        column(&|phase| places[phase].1.repetitions as i64),
        column(&|phase| (places[phase].2 / places[phase].1.period) as i64),
        column(&|phase| (places[phase].2 % places[phase].1.period) as i64),
    ]
}
