//! `overlap(a0, a1, b0, b1)`: how long two intervals share.

#[cfg(test)]
mod tests;

use std::sync::Arc;

use arrow::array::{ArrayRef, AsArray, Float64Array};
use arrow::datatypes::{DataType, Float64Type};
use datafusion::common::{Result, internal_err};
use datafusion::logical_expr::{ColumnarValue, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Volatility};

use crate::functions::calls::definition::{
    Accepts, ConstantKind, ConstantParameter, DefaultValue, Definition, Form, OutputColumn,
};
use crate::functions::calls::sql_function::ScalarFunction;

const fn argument(name: &'static str, doc: &'static str) -> ConstantParameter {
    ConstantParameter {
        name,
        kind: ConstantKind::Double,
        default: DefaultValue::Required,
        accepts: Accepts::Anything,
        doc,
    }
}

pub static FUNCTION: ScalarFunction = ScalarFunction {
    definition: Definition {
        name: "overlap",
        family: "slices",
        form: Form::Scalar,
        description: "Returns how long two intervals overlap.",
        notes: "0 when they do not overlap, or when one of them ends before it begins. NULL gives NULL.",
        relations: &[],
        constants: &[
            argument("a0", "Start of the one."),
            argument("a1", "End of the one."),
            argument("b0", "Start of the other."),
            argument("b1", "End of the other."),
        ],
        columns: &[OutputColumn { name: "seconds", kind: "DOUBLE", doc: "Length of what they share." }],
        examples: &["SELECT overlap(1, 4, 3, 9) AS seconds"],
    },
    make: || ScalarUDF::from(Overlap::new()),
};

/// The scalar function.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Overlap {
    signature: Signature,
}

impl Overlap {
    fn new() -> Overlap {
        let names = FUNCTION.definition.constants.iter().map(|constant| constant.name).collect();
        let signature = Signature::exact(vec![DataType::Float64; 4], Volatility::Immutable)
            .with_parameter_names(names)
            .expect("four names for four arguments");
        Overlap { signature }
    }
}

/// `min(a1, b1) - max(a0, b0)`, but not less than 0.
fn overlap(a0: f64, a1: f64, b0: f64, b1: f64) -> f64 {
    (a1.min(b1) - a0.max(b0)).max(0.0)
}

impl ScalarUDFImpl for Overlap {
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
        let arrays = ColumnarValue::values_to_arrays(&arguments.args)?;
        let columns: Vec<&Float64Array> = arrays.iter().map(|array| array.as_primitive::<Float64Type>()).collect();
        let [a0, a1, b0, b1] = columns[..] else {
            return internal_err!("overlap takes four arguments");
        };
        let rows = a0.iter().zip(a1).zip(b0.iter().zip(b1));
        let shared: Float64Array = rows.map(|((a0, a1), (b0, b1))| Some(overlap(a0?, a1?, b0?, b1?))).collect();
        let shared: ArrayRef = Arc::new(shared);
        Ok(ColumnarValue::Array(shared))
    }
}
