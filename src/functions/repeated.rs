//! `repeated(key)`: a grouping key after the list of its group was unnested, where it is a key no more.
//!
//! DataFusion keeps calling it one (apache/datafusion#24787) and then drops `DISTINCT`, cuts `ORDER BY
//! key, other` short and makes a join a semi-join. It does not look for keys behind a function.

use std::sync::{Arc, LazyLock};

use arrow::datatypes::{DataType, FieldRef};
use datafusion::common::{Result, ScalarValue, internal_err};
use datafusion::logical_expr::interval_arithmetic::Interval;
use datafusion::logical_expr::preimage::PreimageResult;
use datafusion::logical_expr::simplify::SimplifyContext;
use datafusion::logical_expr::sort_properties::{ExprProperties, SortProperties};
use datafusion::logical_expr::{
    ColumnarValue, Expr, ReturnFieldArgs, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Volatility,
};

static REPEATED: LazyLock<Arc<ScalarUDF>> = LazyLock::new(|| Arc::new(ScalarUDF::from(Repeated::new())));

/// The same value, of which the optimizer does not know that it was a key.
pub(super) fn repeated(key: Expr) -> Expr {
    REPEATED.call(vec![key])
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct Repeated {
    signature: Signature,
}

impl Repeated {
    fn new() -> Repeated {
        Repeated { signature: Signature::any(1, Volatility::Immutable) }
    }
}

impl ScalarUDFImpl for Repeated {
    fn name(&self) -> &str {
        "repeated"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _arguments: &[DataType]) -> Result<DataType> {
        internal_err!("repeated has the field of its argument")
    }

    fn return_field_from_args(&self, arguments: ReturnFieldArgs) -> Result<FieldRef> {
        match arguments.arg_fields {
            [field] => Ok(Arc::clone(field)),
            _ => internal_err!("repeated takes one argument"),
        }
    }

    fn is_strict(&self) -> bool {
        true
    }

    fn invoke_with_args(&self, arguments: ScalarFunctionArgs) -> Result<ColumnarValue> {
        match arguments.args.into_iter().next() {
            Some(value) => Ok(value),
            None => internal_err!("repeated takes one argument"),
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
