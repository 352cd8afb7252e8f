//! `pop_efficiency(type)`: the POP metrics with the communication efficiency split in two, by a replay.

use datafusion::common::Result;
use datafusion::logical_expr::LogicalPlan;

use crate::functions::calls::call::Call;
use crate::functions::calls::definition::{Definition, Form, OutputColumn, RelationParameter};
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
                that this is a function of its own. Where containers have states of several types at once, replay \
                follows one of them; give type for another. A trace without messages and collectives has nothing to transfer, and a \
                transfer efficiency of 1. Types that record no computation give no row.",
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
            seconds("ideal_seconds", "Length of the run on an ideal network."),
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
    let condition = match call.text(TYPE.name) {
        Some(name) => format!("type = '{}'", name.replace('\'', "''")),
        None => "true".to_string(),
    };
    let text = format!(
        "WITH replayed AS (
            SELECT coalesce(max(old_end_time) - max(end_time), 0) AS saved
            FROM replay((SELECT * FROM given.plans.states WHERE {condition}), network => 'ideal')
        )
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
        FROM pop_metrics_of_the_run AS run
        CROSS JOIN replayed
        WHERE run.mean_seconds IS NOT NULL AND run.{condition}",
        condition = condition
    )
    .replace("run.true", "true");
    call.tables.plan_text(&call.tables.schema, &text, vec![("states", call.relation(0)?)])
}
