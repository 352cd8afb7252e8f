//! `comm_flows([links], phases, communities, weight, within, parts)`: what flows between communities in each phase.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, Float64Array, Int32Array, Int64Array, StringViewArray};
use arrow::datatypes::DataType;
use datafusion::common::{Result, ScalarValue};
use datafusion::logical_expr::LogicalPlan;

use super::comm_messages::{COMMUNITIES, LINKS, MESSAGE_COLUMNS, PHASES, WEIGHT, gram_constants, messages, shown};
use super::comm_sweeps::{BY_MIDDLE_AND_TEXT, GramRows, GramSweep, messages_of};
use crate::functions::calls::call::Call;
use crate::functions::calls::definition::{
    Accepts, ConstantKind, ConstantParameter, DefaultValue, Definition, Form, OutputColumn,
};
use crate::functions::calls::sql_function::TableFunction;
use crate::functions::plans::table_kernel::{TableKernel, big_int};
use crate::functions::plans::table_sweep::TableSweep;
use ocellus_kernels::commgram::streamed::StreamedGram;
use ocellus_kernels::commgram::{CommMessage, CommPhase};

pub static FUNCTION: TableFunction = TableFunction {
    definition: Definition {
        name: "comm_flows",
        family: "communication",
        form: Form::Table,
        description: "Adds up what flows from community to community in each phase: a bipartite graph per phase.",
        notes: "Phases and communities are those of comm_communities for the same arguments. What stays inside a community \
                flows from it to itself. To zoom in, within names a community: then only messages inside it count, in \
                each phase that has it, and source_community and target_community number its parts, from 0 in the order \
                of their smallest containers. It is cut into the given number of parts, or into single containers. Row order is unspecified.",
        relations: &[LINKS],
        constants: &[
            PHASES,
            COMMUNITIES,
            WEIGHT,
            ConstantParameter {
                name: "within",
                kind: ConstantKind::BigInt,
                default: DefaultValue::Absent,
                accepts: Accepts::Between(0.0, 1e9),
                doc: "Number of the community to look into; NULL for the flows between communities.",
            },
            ConstantParameter {
                name: "parts",
                kind: ConstantKind::BigInt,
                default: DefaultValue::Absent,
                accepts: Accepts::Between(1.0, 1e9),
                doc: "How many parts that community is cut into; NULL for its single containers.",
            },
        ],
        columns: &[
            OutputColumn { name: "phase", kind: "BIGINT", doc: "Number of the phase, from 0." },
            OutputColumn { name: "source_community", kind: "BIGINT", doc: "Community, or part, that sends." },
            OutputColumn { name: "source_id", kind: "INTEGER", doc: "Its smallest container." },
            OutputColumn { name: "source", kind: "TEXT", doc: "Name of that container." },
            OutputColumn { name: "target_community", kind: "BIGINT", doc: "Community, or part, that receives." },
            OutputColumn { name: "target_id", kind: "INTEGER", doc: "Its smallest container." },
            OutputColumn { name: "target", kind: "TEXT", doc: "Name of that container." },
            OutputColumn { name: "messages", kind: "BIGINT", doc: "How many links." },
            OutputColumn { name: "volume", kind: "DOUBLE", doc: "Sum of their volumes; NULL when none has one." },
            OutputColumn {
                name: "operations",
                kind: "TEXT",
                doc: "The values of the links, each once, in the order of the alphabet.",
            },
            OutputColumn { name: "senders", kind: "BIGINT", doc: "How many containers send." },
            OutputColumn { name: "receivers", kind: "BIGINT", doc: "How many containers receive." },
        ],
        examples: &[
            "SELECT phase, source, target, messages, volume, operations FROM comm_flows(phases => 3, communities => 2) \
             ORDER BY phase, source_community, target_community",
        ],
    },
    plan,
};

pub static KERNEL: TableKernel = TableKernel {
    name: "community_flows",
    columns: &{
        let [start, end, source, target, volume] = MESSAGE_COLUMNS;
        [start, end, source, target, volume, DataType::Utf8View]
    },
    constants: &[DataType::Int64, DataType::Int64, DataType::Utf8, DataType::Int64, DataType::Int64],
    rows: &[
        ("phase", DataType::Int64),
        ("source_community", DataType::Int64),
        ("source_id", DataType::Int32),
        ("target_community", DataType::Int64),
        ("target_id", DataType::Int32),
        ("messages", DataType::Int64),
        ("volume", DataType::Float64),
        ("operations", DataType::Utf8View),
        ("senders", DataType::Int64),
        ("receivers", DataType::Int64),
    ],
    run,
};

fn plan(call: Call<'_>) -> Result<LogicalPlan> {
    let (messages, rate) = messages(&call, call.relation(0)?, &["value"])?;
    let mut constants = gram_constants(&call);
    constants.extend(["within", "parts"].map(|name| ScalarValue::Int64(call.big_int(name))));
    shown(&call, KERNEL.over(messages, constants)?, rate, &[("source_id", "source"), ("target_id", "target")])
}

/// Finds phases and their communities, then adds up what flows between them.
pub(crate) static SWEEP: TableSweep = TableSweep {
    kernel: &KERNEL,
    order: BY_MIDDLE_AND_TEXT,
    begin: |constants| {
        let zoom = Zoom { within: big_int(constants, 3)?, parts: big_int(constants, 4)?.map(|parts| parts as usize) };
        GramSweep::begin(constants, FlowRows { zoom, ..FlowRows::default() })
    },
};

fn run(columns: &[ArrayRef], constants: &[ScalarValue]) -> Result<Vec<ArrayRef>> {
    SWEEP.run(columns, constants)
}

/// What flows from one community to another.
#[derive(Debug, Default)]
struct CommunityFlow {
    messages: i64,
    volume: Option<f64>,
    operations: BTreeSet<String>,
    senders: BTreeSet<u32>,
    receivers: BTreeSet<u32>,
}

impl CommunityFlow {
    fn add(&mut self, message: &CommMessage, operation: Option<&str>) {
        self.messages += 1;
        if let Some(volume) = message.volume {
            self.volume = Some(self.volume.unwrap_or(0.0) + volume);
        }
        if let Some(operation) = operation.filter(|operation| !self.operations.contains(*operation)) {
            self.operations.insert(operation.to_string());
        }
        self.senders.insert(message.source);
        self.receivers.insert(message.target);
    }

    fn bytes(&self) -> usize {
        let texts: usize = self.operations.iter().map(|text| text.capacity() + size_of::<String>()).sum();
        2 * (texts + (self.senders.len() + self.receivers.len()) * size_of::<u32>())
    }
}

/// Which community, or part of one, is looked at.
#[derive(Debug, Default)]
struct Zoom {
    within: Option<i64>,
    parts: Option<usize>,
}

impl Zoom {
    fn grouping(&self, phase: &CommPhase) -> Vec<(u32, u32)> {
        match self.within {
            None => phase.grouping(),
            Some(community) => phase.inside(community as u32, self.parts),
        }
    }
}

/// A flow with its phase, and the number and smallest container of both communities.
type FlowRow = (i64, [(u32, u32); 2], CommunityFlow);

/// The messages of a phase, and the groups of its containers.
#[derive(Debug)]
struct PhaseGroups {
    messages: usize,
    groups: Vec<(u32, u32)>,
}

/// The phases, and the flows of the one under way.
#[derive(Debug, Default)]
struct FlowRows {
    zoom: Zoom,
    phases: VecDeque<PhaseGroups>,
    /// Number of the phase under way.
    phase: i64,
    /// Its messages so far.
    messages: usize,
    groups: BTreeMap<u32, u32>,
    smallest: BTreeMap<u32, u32>,
    flows: BTreeMap<[(u32, u32); 2], CommunityFlow>,
    rows: Vec<FlowRow>,
}

impl FlowRows {
    fn begin_phase(&mut self) {
        self.messages = 0;
        self.groups = self.phases.front().into_iter().flat_map(|phase| phase.groups.iter().copied()).collect();
        self.smallest.clear();
        for (container, group) in &self.groups {
            self.smallest.entry(*group).or_insert(*container);
        }
    }

    fn end_phase(&mut self) {
        let phase = self.phase;
        self.rows.extend(std::mem::take(&mut self.flows).into_iter().map(|(ends, flow)| (phase, ends, flow)));
        self.phase += 1;
        self.phases.pop_front();
        self.begin_phase();
    }
}

impl GramRows for FlowRows {
    fn add(&mut self, phase: CommPhase) {
        self.phases.push_back(PhaseGroups { messages: phase.messages.len(), groups: self.zoom.grouping(&phase) });
    }

    fn finish(&mut self, _gram: &StreamedGram) -> Result<()> {
        self.begin_phase();
        Ok(())
    }

    fn further_passes(&self) -> usize {
        1
    }

    fn update(&mut self, columns: &[ArrayRef]) -> Result<()> {
        let values = columns[5].as_string_view();
        for (row, message) in messages_of(columns).enumerate() {
            if self.phases.front().is_some_and(|phase| self.messages == phase.messages) {
                self.end_phase();
            }
            self.messages += 1;
            if let (Some(from), Some(to)) = (self.groups.get(&message.source), self.groups.get(&message.target)) {
                let ends = [from, to].map(|group| (*group, self.smallest[group]));
                let operation = values.is_valid(row).then(|| values.value(row));
                self.flows.entry(ends).or_default().add(&message, operation);
            }
        }
        Ok(())
    }

    fn finish_pass(&mut self) -> Result<()> {
        self.end_phase();
        Ok(())
    }

    fn take(&mut self) -> Option<Vec<ArrayRef>> {
        let rows = std::mem::take(&mut self.rows);
        (!rows.is_empty()).then(|| arrays(&rows))
    }

    fn bytes(&self) -> usize {
        let groups = |phase: &PhaseGroups| size_of_val(phase) + phase.groups.capacity() * size_of::<(u32, u32)>();
        let flows = self.flows.values().map(|flow| 2 * size_of::<CommunityFlow>() + flow.bytes());
        let rows = self.rows.iter().map(|row| size_of_val(row) + row.2.bytes());
        self.phases.iter().map(groups).sum::<usize>() + flows.sum::<usize>() + rows.sum::<usize>()
    }
}

fn arrays(rows: &[FlowRow]) -> Vec<ArrayRef> {
    let big =
        |of: &dyn Fn(&FlowRow) -> i64| -> ArrayRef { Arc::new(Int64Array::from_iter_values(rows.iter().map(of))) };
    let id =
        |end: usize| -> ArrayRef { Arc::new(Int32Array::from_iter_values(rows.iter().map(|row| row.1[end].1 as i32))) };
    let operations = |row: &FlowRow| row.2.operations.iter().map(String::as_str).collect::<Vec<_>>().join(", ");
    vec![
        big(&|row| row.0),
        big(&|row| i64::from(row.1[0].0)),
        id(0),
        big(&|row| i64::from(row.1[1].0)),
        id(1),
        big(&|row| row.2.messages),
        Arc::new(rows.iter().map(|row| row.2.volume).collect::<Float64Array>()),
        Arc::new(StringViewArray::from_iter_values(rows.iter().map(operations))),
        big(&|row| row.2.senders.len() as i64),
        big(&|row| row.2.receivers.len() as i64),
    ]
}
