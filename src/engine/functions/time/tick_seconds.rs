//! `tick_seconds(tick, ticks_per_second)`: what turns stored ticks into the seconds of every table.

#[cfg(test)]
mod tests;

use std::sync::Arc;

use arrow::array::{ArrayRef, AsArray, Float64Array};
use arrow::compute::{binary, try_unary};
use arrow::datatypes::{DataType, Field, FieldRef, Float64Type, Int64Type};
use datafusion::common::{Result, ScalarValue, exec_err, internal_err};
use datafusion::logical_expr::sort_properties::{ExprProperties, SortProperties};
use datafusion::logical_expr::{
    ColumnarValue, ReturnFieldArgs, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Volatility,
};

use crate::functions::calls::definition::{
    Accepts, ConstantKind, ConstantParameter, DefaultValue, Definition, Form, OutputColumn,
};
use crate::functions::calls::sql_function::ScalarFunction;

pub static FUNCTION: ScalarFunction = ScalarFunction {
    definition: Definition {
        name: "tick_seconds",
        family: "time",
        form: Form::Scalar,
        description: "Converts ticks to seconds.",
        notes: "The time columns of all tables are made by it, and the optimizer sees through it: a filter on \
                seconds reads only the row groups of those ticks. NULL gives NULL. \
                The second argument is trace_info.ticks_per_second.",
        relations: &[],
        constants: &[
            ConstantParameter {
                name: "tick",
                kind: ConstantKind::BigInt,
                default: DefaultValue::Required,
                accepts: Accepts::Anything,
                doc: "A count of ticks: start_tick, end_tick, tick, or a difference of them.",
            },
            ConstantParameter {
                name: "ticks_per_second",
                kind: ConstantKind::BigInt,
                default: DefaultValue::Required,
                accepts: Accepts::Between(1.0, i64::MAX as f64),
                doc: "How many ticks a second has; at least 1.",
            },
        ],
        columns: &[OutputColumn { name: "seconds", kind: "DOUBLE", doc: "The same time in seconds." }],
        examples: &["SELECT tick_seconds(1500000000, 1000000000) AS seconds"],
    },
    make: || ScalarUDF::from(TickSeconds::new()),
};

/// The scalar function.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct TickSeconds {
    signature: Signature,
}

impl TickSeconds {
    fn new() -> TickSeconds {
        let signature = Signature::exact(vec![DataType::Int64, DataType::Int64], Volatility::Immutable)
            .with_parameter_names(vec!["tick", "ticks_per_second"])
            .expect("two names for two arguments");
        TickSeconds { signature }
    }
}

/// The arithmetic of [`ocellus_trace::time::Resolution::seconds`].
fn seconds(tick: i64, ticks_per_second: i64) -> f64 {
    tick as f64 / ticks_per_second as f64
}

fn check(ticks_per_second: i64) -> Result<()> {
    if ticks_per_second < 1 {
        return exec_err!("tick_seconds: ticks_per_second must be at least 1, got {ticks_per_second}");
    }
    Ok(())
}

impl ScalarUDFImpl for TickSeconds {
    fn name(&self) -> &str {
        FUNCTION.definition.name
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _arguments: &[DataType]) -> Result<DataType> {
        Ok(DataType::Float64)
    }

    fn return_field_from_args(&self, arguments: ReturnFieldArgs) -> Result<FieldRef> {
        let nullable = arguments.arg_fields.iter().any(|field| field.is_nullable());
        Ok(Arc::new(Field::new(self.name(), DataType::Float64, nullable)))
    }

    fn is_strict(&self) -> bool {
        true
    }

    fn invoke_with_args(&self, arguments: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let [ticks, rate] = arguments.args.as_slice() else {
            return internal_err!("tick_seconds takes two arguments");
        };
        if let ColumnarValue::Scalar(ScalarValue::Int64(rate)) = rate {
            return with_constant_rate(ticks, *rate);
        }
        let ticks = ticks.to_array(arguments.number_rows)?;
        let rates = rate.to_array(arguments.number_rows)?;
        Ok(ColumnarValue::Array(with_rates(&ticks, &rates)?))
    }

    // More ticks are never fewer seconds, so sorted ticks are sorted seconds.
    fn output_ordering(&self, inputs: &[ExprProperties]) -> Result<SortProperties> {
        match inputs {
            [ticks, rate] if rate.sort_properties == SortProperties::Singleton => Ok(ticks.sort_properties),
            _ => Ok(SortProperties::Unordered),
        }
    }
}

fn with_constant_rate(ticks: &ColumnarValue, rate: Option<i64>) -> Result<ColumnarValue> {
    let Some(rate) = rate else {
        return Ok(ColumnarValue::Scalar(ScalarValue::Float64(None)));
    };
    check(rate)?;
    Ok(match ticks {
        ColumnarValue::Scalar(ScalarValue::Int64(tick)) => {
            ColumnarValue::Scalar(ScalarValue::Float64(tick.map(|tick| seconds(tick, rate))))
        }
        ColumnarValue::Scalar(_) => ColumnarValue::Scalar(ScalarValue::Float64(None)),
        ColumnarValue::Array(ticks) => {
            let ticks = ticks.as_primitive::<Int64Type>();
            ColumnarValue::Array(Arc::new(ticks.unary::<_, Float64Type>(|tick| seconds(tick, rate))))
        }
    })
}

fn with_rates(ticks: &ArrayRef, rates: &ArrayRef) -> Result<ArrayRef> {
    let rates = rates.as_primitive::<Int64Type>();
    // Values below a NULL are not looked at.
    try_unary::<_, _, Int64Type>(rates, |rate| {
        check(rate).map(|()| rate).map_err(|e| arrow::error::ArrowError::ComputeError(e.message().to_string()))
    })?;
    let seconds: Float64Array = binary(ticks.as_primitive::<Int64Type>(), rates, seconds)?;
    Ok(Arc::new(seconds))
}
