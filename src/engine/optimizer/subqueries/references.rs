//! Which columns of the outer query a subquery refers to, and from where.

use datafusion::common::tree_node::{TreeNode, TreeNodeRecursion};
use datafusion::common::{Column, DFSchema, Result};
use datafusion::logical_expr::utils::split_conjunction;
use datafusion::logical_expr::{BinaryExpr, Expr, LogicalPlan, Operator};

/// Whether a plan has subqueries at all.
pub(super) fn has_subqueries(plan: &LogicalPlan) -> Result<bool> {
    let mut is_found = false;
    plan.apply(|node| {
        is_found |= matches!(node, LogicalPlan::Subquery(_));
        node.apply_expressions(|expression| {
            is_found |= expression.exists(|part| Ok(is_subquery(part)))?;
            Ok(TreeNodeRecursion::Continue)
        })
    })?;
    Ok(is_found)
}

fn is_subquery(expression: &Expr) -> bool {
    matches!(expression, Expr::Exists(_) | Expr::InSubquery(_) | Expr::SetComparison(_) | Expr::ScalarSubquery(_))
}

/// Whether a subquery is a part of an expression.
pub(super) fn has_subquery(expression: &Expr) -> bool {
    // The closure does not fail.
    expression.exists(|part| Ok(is_subquery(part))).unwrap_or(false)
}

/// Whether a subquery that is true, false or unknown is a part of an expression.
pub(super) fn is_predicate(expression: &Expr) -> bool {
    let is_one = |part: &Expr| is_subquery(part) && !matches!(part, Expr::ScalarSubquery(_));
    expression.exists(|part| Ok(is_one(part))).unwrap_or(false)
}

/// The columns of `outer` that a query refers to, also from queries within it; each once.
pub(super) fn references_to(outer: &DFSchema, query: &LogicalPlan) -> Vec<Column> {
    let mut found = vec![];
    // The closures do not fail.
    let _ = query.apply_with_subqueries(|node| {
        node.apply_expressions(|expression| {
            expression.apply(|part| {
                if let Expr::OuterReferenceColumn(_, column) = part
                    && outer.has_column(column)
                    && !found.contains(column)
                {
                    found.push(column.clone());
                }
                Ok(TreeNodeRecursion::Continue)
            })
        })
    });
    found
}

/// Whether a query refers to outer columns at all, of whichever query.
fn refers_out(query: &LogicalPlan) -> Result<bool> {
    let mut is_found = false;
    query.apply_with_subqueries(|node| {
        is_found |= node.contains_outer_reference();
        Ok(if is_found { TreeNodeRecursion::Stop } else { TreeNodeRecursion::Continue })
    })?;
    Ok(is_found)
}

/// Whether outer columns only pick rows: they stand in conditions, and above these are conditions and columns alone.
/// DataFusion makes the right joins of such queries.
pub(super) fn is_plain(query: &LogicalPlan) -> Result<bool> {
    if !refers_out(query)? {
        return Ok(true);
    }
    match query {
        LogicalPlan::Filter(filter) => Ok(!has_subquery(&filter.predicate) && is_plain(&filter.input)?),
        LogicalPlan::Projection(of) => Ok(!of.expr.iter().any(Expr::contains_outer) && is_plain(&of.input)?),
        LogicalPlan::SubqueryAlias(of) => is_plain(&of.input),
        _ => Ok(false),
    }
}

/// Whether a query for one value is an aggregate of rows that are picked by equality with outer columns.
pub(super) fn is_plain_value(query: &LogicalPlan) -> Result<bool> {
    match query {
        LogicalPlan::Projection(of) => Ok(!of.expr.iter().any(Expr::contains_outer) && is_plain_value(&of.input)?),
        LogicalPlan::SubqueryAlias(of) => is_plain_value(&of.input),
        LogicalPlan::Aggregate(of) => {
            let functions_refer = of.aggr_expr.iter().any(Expr::contains_outer);
            Ok(of.group_expr.is_empty() && !functions_refer && is_plain(&of.input)? && picks_by_equality(&of.input)?)
        }
        _ => Ok(false),
    }
}

fn picks_by_equality(query: &LogicalPlan) -> Result<bool> {
    let mut is_equality = true;
    query.apply(|node| {
        if let LogicalPlan::Filter(filter) = node {
            let referring =
                split_conjunction(&filter.predicate).into_iter().filter(|condition| condition.contains_outer());
            is_equality &= referring.into_iter().all(is_equality_with_outer);
        }
        Ok(TreeNodeRecursion::Continue)
    })?;
    Ok(is_equality)
}

fn is_equality_with_outer(condition: &Expr) -> bool {
    let is_pair = |inner: &Expr, outer: &Expr| matches!(inner, Expr::Column(_)) && !outer.any_column_refs();
    match condition {
        Expr::BinaryExpr(BinaryExpr { left, op: Operator::Eq, right }) => is_pair(left, right) || is_pair(right, left),
        _ => false,
    }
}
