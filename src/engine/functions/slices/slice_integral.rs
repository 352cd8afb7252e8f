//! `slice_integral(start_time, end_time, value, start, stop, slices)`: value times seconds in each slice.

use super::slice_lists::{END_TIME, SLICES, START, START_TIME, STOP, SliceList, VALUE};
use super::variable_slices::SlicedVariables;
use crate::functions::calls::definition::{Definition, Form, OutputColumn};
use crate::functions::calls::sql_function::AggregateFunction;

pub static FUNCTION: AggregateFunction = AggregateFunction {
    definition: Definition {
        name: "slice_integral",
        family: "slices",
        form: Form::Aggregate,
        description: "Sums up value times the seconds that it lasts, per slice of a window.",
        notes: "The list has one number per slice, 0 where there is nothing, also without rows. Rows whose times or \
                value are NULL, or whose value is no finite number, are omitted. variable_slices does the same for \
                every container and variable at once.",
        relations: &[],
        constants: &[START_TIME, END_TIME, VALUE, START, STOP, SLICES],
        columns: &[OutputColumn { name: "integral", kind: "List(Float64)", doc: "Integral per slice." }],
        examples: &["SELECT type, slice_integral(start_time, end_time, value, 0, 12, 3) AS integral FROM variables \
             GROUP BY type ORDER BY type"],
    },
    make: || SliceList::<SlicedVariables>::function(&FUNCTION.definition),
};
