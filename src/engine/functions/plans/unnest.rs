//! Rows from lists: the last step of a function that aggregates into lists.
//!
//! DataFusion keeps the keys of an aggregate as unique keys when lists are unnested above it, though
//! each then has many rows. It would take `ORDER BY key, other` for `ORDER BY key`, and leave keys out of a
//! GROUP BY. So one column of the keys goes through [`unkeyed`], which DataFusion does not look into.

use arrow::datatypes::{DataType, FieldRef};
use datafusion::common::{Column, Result, ScalarValue, internal_err};
use datafusion::logical_expr::interval_arithmetic::Interval;
use datafusion::logical_expr::preimage::PreimageResult;
use datafusion::logical_expr::simplify::SimplifyContext;
use datafusion::logical_expr::sort_properties::{ExprProperties, SortProperties};
use datafusion::logical_expr::{
    ColumnarValue, Expr, LogicalPlanBuilder, ReturnFieldArgs, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature,
    Volatility,
};

/// Unnests a column of lists. `keys` are the columns that the lists were grouped by.
pub(crate) fn unnest_lists(groups: LogicalPlanBuilder, list: &str, keys: &[&str]) -> Result<LogicalPlanBuilder> {
    let shown: Vec<Expr> = groups
        .schema()
        .iter()
        .map(|(qualifier, field)| {
            let column = Expr::Column(Column::new(qualifier.cloned(), field.name()));
            if keys.contains(&field.name().as_str()) {
                unkeyed().call(vec![column]).alias_qualified(qualifier.cloned(), field.name())
            } else {
                column
            }
        })
        .collect();
    groups.project(shown)?.unnest_column(list)
}

/// The argument of a call of [`unkeyed`]: in a condition it stands for the call.
pub(crate) fn argument_of_unkeyed(expression: &Expr) -> Option<&Expr> {
    match expression {
        Expr::ScalarFunction(call) if call.func.inner().downcast_ref::<Unkeyed>().is_some() => call.args.first(),
        _ => None,
    }
}

/// A function that gives its argument back.
pub(crate) fn unkeyed() -> ScalarUDF {
    ScalarUDF::from(Unkeyed { signature: Signature::any(1, Volatility::Immutable) })
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct Unkeyed {
    signature: Signature,
}

impl ScalarUDFImpl for Unkeyed {
    fn name(&self) -> &str {
        "unkeyed"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _arguments: &[DataType]) -> Result<DataType> {
        internal_err!("unkeyed has the field of its argument")
    }

    fn return_field_from_args(&self, arguments: ReturnFieldArgs) -> Result<FieldRef> {
        match arguments.arg_fields {
            [field] => Ok(FieldRef::clone(field)),
            _ => internal_err!("unkeyed takes one argument"),
        }
    }

    fn is_strict(&self) -> bool {
        true
    }

    fn invoke_with_args(&self, arguments: ScalarFunctionArgs) -> Result<ColumnarValue> {
        match <[ColumnarValue; 1]>::try_from(arguments.args) {
            Ok([argument]) => Ok(argument),
            Err(_) => internal_err!("unkeyed takes one argument"),
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
