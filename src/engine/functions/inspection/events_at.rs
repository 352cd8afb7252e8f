//! `events_at(time)`: everything that was going on at an instant.

use datafusion::common::Result;
use datafusion::logical_expr::LogicalPlan;

use super::{COLUMNS, at_instant};
use crate::functions::calls::call::Call;
use crate::functions::calls::definition::{Accepts, ConstantKind, ConstantParameter, DefaultValue, Definition, Form};
use crate::functions::calls::sql_function::TableFunction;

pub static FUNCTION: TableFunction = TableFunction {
    definition: Definition {
        name: "events_at",
        family: "inspection",
        form: Form::Table,
        description: "Shows what was going on at an instant: states, variables, links in flight, and events.",
        notes: "Intervals are half-open: what starts at the instant is shown, what ends there is not. \
                An event is shown when its time is exactly the given one. \
                Reads the current trace; write lu.events_at(1.5) for another. Row order is unspecified. \
                An instant outside the trace is an error.",
        relations: &[],
        constants: &[ConstantParameter {
            name: "time",
            kind: ConstantKind::Moment,
            default: DefaultValue::Required,
            accepts: Accepts::Finite,
            doc: "The instant, in seconds.",
        }],
        columns: COLUMNS,
        examples: &["SELECT kind, container, value, start_time, end_time FROM events_at(2.4) ORDER BY container"],
    },
    plan,
};

fn plan(call: Call<'_>) -> Result<LogicalPlan> {
    at_instant(&call, call.double("time")?, None)
}
