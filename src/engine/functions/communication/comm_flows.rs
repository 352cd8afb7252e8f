//! `comm_flows([links], phases, communities, weight, within, parts)`: what flows between communities in each phase.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, Float64Array, Int32Array, Int64Array, StringViewArray};
use arrow::datatypes::DataType;
use datafusion::common::{Result, ScalarValue};
use datafusion::logical_expr::LogicalPlan;

use super::comm_messages::{
    COMMUNITIES, LINKS, MESSAGE_COLUMNS, PHASES, WEIGHT, gram_constants, gram_settings, messages, shown,
    sorted_messages,
};
use crate::functions::calls::call::Call;
use crate::functions::calls::definition::{
    Accepts, ConstantKind, ConstantParameter, DefaultValue, Definition, Form, OutputColumn,
};
use crate::functions::calls::sql_function::TableFunction;
use crate::functions::plans::table_kernel::{TableKernel, big_int};
use ocellus_kernels::commgram::{CommMessage, CommPhase, gram};

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

/// What flows from one community to another.
#[derive(Debug, Default)]
struct CommunityFlow<'a> {
    messages: i64,
    volume: Option<f64>,
    operations: BTreeSet<&'a str>,
    senders: BTreeSet<u32>,
    receivers: BTreeSet<u32>,
}

impl<'a> CommunityFlow<'a> {
    fn add(&mut self, message: &CommMessage, operation: Option<&'a str>) {
        self.messages += 1;
        if let Some(volume) = message.volume {
            self.volume = Some(self.volume.unwrap_or(0.0) + volume);
        }
        self.operations.extend(operation);
        self.senders.insert(message.source);
        self.receivers.insert(message.target);
    }
}

/// Which community, or part of one, is looked at.
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
type FlowRow<'a> = (i64, [(u32, u32); 2], CommunityFlow<'a>);

fn run(columns: &[ArrayRef], constants: &[ScalarValue]) -> Result<Vec<ArrayRef>> {
    let (phases, cut, weight) = gram_settings(constants)?;
    let zoom = Zoom { within: big_int(constants, 3)?, parts: big_int(constants, 4)?.map(|parts| parts as usize) };
    let (messages, order) = sorted_messages(columns);
    let values = columns[5].as_string_view();
    let operation = |place: usize| {
        let row = order[place] as usize;
        values.is_valid(row).then(|| values.value(row))
    };
    let mut rows: Vec<FlowRow<'_>> = vec![];
    for (phase, number) in gram(&messages, phases, cut, weight).iter().zip(0..) {
        let groups: BTreeMap<u32, u32> = zoom.grouping(phase).into_iter().collect();
        let mut smallest: BTreeMap<u32, u32> = BTreeMap::new();
        for (container, group) in &groups {
            smallest.entry(*group).or_insert(*container);
        }
        let mut flows: BTreeMap<[(u32, u32); 2], CommunityFlow<'_>> = BTreeMap::new();
        for place in phase.messages.clone() {
            let message = &messages[place];
            if let (Some(from), Some(to)) = (groups.get(&message.source), groups.get(&message.target)) {
                let ends = [from, to].map(|group| (*group, smallest[group]));
                flows.entry(ends).or_default().add(message, operation(place));
            }
        }
        rows.extend(flows.into_iter().map(|(ends, flow)| (number, ends, flow)));
    }
    Ok(arrays(&rows))
}

fn arrays(rows: &[FlowRow<'_>]) -> Vec<ArrayRef> {
    let big =
        |of: &dyn Fn(&FlowRow<'_>) -> i64| -> ArrayRef { Arc::new(Int64Array::from_iter_values(rows.iter().map(of))) };
    let id =
        |end: usize| -> ArrayRef { Arc::new(Int32Array::from_iter_values(rows.iter().map(|row| row.1[end].1 as i32))) };
    let operations = |row: &FlowRow<'_>| row.2.operations.iter().copied().collect::<Vec<_>>().join(", ");
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
