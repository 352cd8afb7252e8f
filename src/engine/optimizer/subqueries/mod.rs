//! Subqueries in expressions and behind LATERAL, where DataFusion gives a wrong answer or none.
//!
//! DataFusion turns `EXISTS` and `IN` in a condition of WHERE into joins, and subqueries for one value too when their
//! rows are picked by equality. That much is left to it. The rest becomes joins here, before it sees the plan:
//!
//! | subquery | becomes |
//! |---|---|
//! | refers to columns of the outer query | a join with its answer for each combination of them: [`dependent_join`] |
//! | `x > ALL (…)`, `x IN (…)` in an expression | a join with the number, least and greatest of its values: [`sets`] |
//! | gives one value or no row | the same, and it may be NULL |
//!
//! Comparisons with NULL are unknown: `x IN (1, NULL)` is true or NULL, never false (apache/datafusion#25258, #25347).

mod carried;
mod dependent_join;
mod domain;
mod references;
mod sets;

use std::cell::Cell;
use std::sync::Arc;

use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode, TreeNodeRecursion};
use datafusion::common::{JoinType, Result, not_impl_err};
use datafusion::config::ConfigOptions;
use datafusion::logical_expr::expr::{Exists, InSubquery, SetComparison, SetQuantifier};
use datafusion::logical_expr::expr_rewriter::NamePreserver;
use datafusion::logical_expr::utils::{conjunction, split_conjunction_owned};
use datafusion::logical_expr::{
    Aggregate, Expr, ExprSchemable, Filter, Join, LogicalPlan, LogicalPlanBuilder, Operator, Projection, Subquery, lit,
};
use datafusion::optimizer::AnalyzerRule;

use crate::functions::plans::maybe_null::maybe_null;
use references::{has_subqueries, has_subquery, is_plain, is_plain_value, is_predicate, references_to};

/// The rule; see the file's head.
#[derive(Debug, Default)]
pub(crate) struct Subqueries;

impl AnalyzerRule for Subqueries {
    fn name(&self) -> &str {
        "subqueries"
    }

    fn analyze(&self, plan: LogicalPlan, _config: &ConfigOptions) -> Result<LogicalPlan> {
        if !has_subqueries(&plan)? {
            return Ok(plan);
        }
        let names = RelationNames::default();
        plan.transform_up_with_subqueries(|node| {
            let node = match node {
                LogicalPlan::Filter(filter) => in_filter(filter, &names)?,
                LogicalPlan::Projection(projection) => in_projection(projection, &names)?,
                LogicalPlan::Aggregate(aggregate) => in_aggregate(aggregate, &names)?,
                LogicalPlan::Join(join) => in_join(join, &names)?,
                LogicalPlan::Window(window) if window.window_expr.iter().any(is_predicate) => {
                    return not_impl_err!(
                        "a subquery within OVER or a window function; select it in a query in FROM first"
                    );
                }
                other => other,
            };
            // What is below may be NULL now.
            node.recompute_schema().map(Transformed::yes)
        })
        .data()
    }
}

/// Names for relations that no user writes, each once in a plan.
#[derive(Debug, Default)]
struct RelationNames(Cell<usize>);

impl RelationNames {
    fn next(&self) -> String {
        self.0.set(self.0.get() + 1);
        format!("__subquery_{}", self.0.get())
    }
}

/// Where a subquery stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SubqueryPosition {
    /// It is itself one of the conditions that a row must fulfill.
    Condition,
    /// It is a part of an expression.
    Operand,
}

fn in_filter(filter: Filter, names: &RelationNames) -> Result<LogicalPlan> {
    let columns = filter.input.schema().columns();
    let mut rows = JoinedRows { plan: Arc::unwrap_or_clone(filter.input), names, scope: ExpressionScope::Row };
    let mut conditions = vec![];
    for condition in split_conjunction_owned(filter.predicate) {
        let condition = match condition {
            Expr::Not(inner) => match *inner {
                Expr::InSubquery(of) => Expr::InSubquery(InSubquery { negated: !of.negated, ..of }),
                Expr::Exists(of) => Expr::Exists(Exists { negated: !of.negated, ..of }),
                other => Expr::Not(Box::new(other)),
            },
            other => other,
        };
        conditions.push(rows.replace(condition, SubqueryPosition::Condition)?);
    }
    let width = rows.plan.schema().fields().len();
    let filtered = LogicalPlanBuilder::from(rows.plan);
    let filtered = match conjunction(conditions) {
        Some(condition) => filtered.filter(condition)?,
        None => filtered,
    };
    match width == columns.len() {
        true => filtered.build(),
        false => filtered.project(columns.into_iter().map(Expr::Column))?.build(),
    }
}

fn in_projection(projection: Projection, names: &RelationNames) -> Result<LogicalPlan> {
    let mut rows = JoinedRows { plan: Arc::unwrap_or_clone(projection.input), names, scope: ExpressionScope::Row };
    let shown = rows.replace_all(projection.expr)?;
    Projection::try_new(shown, Arc::new(rows.plan)).map(LogicalPlan::Projection)
}

fn in_aggregate(aggregate: Aggregate, names: &RelationNames) -> Result<LogicalPlan> {
    let mut rows = JoinedRows { plan: Arc::unwrap_or_clone(aggregate.input), names, scope: ExpressionScope::Groups };
    let groups = rows.replace_all(aggregate.group_expr)?;
    let functions = rows.replace_all(aggregate.aggr_expr)?;
    Aggregate::try_new(Arc::new(rows.plan), groups, functions).map(LogicalPlan::Aggregate)
}

/// What a node computes its expressions for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ExpressionScope {
    /// For each row: DataFusion joins plain subqueries for one value to it.
    Row,
    /// For groups: it does not there.
    Groups,
}

/// The rows that expressions are computed from, and what was joined to them.
struct JoinedRows<'a> {
    plan: LogicalPlan,
    names: &'a RelationNames,
    scope: ExpressionScope,
}

impl JoinedRows<'_> {
    fn replace_all(&mut self, expressions: Vec<Expr>) -> Result<Vec<Expr>> {
        let keeper = NamePreserver::new_for_projection();
        let mut replaced = vec![];
        for expression in expressions {
            let name = keeper.save(&expression);
            replaced.push(name.restore(self.replace(expression, SubqueryPosition::Operand)?));
        }
        Ok(replaced)
    }

    /// The expression over the joined rows, without the subqueries that are dealt with here.
    fn replace(&mut self, expression: Expr, mut position: SubqueryPosition) -> Result<Expr> {
        let replaced = expression.transform_down(|part| {
            let position = std::mem::replace(&mut position, SubqueryPosition::Operand);
            let joined = match &part {
                Expr::SetComparison(of) => Some(self.quantified(of, position)?),
                Expr::InSubquery(of) => self.membership(of, position)?,
                Expr::Exists(of) => self.existence(of, position)?,
                Expr::ScalarSubquery(of) => self.value(of)?,
                _ => None,
            };
            Ok(match joined {
                Some(value) => Transformed::new(value, true, TreeNodeRecursion::Jump),
                None => Transformed::no(part),
            })
        });
        replaced.data()
    }

    fn quantified(&mut self, of: &SetComparison, position: SubqueryPosition) -> Result<Expr> {
        let negated = match (of.op, &of.quantifier) {
            (Operator::Eq, SetQuantifier::Any) => Some(false),
            (Operator::NotEq, SetQuantifier::All) => Some(true),
            _ => None,
        };
        if let Some(negated) = negated {
            let same = InSubquery { expr: of.expr.clone(), subquery: of.subquery.clone(), negated };
            return Ok(self.membership(&same, position)?.unwrap_or(Expr::InSubquery(same)));
        }
        let value = self.replace(of.expr.as_ref().clone(), SubqueryPosition::Operand)?;
        match self.is_correlated(&of.subquery) {
            true => {
                let (of, query) = ((of.op, of.quantifier), &of.subquery.subquery);
                let (rows, answer) = dependent_join::compare(&self.plan, query, value, of, &self.names.next())?;
                self.plan = rows;
                Ok(answer)
            }
            false => {
                let (query, name) = (&of.subquery.subquery, self.names.next());
                let (rows, answer) = sets::compare(&self.plan, query, value, of.op, &of.quantifier, &name)?;
                self.plan = rows;
                Ok(answer)
            }
        }
    }

    fn membership(&mut self, of: &InSubquery, position: SubqueryPosition) -> Result<Option<Expr>> {
        let query = &of.subquery.subquery;
        let is_correlated = self.is_correlated(&of.subquery);
        if position == SubqueryPosition::Condition {
            // NULL and false are the same there, unless they are negated.
            let is_sure = match of.negated {
                false => true,
                true => {
                    let is_nullable = of.expr.nullable(self.plan.schema())?
                        || query.schema().fields().iter().any(|f| f.is_nullable());
                    !is_correlated && (!is_nullable || of.expr.any_column_refs())
                }
            };
            if is_sure && is_plain(query)? {
                return Ok(None);
            }
        }
        let value = self.replace(of.expr.as_ref().clone(), SubqueryPosition::Operand)?;
        let name = self.names.next();
        let (rows, answer) = match is_correlated {
            true => dependent_join::compare(&self.plan, query, value, (Operator::Eq, SetQuantifier::Any), &name)?,
            false => sets::contains(&self.plan, query, value, &name)?,
        };
        self.plan = rows;
        Ok(Some(if of.negated { Expr::Not(Box::new(answer)) } else { answer }))
    }

    fn existence(&mut self, of: &Exists, position: SubqueryPosition) -> Result<Option<Expr>> {
        let query = &of.subquery.subquery;
        if position == SubqueryPosition::Condition && is_plain(query)? {
            return Ok(None);
        }
        let name = self.names.next();
        let (rows, answer) = match self.is_correlated(&of.subquery) {
            true => dependent_join::exists(&self.plan, query, &name)?,
            false => sets::exists(&self.plan, query, &name)?,
        };
        self.plan = rows;
        Ok(Some(if of.negated { Expr::Not(Box::new(answer)) } else { answer }))
    }

    fn value(&mut self, of: &Subquery) -> Result<Option<Expr>> {
        let query = &of.subquery;
        if !self.is_correlated(of) {
            let is_null_known = query.schema().fields().iter().all(|field| field.is_nullable());
            let value = || maybe_null().call(vec![Expr::ScalarSubquery(of.clone())]);
            return Ok((!is_null_known && !always_has_a_row(query)).then(value));
        }
        let is_left = self.scope == ExpressionScope::Row && is_plain_value(query)?;
        if is_left || query.max_rows().is_none_or(|rows| rows > 1) {
            return Ok(None);
        }
        let (rows, answer) = dependent_join::value(&self.plan, query, &self.names.next())?;
        self.plan = rows;
        Ok(Some(answer))
    }

    fn is_correlated(&self, subquery: &Subquery) -> bool {
        !references_to(self.plan.schema(), &subquery.subquery).is_empty()
    }
}

/// Whether a query gives a row whatever is in the tables: an aggregate without groups.
fn always_has_a_row(query: &LogicalPlan) -> bool {
    match query {
        LogicalPlan::Aggregate(aggregate) => aggregate.group_expr.is_empty(),
        LogicalPlan::Projection(of) => always_has_a_row(&of.input),
        LogicalPlan::SubqueryAlias(of) => always_has_a_row(&of.input),
        LogicalPlan::EmptyRelation(empty) => empty.produce_one_row,
        _ => false,
    }
}

/// Conditions of an inner join hold after it as well as in it.
fn in_join(mut join: Join, names: &RelationNames) -> Result<LogicalPlan> {
    let conditions = split_conjunction_owned(join.filter.take().unwrap_or_else(|| lit(true)));
    let (asking, others): (Vec<Expr>, Vec<Expr>) = conditions.into_iter().partition(|condition| {
        is_predicate(condition) || (join.join_type == JoinType::Inner && has_subquery(condition))
    });
    join.filter = conjunction(others.into_iter().filter(|condition| *condition != lit(true)));
    match (conjunction(asking), join.join_type) {
        (None, _) => lateral(join, names),
        (Some(asked), JoinType::Inner) => {
            let joined = lateral(join, names)?;
            in_filter(Filter::try_new(asked, Arc::new(joined))?, names)
        }
        (Some(_), kind) => {
            not_impl_err!("a subquery in ON of a {kind} join; select it in a query in FROM first")
        }
    }
}

/// `FROM a, LATERAL (SELECT … a.x …)`, where the rows of the subquery are more than picked and computed.
fn lateral(join: Join, names: &RelationNames) -> Result<LogicalPlan> {
    let (query, alias) = match join.right.as_ref() {
        LogicalPlan::Subquery(of) => (&of.subquery, None),
        LogicalPlan::SubqueryAlias(of) => match of.input.as_ref() {
            LogicalPlan::Subquery(inner) => (&inner.subquery, Some(of.alias.clone())),
            _ => return Ok(LogicalPlan::Join(join)),
        },
        _ => return Ok(LogicalPlan::Join(join)),
    };
    let is_supported = matches!(join.join_type, JoinType::Inner | JoinType::Left);
    let is_correlated = !references_to(join.left.schema(), query).is_empty();
    if !is_supported || !is_correlated || is_plain(query)? || is_plain_value(query)? {
        return Ok(LogicalPlan::Join(join));
    }
    let query = match alias {
        Some(alias) => LogicalPlanBuilder::from(query.as_ref().clone()).alias(alias)?.build()?,
        None => query.as_ref().clone(),
    };
    let columns = join.schema.columns();
    let joined = dependent_join::join(&join.left, &query, join.join_type, join.filter, &names.next())?;
    LogicalPlanBuilder::from(joined).project(columns.into_iter().map(Expr::Column))?.build()
}
