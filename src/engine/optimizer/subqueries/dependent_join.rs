//! Subqueries that refer to columns of the outer query, as joins.
//!
//! The subquery is answered once for each combination of values that these columns have, its domain. The domain is
//! joined to the tables of the subquery and carried upwards through its operators: groups, windows and limits are
//! per combination then. The answers are joined to the outer rows by the same columns.
//!
//! ```text
//!  outer o                        join on o.a = d.a
//!    (SELECT max(x)                 o
//!     FROM t            ─►          max(x) GROUP BY d.a
//!     WHERE t.y < o.a)                WHERE t.y < d.a
//!                                       t × d,   d = SELECT DISTINCT a FROM o
//! ```
//! After T. Neumann and A. Kemper, Unnesting Arbitrary Queries, BTW 2015.

use datafusion::common::{Column, JoinType, Result, internal_err};
use datafusion::functions_aggregate::expr_fn::count;
use datafusion::logical_expr::expr::SetQuantifier;
use datafusion::logical_expr::expr_fn::when;
use datafusion::logical_expr::{Expr, LogicalPlan, LogicalPlanBuilder, Operator, binary_expr, lit};

use super::carried::Carrier;
use super::domain::{Domain, named};
use super::sets::{unknown, value_of};

/// `EXISTS (query)`
pub(super) fn exists(rows: &LogicalPlan, query: &LogicalPlan, name: &str) -> Result<(LogicalPlan, Expr)> {
    let domain = Domain::of(rows, query, None, name)?;
    let found = Column::new(Some(name), format!("{name}_found"));
    let answers = LogicalPlanBuilder::from(Carrier::of(&domain, name).carry(query)?)
        .project(domain.expressions())?
        .distinct()?
        .project(domain.expressions().into_iter().chain([named(lit(true), &found)]))?
        .build()?;
    Ok((domain.joined(rows, answers, JoinType::Left, None)?, Expr::Column(found).is_not_null()))
}

/// `value operator ANY|ALL (query)`
pub(super) fn compare(
    rows: &LogicalPlan,
    query: &LogicalPlan,
    value: Expr,
    (operator, quantifier): (Operator, SetQuantifier),
    name: &str,
) -> Result<(LogicalPlan, Expr)> {
    let domain = Domain::of(rows, query, Some(value), name)?;
    let Some(value) = domain.columns.last() else { return internal_err!("no value to compare") };
    let is_true = binary_expr(Expr::Column(value.clone()), operator, value_of(query)?);
    let is_all = matches!(quantifier, SetQuantifier::All);
    let decides = if is_all { Expr::Not(Box::new(is_true.clone())) } else { is_true.clone() };
    let number =
        |name: &str, condition: Expr| -> Result<Expr> { Ok(count(when(condition, lit(1)).end()?).alias(name)) };
    let (deciding, unsure) = (format!("{name}_deciding"), format!("{name}_unsure"));
    let answers = LogicalPlanBuilder::from(Carrier::of(&domain, name).carry(query)?)
        .aggregate(domain.expressions(), vec![number(&deciding, decides)?, number(&unsure, is_true.is_null())?])?;
    let rows = domain.joined(rows, answers.build()?, JoinType::Left, None)?;
    let some = |name: String| Expr::Column(Column::from_name(name)).gt(lit(0));
    let answer = when(some(deciding), lit(!is_all)).when(some(unsure), unknown()).otherwise(lit(is_all))?;
    Ok((rows, answer))
}

/// `(query)`, which has at most one row for each combination.
pub(super) fn value(rows: &LogicalPlan, query: &LogicalPlan, name: &str) -> Result<(LogicalPlan, Expr)> {
    let domain = Domain::of(rows, query, None, name)?;
    let value = Column::new(Some(name), format!("{name}_value"));
    let shown = domain.expressions().into_iter().chain([named(value_of(query)?, &value)]);
    let answers = LogicalPlanBuilder::from(Carrier::of(&domain, name).carry(query)?).project(shown)?.build()?;
    Ok((domain.joined(rows, answers, JoinType::Left, None)?, Expr::Column(value)))
}

/// `rows JOIN LATERAL (query) ON condition`
pub(super) fn join(
    rows: &LogicalPlan,
    query: &LogicalPlan,
    kind: JoinType,
    condition: Option<Expr>,
    name: &str,
) -> Result<LogicalPlan> {
    let domain = Domain::of(rows, query, None, name)?;
    let answers = Carrier::of(&domain, name).carry(query)?;
    domain.joined(rows, answers, kind, condition)
}
