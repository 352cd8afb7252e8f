//! `pop_efficiency(type)`: the POP metrics with the communication efficiency split in two, by a replay.

use std::collections::BTreeSet;

use datafusion::common::Result;
use datafusion::logical_expr::LogicalPlan;

use super::comm_messages::column;
use crate::functions::calls::call::Call;
use crate::functions::calls::definition::{Definition, Form, OutputColumn, RelationParameter};
use crate::functions::calls::scanned_schemas::schemas;
use crate::functions::calls::sql_function::TableFunction;
use crate::functions::slices::slice_plan::TYPE;

pub static FUNCTION: TableFunction = TableFunction {
    definition: Definition {
        name: "pop_efficiency",
        family: "communication",
        form: Form::Table,
        description: "Splits the communication efficiency of a run into serialization and transfer, by replaying it on an \
                      ideal network.",
        notes: "Definitions of the POP centre of excellence: transfer efficiency is the run on an ideal network over the \
                run, serialization efficiency is the longest useful time of a container over the run on an ideal network, and \
                communication efficiency is the product of both. The ideal run is the run, less what replay(network => \
                'ideal') saves until the last end of a state or link. Everything else is as in \
                pop_metrics_of_the_run, whose rows these are; a replay follows every message, which those views do not need, so \
                that this is a function of its own. The states of each type are replayed by themselves, since those of two types \
                are two views of the same time; type => 'State' saves the other replays. Where types are not known when the query is planned, as those \
                of a store in object storage or of a relation without the column type, a trace with several types needs type. A trace \
                without messages and collectives has nothing to transfer, and a transfer efficiency of 1. Types that record no computation give no row.",
        relations: &[RelationParameter {
            name: "states",
            default: Some("state_segments"),
            doc: "The states that are replayed, as replay takes them.",
        }],
        constants: &[TYPE],
        columns: &[
            OutputColumn { name: "type", kind: "TEXT", doc: "Type of the states." },
            OutputColumn {
                name: "useful",
                kind: "TEXT",
                doc: "What counts as useful: states, time in no state, or both.",
            },
            OutputColumn { name: "containers", kind: "BIGINT", doc: "How many containers count." },
            seconds("run_seconds", "Length of the run."),
            seconds(
                "ideal_seconds",
                "Length of the run on an ideal network; NULL where no states of the type are replayed.",
            ),
            seconds("mean_seconds", "Mean of the useful times."),
            seconds("max_seconds", "The longest of them."),
            seconds("load_balance", "Mean / max; NULL when none has any."),
            seconds("serialization_efficiency", "Max / ideal run: what is lost to dependencies alone."),
            seconds("transfer_efficiency", "Ideal run / run: what is lost to the network."),
            seconds("communication_efficiency", "Max / run, the product of both."),
            seconds("parallel_efficiency", "Mean / run, the product of all three."),
        ],
        examples: &[
            "SELECT run_seconds, ideal_seconds, max_seconds, round(serialization_efficiency, 6) AS serialization, \
             transfer_efficiency, communication_efficiency FROM pop_efficiency()",
        ],
    },
    plan,
};

const fn seconds(name: &'static str, doc: &'static str) -> OutputColumn {
    OutputColumn { name, kind: "DOUBLE", doc }
}

fn plan(call: Call<'_>) -> Result<LogicalPlan> {
    let states = call.relation(0)?;
    let types = types_of(&call, &states)?;
    let replay = |name: &str, condition: &str| {
        format!(
            "SELECT
                {name} AS type,
                CASE WHEN count(*) FILTER (WHERE kind = 'state') > 0 THEN max(old_end_time) - max(end_time) END AS saved
             FROM replay((SELECT * FROM given.plans.states WHERE {condition}), network => 'ideal')"
        )
    };
    let of_type = |name: &String| replay(&quoted(name), &format!("type = {}", quoted(name)));
    // One replay serves a trace of one type, and says nothing where there are more than are known.
    let (replays, same_type) = match types.as_slice() {
        [_, _, ..] => (types.iter().map(of_type).collect::<Vec<_>>().join(" UNION ALL "), "replayed.type = run.type"),
        [name] if call.text(TYPE.name).is_some() => (of_type(name), "replayed.type = run.type"),
        _ => (replay("CAST(NULL AS TEXT)", "true"), "run.types = 1"),
    };
    let asked = call.text(TYPE.name).map_or("true".to_string(), |name| format!("run.type = {}", quoted(name)));
    let text = format!(
        "WITH replayed AS ({replays}),
        run AS (SELECT *, count(*) OVER () AS types FROM pop_metrics_of_the_run)
        SELECT
            run.type,
            run.useful,
            run.containers,
            run.run_seconds,
            run.run_seconds - replayed.saved AS ideal_seconds,
            run.mean_seconds,
            run.max_seconds,
            run.load_balance,
            run.max_seconds / nullif(run.run_seconds - replayed.saved, 0) AS serialization_efficiency,
            (run.run_seconds - replayed.saved) / nullif(run.run_seconds, 0) AS transfer_efficiency,
            run.communication_efficiency,
            run.parallel_efficiency
        FROM run
        LEFT JOIN replayed
            ON {same_type}
        WHERE run.mean_seconds IS NOT NULL AND {asked}"
    );
    call.tables.plan_text(&call.tables.schema, &text, vec![("states", states)])
}

fn quoted(name: &str) -> String {
    format!("'{}'", name.replace('\'', "''"))
}

/// The types of states to replay: the one that was asked for, else those of the traces that the relation reads; none where
/// it does not tell types apart.
fn types_of(call: &Call<'_>, states: &LogicalPlan) -> Result<Vec<String>> {
    if let Some(name) = call.text(TYPE.name) {
        return Ok(vec![name.to_string()]);
    }
    if column(states, "type").is_none() {
        return Ok(vec![]);
    }
    let traces = schemas(states)?;
    let known = traces.iter().filter_map(|trace| call.tables.names.get(trace)).filter_map(|names| names.types());
    let names: BTreeSet<&str> =
        known.flatten().filter(|one| one.kind == "state").map(|one| one.name.as_str()).collect();
    Ok(names.into_iter().map(str::to_string).collect())
}
