//! `grouping_key(value, row)`: its first argument, of which nothing is known.
//!
//! Plans call it on the keys of GROUPING SETS, ROLLUP and CUBE. DataFusion takes a key that is constant or in order
//! below them for one above them too, but there it is NULL in some rows: sorts are left out, and groups end too early.
//! What is computed from constants is constant, so that the second argument is a call that has no arguments and
//! is not computed while planning.

use arrow::datatypes::{DataType, Field, FieldRef};
use datafusion::common::{Result, ScalarValue, internal_err};
use datafusion::logical_expr::{
    ColumnarValue, Expr, ReturnFieldArgs, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Volatility,
};

/// A key of which nothing is known.
pub(crate) fn hidden_key(key: Expr) -> Expr {
    grouping_key().call(vec![key, any_row().call(vec![])])
}

/// A function that gives its first argument back.
pub(crate) fn grouping_key() -> ScalarUDF {
    ScalarUDF::from(GroupingKey { signature: Signature::any(2, Volatility::Immutable) })
}

/// A function without arguments that differs, for all that is known, from row to row.
pub(crate) fn any_row() -> ScalarUDF {
    ScalarUDF::from(AnyRow { signature: Signature::nullary(Volatility::Volatile) })
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct GroupingKey {
    signature: Signature,
}

impl ScalarUDFImpl for GroupingKey {
    fn name(&self) -> &str {
        "grouping_key"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _arguments: &[DataType]) -> Result<DataType> {
        internal_err!("grouping_key has the field of its argument")
    }

    fn return_field_from_args(&self, arguments: ReturnFieldArgs) -> Result<FieldRef> {
        match arguments.arg_fields {
            [field, _] => Ok(FieldRef::clone(field)),
            _ => internal_err!("grouping_key takes two arguments"),
        }
    }

    fn invoke_with_args(&self, arguments: ScalarFunctionArgs) -> Result<ColumnarValue> {
        match <[ColumnarValue; 2]>::try_from(arguments.args) {
            Ok([key, _]) => Ok(key),
            Err(_) => internal_err!("grouping_key takes two arguments"),
        }
    }
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct AnyRow {
    signature: Signature,
}

impl ScalarUDFImpl for AnyRow {
    fn name(&self) -> &str {
        "any_row"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _arguments: &[DataType]) -> Result<DataType> {
        Ok(DataType::Boolean)
    }

    fn return_field_from_args(&self, _arguments: ReturnFieldArgs) -> Result<FieldRef> {
        Ok(Field::new(self.name(), DataType::Boolean, false).into())
    }

    fn invoke_with_args(&self, _arguments: ScalarFunctionArgs) -> Result<ColumnarValue> {
        Ok(ColumnarValue::Scalar(ScalarValue::Boolean(Some(true))))
    }
}
