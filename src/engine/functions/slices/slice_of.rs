//! `slice_of(time, start, stop, slices)`: the slice that an instant lies in.

use std::sync::Arc;

use arrow::array::{AsArray, Int64Array};
use arrow::datatypes::{DataType, Float64Type, Int64Type};
use datafusion::common::{Result, ScalarValue, internal_err};
use datafusion::logical_expr::{ColumnarValue, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Volatility};

use super::slice_lists::{SLICES, START, STOP, TIME, no_window, slicing_of_seconds};
use crate::functions::calls::definition::{Definition, Form, OutputColumn};
use crate::functions::calls::sql_function::ScalarFunction;
use ocellus_kernels::slices::{Slicing, TickPosition, nearest_tick};

pub static FUNCTION: ScalarFunction = ScalarFunction {
    definition: Definition {
        name: "slice_of",
        family: "slices",
        form: Form::Scalar,
        description: "Returns the slice of a window in which an instant lies.",
        notes: "Slices are half-open: an instant on a boundary lies in the later one, and one at stop in none. NULL \
                outside of the window, and for NULL.",
        relations: &[],
        constants: &[TIME, START, STOP, SLICES],
        columns: &[OutputColumn { name: "slice", kind: "BIGINT", doc: "Slice index, from 0." }],
        examples: &["SELECT slice_of(4.5, 0, 9, 3) AS slice"],
    },
    make: || ScalarUDF::from(SliceOf::new()),
};

/// The scalar function.
#[derive(Debug, PartialEq, Eq, Hash)]
struct SliceOf {
    signature: Signature,
}

impl SliceOf {
    fn new() -> SliceOf {
        let types = vec![DataType::Float64, DataType::Float64, DataType::Float64, DataType::Int64];
        let names = FUNCTION.definition.constants.iter().map(|constant| constant.name).collect();
        let signature = Signature::exact(types, Volatility::Immutable)
            .with_parameter_names(names)
            .expect("four names for four arguments");
        SliceOf { signature }
    }
}

fn window(start: f64, stop: f64, slices: i64) -> Result<Slicing> {
    match slicing_of_seconds(start, stop, slices) {
        Some(slicing) => Ok(slicing),
        None => no_window(FUNCTION.definition.name, start, stop, slices),
    }
}

fn slice(slicing: &Slicing, time: f64) -> Option<i64> {
    match slicing.place(nearest_tick(time, slicing.per_second())?) {
        TickPosition::Within { slice, .. } => Some(i64::from(slice)),
        _ => None,
    }
}

impl ScalarUDFImpl for SliceOf {
    fn name(&self) -> &str {
        FUNCTION.definition.name
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _arguments: &[DataType]) -> Result<DataType> {
        Ok(DataType::Int64)
    }

    fn invoke_with_args(&self, arguments: ScalarFunctionArgs) -> Result<ColumnarValue> {
        use ColumnarValue::Scalar;
        use ScalarValue::{Float64, Int64};
        let [times, start, stop, slices] = arguments.args.as_slice() else {
            return internal_err!("slice_of takes four arguments");
        };
        let times = times.to_array(arguments.number_rows)?;
        let times = times.as_primitive::<Float64Type>();
        if let (Scalar(Float64(Some(start))), Scalar(Float64(Some(stop))), Scalar(Int64(Some(slices)))) =
            (start, stop, slices)
        {
            let slicing = window(*start, *stop, *slices)?;
            let found: Int64Array = times.unary_opt(|time| slice(&slicing, time));
            return Ok(ColumnarValue::Array(Arc::new(found)));
        }
        let [starts, stops] = [start, stop].map(|times| times.to_array(arguments.number_rows));
        let (starts, stops, counts) = (starts?, stops?, slices.to_array(arguments.number_rows)?);
        let windows = starts.as_primitive::<Float64Type>().iter().zip(stops.as_primitive::<Float64Type>());
        let mut found = Int64Array::builder(arguments.number_rows);
        for ((time, (start, stop)), slices) in times.iter().zip(windows).zip(counts.as_primitive::<Int64Type>()) {
            found.append_option(match (time, start, stop, slices) {
                (Some(time), Some(start), Some(stop), Some(slices)) => slice(&window(start, stop, slices)?, time),
                _ => None,
            });
        }
        Ok(ColumnarValue::Array(Arc::new(found.finish())))
    }
}
