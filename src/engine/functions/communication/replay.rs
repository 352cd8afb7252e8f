//! `replay([states], [links], network, bandwidth, latency, factor, …)`: the run as it would be with other durations.

use arrow::datatypes::DataType;
use datafusion::common::{Result, ScalarValue, plan_err};
use datafusion::logical_expr::{Expr, LogicalPlan, LogicalPlanBuilder, lit, when};
use datafusion::prelude::{cast, col};

use super::comm_messages::{LINKS, seconds, shown};
use super::comm_waits::COLLECTIVES;
use super::path_rows::BY_PACKED_BEGIN;
use super::replay_inputs::{ChangeParts, REPLAY_STATES, change_rows, replay_inputs};
use super::replay_rows::REPLAY_COLUMNS;
use super::replay_scenario::ChangeField;
use super::replay_sweep;
use crate::functions::calls::call::Call;
use crate::functions::calls::definition::{
    Accepts, ConstantKind, ConstantParameter, DefaultValue, Definition, Form, OutputColumn,
};
use crate::functions::calls::sql_function::TableFunction;
use crate::functions::calls::window::TimeWindow;
use crate::functions::plans::table_kernel::{TableKernel, union_rows};
use crate::functions::plans::table_sweep::TableSweep;
use crate::functions::tree::chosen_containers::subtrees_of;

pub static FUNCTION: TableFunction = TableFunction {
    definition: Definition {
        name: "replay",
        family: "communication",
        form: Form::Table,
        description: "Runs the trace again as a graph of dependencies, with another network or with other durations: what if.",
        notes: "Points are the instants at which a container begins or ends a state, sends or receives a link. A point is \
                reached when the time since the container's point before is spent and everything that it waits for is \
                there. Without changes every state and link is returned as it was, to the tick; times are never earlier \
                where something takes longer. \
                What a container does on its own takes as long as it did: states of computation, input/output, overhead, \
                start and end or unknown activity, time in no state, and waiting that nothing explains. The first point of a \
                container stays where it is, and what follows its last is not looked at. \
                A link arrives when it is sent plus its cost. If its receiver waited for it, in the sense of critical_path \
                (it arrives in a state whose activity is waiting or communication, or in a collective, and was in that \
                state for at least a hundredth of its flight), the cost is its flight, and the time in the state since the point \
                before is waiting: it becomes as long or short as the link makes it. If not, the receiver does not pass \
                that point before the link is there, and the cost is what the fastest link of the trace would take: its flight, \
                but no more than the larger of the shortest flight of all links and of its volume by the best ratio of flight \
                to volume. A link that was received before it was sent (clocks that differ) costs nothing. \
                In a collective in which no message arrives a container goes on when all have come that came before it went on, and \
                then after the time that it took after the last of them. Which states are one collective is said on the page of \
                critical_path; where links record it, who came last sends them, and if all receivers were there none goes on before all have \
                come. At the end of a state in which messages of the container itself were still to be received, and none \
                arrived, it goes on when those receivers have begun that had begun then, and after the time that it took after the last of them; in a \
                state of communication only those count that began after the message was sent, if at least half of the time from there until they \
                had it lies in the state. The flight of a link counts from when it was sent, also if its transfer began with the receiver. Receivers of messages that are buffered, see \
                wait_states, are not waited for. Who only waits for others that wait \
                for each other at the same instant is explained by nobody, and does not wait. \
                Time of the network is the cost of links, time in states of communication that is not waiting, time in a state of activity waiting \
                until a message that was there before is picked up and after any has arrived, time in a collective \
                of activity waiting or communication after all have come, and the transfer after a late receiver has begun. Of each such \
                time the part up to the shortest flight of all links is latency, and the rest is divided by bandwidth. \
                network => 'ideal' makes it 0. With source or target only links between them are changed, and not the time in states. \
                balance => 'phases' gives all containers equal work: a phase ends where a container comes to a collective that \
                most containers take part in, all of them equally often; without one the run is a phase. Work is time in states but those of \
                communication, waiting and collectives, and, where no state is computation, time in no state between states. What \
                a container works in a phase is multiplied so that it is the mean of all that work in it. factor is for the time that containers spend on their own: in states of a \
                value; without value, in all states but those of communication, waiting and collectives, and in no state. container \
                restricts changes to states of its subtree and to links with an end there, start and stop to the parts of states that lie between \
                them and to links that start there, in the times of the measured run. New times are rounded to ticks. \
                start_time and end_time are the new ones, so that SELECT * FROM replay(…) WHERE kind = 'state' is a \
                relation of states and WHERE kind = 'link' one of links. Links of which an end or a time is unknown \
                are omitted; variables and events are not replayed. Where a container is in several states at once, it follows one: of the type of states \
                in which it communicates and waits most, then of that with most time, the one that started last. replay(states) returns \
                nested states, replay() segments of all types. States beside the one that is followed keep the place of their ends between \
                the points around them, in proportion; a value of such states stands for all that containers do in them. Row order is unspecified.",
        relations: &[REPLAY_STATES, LINKS],
        constants: &[
            ConstantParameter {
                name: "network",
                kind: ConstantKind::Text,
                default: DefaultValue::Absent,
                accepts: Accepts::OneOf(&["ideal"]),
                doc: "'ideal': the network takes no time.",
            },
            ConstantParameter {
                name: "bandwidth",
                kind: ConstantKind::Double,
                default: DefaultValue::Double(1.0),
                accepts: Accepts::Between(1e-6, 1e6),
                doc: "Factor on the bandwidth of links; 2 is twice as fast.",
            },
            ConstantParameter {
                name: "latency",
                kind: ConstantKind::Double,
                default: DefaultValue::Double(1.0),
                accepts: Accepts::Between(0.0, 1e6),
                doc: "Factor on the latency of links; 2 is twice as long.",
            },
            ConstantParameter {
                name: "factor",
                kind: ConstantKind::Double,
                default: DefaultValue::Double(1.0),
                accepts: Accepts::Between(0.0, 1e6),
                doc: "Factor on the time of states; 0.5 is half as long.",
            },
            ConstantParameter {
                name: "value",
                kind: ConstantKind::Text,
                default: DefaultValue::Absent,
                accepts: Accepts::ValueName,
                doc: "Value of the states that factor is for; all that containers do on their own when absent.",
            },
            ConstantParameter {
                name: "container",
                kind: ConstantKind::TextOrBigInt,
                default: DefaultValue::Absent,
                accepts: Accepts::ContainerName,
                doc: "Name, path, alias or id of the topmost container that changes apply to; all when absent.",
            },
            ConstantParameter {
                name: "start",
                kind: ConstantKind::Moment,
                default: DefaultValue::Absent,
                accepts: Accepts::Finite,
                doc: "Since when changes apply, in seconds, or a date.",
            },
            ConstantParameter {
                name: "stop",
                kind: ConstantKind::Moment,
                default: DefaultValue::Absent,
                accepts: Accepts::Finite,
                doc: "Until when they apply.",
            },
            ConstantParameter {
                name: "source",
                kind: ConstantKind::TextOrBigInt,
                default: DefaultValue::Absent,
                accepts: Accepts::ContainerName,
                doc: "Topmost container that sends the links whose network is changed; all when absent.",
            },
            ConstantParameter {
                name: "target",
                kind: ConstantKind::TextOrBigInt,
                default: DefaultValue::Absent,
                accepts: Accepts::ContainerName,
                doc: "Topmost container that receives them; all when absent.",
            },
            ConstantParameter {
                name: "balance",
                kind: ConstantKind::Text,
                default: DefaultValue::Absent,
                accepts: Accepts::OneOf(&["phases"]),
                doc: "'phases': in each phase all containers work equally long.",
            },
            COLLECTIVES,
        ],
        columns: &[
            OutputColumn { name: "kind", kind: "TEXT", doc: "state or link." },
            OutputColumn { name: "container_id", kind: "INTEGER", doc: "Container of the state, or that sends." },
            OutputColumn { name: "container", kind: "TEXT", doc: "Its name." },
            OutputColumn { name: "type", kind: "TEXT", doc: "Type of the state or link." },
            OutputColumn { name: "value", kind: "TEXT", doc: "Value of the state or link." },
            OutputColumn {
                name: "source_id",
                kind: "INTEGER",
                doc: "Container that sends the link; NULL for a state.",
            },
            OutputColumn { name: "source", kind: "TEXT", doc: "Its name." },
            OutputColumn { name: "target_id", kind: "INTEGER", doc: "Container that receives it; NULL for a state." },
            OutputColumn { name: "target", kind: "TEXT", doc: "Its name." },
            OutputColumn { name: "key", kind: "TEXT", doc: "Key of the link." },
            OutputColumn { name: "volume", kind: "DOUBLE", doc: "Volume of the link." },
            OutputColumn { name: "start_time", kind: "DOUBLE", doc: "When it starts now, in seconds." },
            OutputColumn { name: "end_time", kind: "DOUBLE", doc: "When it ends now." },
            OutputColumn { name: "duration", kind: "DOUBLE", doc: "end_time - start_time." },
            OutputColumn { name: "old_start_time", kind: "DOUBLE", doc: "When it started in the measured run." },
            OutputColumn { name: "old_end_time", kind: "DOUBLE", doc: "When it ended there." },
            OutputColumn { name: "start_tick", kind: "BIGINT", doc: "start_time in ticks." },
            OutputColumn { name: "end_tick", kind: "BIGINT", doc: "end_time in ticks." },
            OutputColumn { name: "old_start_tick", kind: "BIGINT", doc: "old_start_time in ticks." },
            OutputColumn { name: "old_end_tick", kind: "BIGINT", doc: "old_end_time in ticks." },
        ],
        examples: &[
            "SELECT container, value, start_time, end_time, old_start_time, old_end_time FROM replay(network => 'ideal') \
             WHERE kind = 'state' ORDER BY container, old_start_time",
            "SELECT max(old_end_time) AS measured, max(end_time) AS faster FROM replay(factor => 0.5, value => 'Compute', container => 'p2')",
        ],
    },
    plan,
};

pub static KERNEL: TableKernel = TableKernel {
    name: "replayed_rows",
    columns: &REPLAY_COLUMNS,
    constants: &[
        DataType::Float64,
        DataType::Float64,
        DataType::Float64,
        DataType::Utf8,
        DataType::Int64,
        DataType::Int64,
        DataType::Boolean,
        DataType::Boolean,
        DataType::Boolean,
        DataType::Boolean,
    ],
    rows: &[
        ("kind", DataType::Utf8View),
        ("container_id", DataType::Int32),
        ("target_id", DataType::Int32),
        ("type", DataType::Utf8View),
        ("value", DataType::Utf8View),
        ("key", DataType::Utf8View),
        ("volume", DataType::Float64),
        ("start_tick", DataType::Int64),
        ("end_tick", DataType::Int64),
        ("old_start_tick", DataType::Int64),
        ("old_end_tick", DataType::Int64),
    ],
    run: |columns, constants| SWEEP.run(columns, constants),
};

/// Replays rows that are not held.
pub(crate) static SWEEP: TableSweep =
    TableSweep { kernel: &KERNEL, order: BY_PACKED_BEGIN, begin: replay_sweep::begin };

fn plan(call: Call<'_>) -> Result<LogicalPlan> {
    let (mut rows, rate) = replay_inputs(&call)?;
    let chosen =
        [("container", ChangeField::Container), ("source", ChangeField::Source), ("target", ChangeField::Target)];
    for (argument, field) in chosen.into_iter().filter(|(argument, _)| call.constant(argument).is_some()) {
        rows = union_rows(chosen_rows(&call, argument, field)?, rows)?;
    }
    if call.text("balance").is_some() && call.text("value").is_some() {
        return plan_err!("replay: phases are balanced by all that containers do on their own; give balance or value");
    }
    let is_given = |name: &str| ScalarValue::from(call.constant(name).is_some());
    let (latency, transfer) = network(&call)?;
    let (start, stop) = window(&call, rate)?;
    let constants = vec![
        ScalarValue::from(latency),
        ScalarValue::from(transfer),
        ScalarValue::from(call.double("factor")?),
        ScalarValue::Utf8(call.text("value").map(str::to_string)),
        ScalarValue::from(start),
        ScalarValue::from(stop),
        is_given("container"),
        is_given("source"),
        is_given("target"),
        is_given("balance"),
    ];
    let rows = KERNEL.over(rows, constants)?;
    let mut columns: Vec<Expr> = KERNEL.rows.iter().map(|(name, _)| col(*name)).collect();
    columns.push(when(col("kind").eq(lit("link")), col("container_id")).end()?.alias("source_id"));
    columns.push(col("start_tick").alias("start_time"));
    columns.push(col("end_tick").alias("end_time"));
    columns.push(seconds(col("end_tick") - col("start_tick"), rate).alias("duration"));
    columns.push(seconds(col("old_start_tick"), rate).alias("old_start_time"));
    columns.push(seconds(col("old_end_tick"), rate).alias("old_end_time"));
    let rows = LogicalPlanBuilder::from(rows).project(columns)?.build()?;
    shown(&call, rows, rate, &[("container_id", "container"), ("source_id", "source"), ("target_id", "target")])
}

/// Factors on latency, and on the time beyond it.
fn network(call: &Call<'_>) -> Result<(f64, f64)> {
    let (latency, bandwidth) = (call.double("latency")?, call.double("bandwidth")?);
    if call.text("network").is_none() {
        return Ok((latency, bandwidth.recip()));
    }
    if latency != 1.0 || bandwidth != 1.0 {
        return plan_err!("replay: an ideal network has neither latency nor bandwidth; give network or these");
    }
    Ok((0.0, 0.0))
}

/// The ticks between which changes apply.
fn window(call: &Call<'_>, rate: i64) -> Result<(i64, i64)> {
    let (has_start, has_stop) = (call.constant("start").is_some(), call.constant("stop").is_some());
    if !has_start && !has_stop {
        return Ok((i64::MIN, i64::MAX));
    }
    let window = TimeWindow::of_call(call, &call.relation(0)?)?;
    let factor = rate / window.resolution.ticks_per_second().min(rate);
    let start = if has_start { window.start_tick.saturating_mul(factor) } else { i64::MIN };
    let stop = if has_stop { window.stop_tick.saturating_mul(factor) } else { i64::MAX };
    Ok((start, stop))
}

/// A row for each container that changes apply to.
fn chosen_rows(call: &Call<'_>, argument: &str, field: ChangeField) -> Result<LogicalPlan> {
    let amount = cast(col("container_id"), DataType::Int64);
    let parts = ChangeParts { field: lit(field as i8), amount: Some(amount), ..ChangeParts::default() };
    change_rows(subtrees_of(call, argument)?, parts)
}
