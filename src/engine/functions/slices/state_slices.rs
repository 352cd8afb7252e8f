//! `state_slices(states, slices, start, stop, type, fill)`: time in each state, per slice and container.

use std::sync::Arc;

use arrow::array::{ArrayRef, Float64Array};
use arrow::datatypes::{DataType, Field};
use datafusion::common::{Result, internal_err};
use datafusion::logical_expr::{AggregateUDF, LogicalPlan, lit};

use super::slice_aggregate::{Intervals, SliceCells};
use super::slice_kind::SliceKind;
use super::slice_plan::{
    CONTAINER, CONTAINER_ID, FILL, SLICE, SLICE_END, SLICE_START, SLICES, START, STOP, Sliced, TYPE, cell,
};
use super::slice_times::RowTimes;
use super::slice_window::{SliceWindow, SlicedRows};
use crate::functions::calls::call::Call;
use crate::functions::calls::definition::{Definition, Form, OutputColumn, RelationParameter};
use crate::functions::calls::sql_function::TableFunction;
use ocellus_kernels::slices::CutBands;
use ocellus_kernels::slices::states::{StatePart, StateSlices};

pub static FUNCTION: TableFunction = TableFunction {
    definition: Definition {
        name: "state_slices",
        family: "slices",
        form: Form::Table,
        description: "Cuts a window of time into slices and computes how long each container was in each state, per slice.",
        notes: "A state counts in each slice for the time that it shares with it. Nested states all count: give \
                state_segments for the innermost only. Slices without a state give no row, unless fill is true. \
                The relation needs container_id, start_time and end_time; container, type and value are NULL when \
                it lacks them, and a column trace comes first when it has one. Rows without times are omitted. \
                Times are exact: the slices of a window add up to the window, and any number of threads gives the \
                same bits. Row order is unspecified. Cost: rows, plus slices that are not empty.",
        relations: &[RelationParameter { name: "states", default: Some("states"), doc: "The states." }],
        constants: &[SLICES, START, STOP, TYPE, FILL],
        columns: &[
            SLICE,
            SLICE_START,
            SLICE_END,
            CONTAINER_ID,
            CONTAINER,
            OutputColumn { name: "type", kind: "TEXT", doc: "Type of the state." },
            OutputColumn { name: "value", kind: "TEXT", doc: "Name of the state." },
            OutputColumn { name: "seconds", kind: "DOUBLE", doc: "Time in that state within the slice." },
            OutputColumn { name: "share", kind: "DOUBLE", doc: "seconds / length of the slice." },
        ],
        examples: &["SELECT slice, container, value, seconds FROM state_slices(slices => 2, start => 2, stop => 4) \
             ORDER BY slice, container, value"],
    },
    plan,
};

fn plan(call: Call<'_>) -> Result<LogicalPlan> {
    slices(&call, call.relation(0)?)
}

/// The plan over a relation; arguments that the call does not have are absent.
pub(crate) fn slices(call: &Call<'_>, relation: LogicalPlan) -> Result<LogicalPlan> {
    let sliced = Sliced::new(call, relation)?.within(RowTimes::Intervals)?;
    let arguments = vec![
        sliced.text("type")?,
        sliced.text("value")?,
        sliced.time("start_time")?.column,
        sliced.time("end_time")?.column,
    ];
    let length = sliced.window.slicing.slice_seconds();
    let measures = vec![cell("seconds").alias("seconds"), (cell("seconds") / lit(length)).alias("share")];
    sliced.plan(&cells(), arguments, SlicedStates::LABELS, measures)
}

/// The aggregate behind the plan.
pub(crate) fn cells() -> AggregateUDF {
    SliceCells::<SlicedStates>::function("state_cells", 5)
}

/// States, as the aggregate of slices sees them.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(crate) struct SlicedStates;

impl SliceKind for SlicedStates {
    type Store = StateSlices;
    type Columns = Intervals;
    const LABELS: &'static [&'static str] = &["type", "value"];
    /// The width of the band, and how many states begin in it.
    const SUM_COLUMNS: usize = 2;

    fn columns(window: &SliceWindow, arrays: &[ArrayRef]) -> Result<Intervals> {
        match arrays {
            [starts, ends] => Intervals::of(window, starts, ends),
            [starts, ends, widths, _] => Intervals::of_bands(window, starts, ends, widths),
            _ => internal_err!("states have a start and an end"),
        }
    }

    #[inline(always)]
    fn part(window: &SliceWindow, columns: &Intervals, row: usize) -> Option<StatePart> {
        let (start, end) = columns.get(row)?;
        StatePart::of(&window.slicing, start, end)
    }

    fn keep(window: &SliceWindow, columns: &Intervals, numbers: &mut [u32]) {
        columns.keep(window, numbers);
    }

    fn add(_window: &SliceWindow, columns: &Intervals, series: &[u32], store: &mut StateSlices) {
        let (starts, ends) = columns.all();
        store.add_rows(series, starts, ends);
    }

    fn add_beside_summary(
        window: &SliceWindow,
        columns: &Intervals,
        series: &[u32],
        store: &mut StateSlices,
        cut: &CutBands,
    ) {
        let (starts, ends) = columns.all();
        match window.rows {
            SlicedRows::All => store.add_rows(series, starts, ends),
            SlicedRows::InCutBands { .. } => store.add_cut_rows(series, starts, ends, cut),
            SlicedRows::BandSums { .. } => store.add_sums(series, starts, ends),
        }
    }

    fn fields() -> Vec<Field> {
        vec![Field::new("seconds", DataType::Float64, false)]
    }

    fn arrays(seconds: Vec<f64>) -> Vec<ArrayRef> {
        vec![Arc::new(Float64Array::from(seconds))]
    }
}
