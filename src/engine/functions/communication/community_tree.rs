//! `community_tree([links], phases, weight)`: the merges behind comm_communities.

use std::sync::Arc;

use arrow::array::{ArrayRef, Float64Array, Int32Array, Int64Array};
use arrow::datatypes::DataType;
use datafusion::common::{Result, ScalarValue};
use datafusion::logical_expr::LogicalPlan;

use super::comm_messages::{GRAM_CONSTANTS, LINKS, MESSAGE_COLUMNS, PHASES, WEIGHT, gram_constants, messages, shown};
use super::comm_sweeps::{BY_MIDDLE, GramRows, GramSweep};
use crate::functions::calls::call::Call;
use crate::functions::calls::definition::{Definition, Form, OutputColumn};
use crate::functions::calls::sql_function::TableFunction;
use crate::functions::plans::table_kernel::TableKernel;
use crate::functions::plans::table_sweep::TableSweep;
use ocellus_kernels::commgram::CommPhase;

pub static FUNCTION: TableFunction = TableFunction {
    definition: Definition {
        name: "community_tree",
        family: "communication",
        form: Form::Table,
        description: "Lists the merges by which the containers of each phase become communities, with what each gains.",
        notes: "A community goes by the smallest id of its containers, so left is smaller than right and stands for both \
                after the merge. The communities of comm_communities(communities => k) are those after the merge that \
                leaves k. Row order is unspecified.",
        relations: &[LINKS],
        constants: &[PHASES, WEIGHT],
        columns: &[
            OutputColumn { name: "phase", kind: "BIGINT", doc: "Number of the phase, from 0." },
            OutputColumn { name: "step", kind: "BIGINT", doc: "Number of the merge in its phase, from 1." },
            OutputColumn { name: "left", kind: "INTEGER", doc: "Smallest container of the one community." },
            OutputColumn { name: "right", kind: "INTEGER", doc: "Smallest container of the other." },
            OutputColumn { name: "gain", kind: "DOUBLE", doc: "What the merge adds to the modularity." },
            OutputColumn { name: "modularity", kind: "DOUBLE", doc: "Modularity after it." },
            OutputColumn { name: "communities", kind: "BIGINT", doc: "How many communities are left after it." },
        ],
        examples: &["SELECT step, left, right, round(gain, 4) AS gain, round(modularity, 4) AS modularity \
             FROM community_tree(phases => 1) ORDER BY step"],
    },
    plan,
};

pub static KERNEL: TableKernel = TableKernel {
    name: "community_merges",
    columns: &MESSAGE_COLUMNS,
    constants: &GRAM_CONSTANTS,
    rows: &[
        ("phase", DataType::Int64),
        ("step", DataType::Int64),
        ("left", DataType::Int32),
        ("right", DataType::Int32),
        ("gain", DataType::Float64),
        ("modularity", DataType::Float64),
        ("communities", DataType::Int64),
    ],
    run,
};

fn plan(call: Call<'_>) -> Result<LogicalPlan> {
    let (messages, rate) = messages(&call, call.relation(0)?, &[])?;
    let rows = KERNEL.over(messages, gram_constants(&call))?;
    shown(&call, rows, rate, &[])
}

/// A merge: its phase and step, its two containers, gain, modularity, and what is left.
type MergeRow = (i64, i64, [u32; 2], f64, f64, i64);

/// Finds phases and their communities.
pub(crate) static SWEEP: TableSweep = TableSweep {
    kernel: &KERNEL,
    order: BY_MIDDLE,
    begin: |constants| GramSweep::begin(constants, MergeRows::default()),
};

fn run(columns: &[ArrayRef], constants: &[ScalarValue]) -> Result<Vec<ArrayRef>> {
    SWEEP.run(columns, constants)
}

/// The merges that were not handed over yet.
#[derive(Debug, Default)]
struct MergeRows {
    phases: i64,
    rows: Vec<MergeRow>,
}

impl GramRows for MergeRows {
    fn add(&mut self, phase: CommPhase) {
        for (merge, step) in phase.tree.merges.iter().zip(1..) {
            let pair = [merge.left, merge.right].map(|node| phase.containers[node as usize]);
            let left = phase.tree.nodes as i64 - step;
            self.rows.push((self.phases, step, pair, merge.gain, merge.modularity, left));
        }
        self.phases += 1;
    }

    fn take(&mut self) -> Option<Vec<ArrayRef>> {
        let rows = std::mem::take(&mut self.rows);
        (!rows.is_empty()).then(|| {
            vec![
                Arc::new(Int64Array::from_iter_values(rows.iter().map(|row| row.0))) as ArrayRef,
                Arc::new(Int64Array::from_iter_values(rows.iter().map(|row| row.1))),
                Arc::new(Int32Array::from_iter_values(rows.iter().map(|row| row.2[0] as i32))),
                Arc::new(Int32Array::from_iter_values(rows.iter().map(|row| row.2[1] as i32))),
                Arc::new(Float64Array::from_iter_values(rows.iter().map(|row| row.3))),
                Arc::new(Float64Array::from_iter_values(rows.iter().map(|row| row.4))),
                Arc::new(Int64Array::from_iter_values(rows.iter().map(|row| row.5))),
            ]
        })
    }

    fn bytes(&self) -> usize {
        self.rows.capacity() * size_of::<MergeRow>()
    }
}
