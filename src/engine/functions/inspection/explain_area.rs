//! `explain_area(container, start, stop, least)`: what distinguishes a piece of space and time from the rest.
//!
//! The query is `explain_area.sql`: one part per kind of row, each with what is inside and what is outside. User fields
//! have one part for every further column of the states.

use arrow::datatypes::DataType;
use datafusion::common::{Result, plan_err};
use datafusion::logical_expr::LogicalPlan;

use crate::functions::calls::call::Call;
use crate::functions::calls::definition::{
    Accepts, ConstantKind, ConstantParameter, DefaultValue, Definition, Form, column,
};
use crate::functions::calls::sql_function::TableFunction;
use crate::functions::calls::window::TimeWindow;
use crate::functions::slices::slice_plan::{START, STOP};
use crate::functions::tree::chosen_containers::{CHOSEN, ChosenContainers, containers_of, subtrees_of};

const LEAST: ConstantParameter = ConstantParameter {
    name: "least",
    kind: ConstantKind::Double,
    default: DefaultValue::Double(0.2),
    accepts: Accepts::Between(0.0, 1e9),
    doc: "Effects closer to 0 than this are omitted.",
};

pub static FUNCTION: TableFunction = TableFunction {
    definition: Definition {
        name: "explain_area",
        family: "inspection",
        form: Form::Table,
        description: "Lists what distinguishes a container and all below it, during an interval, from the rest of the \
                      trace.",
        notes: "Inside is what these containers do from start to stop; outside is everything else: the same containers at \
                other times, and all others at all times. Rows are ranked by the size of their effect, which is comparable \
                between kinds. Of two shares a and b it is Cohen's h, 2 · asin(√a) − 2 · asin(√b), from −π to π; of two \
                means it is Cohen's d, their difference over the standard deviation within both sides \
                (the root of the weighted mean of both variances). By Cohen's convention 0.2 is small, 0.5 medium and 0.8 \
                large. Positive is more inside. value: share of the time in a state, of all \
                containers that ever have states of the type (innermost states; time in no state counts). subtree: the same \
                of the child of the container alone, for the state in which it differs most from the outside. partner: share \
                of the message ends that are exchanged with a container; a message has an end at its source and one at its \
                target, and is inside by when it starts. route: share of the ends of messages from one container to another. \
                messages and volume: ends and bytes per second and container, by type of link, and event: events per second \
                and container, by type and value; their effect is that of the share which is inside, against the share of \
                the time that is inside, of containers that have any. flight: mean duration of messages, by type. variable: mean \
                value over time, by type. field: share of the time in states with that content of a user field, of states \
                that have the field; of a field of numbers, its mean over time. When all is inside, or nothing, there \
                is nothing to compare, and no row. Row order is unspecified; rank is not.",
        relations: &[],
        constants: &[
            ConstantParameter {
                name: "container",
                kind: ConstantKind::TextOrBigInt,
                default: DefaultValue::Required,
                accepts: Accepts::ContainerName,
                doc: "Name, path, alias or id of the container.",
            },
            START,
            STOP,
            LEAST,
        ],
        columns: &[
            column("rank", "BIGINT", "Place in the list, from 1: the largest effect first."),
            column(
                "kind",
                "TEXT",
                "value, subtree, partner, route, messages, volume, flight, event, variable or field.",
            ),
            column("type", "TEXT", "Type of the state, link, event or variable; name of the field."),
            column("name", "TEXT", "The state, event or content of the field; path of the subtree or partner."),
            column("detail", "TEXT", "Of a subtree, the state that differs most; else NULL."),
            column("measure", "TEXT", "What inside and outside are: share, mean or rate."),
            column("inside", "DOUBLE", "The share, mean or rate inside."),
            column("outside", "DOUBLE", "The same outside."),
            column(
                "effect",
                "DOUBLE",
                "How much that separates inside from outside: Cohen's h of shares and rates, d of means.",
            ),
            column("inside_amount", "DOUBLE", "What the number inside comes from: seconds, messages, bytes or events."),
            column("outside_amount", "DOUBLE", "The same outside."),
        ],
        examples: &["SELECT rank, kind, name, inside, round(outside, 6) AS outside, round(effect, 6) AS effect \
             FROM explain_area('machine-b', start => 4, stop => 6) ORDER BY rank LIMIT 3"],
    },
    plan,
};

fn plan(call: Call<'_>) -> Result<LogicalPlan> {
    let states = call.table("state_segments")?;
    let window = TimeWindow::of_call(&call, &states)?;
    let Some(span) = call.tables.spans.get(&call.tables.schema) else {
        return plan_err!("explain_area: {} is no trace", call.tables.schema);
    };
    let seconds = |tick: i64| window.resolution.seconds(tick);
    let [begin, end] = [span.start_tick, span.end_tick].map(|tick| span.resolution.seconds(tick));
    let (start, stop) = (seconds(window.start_tick).max(begin), seconds(window.stop_tick).min(end));
    if stop <= start {
        return plan_err!("explain_area: the interval lies outside the trace, which lasts from {begin} to {end} s");
    }
    let ChosenContainers(roots) = containers_of(&call, "container")?;
    let text = include_str!("explain_area.sql")
        .replace("$start", &format!("{start:?}"))
        .replace("$stop", &format!("{stop:?}"))
        .replace("$length", &format!("({stop:?} - {start:?})"))
        .replace("$whole", &format!("({end:?} - {begin:?})"))
        .replace("$root_id", CHOSEN)
        .replace("$least", &format!("{:?}", call.double(LEAST.name)?))
        .replace("$fields", &fields(&states));
    let given = vec![("chosen", subtrees_of(&call, "container")?), ("roots", roots)];
    call.tables.plan_text(&call.tables.schema, &text, given)
}

/// Columns that every trace has.
const KNOWN: [&str; 10] = [
    "container_id",
    "container",
    "type",
    "value",
    "start_time",
    "end_time",
    "duration",
    "depth",
    "start_tick",
    "end_tick",
];

/// What a state has in each user field: name, content (of text) and number (of numbers). Each state is read once, however
/// many fields there are.
fn fields(states: &LogicalPlan) -> String {
    let user = states.schema().fields().iter().filter(|field| !KNOWN.contains(&field.name().as_str()));
    let cells = user.filter_map(|field| {
        let name = format!("\"{}\"", field.name().replace('"', "\"\""));
        let label = format!("'{}'", field.name().replace('\'', "''"));
        match field.data_type() {
            kind if kind.is_numeric() => Some(cell(&label, "NULL", &name)),
            DataType::List(_) | DataType::Struct(_) => None,
            _ => Some(cell(&label, &name, "NULL")),
        }
    });
    let cells: Vec<String> = cells.collect();
    match cells.is_empty() {
        true => cell("NULL", "NULL", "NULL"),
        false => cells.join(", "),
    }
}

fn cell(field: &str, content: &str, number: &str) -> String {
    format!(
        "named_struct('field', CAST({field} AS TEXT), 'content', CAST({content} AS TEXT), 'number', CAST({number} AS DOUBLE))"
    )
}
