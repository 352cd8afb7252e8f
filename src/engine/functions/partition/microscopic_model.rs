//! `microscopic_model(states, slices, start, stop, type)`: what every leaf does in every slice.

use datafusion::common::Result;
use datafusion::logical_expr::LogicalPlan;

use super::partition_cells::model;
use super::partition_plan::{SLICES, USUAL_SLICES};
use crate::functions::calls::call::Call;
use crate::functions::calls::definition::{
    ConstantParameter, DefaultValue, Definition, Form, OutputColumn, RelationParameter,
};
use crate::functions::calls::sql_function::TableFunction;
use crate::functions::slices::slice_plan::{CONTAINER, CONTAINER_ID, SLICE, SLICE_END, SLICE_START, START, STOP, TYPE};

pub static FUNCTION: TableFunction = TableFunction {
    definition: Definition {
        name: "microscopic_model",
        family: "partition",
        form: Form::Table,
        description: "Returns the proportion of every slice that each container spends in each state: what partitions are made of.",
        notes: "rho is the time in the state over the length of the slice. Slices are half-open: a state that begins on a \
                boundary belongs to the slice that begins there. Empty rows are omitted, but a container of the relation that has nothing in a window from start to stop gives one row without value. Of variables, value is \
                the type and rho the mean over the slice, divided by the largest mean of that type. Of events, rho is how \
                many there are, divided by the largest number of that type. The relation needs container_id, and \
                start_time and end_time, or time.",
        relations: &[RelationParameter {
            name: "states",
            default: Some("state_segments"),
            doc: "States, variables or events.",
        }],
        constants: &[
            ConstantParameter {
                default: DefaultValue::BigInt(USUAL_SLICES),
                doc: "Into how many slices the window is cut.",
                ..SLICES
            },
            START,
            STOP,
            TYPE,
        ],
        columns: &[
            SLICE,
            SLICE_START,
            SLICE_END,
            CONTAINER_ID,
            CONTAINER,
            OutputColumn { name: "type", kind: "TEXT", doc: "Type of the state, variable or event." },
            OutputColumn { name: "value", kind: "TEXT", doc: "Name of the state or event; of a variable, its type." },
            OutputColumn { name: "seconds", kind: "DOUBLE", doc: "Time in the state within the slice." },
            OutputColumn { name: "rho", kind: "DOUBLE", doc: "The proportion." },
        ],
        examples: &[
            "SELECT slice, container, value, seconds, rho FROM microscopic_model(slices => 3, start => 8, stop => 11) \
             WHERE container IN ('a1', 'b1') ORDER BY container, slice, value",
        ],
    },
    plan,
};

fn plan(call: Call<'_>) -> Result<LogicalPlan> {
    model(&call, call.relation(0)?)
}
