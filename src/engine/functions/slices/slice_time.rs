//! `slice_time(slice, start_tick, stop_tick, slices, ticks_per_second)`: when a slice begins.

use std::sync::{Arc, LazyLock};

use arrow::array::{AsArray, Float64Array};
use arrow::datatypes::{DataType, Float64Type, Int64Type};
use datafusion::common::{Result, ScalarValue, exec_err};
use datafusion::logical_expr::sort_properties::{ExprProperties, SortProperties};
use datafusion::logical_expr::{
    ColumnarValue, Expr, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Volatility, lit,
};

use crate::functions::calls::definition::{
    Accepts, ConstantKind, ConstantParameter, DefaultValue, Definition, Form, OutputColumn,
};
use crate::functions::calls::sql_function::ScalarFunction;
use ocellus_kernels::slices::Slicing;

const fn argument(name: &'static str, doc: &'static str) -> ConstantParameter {
    ConstantParameter {
        name,
        kind: ConstantKind::BigInt,
        default: DefaultValue::Required,
        accepts: Accepts::Anything,
        doc,
    }
}

pub static FUNCTION: ScalarFunction = ScalarFunction {
    definition: Definition {
        name: "slice_time",
        family: "slices",
        form: Form::Scalar,
        description: "Returns the start of a slice of a window.",
        notes: "The columns slice_start and slice_end are made by it, and the optimizer sees through it: a filter \
                on them reads only the row groups of those times. The slice after the last begins when the last \
                one ends. The window and the number of slices are constants. NULL gives NULL.",
        relations: &[],
        constants: &[
            argument("slice", "Slice index, from 0."),
            argument("start_tick", "Start of the window in ticks."),
            argument("stop_tick", "End of the window in ticks; later than its start."),
            argument("slices", "Into how many slices the window is cut."),
            argument("ticks_per_second", "How many ticks a second has: trace_info.ticks_per_second."),
        ],
        columns: &[OutputColumn { name: "seconds", kind: "DOUBLE", doc: "Start of the slice, in seconds." }],
        examples: &[
            "SELECT slice_time(1, 0, 9000, 3, 1000) AS slice_start, slice_time(2, 0, 9000, 3, 1000) AS slice_end",
        ],
    },
    make: || ScalarUDF::from(SliceTime::new()),
};

static SLICE_TIME: LazyLock<Arc<ScalarUDF>> = LazyLock::new(|| Arc::new((FUNCTION.make)()));

/// When a slice begins, as an expression.
pub(crate) fn boundary(slice: Expr, slicing: &Slicing) -> Expr {
    let constants = [slicing.start(), slicing.stop(), i64::from(slicing.slices()), slicing.per_second()];
    let arguments = std::iter::once(slice).chain(constants.into_iter().map(lit)).collect();
    SLICE_TIME.call(arguments)
}

/// The scalar function.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct SliceTime {
    signature: Signature,
}

impl SliceTime {
    fn new() -> SliceTime {
        let names = FUNCTION.definition.constants.iter().map(|constant| constant.name).collect();
        let signature = Signature::exact(vec![DataType::Int64; 5], Volatility::Immutable)
            .with_parameter_names(names)
            .expect("five names for five arguments");
        SliceTime { signature }
    }

    /// The window of a call, when its constants are such.
    pub fn slicing(start: i64, stop: i64, slices: i64, per_second: i64) -> Option<Slicing> {
        Slicing::new(start, stop, u32::try_from(slices).ok()?, per_second)
    }
}

impl ScalarUDFImpl for SliceTime {
    fn name(&self) -> &str {
        FUNCTION.definition.name
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _arguments: &[DataType]) -> Result<DataType> {
        Ok(DataType::Float64)
    }

    fn is_strict(&self) -> bool {
        true
    }

    fn invoke_with_args(&self, arguments: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let constant = |index: usize| match &arguments.args[index] {
            ColumnarValue::Scalar(ScalarValue::Int64(value)) => Ok(*value),
            _ => exec_err!("slice_time: {} must be a constant", FUNCTION.definition.constants[index].name),
        };
        let constants = [constant(1)?, constant(2)?, constant(3)?, constant(4)?];
        let [Some(start), Some(stop), Some(slices), Some(per_second)] = constants else {
            return Ok(ColumnarValue::Scalar(ScalarValue::Float64(None)));
        };
        let Some(slicing) = SliceTime::slicing(start, stop, slices, per_second) else {
            return exec_err!(
                "slice_time: no window from {start} to {stop} in {slices} slices of {per_second} ticks per second"
            );
        };
        Ok(match &arguments.args[0] {
            ColumnarValue::Scalar(ScalarValue::Int64(slice)) => {
                ColumnarValue::Scalar(ScalarValue::Float64(slice.map(|slice| slicing.boundary(slice))))
            }
            other => {
                let slices = other.to_array(arguments.number_rows)?;
                let slices = slices.as_primitive::<Int64Type>();
                let times: Float64Array = slices.unary::<_, Float64Type>(|slice| slicing.boundary(slice));
                ColumnarValue::Array(Arc::new(times))
            }
        })
    }

    // Later slices begin later, so sorted slices are sorted times.
    fn output_ordering(&self, inputs: &[ExprProperties]) -> Result<SortProperties> {
        match inputs {
            [slices, constants @ ..]
                if constants.iter().all(|constant| constant.sort_properties == SortProperties::Singleton) =>
            {
                Ok(slices.sort_properties)
            }
            _ => Ok(SortProperties::Unordered),
        }
    }
}
