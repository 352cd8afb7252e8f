//! `findings([states], [links], [variables], start, stop, container, least_severity, kinds, …)`: what is wrong with a run.

use arrow::datatypes::DataType;
use datafusion::common::{Result, ScalarValue, plan_err};
use datafusion::logical_expr::{LogicalPlan, LogicalPlanBuilder};
use datafusion::prelude::col;

use super::finding_inputs::{NONBLOCKING, NONBLOCKING_CALLS, inputs};
use super::finding_replay::{REPLAYED, SEVERITY, is_replayable, replayed};
use super::finding_rows;
use super::finding_table::INPUT_TYPES;
use crate::catalog::did_you_mean;
use crate::functions::calls::call::{Call, SchemaChoice};
use crate::functions::calls::definition::{
    Accepts, ConstantKind, ConstantParameter, DefaultValue, Definition, Form, OutputColumn, RelationParameter,
};
use crate::functions::calls::sql_function::TableFunction;
use crate::functions::calls::window::TimeWindow;
use crate::functions::plans::table_kernel::TableKernel;
use crate::functions::slices::slice_plan::{START, STOP};
use ocellus_kernels::findings::FindingKind;

pub static FUNCTION: TableFunction = TableFunction {
    definition: Definition {
        name: "findings",
        family: "findings",
        form: Form::Table,
        description: "Says what is wrong with a run, the most severe first: what, where, when, how much it costs, and the query that proves it.",
        notes: "The window is cut into slices, and everything is compared between slices and between siblings: containers with states, of one \
                type and of one name but for its numbers (of one type, where most of such groups would have fewer than three), that do the same kind of work: \
                at least half of their computation is in the same values; where names differ, they must have two such values at least. Time in no state that is computation is \
                compared by the two states around it. What is in one iteration is taken together; an iteration is as long as it takes from one begin of work to the next. States are those of the type whose states have most \
                computation, or else of that with most of it in no state; what a state is says state_activities. Deviations are measured against the noise of the run itself, by medians, and count \
                when they are larger than chance makes the largest of all containers and intervals that were looked at: the square root of 2 ln n standard \
                deviations, and one more. Severity is the time that would be recovered over the time of all siblings; effects found beside their cause \
                are left out. A cause costs what others wait for its container, if it costs half of that by itself. Others wait for a container only if something says that they depend on it: links, collectives, or states of communication. Kinds: \
                slow_container: a container, or all below one, takes at least 5 % longer for states of computation of a value than siblings that begin them at the \
                same time, always or for a while; where computation is the time between calls, per call, too; recovered are these seconds and those in which others wait for it. \
                load_imbalance: in a phase, lengths or amounts of work differ between siblings, whatever these do, by twice the noise; recovered is the waiting of those with less, up to the work of the \
                sibling with the most. \
                drift: the same work takes longer and longer on all, by 5 % at least. \
                serialisation: one container computes, reads or writes what no other does, and others wait for at least as long in total: longer than it waits itself, for it in the end, or for it \
                directly and longer than at other times, whichever is most, and no longer than it takes; or at least half of them have \
                work that they do one after the other, at most 1.5 at a time, while others wait. \
                deviating_interval: containers do something that siblings do not; or all take longer for the same work than before and after, for more than one iteration; or they wait \
                and communicate more than before and after and nothing else explains it. \
                late_sender, late_receiver, collective_wait: a container that others wait for though it has no more work. Waits are those of wait_states, where \
                blocking communication counts as waiting; where states of several types tell of them, those of the type above count, and Group Communication, as Extrae calls them, is a collective. They are passed on to their origin: who is late because it waited itself, for a message, a receiver or the \
                network, passes on what others wait for it, up to its own waits over the longest of theirs. Waiting that nothing explains is for the receiver whose \
                messages take longer than usual. \
                network: waiting for messages in flight, and for those who waited so, between two containers (the first of them is the container) or across the border of one, where a \
                message is waited for four times as long as others of the same distance or farther; or for a while, of all or of what one container sends. no_overlap: the same everywhere; half of it, and no more than containers compute, is taken to be recoverable, since which computation depends on the messages is not known. \
                small_messages: calls of communication and waiting for messages in flight, where messages have at most 4 KiB on average; marks of collectives are none; recovered is \
                what messages of 4 KiB would not take. \
                start_end: time in states whose activity is start and end, and of containers of which nothing is known meanwhile: from the begin of the window as far as slices \
                are mostly such, and from its end as far as those after that are. \
                resource_ceiling: a variable within 1 % of its largest value while containers below or above it are slow or deviate, of which it then replaces all; or a \
                variable X_used at the value of X, or within 1 % of it, in which case severity is the part of the time of all such resources. \
                trace_quality: lost lines and errors of diagnostics over all lines; a last line without end, with the part of the containers that are in a state then; links \
                that end before they start over all links that cross the border of the container whose clock, set by one number, explains the shortest links of all pairs best. \
                With severity => 'replayed' the cause of a finding is taken away in a replay, where a trace has links and no more than a million states and links, \
                and severity is the part of the window by which the run is then shorter. So replayed are slow_container (its states of computation take as long as those of \
                the same value elsewhere at that time), load_imbalance (balanced phases), serialisation (its work takes no time), network (an ideal one for its links) and small_messages \
                (no latency); of other kinds severity is estimated as above. \
                Memory and the cost of the search grow with containers, slices, values and pairs that communicate, not with events; slices come from summaries \
                where there are some, the number of begun states and waits are read from the rows. Row order is by rank.",
        relations: &[
            RelationParameter {
                name: "states",
                default: Some("state_segments"),
                doc: "States that are not nested, with container_id, type, value, start_time and end_time.",
            },
            RelationParameter {
                name: "links",
                default: Some("links"),
                doc: "Links, with source_id, target_id, start_time, end_time and, where they have one, volume.",
            },
            RelationParameter { name: "variables", default: Some("variables"), doc: "The variables." },
        ],
        constants: &[
            START,
            STOP,
            ConstantParameter {
                name: "container",
                kind: ConstantKind::TextOrBigInt,
                default: DefaultValue::Absent,
                accepts: Accepts::ContainerName,
                doc: "Name, path, alias or id of the topmost container that is looked at; all when absent.",
            },
            ConstantParameter {
                name: "least_severity",
                kind: ConstantKind::Double,
                default: DefaultValue::Double(0.01),
                accepts: Accepts::Between(0.0, 1.0),
                doc: "Findings of less severity are omitted.",
            },
            ConstantParameter {
                name: "kinds",
                kind: ConstantKind::Text,
                default: DefaultValue::Absent,
                accepts: Accepts::Anything,
                doc: "Only findings of these kinds, with commas between them; all when absent.",
            },
            ConstantParameter {
                name: "slices",
                kind: ConstantKind::BigInt,
                default: DefaultValue::BigInt(100),
                accepts: Accepts::Between(10.0, 1000.0),
                doc: "Into how many slices the window is cut. Intervals are found in slices; those of slow work and of waits then begin and end with these.",
            },
            ConstantParameter {
                name: NONBLOCKING,
                kind: ConstantKind::Text,
                default: DefaultValue::Text(NONBLOCKING_CALLS),
                accepts: Accepts::Anything,
                doc: "Regular expression of the values of states of communication that return at once: no waiting is in them.",
            },
            SEVERITY,
        ],
        columns: &[
            OutputColumn { name: "rank", kind: "BIGINT", doc: "1 for the most severe." },
            OutputColumn { name: "kind", kind: "TEXT", doc: "What it is." },
            OutputColumn { name: "title", kind: "TEXT", doc: "A sentence with numbers." },
            OutputColumn {
                name: "severity",
                kind: "DOUBLE",
                doc: "Share of the time of all containers that would be recovered.",
            },
            OutputColumn { name: "seconds", kind: "DOUBLE", doc: "The same in seconds of containers." },
            OutputColumn {
                name: "container_id",
                kind: "INTEGER",
                doc: "The smallest subtree that explains it; NULL when there is none.",
            },
            OutputColumn { name: "container", kind: "TEXT", doc: "Name of that container." },
            OutputColumn { name: "start_time", kind: "DOUBLE", doc: "Since when, in seconds." },
            OutputColumn { name: "end_time", kind: "DOUBLE", doc: "Until when." },
            OutputColumn {
                name: "involved",
                kind: "TEXT",
                doc: "Values, variables or containers that are involved, with commas between them.",
            },
            OutputColumn {
                name: "confidence",
                kind: "DOUBLE",
                doc: "From 0 to 1: 0.5 where chance would just not do it, more beyond.",
            },
            OutputColumn { name: "evidence", kind: "TEXT", doc: "A query that returns the rows behind it." },
            OutputColumn { name: "picture", kind: "TEXT", doc: "A command that draws it." },
        ],
        examples: &[
            "SELECT rank, kind, container, round(severity, 3) AS severity FROM findings(slices => 10) ORDER BY rank",
        ],
    },
    plan,
};

/// Finds.
pub static KERNEL: TableKernel = TableKernel {
    name: "run_findings_rows",
    columns: &INPUT_TYPES,
    constants: &[
        DataType::Float64,
        DataType::Float64,
        DataType::Int64,
        DataType::Float64,
        DataType::Utf8,
        DataType::Utf8,
    ],
    rows: &[
        ("rank", DataType::Int64),
        ("kind", DataType::Utf8View),
        ("title", DataType::Utf8View),
        ("severity", DataType::Float64),
        ("seconds", DataType::Float64),
        ("container_id", DataType::Int32),
        ("container", DataType::Utf8View),
        ("start_time", DataType::Float64),
        ("end_time", DataType::Float64),
        ("involved", DataType::Utf8View),
        ("confidence", DataType::Float64),
        ("evidence", DataType::Utf8View),
        ("picture", DataType::Utf8View),
    ],
    run: finding_rows::run,
};

fn plan(call: Call<'_>) -> Result<LogicalPlan> {
    let window = TimeWindow::of_call(&call, &call.relation(0)?)?;
    let [start, stop] = [window.start_tick, window.stop_tick].map(|tick| window.resolution.seconds(tick));
    let prefix = match call.tables.choice {
        SchemaChoice::Named => format!("\"{}\".", call.tables.schema.replace('"', "\"\"")),
        SchemaChoice::Current => String::new(),
    };
    let constants = vec![
        ScalarValue::from(start),
        ScalarValue::from(stop),
        ScalarValue::Int64(call.big_int("slices")),
        ScalarValue::from(call.double("least_severity")?),
        ScalarValue::from(checked_kinds(&call)?.as_str()),
        ScalarValue::from(prefix.as_str()),
    ];
    let mut rows = KERNEL.over(inputs(&call)?, constants)?;
    if call.text(SEVERITY.name) == Some(REPLAYED) && is_replayable(&call) {
        rows = replayed(&call, rows, stop - start)?;
    }
    let shown: Vec<_> = call.definition.columns.iter().map(|column| col(column.name)).collect();
    LogicalPlanBuilder::from(rows).project(shown)?.build()
}

/// The kinds that are asked for, by their names with commas; empty for all.
fn checked_kinds(call: &Call<'_>) -> Result<String> {
    let mut kinds = vec![];
    for name in call.text("kinds").into_iter().flat_map(|kinds| kinds.split(',')).map(str::trim) {
        if FindingKind::of_name(name).is_none() {
            let known: Vec<&str> = FindingKind::NAMES.iter().map(|(_, name)| *name).collect();
            let suggestion = did_you_mean(name, known.iter().copied());
            return plan_err!("findings: no kind '{name}'{suggestion}; kinds are {}", known.join(", "));
        }
        kinds.push(name);
    }
    Ok(kinds.join(","))
}
