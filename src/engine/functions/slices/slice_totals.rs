//! `slice_totals(start, stop)`: states, variables, links and events of one slice together, one row per measure.

use datafusion::common::{Column, Result, ScalarValue};
use datafusion::functions::core::expr_fn::{get_field, named_struct};
use datafusion::functions_nested::expr_fn::make_array;
use datafusion::logical_expr::{Expr, LogicalPlan, LogicalPlanBuilder, lit};
use datafusion::prelude::{cast, col};

use arrow::datatypes::DataType;

use super::slice_plan::{CONTAINER, CONTAINER_ID, START, STOP};
use super::{event_slices, link_slices, state_slices, variable_slices};
use crate::functions::calls::call::Call;
use crate::functions::calls::definition::{Definition, Form, OutputColumn};
use crate::functions::calls::sql_function::TableFunction;

pub static FUNCTION: TableFunction = TableFunction {
    definition: Definition {
        name: "slice_totals",
        family: "slices",
        form: Form::Table,
        description: "Sums up states, variables, links and events of a window, one row per container and measure.",
        notes: "The same numbers as state_slices, variable_slices, link_slices and event_slices give for one slice: \
                links count when they lie inside of the window. Reads the current trace; write lu.slice_totals() \
                for another. Row order is unspecified.",
        relations: &[],
        constants: &[START, STOP],
        columns: &[
            CONTAINER_ID,
            CONTAINER,
            OutputColumn { name: "kind", kind: "TEXT", doc: "state, variable, link or event." },
            OutputColumn { name: "type", kind: "TEXT", doc: "Name of its type." },
            OutputColumn { name: "value", kind: "TEXT", doc: "Value of states and events; NULL for the rest." },
            OutputColumn { name: "role", kind: "TEXT", doc: "origin or destination, of links; NULL for the rest." },
            OutputColumn { name: "measure", kind: "TEXT", doc: "Name of the measure, as in the functions above." },
            OutputColumn { name: "amount", kind: "DOUBLE", doc: "The measure." },
        ],
        examples: &["SELECT container, kind, type, value, role, measure, amount FROM slice_totals(4, 8) \
             ORDER BY container, kind, value, role, measure"],
    },
    plan,
};

const AMOUNTS: &str = "amounts";

/// The columns of a function that are no measures.
const LABELS: [&str; 9] =
    ["trace", "slice", "slice_start", "slice_end", "container_id", "container", "type", "value", "role"];

fn plan(call: Call<'_>) -> Result<LogicalPlan> {
    let states = totals("state", state_slices::slices(&call, call.table("states")?)?)?;
    let variables = totals("variable", variable_slices::slices(&call, call.table("variables")?)?)?;
    let links = totals("link", link_slices::slices(&call, call.table("links")?)?)?;
    let events = totals("event", event_slices::slices(&call, call.table("events")?)?)?;
    LogicalPlanBuilder::from(states).union(variables)?.union(links)?.union(events)?.build()
}

/// One row per measure of a function of slices.
fn totals(kind: &str, slices: LogicalPlan) -> Result<LogicalPlan> {
    let schema = slices.schema().clone();
    let text = |text: &str| lit(ScalarValue::Utf8View(Some(text.to_string())));
    let column = |name: &str| {
        let field = schema.qualified_field_with_unqualified_name(name).ok()?;
        Some(Expr::Column(Column::from(field)))
    };
    let measures = schema.fields().iter().map(|field| field.name()).filter(|name| !LABELS.contains(&name.as_str()));
    let amounts = measures.filter_map(|measure| {
        let amount = cast(column(measure)?, DataType::Float64);
        Some(named_struct(vec![lit("measure"), text(measure), lit("amount"), amount]))
    });
    let mut shown: Vec<Expr> = column("trace").into_iter().collect();
    for name in ["container_id", "container", "kind", "type", "value", "role"] {
        let nothing = if name == "kind" { text(kind) } else { lit(ScalarValue::Utf8View(None)) };
        shown.push(column(name).unwrap_or(nothing).alias(name));
    }
    let labels = shown.len();
    shown.push(make_array(amounts.collect()).alias(AMOUNTS));
    let unfolded = LogicalPlanBuilder::from(slices).project(shown)?.unnest_column(AMOUNTS)?;
    let mut shown: Vec<Expr> =
        (0..labels).map(|index| Expr::Column(Column::from(unfolded.schema().qualified_field(index)))).collect();
    shown.extend(["measure", "amount"].map(|name| get_field(col(AMOUNTS), name).alias(name)));
    unfolded.project(shown)?.build()
}
