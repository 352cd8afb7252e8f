//! What was going on: functions that look at one instant of a trace.

pub mod events_at;
pub mod explain_area;
pub mod inspect;

use arrow::datatypes::{DataType, Field, Fields};
use datafusion::common::{Column, Result, ScalarValue};
use datafusion::functions::core::expr_fn::named_struct;
use datafusion::functions_nested::expr_fn::make_array;
use datafusion::logical_expr::{Expr, JoinType, LogicalPlan, LogicalPlanBuilder, lit};
use datafusion::prelude::{cast, col};

use super::calls::call::Call;
use super::calls::definition::OutputColumn;
use super::tree::chosen_containers::{CHOSEN, ChosenContainers};
use ocellus_trace::schema;

/// The columns of every function that looks at an instant.
const COLUMNS: &[OutputColumn] = &[
    OutputColumn { name: "kind", kind: "TEXT", doc: "state, variable, link or event." },
    OutputColumn { name: "container_id", kind: "INTEGER", doc: "The container that it belongs to." },
    OutputColumn { name: "container", kind: "TEXT", doc: "Name of that container." },
    OutputColumn { name: "type", kind: "TEXT", doc: "Name of its type." },
    OutputColumn { name: "value", kind: "TEXT", doc: "Its value; that of a variable as text." },
    OutputColumn { name: "start_time", kind: "DOUBLE", doc: "When it began; of an event, when it happened." },
    OutputColumn { name: "end_time", kind: "DOUBLE", doc: "When it ended; of an event, when it happened." },
    OutputColumn { name: "depth", kind: "INTEGER", doc: "Depth of a state on its stack; NULL for the rest." },
    OutputColumn { name: "source", kind: "TEXT", doc: "Where a link started; NULL for the rest." },
    OutputColumn { name: "target", kind: "TEXT", doc: "Where a link ends; NULL for the rest." },
    OutputColumn {
        name: FIELDS,
        kind: "STRUCT(name TEXT, value TEXT)[]",
        doc: "Every further field that the trace declares for its kind, as text; value is NULL where it was not given.",
    },
];

const FIELDS: &str = "fields";

/// Everything that covers an instant, of all containers or of the chosen ones.
///
/// ```text
///  state  ..####....      [start, end) covers time: start <= time < end
///  event  ....|.....      happens at time
///  time       ^
/// ```
fn at_instant(call: &Call<'_>, time: f64, chosen: Option<&ChosenContainers>) -> Result<LogicalPlan> {
    let covers = || col("start_time").lt_eq(lit(time)).and(col("end_time").gt(lit(time)));
    let part = |table: &str, condition: Expr, holders: &[&str], mut shown: Vec<Expr>| {
        let plan = call.table(table)?;
        shown.push(further_fields(table, &plan).alias(FIELDS));
        let plan = LogicalPlanBuilder::from(plan).filter(condition)?;
        let plan = match chosen {
            None => plan,
            Some(ChosenContainers(containers)) => {
                let is_held = holders.iter().map(|id| col(*id).eq(col(CHOSEN))).reduce(Expr::or);
                plan.join_on(containers.clone(), JoinType::LeftSemi, is_held)?
            }
        };
        plan.project(shown)?.build()
    };
    let states = part(
        "states",
        covers(),
        &["container_id"],
        row("state", col("value"), [col("start_time"), col("end_time")], col("depth"), [no_text(), no_text()]),
    )?;
    let value = cast(col("value"), DataType::Utf8View);
    let variables = part(
        "variables",
        covers(),
        &["container_id"],
        row("variable", value, [col("start_time"), col("end_time")], no_depth(), [no_text(), no_text()]),
    )?;
    let links = part(
        "links",
        covers(),
        &["container_id", "source_id", "target_id"],
        row("link", col("value"), [col("start_time"), col("end_time")], no_depth(), [col("source"), col("target")]),
    )?;
    let events = part(
        "events",
        col("time").eq(lit(time)),
        &["container_id"],
        row("event", col("value"), [col("time"), col("time")], no_depth(), [no_text(), no_text()]),
    )?;
    LogicalPlanBuilder::from(states).union(variables)?.union(links)?.union(events)?.build()
}

/// The columns of a table that only this trace has, with their names.
fn further_fields(table: &str, plan: &LogicalPlan) -> Expr {
    let known = schema::table(table);
    let is_known = |name: &str| known.is_some_and(|table| table.column(name).is_some());
    let text = |text: &str| lit(ScalarValue::Utf8View(Some(text.to_string())));
    let further = plan.schema().iter().filter(|(_, field)| !is_known(field.name()));
    let entries = further.map(|(qualifier, field)| {
        let column = Expr::Column(Column::new(qualifier.cloned(), field.name()));
        named_struct(vec![lit("name"), text(field.name()), lit("value"), cast(column, DataType::Utf8View)])
    });
    let entries: Vec<Expr> = entries.collect();
    if entries.is_empty() {
        let fields = ["name", "value"].map(|name| Field::new(name, DataType::Utf8View, true));
        let none = ScalarValue::new_list(&[], &DataType::Struct(Fields::from(fields.to_vec())), true);
        return lit(ScalarValue::List(none));
    }
    make_array(entries)
}

/// The expressions of one output row, in the order of [`COLUMNS`], but for the last.
fn row(kind: &str, value: Expr, interval: [Expr; 2], depth: Expr, ends: [Expr; 2]) -> Vec<Expr> {
    let [start, end] = interval;
    let [source, target] = ends;
    vec![
        lit(ScalarValue::Utf8View(Some(kind.to_string()))).alias("kind"),
        col("container_id"),
        col("container"),
        col("type"),
        value.alias("value"),
        start.alias("start_time"),
        end.alias("end_time"),
        depth.alias("depth"),
        source.alias("source"),
        target.alias("target"),
    ]
}

fn no_text() -> Expr {
    lit(ScalarValue::Utf8View(None))
}

fn no_depth() -> Expr {
    lit(ScalarValue::Int32(None))
}
