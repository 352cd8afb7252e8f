//! Functions that other databases, DuckDB above all, call differently.
//!
//! | written | means |
//! |---|---|
//! | `list(x)` | `array_agg(x)` |
//! | `first(x)`, `last(x)` | `first_value(x)`, `last_value(x)` |
//! | `group_concat(x)`, `listagg(x)` | `string_agg(x, ',')` |
//! | `count_if(c)`, `countif(c)` | `count(*) FILTER (WHERE c)` |
//! | `arg_max(x, y)`, `max_by(x, y)` | `first_value(x ORDER BY y DESC) FILTER (WHERE x IS NOT NULL AND y IS NOT NULL)` |
//! | `arg_min(x, y)`, `min_by(x, y)` | the same, `ORDER BY y` |
//! | `list_value(…)` | `make_array(…)` |
//! | `regexp_matches(s, p)` | `regexp_like(s, p)` |
//!
//! A call in another form, such as `count_if(DISTINCT c)`, stays as it is and is refused by its own name.

#[cfg(test)]
mod tests;

use ocellus_planning::{Rewriter, copy_expression, rewrite};
use sqlparser::ast::{
    BinaryOperator, Expr, Function, FunctionArg, FunctionArgExpr, FunctionArgumentClause, FunctionArgumentList,
    FunctionArguments, Ident, ObjectName, OrderByExpr, OrderByOptions, Statement, Value,
};

/// The names that are understood here, for completion and suggestions.
pub(in crate::session) const SPELLINGS: &[&str] = &[
    "arg_max",
    "arg_min",
    "argmax",
    "argmin",
    "count_if",
    "countif",
    "first",
    "group_concat",
    "last",
    "list",
    "list_value",
    "listagg",
    "max_by",
    "min_by",
    "regexp_matches",
];

/// Replaces the calls of a statement.
pub(super) fn translate(statement: &mut Statement) {
    rewrite(statement, &mut FunctionSpellings);
}

struct FunctionSpellings;

impl Rewriter for FunctionSpellings {
    fn leave_expression(&mut self, expression: &mut Expr) {
        let Expr::Function(function) = expression else { return };
        let Some(name) = plain_name(function) else { return };
        match name.as_str() {
            "list" => rename(function, "array_agg"),
            "first" => rename(function, "first_value"),
            "last" => rename(function, "last_value"),
            "list_value" => rename(function, "make_array"),
            "regexp_matches" => rename(function, "regexp_like"),
            "group_concat" | "listagg" => joined_text(function),
            "string_agg" => joined_text(function),
            "count_if" | "countif" => counted_if(function),
            "arg_max" | "argmax" | "max_by" => value_at(function, Extreme::Largest),
            "arg_min" | "argmin" | "min_by" => value_at(function, Extreme::Smallest),
            _ => {}
        }
    }
}

/// Which end of an order is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Extreme {
    Smallest,
    Largest,
}

/// The name of a function that is written without a schema, in lower case.
fn plain_name(function: &Function) -> Option<String> {
    let [part] = function.name.0.as_slice() else { return None };
    part.as_ident().map(|name| name.value.to_lowercase())
}

fn rename(function: &mut Function, name: &str) {
    function.name = ObjectName::from(Ident::new(name));
}

fn arguments(function: &mut Function) -> Option<&mut FunctionArgumentList> {
    match &mut function.args {
        FunctionArguments::List(list) => Some(list),
        FunctionArguments::None | FunctionArguments::Subquery(_) => None,
    }
}

fn text_argument(text: &str) -> FunctionArg {
    let value = Value::SingleQuotedString(text.to_string());
    FunctionArg::Unnamed(FunctionArgExpr::Expr(Expr::Value(value.into())))
}

/// `string_agg` with a comma where no separator is given.
fn joined_text(function: &mut Function) {
    if let Some(list) = arguments(function)
        && list.args.len() == 1
    {
        list.args.push(text_argument(","));
    }
    rename(function, "string_agg");
}

/// The arguments of a call that has nothing but so many expressions.
fn expressions<const COUNT: usize>(function: &mut Function) -> Option<[Expr; COUNT]> {
    let list = arguments(function)?;
    if list.duplicate_treatment.is_some() || !list.clauses.is_empty() {
        return None;
    }
    let values = list.args.iter().map(|argument| match argument {
        FunctionArg::Unnamed(FunctionArgExpr::Expr(expression)) => Some(copy_expression(expression)),
        _ => None,
    });
    values.collect::<Option<Vec<Expr>>>()?.try_into().ok()
}

/// Adds a condition to the FILTER of a call.
fn add_filter(function: &mut Function, condition: Expr) {
    function.filter = Some(Box::new(match function.filter.take() {
        None => condition,
        Some(filter) => both(Expr::Nested(filter), Expr::Nested(Box::new(condition))),
    }));
}

fn both(left: Expr, right: Expr) -> Expr {
    Expr::BinaryOp { left: Box::new(left), op: BinaryOperator::And, right: Box::new(right) }
}

fn counted_if(function: &mut Function) {
    let Some([condition]) = expressions(function) else { return };
    function.args = FunctionArguments::List(FunctionArgumentList {
        duplicate_treatment: None,
        args: vec![FunctionArg::Unnamed(FunctionArgExpr::Wildcard)],
        clauses: vec![],
    });
    add_filter(function, condition);
    rename(function, "count");
}

/// The value in the row where another one is largest or smallest; rows where one of them is NULL do not count.
fn value_at(function: &mut Function, extreme: Extreme) {
    if function.over.is_some() {
        return;
    }
    let Some([value, order]) = expressions(function) else { return };
    let is_known = |expression: &Expr| Expr::IsNotNull(Box::new(Expr::Nested(Box::new(copy_expression(expression)))));
    let both_known = both(is_known(&value), is_known(&order));
    let options = OrderByOptions { asc: Some(extreme == Extreme::Smallest), nulls_first: None };
    function.args = FunctionArguments::List(FunctionArgumentList {
        duplicate_treatment: None,
        args: vec![FunctionArg::Unnamed(FunctionArgExpr::Expr(value))],
        clauses: vec![FunctionArgumentClause::OrderBy(vec![OrderByExpr { expr: order, options, with_fill: None }])],
    });
    add_filter(function, both_known);
    rename(function, "first_value");
}
