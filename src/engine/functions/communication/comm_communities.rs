//! `comm_communities([links], phases, communities, weight)`: who belongs together in each phase.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow::array::{ArrayRef, Float64Array, Int32Array, Int64Array};
use arrow::datatypes::DataType;
use datafusion::common::{Result, ScalarValue};
use datafusion::logical_expr::LogicalPlan;

use super::comm_messages::{
    COMMUNITIES, GRAM_CONSTANTS, LINKS, MESSAGE_COLUMNS, PHASES, WEIGHT, gram_constants, messages, shown,
};
use super::comm_sweeps::{BY_MIDDLE, GramRows, GramSweep};
use crate::functions::calls::call::Call;
use crate::functions::calls::definition::{Definition, Form, OutputColumn};
use crate::functions::calls::sql_function::TableFunction;
use crate::functions::plans::table_kernel::TableKernel;
use crate::functions::plans::table_sweep::TableSweep;
use ocellus_kernels::commgram::CommPhase;
use ocellus_kernels::commgram::streamed::StreamedGram;

pub static FUNCTION: TableFunction = TableFunction {
    definition: Definition {
        name: "comm_communities",
        family: "communication",
        form: Form::Table,
        description: "Finds the communities of each phase: containers that exchange more with each other than with others.",
        notes: "Greedy modularity after Clauset, Newman and Moore, over what two containers exchange in both directions: \
                every container begins as a community; of all pairs that exchange something the one with the largest gain \
                is merged, of equals that of the smaller container; when no two exchange anything, the two with the \
                least. Cut at the given number of communities, or where the modularity is largest, with as few merges as \
                that takes. A phase in which no message has a volume counts messages. Containers that neither send nor \
                receive in a phase have no row in it. Communities are numbered from 0 in the order of their smallest \
                containers. place is an order to draw in, one for all phases: neighbors exchange most. Row order \
                is unspecified. Cost: about m log^2 n for m pairs of n containers.",
        relations: &[LINKS],
        constants: &[PHASES, COMMUNITIES, WEIGHT],
        columns: &[
            OutputColumn { name: "phase", kind: "BIGINT", doc: "Number of the phase, from 0, as in comm_phases." },
            OutputColumn {
                name: "container_id",
                kind: "INTEGER",
                doc: "Container that sends or receives in the phase.",
            },
            OutputColumn { name: "container", kind: "TEXT", doc: "Its name." },
            OutputColumn { name: "community", kind: "BIGINT", doc: "Number of its community in the phase, from 0." },
            OutputColumn {
                name: "place",
                kind: "BIGINT",
                doc: "Place of the container among all, from 0, the same in every phase.",
            },
            OutputColumn { name: "modularity", kind: "DOUBLE", doc: "Modularity of the communities of the phase." },
        ],
        examples: &["SELECT phase, community, string_agg(container, ' ' ORDER BY container) AS members \
             FROM comm_communities(phases => 3, communities => 4) GROUP BY phase, community ORDER BY phase, community"],
    },
    plan,
};

pub static KERNEL: TableKernel = TableKernel {
    name: "phase_communities",
    columns: &MESSAGE_COLUMNS,
    constants: &GRAM_CONSTANTS,
    rows: &[
        ("phase", DataType::Int64),
        ("container_id", DataType::Int32),
        ("community", DataType::Int64),
        ("place", DataType::Int64),
        ("modularity", DataType::Float64),
    ],
    run,
};

fn plan(call: Call<'_>) -> Result<LogicalPlan> {
    let (messages, rate) = messages(&call, call.relation(0)?, &[])?;
    let rows = KERNEL.over(messages, gram_constants(&call))?;
    shown(&call, rows, rate, &[("container_id", "container")])
}

/// Finds phases and their communities.
pub(crate) static SWEEP: TableSweep = TableSweep {
    kernel: &KERNEL,
    order: BY_MIDDLE,
    begin: |constants| GramSweep::begin(constants, CommunityRows::default()),
};

fn run(columns: &[ArrayRef], constants: &[ScalarValue]) -> Result<Vec<ArrayRef>> {
    SWEEP.run(columns, constants)
}

/// Rows of phases so far: phase, container, community, modularity.
#[derive(Debug, Default)]
struct CommunityRows {
    places: BTreeMap<u32, u32>,
    phases: i64,
    rows: Vec<(i64, u32, u32, f64)>,
}

impl GramRows for CommunityRows {
    fn begin(&mut self, gram: &mut StreamedGram) {
        self.places = gram.places().into_iter().collect();
    }

    fn add(&mut self, phase: CommPhase) {
        let (number, modularity) = (self.phases, phase.modularity());
        self.phases += 1;
        self.rows.extend(
            phase.grouping().into_iter().map(|(container, community)| (number, container, community, modularity)),
        );
    }

    fn take(&mut self) -> Option<Vec<ArrayRef>> {
        let rows = std::mem::take(&mut self.rows);
        let place = |container: u32| self.places.get(&container).map(|place| i64::from(*place));
        (!rows.is_empty()).then(|| {
            vec![
                Arc::new(Int64Array::from_iter_values(rows.iter().map(|row| row.0))) as ArrayRef,
                Arc::new(Int32Array::from_iter_values(rows.iter().map(|row| row.1 as i32))),
                Arc::new(Int64Array::from_iter_values(rows.iter().map(|row| i64::from(row.2)))),
                Arc::new(rows.iter().map(|row| place(row.1)).collect::<Int64Array>()),
                Arc::new(Float64Array::from_iter_values(rows.iter().map(|row| row.3))),
            ]
        })
    }

    fn bytes(&self) -> usize {
        // Places of a tree lie in nodes that are a little more than half full.
        self.places.len() * 2 * size_of::<(u32, u32)>() + self.rows.capacity() * size_of::<(i64, u32, u32, f64)>()
    }
}
