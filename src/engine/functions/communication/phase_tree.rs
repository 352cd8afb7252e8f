//! `phase_tree([links])`: the merges behind comm_phases.
//!
//! ```text
//!  links ─► messages in the order of time ─► merges, as a walk finds them ─► in the order of distances ─► numbers of steps
//! ```

use arrow::datatypes::DataType;
use datafusion::common::{Result, ScalarValue};
use datafusion::logical_expr::LogicalPlan;

use super::comm_messages::{LINKS, MESSAGE_COLUMNS, messages, shown};
use super::comm_sweeps::BY_MIDDLE;
use super::phase_steps::{BY_RANK, FoundMerges, NumberedMerges};
use crate::functions::calls::call::Call;
use crate::functions::calls::definition::{Definition, Form, OutputColumn};
use crate::functions::calls::sql_function::TableFunction;
use crate::functions::plans::table_kernel::{TableKernel, double};
use crate::functions::plans::table_sweep::TableSweep;

pub static FUNCTION: TableFunction = TableFunction {
    definition: Definition {
        name: "phase_tree",
        family: "communication",
        form: Form::Table,
        description: "Lists the merges by which messages become phases, in their order.",
        notes: "With n links, the clusters 0 to n - 1 are the links in the order of time, as comm_phases numbers them, and \
                the merge of step s makes cluster n - 1 + s. The clusters after step n - q are the q phases of \
                comm_phases(phases => q). The distances never shrink. What is held are four bytes per link. Row order is unspecified.",
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

/// Finds merges; its columns are those of messages, and the constant is how many ticks make a second.
pub static FOUND: TableKernel = TableKernel {
    name: "phase_merges",
    columns: &MESSAGE_COLUMNS,
    constants: &[DataType::Float64],
    rows: &[
        ("rank", DataType::Int64),
        ("slot", DataType::Int64),
        ("number", DataType::Int64),
        ("left", DataType::Int64),
        ("right", DataType::Int64),
        ("representative", DataType::Float64),
        ("distance", DataType::Float64),
        ("messages", DataType::Int64),
        ("start_time", DataType::Int64),
        ("end_time", DataType::Int64),
    ],
    run: |columns, constants| FOUND_SWEEP.run(columns, constants),
};

/// Numbers merges in the order in which they happen; its columns are the rows of the other kernel.
pub static KERNEL: TableKernel = TableKernel {
    name: "phase_steps",
    columns: &[
        DataType::Int64,
        DataType::Int64,
        DataType::Int64,
        DataType::Int64,
        DataType::Int64,
        DataType::Float64,
        DataType::Float64,
        DataType::Int64,
        DataType::Int64,
        DataType::Int64,
    ],
    constants: &[],
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
    run: |columns, constants| SWEEP.run(columns, constants),
};

/// Finds merges as messages come.
pub(crate) static FOUND_SWEEP: TableSweep = TableSweep {
    kernel: &FOUND,
    order: BY_MIDDLE,
    begin: |constants| Ok(Box::new(FoundMerges::new(double(constants, 0)?))),
};

/// Numbers merges, which come twice.
pub(crate) static SWEEP: TableSweep =
    TableSweep { kernel: &KERNEL, order: BY_RANK, begin: |_| Ok(Box::new(NumberedMerges::default())) };

fn plan(call: Call<'_>) -> Result<LogicalPlan> {
    let (messages, rate) = messages(&call, call.relation(0)?, &[])?;
    let merges = FOUND.over(messages, vec![ScalarValue::from(rate as f64)])?;
    shown(&call, KERNEL.over(merges, vec![])?, rate, &[])
}
