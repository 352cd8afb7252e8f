//! Evaluates and checks the constant arguments of table functions, while the query is planned.

use std::sync::Arc;

use arrow::datatypes::{DataType, TimeUnit};
use datafusion::common::{DFSchema, Result, ScalarValue};
use datafusion::logical_expr::Expr as LogicalExpr;
use datafusion::logical_expr::planner::RelationPlannerContext;
use datafusion::logical_expr::simplify::SimplifyContext;
use datafusion::optimizer::simplify_expressions::ExprSimplifier;
use sqlparser::ast::{Expr, Spanned};

use super::argument_error::error_at;
use super::call::Constant;
use super::definition::{Accepts, ConstantKind, ConstantParameter, DefaultValue, Definition};
use crate::catalog::did_you_mean;

/// The value of a constant argument, or the parameter's default.
pub(crate) fn evaluate(
    definition: &Definition,
    parameter: &ConstantParameter,
    argument: Option<&Expr>,
    context: &mut dyn RelationPlannerContext,
) -> Result<Option<Constant>> {
    let Some(argument) = argument else {
        return Ok(default_of(parameter));
    };
    let refuse = |wanted: String| {
        let message = format!("{}: {} must be {wanted}, got {argument}", definition.name, parameter.name);
        error_at(argument.span(), message)
    };
    let value =
        fold(argument, context).ok_or_else(|| refuse(format!("a constant of type {}", parameter.kind.name())))?;
    if value.is_null() {
        return match parameter.default {
            DefaultValue::Absent => Ok(None),
            _ => Err(refuse(format!("a {}", parameter.kind.name()))),
        };
    }
    let constant = convert(&value, parameter.kind).ok_or_else(|| refuse(format!("a {}", parameter.kind.name())))?;
    if !accepts(parameter.accepts, &constant) {
        let mut wanted = parameter.accepts.to_string();
        if let (Accepts::OneOf(choices), Constant::Text(text)) = (parameter.accepts, &constant) {
            wanted.push_str(&did_you_mean(text, choices.iter().copied()).replace("; ", " ("));
            if wanted.ends_with('?') {
                wanted.push(')');
            }
        }
        return Err(refuse(wanted));
    }
    Ok(Some(constant))
}

pub(crate) fn default_of(parameter: &ConstantParameter) -> Option<Constant> {
    match parameter.default {
        DefaultValue::Required | DefaultValue::Absent => None,
        DefaultValue::Double(value) => Some(Constant::Double(value)),
        DefaultValue::BigInt(value) => Some(Constant::BigInt(value)),
        DefaultValue::Text(value) => Some(Constant::Text(value.to_string())),
        DefaultValue::Boolean(value) => Some(Constant::Boolean(value)),
    }
}

/// The value of an expression without columns; `None` when it has none before the query runs.
fn fold(argument: &Expr, context: &mut dyn RelationPlannerContext) -> Option<ScalarValue> {
    let schema = Arc::new(DFSchema::empty());
    let expression = context.sql_to_expr(ocellus_planning::copy_expression(argument), &schema).ok()?;
    let simplifier = ExprSimplifier::new(SimplifyContext::builder().with_schema(Arc::clone(&schema)).build());
    let expression = simplifier.coerce(expression, &schema).ok()?;
    match simplifier.simplify(expression).ok()? {
        LogicalExpr::Literal(value, _) => Some(value),
        _ => None,
    }
}

fn convert(value: &ScalarValue, kind: ConstantKind) -> Option<Constant> {
    let given = value.data_type();
    let is_text = matches!(given, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View);
    match kind {
        ConstantKind::Moment if is_text || matches!(given, DataType::Timestamp(_, _) | DataType::Date32) => {
            let date = DataType::Timestamp(TimeUnit::Nanosecond, Some(Arc::from("UTC")));
            match value.cast_to(&date).ok()? {
                ScalarValue::TimestampNanosecond(value, _) => value.map(Constant::Timestamp),
                _ => None,
            }
        }
        ConstantKind::Double | ConstantKind::Moment if given.is_numeric() => {
            match value.cast_to(&DataType::Float64).ok()? {
                ScalarValue::Float64(value) => value.map(Constant::Double),
                _ => None,
            }
        }
        ConstantKind::BigInt | ConstantKind::TextOrBigInt if given.is_integer() => {
            match value.cast_to(&DataType::Int64).ok()? {
                ScalarValue::Int64(value) => value.map(Constant::BigInt),
                _ => None,
            }
        }
        ConstantKind::Text | ConstantKind::TextOrBigInt if is_text => match value.cast_to(&DataType::Utf8).ok()? {
            ScalarValue::Utf8(value) => value.map(Constant::Text),
            _ => None,
        },
        ConstantKind::Boolean => match value {
            ScalarValue::Boolean(value) => value.map(Constant::Boolean),
            _ => None,
        },
        _ => None,
    }
}

fn accepts(accepted: Accepts, constant: &Constant) -> bool {
    let number = match constant {
        Constant::Double(value) => Some(*value),
        Constant::BigInt(value) => Some(*value as f64),
        _ => None,
    };
    match (accepted, number, constant) {
        (Accepts::Finite, Some(number), _) => number.is_finite(),
        (Accepts::Between(least, most), Some(number), _) => (least..=most).contains(&number),
        (Accepts::TreeDepth, Some(number), _) => number >= 0.0,
        (Accepts::OneOf(choices), _, Constant::Text(text)) => choices.contains(&text.as_str()),
        _ => true,
    }
}
