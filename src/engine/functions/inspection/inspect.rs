//! `inspect(container, time)`: what was going on in one container at an instant.

use datafusion::common::Result;
use datafusion::logical_expr::LogicalPlan;

use super::{COLUMNS, at_instant};
use crate::functions::calls::call::Call;
use crate::functions::calls::definition::{Accepts, ConstantKind, ConstantParameter, DefaultValue, Definition, Form};
use crate::functions::calls::sql_function::TableFunction;
use crate::functions::tree::chosen_containers::containers_of;

pub static FUNCTION: TableFunction = TableFunction {
    definition: Definition {
        name: "inspect",
        family: "inspection",
        form: Form::Table,
        description: "Shows what was going on in one container at an instant.",
        notes: "The container is given by name, path, alias or id. A text is a name, path or alias; when no \
                container has it and it is a number, it is an id. When several containers share a name, all \
                are shown, and container_id tells them apart. Links are shown when they start, end or are \
                held there. Containers below it are not shown. A container that does not exist and \
                an instant outside the trace are errors. Intervals are half-open. Reads the current trace; write lu.inspect('rank 1', 1.5) for \
                another. Row order is unspecified.",
        relations: &[],
        constants: &[
            ConstantParameter {
                name: "container",
                kind: ConstantKind::TextOrBigInt,
                default: DefaultValue::Required,
                accepts: Accepts::ContainerName,
                doc: "Name, path, alias or id of the container.",
            },
            ConstantParameter {
                name: "time",
                kind: ConstantKind::Moment,
                default: DefaultValue::Required,
                accepts: Accepts::Finite,
                doc: "The instant, in seconds.",
            },
        ],
        columns: COLUMNS,
        examples: &["SELECT kind, type, value, start_time, end_time FROM inspect('Thread 1', time => 2.4)"],
    },
    plan,
};

fn plan(call: Call<'_>) -> Result<LogicalPlan> {
    let chosen = containers_of(&call, "container")?;
    at_instant(&call, call.double("time")?, Some(&chosen))
}
