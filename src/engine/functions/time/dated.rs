//! `dated(relation)`: any relation with dates beside its times.
//!
//! ```text
//!  relation ─► project: all its columns, and timestamp_of(start_time, origin) AS started_at, …
//! ```

use arrow::datatypes::DataType;
use datafusion::common::{Column, Result, plan_err};
use datafusion::logical_expr::{Expr, LogicalPlan, LogicalPlanBuilder, lit};
use datafusion::prelude::cast;

use super::timestamp_of::{self, TimestampOf};
use crate::catalog::documented;
use crate::functions::calls::call::Call;
use crate::functions::calls::definition::{Definition, Form, OutputColumn, RelationParameter};
use crate::functions::calls::sql_function::TableFunction;
use crate::functions::calls::window::origin_of;

/// Columns of seconds, the columns of their dates, and what those are.
const DATES: [(&str, &str, &str); 5] = [
    ("start_time", "started_at", "Date of start_time."),
    ("end_time", "ended_at", "Date of end_time."),
    ("time", "happened_at", "Date of time."),
    ("slice_start", "slice_started_at", "Date of slice_start."),
    ("slice_end", "slice_ended_at", "Date of slice_end."),
];

pub static FUNCTION: TableFunction = TableFunction {
    definition: Definition {
        name: "dated",
        family: "time",
        form: Form::Table,
        description: "Adds dates to a relation: the origin of the trace plus its seconds.",
        notes: "All columns of the relation stay, and the dates of those that are there follow: start_time gives \
                started_at, end_time gives ended_at, time gives happened_at, slice_start gives slice_started_at, and \
                slice_end gives slice_ended_at. The origin is trace_info.origin of the trace that is read; a relation \
                over traces of different origins is refused. A filter on the dates of stored times reads only the row \
                groups of those times. dated_states, dated_events, dated_variables and dated_links are views of it.",
        relations: &[RelationParameter {
            name: "relation",
            default: Some("states"),
            doc: "A table, a view or a query in parentheses with at least one of those columns.",
        }],
        constants: &[],
        columns: &[
            OutputColumn { name: "start_time", kind: "DOUBLE", doc: "The columns of the relation, such as this one." },
            OutputColumn { name: "started_at", kind: "TIMESTAMP", doc: "Date of start_time, in UTC; and so on." },
        ],
        examples: &[
            "SELECT container, value, started_at, ended_at FROM dated(states) WHERE value = 'Blocked' ORDER BY container",
            "SELECT slice_started_at, value, sum(seconds) AS seconds FROM dated((SELECT * FROM state_slices(slices => 2))) \
             GROUP BY 1, 2 ORDER BY 1, 2",
        ],
    },
    plan,
};

fn plan(call: Call<'_>) -> Result<LogicalPlan> {
    let relation = call.relation(0)?;
    let origin = lit(TimestampOf::origin(origin_of(&call)?));
    let mut columns: Vec<Expr> = relation.schema().iter().map(|field| Expr::Column(Column::from(field))).collect();
    let kept = columns.len();
    let has = |name: &str| relation.schema().has_column_with_unqualified_name(name);
    for (seconds, date, doc) in DATES {
        if !has(seconds) || has(date) {
            continue;
        }
        let (qualifier, field) = relation.schema().qualified_field_with_unqualified_name(seconds)?;
        if !field.data_type().is_numeric() {
            return plan_err!("dated: {seconds} of its relation must hold seconds, got {}", field.data_type());
        }
        let column = Expr::Column(Column::new(qualifier.cloned(), seconds));
        // A cast that does nothing would hide the ticks from the optimizer.
        let column = if field.data_type() == &DataType::Float64 { column } else { cast(column, DataType::Float64) };
        let dated = (timestamp_of::FUNCTION.make)().call(vec![column, origin.clone()]);
        columns.push(documented(dated, date, doc));
    }
    if columns.len() == kept && !DATES.iter().any(|(_, date, _)| has(date)) {
        let names: Vec<&str> = DATES.iter().map(|(seconds, _, _)| *seconds).collect();
        return plan_err!("dated: its relation has no column of seconds; it needs one of {}", names.join(", "));
    }
    LogicalPlanBuilder::from(relation).project(columns)?.build()
}
