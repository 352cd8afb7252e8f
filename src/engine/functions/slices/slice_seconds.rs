//! `slice_seconds(start_time, end_time, start, stop, slices)`: seconds that rows share with each slice.

use super::slice_lists::{END_TIME, SLICES, START, START_TIME, STOP, SliceList};
use super::state_slices::SlicedStates;
use crate::functions::calls::definition::{Definition, Form, OutputColumn};
use crate::functions::calls::sql_function::AggregateFunction;

pub static FUNCTION: AggregateFunction = AggregateFunction {
    definition: Definition {
        name: "slice_seconds",
        family: "slices",
        form: Form::Aggregate,
        description: "Sums up the seconds that intervals share with each slice of a window.",
        notes: "The list has one number per slice, 0 where there is nothing, also without rows. Rows whose times are \
                NULL are omitted. state_slices does the same for every container and state at once.",
        relations: &[],
        constants: &[START_TIME, END_TIME, START, STOP, SLICES],
        columns: &[OutputColumn { name: "seconds", kind: "List(Float64)", doc: "Seconds per slice." }],
        examples: &["SELECT container, slice_seconds(start_time, end_time, 0, 9, 3) AS seconds FROM states \
             WHERE value = 'Executing' GROUP BY container ORDER BY container"],
    },
    make: || SliceList::<SlicedStates>::function(&FUNCTION.definition),
};
