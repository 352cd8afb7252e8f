//! What reads a table that never has a row gives no rows itself, whatever else it says.
//!
//! Such a SELECT keeps the names of its columns and loses the rest: `SELECT NULL AS a WHERE false`. As a
//! value it is NULL, EXISTS of it is false, ARRAY of it is empty.

use std::collections::BTreeSet;

use sqlparser::ast::{
    BinaryOperator, Expr, GroupByExpr, Ident, JoinOperator, Query, Select, SelectItem, SetExpr, SetOperator,
};
use sqlparser::ast::{FunctionArg, FunctionArguments, TableFactor, TableWithJoins};

use super::super::system;
use super::casts::column;
use super::names::last;
use super::raw_sql::{raw, raw_text};

/// Columns that are NULL in every row: nobody grants, and nothing has options.
const ALWAYS_NULL: &[&str] = &[
    "attacl",
    "attfdwoptions",
    "attoptions",
    "datacl",
    "evttags",
    "lanacl",
    "nspacl",
    "proacl",
    "relacl",
    "reloptions",
    "rolconfig",
    "setconfig",
    "spcacl",
    "spcoptions",
    "typacl",
];

/// Aggregates: without GROUP BY they give a row of NULLs.
const AGGREGATES: &[&str] = &[
    "array_agg(",
    "avg(",
    "bool_and(",
    "bool_or(",
    "count(",
    "every(",
    "json_agg(",
    "jsonb_agg(",
    "max(",
    "min(",
    "string_agg(",
    "sum(",
];

/// Whether a SELECT can give no rows.
pub(super) fn is_empty(select: &Select, empty: &BTreeSet<String>) -> bool {
    let is_grouped = match &select.group_by {
        GroupByExpr::Expressions(keys, _) => !keys.is_empty(),
        GroupByExpr::All(_) => true,
    };
    let is_aggregate = select.projection.iter().any(|item| is_aggregate(&item.to_string()));
    let has_wildcard = select
        .projection
        .iter()
        .any(|item| matches!(item, SelectItem::Wildcard(_) | SelectItem::QualifiedWildcard(..)));
    !has_wildcard && (is_grouped || !is_aggregate) && select.from.iter().any(|from| is_empty_from(from, empty))
}

/// Whether an expression holds an aggregate, not counting its subqueries.
pub(super) fn is_aggregate(text: &str) -> bool {
    let mut own = text.to_lowercase();
    while let Some(start) = own.find("(select ") {
        let mut depth = 0;
        let end = own[start..].char_indices().find(|(_, letter)| {
            depth += match letter {
                '(' => 1,
                ')' => -1,
                _ => 0,
            };
            depth == 0
        });
        own.replace_range(start..end.map_or(own.len(), |(end, _)| start + end + 1), "");
    }
    AGGREGATES.iter().any(|call| own.contains(call))
}

fn is_empty_from(from: &TableWithJoins, empty: &BTreeSet<String>) -> bool {
    let mut is_empty = is_empty_table(&from.relation, empty);
    for join in &from.joins {
        let right = is_empty_table(&join.relation, empty);
        is_empty = match join.join_operator {
            JoinOperator::Join(_) | JoinOperator::Inner(_) | JoinOperator::CrossJoin(_) => is_empty || right,
            JoinOperator::Left(_) | JoinOperator::LeftOuter(_) => is_empty,
            JoinOperator::Right(_) | JoinOperator::RightOuter(_) => right,
            JoinOperator::FullOuter(_) => is_empty && right,
            _ => false,
        };
    }
    is_empty
}

fn is_empty_table(table: &TableFactor, empty: &BTreeSet<String>) -> bool {
    match table {
        TableFactor::Table { name, args: None, .. } => {
            let table = last(name);
            let is_catalog = name.0.len() == 2 && name.0[0].to_string().eq_ignore_ascii_case("pg_catalog");
            (is_catalog && system::is_empty(&table)) || (name.0.len() == 1 && empty.contains(&table))
        }
        TableFactor::Table { name, args: Some(args), .. } => {
            let given: Vec<String> = args.args.iter().map(ToString::to_string).collect();
            last(name) == "unnest" && given.iter().any(|text| is_always_null(text))
        }
        TableFactor::UNNEST { array_exprs, .. } => array_exprs.iter().any(|array| is_always_null(&array.to_string())),
        TableFactor::Derived { subquery, .. } => is_empty_query(subquery),
        TableFactor::NestedJoin { table_with_joins, .. } => is_empty_from(table_with_joins, empty),
        _ => false,
    }
}

fn is_always_null(column: &str) -> bool {
    let name = column.rsplit('.').next().unwrap_or_default().to_lowercase();
    ALWAYS_NULL.contains(&name.as_str())
}

/// Leaves the names of the columns of a SELECT without rows.
pub(super) fn fold(select: &mut Select) {
    let mut taken: Vec<String> = vec![];
    for (item, place) in select.projection.iter_mut().zip(1..) {
        let name = match &*item {
            SelectItem::ExprWithAlias { alias, .. } => alias.to_string(),
            SelectItem::UnnamedExpr(expression) => match column(expression) {
                Some(name) if raw_text(expression) != Some("NULL") && !name.contains('(') => name.to_string(),
                _ => format!("column{place}"),
            },
            _ => format!("column{place}"),
        };
        let name = if taken.contains(&name) { format!("column{place}") } else { name };
        *item = SelectItem::ExprWithAlias { expr: raw("NULL"), alias: Ident::new(&name) };
        taken.push(name);
    }
    select.distinct = None;
    select.from = vec![];
    select.selection = Some(raw("false"));
    select.group_by = GroupByExpr::Expressions(vec![], vec![]);
    select.having = None;
    select.named_window = vec![];
}

/// Whether a query was found to give no rows.
pub(super) fn is_empty_query(query: &Query) -> bool {
    is_empty_body(&query.body)
}

fn is_empty_body(body: &SetExpr) -> bool {
    match body {
        SetExpr::Select(select) => {
            select.from.is_empty() && select.selection.as_ref().and_then(raw_text) == Some("false")
        }
        SetExpr::Query(query) => is_empty_query(query),
        SetExpr::SetOperation { op, left, right, .. } => match op {
            SetOperator::Union => is_empty_body(left) && is_empty_body(right),
            SetOperator::Intersect => is_empty_body(left) || is_empty_body(right),
            _ => is_empty_body(left),
        },
        _ => false,
    }
}

/// What is known of an expression without asking.
pub(super) fn decide(expression: &mut Expr) {
    match expression {
        Expr::Subquery(query) if is_empty_query(query) => *expression = raw("NULL"),
        Expr::Exists { subquery, negated } if is_empty_query(subquery) => *expression = truth(*negated),
        Expr::InSubquery { subquery, negated, .. } if is_empty_query(subquery) => *expression = truth(*negated),
        // Grafana takes the search path apart, in ORDER BY too, where DataFusion knows no subqueries.
        Expr::InSubquery { expr, subquery, negated: false }
            if subquery.to_string().contains("current_setting('search_path')") =>
        {
            *expression = raw(format!("({expr} = current_schema())"));
        }
        Expr::Function(function) => match &function.args {
            FunctionArguments::Subquery(query) if is_empty_query(query) => *expression = raw("CAST(ARRAY[] AS TEXT[])"),
            // An array that may be missing: the literal '{}' is text for DataFusion.
            FunctionArguments::List(list) if last(&function.name) == "coalesce" => {
                if let [array, FunctionArg::Unnamed(otherwise)] = list.args.as_slice()
                    && otherwise.to_string() == "'{}'"
                {
                    *expression = raw(array.to_string());
                }
            }
            _ => {}
        },
        // There are neither domains nor composite types.
        Expr::BinaryOp { left, op: BinaryOperator::Eq, right }
            if column(left) == Some("typtype") && ["'d'", "'c'"].contains(&right.to_string().as_str()) =>
        {
            *expression = truth(false);
        }
        Expr::Case { operand: None, conditions, else_result, .. } => {
            conditions.retain(|condition| raw_text(&condition.condition) != Some("false"));
            if conditions.is_empty() {
                let otherwise = else_result.as_ref().map_or("NULL".to_string(), |otherwise| format!("({otherwise})"));
                *expression = raw(otherwise);
            }
        }
        _ => {}
    }
}

fn truth(value: bool) -> Expr {
    raw(if value { "true" } else { "false" })
}
