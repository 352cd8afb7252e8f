//! `run_findings(mapping, left, right, slices, p, align, least, by, depth)`: what got slower or faster, and where.
//!
//! ```text
//!  difference_model ─► difference_partition of seconds ─► areas ─┐
//!                 └──────────────────────────────────────────────┴► seconds of both runs, by area and value ─► ranked
//! ```

use datafusion::common::Result;
use datafusion::logical_expr::LogicalPlan;

use super::compared_run::ComparedRun;
use super::difference_model::{ALIGN, SLICES, counts, model};
use super::difference_partition::{DifferenceOf, LARGE_P, areas};
use super::run_pairs::{BY, DEPTH, LEFT, MAPPING, RIGHT, mapping_of};
use crate::functions::calls::call::Call;
use crate::functions::calls::definition::{
    Accepts, ConstantKind, ConstantParameter, DefaultValue, Definition, Form, OutputColumn, column,
};
use crate::functions::calls::sql_function::TableFunction;
use crate::functions::partition::partition_plan::{
    AREA, CONTAINER_ID, END_TIME, FIRST_SLICE, LAST_SLICE, MAX_OPERATIONS, START_TIME,
};
use crate::functions::partition::partition_settings::PartitionQuestion;

const LEAST: ConstantParameter = ConstantParameter {
    name: "least",
    kind: ConstantKind::Double,
    default: DefaultValue::Double(0.005),
    accepts: Accepts::Between(0.0, 1.0),
    doc: "Changes of a smaller share of the baseline's time are omitted.",
};

pub static FUNCTION: TableFunction = TableFunction {
    definition: Definition {
        name: "run_findings",
        family: "comparison",
        form: Form::Table,
        description: "Lists what got slower or faster from one run to another, by how much, where and when, with the query \
                      that proves it.",
        notes: "Both runs are aligned as in difference_model, by phases unless align says otherwise, so that an iteration is \
                compared with the same iteration although it takes longer. Seconds of the other run minus those of the \
                baseline are partitioned as by difference_partition with of => 'seconds': an area is the largest part of the \
                tree and of time in which all changed alike, so its container is the smallest subtree that explains a \
                change. Each area gives one row for every state whose seconds changed by at least least, a share of \
                the baseline's time (containers with a partner times length of the run): slower when it takes more \
                time, faster when it takes less, the largest change first. The first row, of kind run, is the change of \
                the whole run, if its length changed: its seconds are those of all containers, and share is the \
                change over the length of the baseline. Last are rows of kind unmatched, for containers \
                of either run without partner: the evidence lists what they do. seconds of all areas and states add up to the \
                difference of all time in states of containers with a partner. With a mapping, which a query cannot repeat, the evidence shows both runs as they are.",
        relations: &[MAPPING],
        constants: &[
            LEFT,
            RIGHT,
            SLICES,
            LARGE_P,
            ConstantParameter { default: DefaultValue::Text("phases"), ..ALIGN },
            LEAST,
            BY,
            DEPTH,
            MAX_OPERATIONS,
        ],
        columns: &[
            column("rank", "BIGINT", "Place in the list, from 1."),
            column("kind", "TEXT", "run, slower, faster or unmatched."),
            column("title", "TEXT", "The finding as a sentence."),
            column(
                "seconds",
                "DOUBLE",
                "Time that it takes more in the other run, of all containers; negative when less. NULL without partner.",
            ),
            column(
                "share",
                "DOUBLE",
                "seconds over the time of the baseline: containers with a partner times length; NULL without partner.",
            ),
            column("left_seconds", "DOUBLE", "Time in the baseline."),
            column("right_seconds", "DOUBLE", "Time in the other run."),
            column(
                "container_id",
                "INTEGER",
                "The smallest subtree of the baseline that explains it; NULL for several trees.",
            ),
            column("container", "TEXT", "Path of it."),
            column("start_time", "DOUBLE", "Since when, in the baseline, in seconds."),
            column("end_time", "DOUBLE", "Until when."),
            column("right_start_time", "DOUBLE", "Since when in the other run."),
            column("right_end_time", "DOUBLE", "Until when there."),
            column("type", "TEXT", "Type of the state."),
            column("value", "TEXT", "The state; NULL for the whole run and for containers without partner."),
            column("evidence", "TEXT", "A query that shows the rows behind it."),
            column("picture", "TEXT", "A command that draws where the runs differ; STORE stands for the store."),
        ],
        examples: &["SELECT rank, kind, container, start_time, end_time, value, round(seconds, 6) AS seconds \
             FROM run_findings('rounds', 'rounds_again', slices => 10, align => 'normalised') ORDER BY rank"],
    },
    plan,
};

const AREA_COLUMNS: &[OutputColumn] = &[
    AREA,
    CONTAINER_ID,
    FIRST_SLICE,
    LAST_SLICE,
    START_TIME,
    END_TIME,
    column("right_start_time", "DOUBLE", ""),
    column("right_end_time", "DOUBLE", ""),
];

fn plan(call: Call<'_>) -> Result<LogicalPlan> {
    let (left, right) = (ComparedRun::new(&call, "left"), ComparedRun::new(&call, "right"));
    let given = vec![
        ("cells", model(&call)?),
        ("counts", counts(&call)?),
        ("areas", areas(&call, PartitionQuestion::Areas, DifferenceOf::Seconds, AREA_COLUMNS)?),
    ];
    let traces = format!("{}, {}", quoted(left.trace), quoted(right.trace));
    let whole = format!(
        "SELECT trace, start_time, end_time, end_time - start_time AS seconds FROM all_traces.trace_info \
         WHERE trace IN ({traces})"
    );
    let ([left_start, left_end], [right_start, right_end]) = (left.span()?, right.span()?);
    let text = include_str!("run_findings.sql")
        .replace("$left_start", &format!("{left_start:?}"))
        .replace("$left_end", &format!("{left_end:?}"))
        .replace("$right_start", &format!("{right_start:?}"))
        .replace("$right_end", &format!("{right_end:?}"))
        .replace("$least", &format!("{:?}", call.double(LEAST.name)?))
        .replace("$subtree", &quoted(&format!("{}.subtree", identifier(left.trace))))
        .replace("$run_evidence", &quoted(&whole))
        .replace("$evidence", &quoted(&evidence(&call, &left, &right, &traces)?))
        .replace("$picture", &quoted(&picture(&call, &left, &right)))
        .replace("$left", &quoted(left.trace))
        .replace("$right", &quoted(right.trace));
    call.tables.plan_text(left.trace, &text, given)
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

fn identifier(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// The beginning of the queries that show what is behind findings.
fn evidence(call: &Call<'_>, left: &ComparedRun<'_, '_>, right: &ComparedRun<'_, '_>, traces: &str) -> Result<String> {
    const SHOWN: &str = "SELECT path, slice, type, value, left_seconds, right_seconds";
    if mapping_of(call)?.is_some() {
        let (slices, trace) = (call.big_int(SLICES.name).unwrap_or(1), identifier(left.trace));
        let other = identifier(right.trace);
        return Ok(format!(
            "{SHOWN} FROM (SELECT container AS path, container_id, slice, type, value, seconds AS left_seconds, \
             CAST(NULL AS DOUBLE) AS right_seconds FROM state_slices({trace}.state_segments, slices => {slices}) UNION ALL \
             SELECT container, NULL, slice, type, value, NULL, seconds \
             FROM state_slices({other}.state_segments, slices => {slices})) AS runs"
        ));
    }
    let mut arguments = traces.to_string();
    for name in [SLICES.name, ALIGN.name, BY.name, DEPTH.name] {
        if let Some(number) = call.big_int(name) {
            arguments += &format!(", {name} => {number}");
        }
        if let Some(text) = call.text(name) {
            arguments += &format!(", {name} => {}", quoted(text));
        }
    }
    Ok(format!("{SHOWN} FROM difference_model({arguments})"))
}

/// The command that draws where the runs differ.
fn picture(call: &Call<'_>, left: &ComparedRun<'_, '_>, right: &ComparedRun<'_, '_>) -> String {
    let slices = call.big_int(SLICES.name).unwrap_or(1);
    format!(
        "ocellus draw STORE difference --trace {} --with {} --slices {slices} -o difference.svg",
        left.trace, right.trace
    )
}
