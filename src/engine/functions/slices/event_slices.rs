//! `event_slices(events, slices, start, stop, type, fill)`: how many events, per slice and container.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, Int64Array};
use arrow::buffer::NullBuffer;
use arrow::datatypes::{DataType, Field, Int64Type};
use datafusion::common::{Result, internal_err};
use datafusion::logical_expr::{AggregateUDF, LogicalPlan};

use super::slice_aggregate::{SliceCells, taken_bands, ticks};
use super::slice_kind::SliceKind;
use super::slice_plan::{
    CONTAINER, CONTAINER_ID, FILL, SLICE, SLICE_END, SLICE_START, SLICES, START, STOP, Sliced, TYPE, cell,
};
use super::slice_times::RowTimes;
use super::slice_window::{SliceWindow, SlicedRows};
use crate::functions::calls::call::Call;
use crate::functions::calls::definition::{Definition, Form, OutputColumn, RelationParameter};
use crate::functions::calls::sql_function::TableFunction;
use ocellus_kernels::pairs::NO_NUMBER;
use ocellus_kernels::slices::CutBands;
use ocellus_kernels::slices::events::{EventSlices, slice_of};

pub static FUNCTION: TableFunction = TableFunction {
    definition: Definition {
        name: "event_slices",
        family: "slices",
        form: Form::Table,
        description: "Cuts a window of time into slices and counts the events of each container, per slice.",
        notes: "A slice is half-open: an event on a boundary belongs to the later slice. One at the end of the \
                trace belongs to the last slice, so that the slices of a trace count all of its events. Slices \
                without an event give no row, unless fill is true. The relation needs container_id and time; \
                container, type and value are NULL when it lacks them, and a column trace comes first when it has \
                one. Row order is unspecified.",
        relations: &[RelationParameter { name: "events", default: Some("events"), doc: "The events." }],
        constants: &[SLICES, START, STOP, TYPE, FILL],
        columns: &[
            SLICE,
            SLICE_START,
            SLICE_END,
            CONTAINER_ID,
            CONTAINER,
            OutputColumn { name: "type", kind: "TEXT", doc: "Type of the events." },
            OutputColumn { name: "value", kind: "TEXT", doc: "Value of the events." },
            OutputColumn { name: "events", kind: "BIGINT", doc: "How many there are within the slice." },
        ],
        examples: &[
            "SELECT slice, container, value, events FROM event_slices(slices => 2) ORDER BY slice, container, value",
        ],
    },
    plan,
};

fn plan(call: Call<'_>) -> Result<LogicalPlan> {
    slices(&call, call.relation(0)?)
}

/// The plan over a relation; arguments that the call does not have are absent.
pub(crate) fn slices(call: &Call<'_>, relation: LogicalPlan) -> Result<LogicalPlan> {
    let sliced = Sliced::new(call, relation)?.within(RowTimes::Instants)?;
    let arguments = vec![sliced.text("type")?, sliced.text("value")?, sliced.time("time")?.column];
    sliced.plan(&cells(), arguments, SlicedEvents::LABELS, vec![cell("events").alias("events")])
}

/// The aggregate behind the plan.
pub(crate) fn cells() -> AggregateUDF {
    SliceCells::<SlicedEvents>::function("event_cells", 4)
}

/// Events, as the aggregate of slices sees them.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(crate) struct SlicedEvents;

/// The columns of a batch.
pub(crate) struct EventColumns {
    /// When they happen, in ticks; of sums, when the band begins.
    times: Int64Array,
    /// How many, where rows are sums.
    counts: Option<Int64Array>,
}

impl SliceKind for SlicedEvents {
    type Store = EventSlices;
    type Columns = EventColumns;
    const LABELS: &'static [&'static str] = &["type", "value"];
    /// The width of the band, and how many events it has.
    const SUM_COLUMNS: usize = 2;

    fn columns(window: &SliceWindow, arrays: &[ArrayRef]) -> Result<EventColumns> {
        let times = |times| ticks(times, window.slicing.per_second());
        match arrays {
            [at] => Ok(EventColumns { times: times(at)?, counts: None }),
            [begins, widths, counts] => {
                let begins = times(begins)?;
                let taken = taken_bands(window, begins.values(), widths)?;
                let nulls = NullBuffer::union(begins.nulls(), Some(&taken));
                let times = Int64Array::new(begins.values().clone(), nulls);
                Ok(EventColumns { times, counts: Some(counts.as_primitive::<Int64Type>().clone()) })
            }
            _ => internal_err!("events have a time"),
        }
    }

    #[inline(always)]
    fn part(window: &SliceWindow, columns: &EventColumns, row: usize) -> Option<u32> {
        if columns.times.is_null(row) {
            return None;
        }
        slice_of(&window.slicing, columns.times.value(row), window.last_instant)
    }

    fn add_beside_summary(
        window: &SliceWindow,
        columns: &EventColumns,
        series: &[u32],
        store: &mut EventSlices,
        cut: &CutBands,
    ) {
        for (row, &series) in series.iter().enumerate() {
            let Some(slice) = Self::part(window, columns, row).filter(|_| series != NO_NUMBER) else {
                continue;
            };
            match (&columns.counts, window.rows) {
                (Some(counts), SlicedRows::BandSums { .. }) => {
                    store.add_sum(series, slice, counts.value(row).unsigned_abs());
                }
                _ if cut.has(columns.times.value(row)) => store.add_sum(series, slice, 1),
                _ => {}
            }
        }
    }

    fn fields() -> Vec<Field> {
        vec![Field::new("events", DataType::Int64, false)]
    }

    fn arrays(events: Vec<i64>) -> Vec<ArrayRef> {
        vec![Arc::new(Int64Array::from(events))]
    }
}
