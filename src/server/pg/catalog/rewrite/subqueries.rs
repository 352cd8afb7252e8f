//! Subqueries as values: DataFusion takes one that depends on the outer row only if it is an aggregate.

use sqlparser::ast::{BinaryOperator, Expr, FunctionArguments, GroupByExpr, Query, Select, SelectItem, SetExpr};

use super::empty_relations;
use super::raw_sql::raw;

/// `x = ANY (SELECT …)` is `x IN (SELECT …)`: its subquery is no single value.
pub(super) fn any_is_in(expression: &mut Expr) {
    let Expr::AnyOp { left, compare_op: BinaryOperator::Eq, right, .. } = expression else { return };
    let Expr::Subquery(_) = right.as_ref() else { return };
    let (left, right) = (std::mem::replace(left.as_mut(), raw("")), std::mem::replace(right.as_mut(), raw("")));
    if let Expr::Subquery(subquery) = right {
        *expression = Expr::InSubquery { expr: Box::new(left), subquery, negated: false };
    }
}

/// A subquery that is a value, or an array of values.
pub(super) fn one_value(expression: &mut Expr) {
    match expression {
        Expr::Subquery(query) => aggregate(query, "max"),
        Expr::Function(function) => {
            let is_array = function.name.to_string().eq_ignore_ascii_case("array");
            if let (true, FunctionArguments::Subquery(query)) = (is_array, &mut function.args) {
                aggregate(query, "array_agg");
                *expression = raw(format!("({query})"));
            }
        }
        _ => {}
    }
}

/// Makes the one column of a query the aggregate of itself, unless it is one already.
fn aggregate(query: &mut Query, function: &str) {
    let is_short = query.limit_clause.is_some() || query.fetch.is_some() || query.with.is_some();
    let SetExpr::Select(select) = query.body.as_mut() else { return };
    if is_short || is_aggregate(select) || !reads_catalogs(select) {
        return;
    }
    if let [SelectItem::UnnamedExpr(value) | SelectItem::ExprWithAlias { expr: value, .. }] =
        select.projection.as_mut_slice()
    {
        *value = raw(format!("{function}({value})"));
        select.distinct = None;
        query.order_by = None;
    }
}

fn is_aggregate(select: &Select) -> bool {
    let is_grouped = !matches!(&select.group_by, GroupByExpr::Expressions(keys, _) if keys.is_empty());
    is_grouped || select.projection.iter().any(|item| empty_relations::is_aggregate(&item.to_string()))
}

/// In queries of users a value of several rows stays the error that it is.
fn reads_catalogs(select: &Select) -> bool {
    let text = select.from.iter().map(ToString::to_string).collect::<String>();
    text.contains("pg_catalog.") || text.contains("information_schema.")
}
