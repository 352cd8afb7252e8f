//! `sql_type_name(text)`: Arrow's name of a type becomes that of SQL: `Utf8View` is `TEXT`.
//!
//! Plans call it where DataFusion's own tables name types. A text that names no type stays as it is.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, StringArray};
use arrow::compute::cast;
use arrow::datatypes::{DataType, Field, FieldRef};
use datafusion::common::{Result, internal_err};
use datafusion::logical_expr::{
    ColumnarValue, ReturnFieldArgs, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Volatility,
};

use crate::catalog::type_name;

/// The function.
pub(crate) fn sql_type_name() -> ScalarUDF {
    ScalarUDF::from(SqlTypeName { signature: Signature::any(1, Volatility::Immutable) })
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct SqlTypeName {
    signature: Signature,
}

impl ScalarUDFImpl for SqlTypeName {
    fn name(&self) -> &str {
        "sql_type_name"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _arguments: &[DataType]) -> Result<DataType> {
        Ok(DataType::Utf8)
    }

    fn return_field_from_args(&self, arguments: ReturnFieldArgs) -> Result<FieldRef> {
        let is_nullable = arguments.arg_fields.iter().any(|field| field.is_nullable());
        Ok(Arc::new(Field::new(self.name(), DataType::Utf8, is_nullable)))
    }

    fn invoke_with_args(&self, arguments: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let [names] = arguments.args.as_slice() else { return internal_err!("sql_type_name takes one argument") };
        let names = cast(&names.to_array(arguments.number_rows)?, &DataType::Utf8)?;
        let Some(names) = names.as_any().downcast_ref::<StringArray>() else {
            return internal_err!("sql_type_name takes a text");
        };
        let renamed: StringArray = names.iter().map(|name| name.map(in_sql)).collect();
        Ok(ColumnarValue::Array(Arc::new(renamed) as ArrayRef))
    }
}

/// SQL's name of a type that Arrow names.
fn in_sql(name: &str) -> String {
    name.parse::<DataType>().map_or_else(|_| name.to_string(), |kind| type_name(&kind))
}
