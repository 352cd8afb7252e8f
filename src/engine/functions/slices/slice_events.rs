//! `slice_events(time, start, stop, slices)`: how many instants lie in each slice.

use super::event_slices::SlicedEvents;
use super::slice_lists::{SLICES, START, STOP, SliceList, TIME};
use crate::functions::calls::definition::{Definition, Form, OutputColumn};
use crate::functions::calls::sql_function::AggregateFunction;

pub static FUNCTION: AggregateFunction = AggregateFunction {
    definition: Definition {
        name: "slice_events",
        family: "slices",
        form: Form::Aggregate,
        description: "Counts the instants in each slice of a window.",
        notes: "The list has one number per slice, also without rows. Slices are half-open: an instant at stop does not \
                count. Rows whose time is NULL are omitted. event_slices does the same for every container and \
                event at once.",
        relations: &[],
        constants: &[TIME, START, STOP, SLICES],
        columns: &[OutputColumn { name: "events", kind: "List(Int64)", doc: "Instants per slice." }],
        examples: &[
            "SELECT container, slice_events(time, 0, 12, 3) AS events FROM events GROUP BY container ORDER BY container",
        ],
    },
    make: || SliceList::<SlicedEvents>::function(&FUNCTION.definition),
};
