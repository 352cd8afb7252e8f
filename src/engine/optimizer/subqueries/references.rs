//! Which columns of the outer query a subquery refers to, and from where.

use std::sync::Arc;

use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode, TreeNodeRecursion};
use datafusion::common::{Column, DFSchema, DFSchemaRef, Result};
use datafusion::logical_expr::expr::{Exists, InSubquery, SetComparison};
use datafusion::logical_expr::utils::split_conjunction;
use datafusion::logical_expr::{BinaryExpr, Expr, Join, LogicalPlan, Operator, Subquery};

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
    subquery_of(expression).is_some()
}

fn subquery_of(expression: &Expr) -> Option<&Subquery> {
    match expression {
        Expr::Exists(Exists { subquery, .. })
        | Expr::InSubquery(InSubquery { subquery, .. })
        | Expr::SetComparison(SetComparison { subquery, .. })
        | Expr::ScalarSubquery(subquery) => Some(subquery),
        _ => None,
    }
}

/// An expression with another subquery, if it is one.
pub(super) fn map_subquery(
    expression: Expr,
    changed: impl FnOnce(Subquery) -> Result<Subquery>,
) -> Result<Transformed<Expr>> {
    Ok(Transformed::yes(match expression {
        Expr::Exists(Exists { subquery, negated }) => Expr::Exists(Exists { subquery: changed(subquery)?, negated }),
        Expr::InSubquery(InSubquery { expr, subquery, negated }) => {
            Expr::InSubquery(InSubquery { expr, subquery: changed(subquery)?, negated })
        }
        Expr::SetComparison(SetComparison { expr, subquery, op, quantifier }) => {
            Expr::SetComparison(SetComparison { expr, subquery: changed(subquery)?, op, quantifier })
        }
        Expr::ScalarSubquery(subquery) => Expr::ScalarSubquery(changed(subquery)?),
        other => return Ok(Transformed::no(other)),
    }))
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
    references_past(&[], outer, query)
}

/// The same for a query that other queries are around: a column of theirs hides one of `outer` by that name.
pub(super) fn references_past(around: &[DFSchemaRef], outer: &DFSchema, query: &LogicalPlan) -> Vec<Column> {
    let mut found = vec![];
    // The closure does not fail.
    let _ = visit_references(query, around, &mut |column| {
        if outer.has_column(column) && !found.contains(column) {
            found.push(column.clone());
        }
    });
    found
}

/// Visits the outer columns that none of the queries between has, the nearest of which are last.
fn visit_references(query: &LogicalPlan, around: &[DFSchemaRef], visit: &mut dyn FnMut(&Column)) -> Result<()> {
    query.apply(|node| {
        node.apply_expressions(|expression| {
            expression.apply(|part| {
                if let Expr::OuterReferenceColumn(_, column) = part
                    && !has_column(around, column)
                {
                    visit(column);
                }
                if let Some(inner) = subquery_of(part) {
                    visit_references(&inner.subquery, &with_inputs(around, node), visit)?;
                }
                Ok(TreeNodeRecursion::Continue)
            })
        })?;
        match node {
            LogicalPlan::Join(join) if is_lateral(&join.right) => {
                visit_references(&join.left, around, visit)?;
                visit_references(&join.right, &around_right(around, join), visit)?;
                Ok(TreeNodeRecursion::Jump)
            }
            _ => Ok(TreeNodeRecursion::Continue),
        }
    })?;
    Ok(())
}

/// A subquery with other outer columns, where there are others and no query between has the old ones.
pub(super) fn with_references(
    subquery: Subquery,
    around: &[DFSchemaRef],
    other: &dyn Fn(&Column) -> Option<Column>,
) -> Result<Subquery> {
    let plan = plan_with_references(subquery.subquery.as_ref().clone(), around, other)?;
    let outer_ref_columns = plan.all_out_ref_exprs();
    Ok(Subquery { subquery: Arc::new(plan), outer_ref_columns, spans: subquery.spans })
}

fn plan_with_references(
    plan: LogicalPlan,
    around: &[DFSchemaRef],
    other: &dyn Fn(&Column) -> Option<Column>,
) -> Result<LogicalPlan> {
    plan.transform_down(|node| {
        let around_inner = with_inputs(around, &node);
        let node = node.map_expressions(|expression| {
            expression.transform_up(|part| match part {
                Expr::OuterReferenceColumn(field, column) if !has_column(around, &column) => {
                    let column = other(&column).unwrap_or(column);
                    Ok(Transformed::yes(Expr::OuterReferenceColumn(field, column)))
                }
                part => map_subquery(part, |inner| with_references(inner, &around_inner, other)),
            })
        });
        match node.data()? {
            LogicalPlan::Join(mut join) if is_lateral(&join.right) => {
                let around_right = around_right(around, &join);
                join.left = Arc::new(plan_with_references(Arc::unwrap_or_clone(join.left), around, other)?);
                join.right = Arc::new(plan_with_references(Arc::unwrap_or_clone(join.right), &around_right, other)?);
                Ok(Transformed::new(LogicalPlan::Join(join), true, TreeNodeRecursion::Jump))
            }
            node => Ok(Transformed::yes(node)),
        }
    })
    .data()
}

fn has_column(queries: &[DFSchemaRef], column: &Column) -> bool {
    queries.iter().any(|query| query.has_column(column))
}

/// What is around a subquery in an expression of a node.
pub(super) fn with_inputs(around: &[DFSchemaRef], node: &LogicalPlan) -> Vec<DFSchemaRef> {
    around.iter().chain(node.inputs().into_iter().map(LogicalPlan::schema)).cloned().collect()
}

/// What is around the right side of a join: the left one, if it may refer to that.
pub(super) fn around_right(around: &[DFSchemaRef], join: &Join) -> Vec<DFSchemaRef> {
    let left = is_lateral(&join.right).then(|| join.left.schema());
    around.iter().chain(left).cloned().collect()
}

fn is_lateral(right: &LogicalPlan) -> bool {
    match right {
        LogicalPlan::Subquery(_) => true,
        LogicalPlan::SubqueryAlias(of) => is_lateral(&of.input),
        _ => false,
    }
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
/// DataFusion makes the right joins of such queries; not so below an alias, which would have to show what is compared.
pub(super) fn is_plain(query: &LogicalPlan) -> Result<bool> {
    if !refers_out(query)? {
        return Ok(true);
    }
    match query {
        LogicalPlan::Filter(filter) => Ok(!has_subquery(&filter.predicate) && is_plain(&filter.input)?),
        LogicalPlan::Projection(of) => Ok(!of.expr.iter().any(Expr::contains_outer) && is_plain(&of.input)?),
        _ => Ok(false),
    }
}

/// Whether a query for one value is an aggregate of rows that are picked by equality with outer columns.
pub(super) fn is_plain_value(query: &LogicalPlan) -> Result<bool> {
    match query {
        LogicalPlan::Projection(of) => Ok(!of.expr.iter().any(Expr::contains_outer) && is_plain_value(&of.input)?),
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
