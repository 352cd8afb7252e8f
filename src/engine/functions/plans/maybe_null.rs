//! `maybe_null(value)`: its argument, which may be NULL.
//!
//! Plans call it on subqueries for one value. DataFusion takes such a value for never NULL when its column is not, and
//! forgets that there may be no row: `(SELECT 2 WHERE false)` is NULL.

use std::sync::Arc;

use arrow::datatypes::{DataType, Field, FieldRef};
use datafusion::common::{Result, internal_err};
use datafusion::logical_expr::{
    ColumnarValue, ReturnFieldArgs, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Volatility,
};

/// A function that gives its argument back.
pub(crate) fn maybe_null() -> ScalarUDF {
    ScalarUDF::from(MaybeNull { signature: Signature::any(1, Volatility::Immutable) })
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct MaybeNull {
    signature: Signature,
}

impl ScalarUDFImpl for MaybeNull {
    fn name(&self) -> &str {
        "maybe_null"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _arguments: &[DataType]) -> Result<DataType> {
        internal_err!("maybe_null has the field of its argument")
    }

    fn return_field_from_args(&self, arguments: ReturnFieldArgs) -> Result<FieldRef> {
        match arguments.arg_fields {
            [field] => Ok(Arc::new(Field::clone(field).with_nullable(true))),
            _ => internal_err!("maybe_null takes one argument"),
        }
    }

    fn invoke_with_args(&self, arguments: ScalarFunctionArgs) -> Result<ColumnarValue> {
        match <[ColumnarValue; 1]>::try_from(arguments.args) {
            Ok([argument]) => Ok(argument),
            Err(_) => internal_err!("maybe_null takes one argument"),
        }
    }
}
