//! `timestamp_of(seconds, origin)`: the date of a time of a trace.

#[cfg(test)]
mod tests;

use std::sync::Arc;

use arrow::array::{ArrayRef, AsArray, TimestampNanosecondArray};
use arrow::datatypes::{DataType, Float64Type, TimeUnit, TimestampNanosecondType};
use datafusion::common::{Result, ScalarValue, internal_err};
use datafusion::logical_expr::sort_properties::{ExprProperties, SortProperties};
use datafusion::logical_expr::{ColumnarValue, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Volatility};

use crate::functions::calls::definition::{
    Accepts, ConstantKind, ConstantParameter, DefaultValue, Definition, Form, OutputColumn,
};
use crate::functions::calls::sql_function::ScalarFunction;

pub static FUNCTION: ScalarFunction = ScalarFunction {
    definition: Definition {
        name: "timestamp_of",
        family: "time",
        form: Form::Scalar,
        description: "Returns the date of a time of a trace: its origin plus seconds.",
        notes: "The result is a TIMESTAMP in UTC with nanoseconds, for the time axes of dashboards. \
                The second argument is trace_info.origin; dated() reads it itself. \
                NULL and NaN give NULL. What lies before 1677 or after 2262 gives the first or last date that can be represented. \
                The optimizer sees through it: a filter on dates of stored times reads only the row groups of those times.",
        relations: &[],
        constants: &[
            ConstantParameter {
                name: "seconds",
                kind: ConstantKind::Double,
                default: DefaultValue::Required,
                accepts: Accepts::Anything,
                doc: "A time of the trace: start_time, slice_start and so on.",
            },
            ConstantParameter {
                name: "origin",
                kind: ConstantKind::Moment,
                default: DefaultValue::Required,
                accepts: Accepts::Anything,
                doc: "Date of time 0 of the trace, a TIMESTAMP.",
            },
        ],
        columns: &[OutputColumn { name: "timestamp", kind: "TIMESTAMP", doc: "The date." }],
        examples: &["SELECT timestamp_of(1.5, TIMESTAMP '2024-05-01T12:00:00Z') AS date"],
    },
    make: || ScalarUDF::from(TimestampOf::new()),
};

/// The type of dates.
fn date() -> DataType {
    DataType::Timestamp(TimeUnit::Nanosecond, Some(Arc::from("UTC")))
}

/// The scalar function.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct TimestampOf {
    signature: Signature,
}

impl TimestampOf {
    fn new() -> TimestampOf {
        let signature = Signature::exact(vec![DataType::Float64, date()], Volatility::Immutable)
            .with_parameter_names(vec!["seconds", "origin"])
            .expect("two names for two arguments");
        TimestampOf { signature }
    }

    /// A call with a constant origin, in nanoseconds since 1970.
    pub fn origin(nanoseconds: i64) -> ScalarValue {
        ScalarValue::TimestampNanosecond(Some(nanoseconds), Some(Arc::from("UTC")))
    }
}

/// Nanoseconds since 1970; later seconds never give an earlier date. `None` for NaN.
pub fn nanoseconds(seconds: f64, origin: i64) -> Option<i64> {
    // The cast stops at the first and last number that fit.
    (!seconds.is_nan()).then(|| ((seconds * 1e9).round() as i64).saturating_add(origin))
}

impl ScalarUDFImpl for TimestampOf {
    fn name(&self) -> &str {
        FUNCTION.definition.name
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _arguments: &[DataType]) -> Result<DataType> {
        Ok(date())
    }

    fn is_strict(&self) -> bool {
        true
    }

    fn invoke_with_args(&self, arguments: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let [seconds, origin] = arguments.args.as_slice() else {
            return internal_err!("timestamp_of takes two arguments");
        };
        let is_constant = matches!((seconds, origin), (ColumnarValue::Scalar(_), ColumnarValue::Scalar(_)));
        let rows = if is_constant { 1 } else { arguments.number_rows };
        let dates = dates(&seconds.to_array(rows)?, &origin.to_array(rows)?);
        match is_constant {
            true => Ok(ColumnarValue::Scalar(ScalarValue::try_from_array(&dates, 0)?)),
            false => Ok(ColumnarValue::Array(dates)),
        }
    }

    // Later seconds are later dates.
    fn output_ordering(&self, inputs: &[ExprProperties]) -> Result<SortProperties> {
        match inputs {
            [seconds, origin] if origin.sort_properties == SortProperties::Singleton => Ok(seconds.sort_properties),
            _ => Ok(SortProperties::Unordered),
        }
    }
}

fn dates(seconds: &ArrayRef, origins: &ArrayRef) -> ArrayRef {
    let seconds = seconds.as_primitive::<Float64Type>();
    let origins = origins.as_primitive::<TimestampNanosecondType>();
    let both = seconds.iter().zip(origins.iter());
    let dates: TimestampNanosecondArray = both.map(|(seconds, origin)| nanoseconds(seconds?, origin?)).collect();
    Arc::new(dates.with_timezone("UTC"))
}
