//! `string_concat(a, b)`: the operator `a || b` of texts, as a function.
//!
//! Plans call it instead of the operator, so that the size of what it makes is bounded as that of other functions:
//! `SELECT x || x AS x FROM (SELECT x || x AS x FROM (…))` doubles a text at each level.

use std::sync::Arc;

use arrow::array::RecordBatch;
use arrow::array::RecordBatchOptions;
use arrow::datatypes::{DataType, Schema};
use datafusion::common::{Result, internal_err};
use datafusion::logical_expr::type_coercion::binary::BinaryTypeCoercer;
use datafusion::logical_expr::{
    ColumnarValue, Operator, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Volatility,
};
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_expr::expressions::{BinaryExpr, Column, Literal};

/// The operator as a function.
pub(crate) fn string_concat() -> ScalarUDF {
    ScalarUDF::from(StringConcat { signature: Signature::any(2, Volatility::Immutable) })
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct StringConcat {
    signature: Signature,
}

impl ScalarUDFImpl for StringConcat {
    fn name(&self) -> &str {
        "string_concat"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, arguments: &[DataType]) -> Result<DataType> {
        match arguments {
            [left, right] => BinaryTypeCoercer::new(left, &Operator::StringConcat, right).get_result_type(),
            _ => internal_err!("string_concat takes two arguments"),
        }
    }

    fn is_strict(&self) -> bool {
        true
    }

    fn invoke_with_args(&self, arguments: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let mut columns = vec![];
        let mut operands: Vec<Arc<dyn PhysicalExpr>> = vec![];
        let mut fields = vec![];
        for (argument, field) in arguments.args.into_iter().zip(&arguments.arg_fields) {
            match argument {
                ColumnarValue::Array(array) => {
                    operands.push(Arc::new(Column::new(field.name(), columns.len())));
                    columns.push(array);
                    fields.push(Arc::clone(field));
                }
                ColumnarValue::Scalar(value) => operands.push(Arc::new(Literal::new(value))),
            }
        }
        let [left, right] = operands.as_slice() else { return internal_err!("string_concat takes two arguments") };
        let operator = BinaryExpr::new(Arc::clone(left), Operator::StringConcat, Arc::clone(right));
        let rows = RecordBatchOptions::new().with_row_count(Some(arguments.number_rows));
        // Whether a column may have NULL is not asked here: an optimizer may know better than the field.
        let fields: Vec<_> = fields.iter().map(|field| field.as_ref().clone().with_nullable(true)).collect();
        operator.evaluate(&RecordBatch::try_new_with_options(Arc::new(Schema::new(fields)), columns, &rows)?)
    }
}
