//! `hide_unique_key(column)`: its argument, in a form that DataFusion does not look into.
//!
//! Plans call it on a key of an aggregate whose lists are unnested; see [`super::unnest`].

use arrow::datatypes::{DataType, FieldRef};
use datafusion::common::{Result, ScalarValue, internal_err};
use datafusion::logical_expr::interval_arithmetic::Interval;
use datafusion::logical_expr::preimage::PreimageResult;
use datafusion::logical_expr::simplify::SimplifyContext;
use datafusion::logical_expr::sort_properties::{ExprProperties, SortProperties};
use datafusion::logical_expr::{
    ColumnarValue, Expr, ReturnFieldArgs, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Volatility,
};

/// The argument of a call of [`hide_unique_key`]: in a condition it stands for the call.
pub(crate) fn argument_of_hide_unique_key(expression: &Expr) -> Option<&Expr> {
    match expression {
        Expr::ScalarFunction(call) if call.func.inner().downcast_ref::<HideUniqueKey>().is_some() => call.args.first(),
        _ => None,
    }
}

/// A function that gives its argument back.
pub(crate) fn hide_unique_key() -> ScalarUDF {
    ScalarUDF::from(HideUniqueKey { signature: Signature::any(1, Volatility::Immutable) })
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct HideUniqueKey {
    signature: Signature,
}

impl ScalarUDFImpl for HideUniqueKey {
    fn name(&self) -> &str {
        "hide_unique_key"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _arguments: &[DataType]) -> Result<DataType> {
        internal_err!("hide_unique_key has the field of its argument")
    }

    fn return_field_from_args(&self, arguments: ReturnFieldArgs) -> Result<FieldRef> {
        match arguments.arg_fields {
            [field] => Ok(FieldRef::clone(field)),
            _ => internal_err!("hide_unique_key takes one argument"),
        }
    }

    fn is_strict(&self) -> bool {
        true
    }

    fn invoke_with_args(&self, arguments: ScalarFunctionArgs) -> Result<ColumnarValue> {
        match <[ColumnarValue; 1]>::try_from(arguments.args) {
            Ok([argument]) => Ok(argument),
            Err(_) => internal_err!("hide_unique_key takes one argument"),
        }
    }

    fn output_ordering(&self, inputs: &[ExprProperties]) -> Result<SortProperties> {
        Ok(inputs.first().map_or(SortProperties::Unordered, |input| input.sort_properties))
    }

    // A condition on a whole number is one on the key itself, and reaches the scan.
    fn preimage(&self, arguments: &[Expr], value: &Expr, _context: &SimplifyContext) -> Result<PreimageResult> {
        let (Some(key), Expr::Literal(value, _)) = (arguments.first(), value) else {
            return Ok(PreimageResult::None);
        };
        let next = match value {
            ScalarValue::Int32(Some(number)) => number.checked_add(1).map(|next| ScalarValue::Int32(Some(next))),
            ScalarValue::Int64(Some(number)) => number.checked_add(1).map(|next| ScalarValue::Int64(Some(next))),
            _ => None,
        };
        let Some(next) = next else { return Ok(PreimageResult::None) };
        Ok(PreimageResult::Range { expr: key.clone(), interval: Box::new(Interval::try_new(value.clone(), next)?) })
    }
}
