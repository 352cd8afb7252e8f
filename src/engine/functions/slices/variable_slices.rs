//! `variable_slices(variables, slices, start, stop, type, fill)`: integral, mean and extremes of each variable,
//! per slice and container.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, Float64Array};
use arrow::datatypes::{DataType, Field, Float64Type};
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
use ocellus_kernels::pairs::NO_NUMBER;
use ocellus_kernels::slices::CutBands;
use ocellus_kernels::slices::extremes::Extremes;
use ocellus_kernels::slices::variables::{VariablePart, VariableSlice, VariableSum, Variables};
use ocellus_kernels::sums::Sum;

pub static FUNCTION: TableFunction = TableFunction {
    definition: Definition {
        name: "variable_slices",
        family: "slices",
        form: Form::Table,
        description: "Cuts a window of time into slices and integrates each variable of each container, per slice.",
        notes: "The mean is the integral over the whole length of the slice, also where the variable has no value: \
                integral / covered is the mean of the time that has one. A row without length shares no time with \
                any slice and counts nowhere; neither does one whose value is NULL or no finite number. Slices \
                without a value give no row, unless fill is true: then minimum and maximum are NULL. The relation \
                needs container_id, value, start_time and end_time; container and type are NULL when it lacks \
                them, and a column trace comes first when it has one. Sums carry twice the digits of a double. \
                Row order is unspecified. Cost: rows, plus slices that are not empty.",
        relations: &[RelationParameter { name: "variables", default: Some("variables"), doc: "The variables." }],
        constants: &[SLICES, START, STOP, TYPE, FILL],
        columns: &[
            SLICE,
            SLICE_START,
            SLICE_END,
            CONTAINER_ID,
            CONTAINER,
            OutputColumn { name: "type", kind: "TEXT", doc: "Type of the variable." },
            OutputColumn { name: "integral", kind: "DOUBLE", doc: "Sum of value times seconds within the slice." },
            OutputColumn { name: "mean", kind: "DOUBLE", doc: "integral / length of the slice." },
            OutputColumn { name: "minimum", kind: "DOUBLE", doc: "Smallest value within the slice." },
            OutputColumn { name: "maximum", kind: "DOUBLE", doc: "Largest value within the slice." },
            OutputColumn { name: "covered", kind: "DOUBLE", doc: "Seconds of the slice in which it has a value." },
        ],
        examples: &["SELECT slice, type, integral, mean, minimum, maximum, covered \
             FROM variable_slices(slices => 3, start => 0, stop => 12) ORDER BY type, slice"],
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
        sliced.time("start_time")?.column,
        sliced.time("end_time")?.column,
        sliced.number("value")?,
    ];
    let length = sliced.window.slicing.slice_seconds();
    let measures = vec![
        cell("integral").alias("integral"),
        (cell("integral") / lit(length)).alias("mean"),
        cell("minimum").alias("minimum"),
        cell("maximum").alias("maximum"),
        cell("covered").alias("covered"),
    ];
    sliced.plan(&cells(), arguments, SlicedVariables::LABELS, measures)
}

/// The aggregate behind the plan.
pub(crate) fn cells() -> AggregateUDF {
    SliceCells::<SlicedVariables>::function("variable_cells", 5)
}

/// Variables, as the aggregate of slices sees them.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(crate) struct SlicedVariables;

/// The columns of a batch.
pub(crate) struct VariableColumns {
    intervals: Intervals,
    /// Values; of sums, integrals.
    values: Float64Array,
    /// Where rows are sums: what the integrals lack, and the extremes.
    sums: Option<[Float64Array; 3]>,
}

impl VariableColumns {
    /// The sum of a band; `None` when it is none.
    fn sum(&self, row: usize) -> Option<VariableSum> {
        let interval = self.intervals.get(row)?;
        let [rests, minima, maxima] = self.sums.as_ref()?;
        let extremes = Extremes { minimum: minima.value(row), maximum: maxima.value(row) };
        Some(VariableSum { interval, integral: Sum::of_halves(self.values.value(row), rests.value(row)), extremes })
    }
}

impl SliceKind for SlicedVariables {
    type Store = Variables;
    type Columns = VariableColumns;
    const LABELS: &'static [&'static str] = &["type"];
    /// The width of the band, what the integral lacks, and the extremes.
    const SUM_COLUMNS: usize = 4;

    fn columns(window: &SliceWindow, arrays: &[ArrayRef]) -> Result<VariableColumns> {
        let doubles = |array: &ArrayRef| array.as_primitive::<Float64Type>().clone();
        match arrays {
            [starts, ends, values] => {
                let intervals = Intervals::of(window, starts, ends)?;
                Ok(VariableColumns { intervals, values: doubles(values), sums: None })
            }
            [starts, ends, integrals, widths, rests, minima, maxima] => {
                let intervals = Intervals::of_bands(window, starts, ends, widths)?;
                let sums = Some([rests, minima, maxima].map(doubles));
                Ok(VariableColumns { intervals, values: doubles(integrals), sums })
            }
            _ => internal_err!("variables have a start, an end and a value"),
        }
    }

    #[inline(always)]
    fn part(window: &SliceWindow, columns: &VariableColumns, row: usize) -> Option<VariablePart> {
        let (start, end) = columns.intervals.get(row)?;
        let value = columns.values.is_valid(row).then(|| columns.values.value(row))?;
        VariablePart::of(&window.slicing, start, end, value)
    }

    /// Without working out where in its slices a row lies: that is done once, when it is added.
    fn keep(window: &SliceWindow, columns: &VariableColumns, numbers: &mut [u32]) {
        columns.intervals.keep(window, numbers);
        for (number, value) in numbers.iter_mut().zip(&columns.values) {
            if !value.is_some_and(f64::is_finite) {
                *number = NO_NUMBER;
            }
        }
    }

    fn add_beside_summary(
        window: &SliceWindow,
        columns: &VariableColumns,
        series: &[u32],
        store: &mut Variables,
        cut: &CutBands,
    ) {
        if let SlicedRows::InCutBands { .. } = window.rows {
            let (starts, ends) = columns.intervals.all();
            return store.add_cut_rows(series, starts, ends, columns.values.values(), cut);
        }
        for (row, &series) in series.iter().enumerate() {
            if let Some(sum) = columns.sum(row).filter(|_| series != NO_NUMBER) {
                store.add_sum(series, &sum);
            }
        }
    }

    fn fields() -> Vec<Field> {
        let number = |name: &str, nullable: bool| Field::new(name, DataType::Float64, nullable);
        vec![number("integral", false), number("minimum", true), number("maximum", true), number("covered", false)]
    }

    fn arrays(measures: Vec<VariableSlice>) -> Vec<ArrayRef> {
        let column = |of: fn(&VariableSlice) -> f64| Arc::new(Float64Array::from_iter_values(measures.iter().map(of)));
        let has_value = |measure: &VariableSlice| measure.extremes.minimum <= measure.extremes.maximum;
        let extreme = |of: fn(&VariableSlice) -> f64| -> ArrayRef {
            if measures.iter().all(has_value) {
                return column(of);
            }
            let values = measures.iter().map(|measure| has_value(measure).then(|| of(measure)));
            Arc::new(values.collect::<Float64Array>())
        };
        vec![
            column(|measure| measure.integral),
            extreme(|measure| measure.extremes.minimum),
            extreme(|measure| measure.extremes.maximum),
            column(|measure| measure.covered),
        ]
    }
}
