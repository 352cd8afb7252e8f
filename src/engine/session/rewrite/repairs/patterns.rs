//! `SIMILAR TO`: the whole text must fit the pattern, `%` is any text and `_` any character.
//!
//! The planner takes the pattern for a regular expression that is found anywhere.

use datafusion::common::{DataFusionError, Result, plan_datafusion_err};
use sqlparser::ast::{BinaryOperator, Expr, Value};

/// The same as a match with a regular expression.
pub(super) fn repair(expression: &mut Expr) -> Result<()> {
    let Expr::SimilarTo { negated, expr, pattern, escape_char } = expression else { return Ok(()) };
    let text = match pattern.as_ref() {
        Expr::Value(value) => value.clone().into_string(),
        _ => None,
    };
    let (Some(text), None) = (text, escape_char) else {
        return Err(refused());
    };
    let op = if *negated { BinaryOperator::PGRegexNotMatch } else { BinaryOperator::PGRegexMatch };
    let expression_of = Expr::value(Value::SingleQuotedString(regular(&text)));
    let value = std::mem::replace(expr.as_mut(), Expr::value(Value::Null));
    *expression = Expr::Nested(Box::new(Expr::BinaryOp {
        left: Box::new(Expr::Nested(Box::new(value))),
        op,
        right: Box::new(expression_of),
    }));
    Ok(())
}

fn refused() -> DataFusionError {
    plan_datafusion_err!(
        "SIMILAR TO takes a pattern in quotes and no ESCAPE; `x ~ pattern` takes any regular expression"
    )
}

/// The pattern as a regular expression.
pub(super) fn regular(pattern: &str) -> String {
    let mut text = String::from("^(?s:");
    let mut characters = pattern.chars();
    let mut in_brackets = false;
    while let Some(character) = characters.next() {
        match character {
            '\\' => {
                text.push('\\');
                text.extend(characters.next());
            }
            ']' => {
                in_brackets = false;
                text.push(']');
            }
            other if in_brackets => text.push(other),
            '[' => {
                in_brackets = true;
                text.push('[');
            }
            '%' => text.push_str(".*"),
            '_' => text.push('.'),
            '.' | '^' | '$' => {
                text.push('\\');
                text.push(character);
            }
            other => text.push(other),
        }
    }
    text.push_str(")$");
    text
}
