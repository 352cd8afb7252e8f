//! Carries the domain of a subquery upwards through its operators; see [`super::dependent_join`].
//!
//! What comes out of an operator are its own columns, then those of the domain.

use std::sync::Arc;

use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode};
use datafusion::common::{Column, JoinType, NullEquality, Result, not_impl_err};
use datafusion::functions_window::row_number::row_number;
use datafusion::logical_expr::expr_fn::when;
use datafusion::logical_expr::expr_rewriter::NamePreserver;
use datafusion::logical_expr::{
    Aggregate, Distinct, Expr, ExprFunctionExt, FetchType, Filter, Join, Limit, LogicalPlan, LogicalPlanBuilder,
    Projection, SkipType, Sort, SortExpr, SubqueryAlias, Union, Window, lit,
};

use super::domain::{Domain, arranged, named, same_value};
use super::references::{around_right, map_subquery, references_past, references_to, with_inputs, with_references};

/// What is carried.
pub(super) struct Carrier<'a> {
    domain: &'a Domain,
    name: &'a str,
}

impl<'a> Carrier<'a> {
    pub(super) fn of(domain: &'a Domain, name: &'a str) -> Carrier<'a> {
        Carrier { domain, name }
    }

    /// The rows of a plan for each combination, and the combination.
    pub(super) fn carry(&self, plan: &LogicalPlan) -> Result<LogicalPlan> {
        if !self.is_referring(plan) {
            return LogicalPlanBuilder::from(plan.clone()).cross_join(self.domain.plan.clone())?.build();
        }
        match plan {
            LogicalPlan::Filter(filter) => self.filter(plan, filter),
            LogicalPlan::Projection(projection) => self.projection(plan, projection),
            LogicalPlan::SubqueryAlias(alias) => self.alias(alias),
            LogicalPlan::Distinct(Distinct::All(input)) => {
                Ok(LogicalPlan::Distinct(Distinct::All(Arc::new(self.carry(input)?))))
            }
            LogicalPlan::Sort(Sort { expr, input, fetch: Some(fetch) }) => {
                self.first_rows(plan, expr, input, 0, Some(*fetch))
            }
            // Rows of a subquery have no order, unless the first of them are picked: see `limit`.
            LogicalPlan::Sort(sort) => self.carry(&sort.input),
            LogicalPlan::Limit(limit) => self.limit(plan, limit),
            LogicalPlan::Aggregate(aggregate) if aggregate.group_expr.is_empty() => self.totals(plan, aggregate),
            LogicalPlan::Aggregate(aggregate) => self.groups(plan, aggregate),
            LogicalPlan::Window(window) => self.window(plan, window),
            LogicalPlan::Union(union) => self.union(plan, union),
            LogicalPlan::Join(join) => self.join(plan, join),
            other => not_impl_err!(
                "a subquery that refers to columns of the outer query below or in {}; join the tables instead",
                other.display().to_string().split([':', ' ']).next().unwrap_or_default()
            ),
        }
    }

    fn is_referring(&self, plan: &LogicalPlan) -> bool {
        !references_to(&self.domain.rows, plan).is_empty()
    }

    fn columns_of(&self, plan: &LogicalPlan) -> Vec<Column> {
        plan.schema().columns().into_iter().chain(self.domain.columns.iter().cloned()).collect()
    }

    fn domain_values(&self) -> Vec<Expr> {
        self.domain.columns.iter().cloned().map(Expr::Column).collect()
    }

    fn filter(&self, plan: &LogicalPlan, filter: &Filter) -> Result<LogicalPlan> {
        let condition = self.substituted(filter.predicate.clone(), plan)?;
        LogicalPlanBuilder::from(self.carry(&filter.input)?).filter(condition)?.build()
    }

    fn projection(&self, plan: &LogicalPlan, projection: &Projection) -> Result<LogicalPlan> {
        let mut shown = self.substituted_all(&projection.expr, plan)?;
        shown.extend(self.domain_values());
        Projection::try_new(shown, Arc::new(self.carry(&projection.input)?)).map(LogicalPlan::Projection)
    }

    /// An alias renames the relation of the domain, too.
    fn alias(&self, alias: &SubqueryAlias) -> Result<LogicalPlan> {
        let inner = SubqueryAlias::try_new(Arc::new(self.carry(&alias.input)?), alias.alias.clone())?;
        let own = alias.schema.columns().into_iter().map(Expr::Column);
        let carried = self
            .domain
            .columns
            .iter()
            .map(|column| named(Expr::Column(Column::new(Some(alias.alias.clone()), column.name.clone())), column));
        LogicalPlanBuilder::from(LogicalPlan::SubqueryAlias(inner)).project(own.chain(carried))?.build()
    }

    fn limit(&self, plan: &LogicalPlan, limit: &Limit) -> Result<LogicalPlan> {
        let (SkipType::Literal(skip), FetchType::Literal(fetch)) = (limit.get_skip_type()?, limit.get_fetch_type()?)
        else {
            return not_impl_err!("LIMIT and OFFSET of a subquery that refers to the outer query must be numbers");
        };
        match limit.input.as_ref() {
            // Rows are picked before columns are.
            LogicalPlan::Projection(projection) => {
                let picked = Limit { input: Arc::clone(&projection.input), ..limit.clone() };
                let picked = Arc::new(LogicalPlan::Limit(picked));
                let shown = Projection::try_new(projection.expr.clone(), picked)?;
                self.projection(&limit.input, &shown)
            }
            LogicalPlan::Sort(sort) if sort.fetch.is_none() => {
                self.first_rows(plan, &sort.expr, &sort.input, skip, fetch)
            }
            input => self.first_rows(plan, &[], input, skip, fetch),
        }
    }

    /// The first rows of each combination.
    fn first_rows(
        &self,
        plan: &LogicalPlan,
        order: &[SortExpr],
        input: &LogicalPlan,
        skip: usize,
        fetch: Option<usize>,
    ) -> Result<LogicalPlan> {
        let mut by = vec![];
        for key in order {
            by.push(SortExpr { expr: self.substituted(key.expr.clone(), plan)?, ..key.clone() });
        }
        let place = format!("{}_place", self.name);
        let mut number = row_number().partition_by(self.domain_values());
        if !by.is_empty() {
            number = number.order_by(by);
        }
        let number = number.build()?.alias(place.as_str());
        let place = || Expr::Column(Column::from_name(place.as_str()));
        let skip = skip as u64;
        let mut wanted = place().gt(lit(skip));
        if let Some(fetch) = fetch {
            wanted = wanted.and(place().lt_eq(lit(skip.saturating_add(fetch as u64))));
        }
        let rows = LogicalPlanBuilder::from(self.carry(input)?).window(vec![number])?.filter(wanted)?.build()?;
        arranged(rows, self.columns_of(plan))
    }

    fn groups(&self, plan: &LogicalPlan, aggregate: &Aggregate) -> Result<LogicalPlan> {
        if aggregate.group_expr.iter().any(|group| matches!(group, Expr::GroupingSet(_))) {
            return not_impl_err!("grouping sets in a subquery that refers to columns of the outer query");
        }
        let mut groups = self.substituted_all(&aggregate.group_expr, plan)?;
        groups.extend(self.domain_values());
        let functions = self.substituted_all(&aggregate.aggr_expr, plan)?;
        let rows = Aggregate::try_new(Arc::new(self.carry(&aggregate.input)?), groups, functions)?;
        arranged(LogicalPlan::Aggregate(rows), self.columns_of(plan))
    }

    /// Totals are there for every combination: where it has no rows, they are those of no rows.
    fn totals(&self, plan: &LogicalPlan, aggregate: &Aggregate) -> Result<LogicalPlan> {
        let input = self.carry(&aggregate.input)?;
        let functions = self.substituted_all(&aggregate.aggr_expr, plan)?;
        let (some, none) = (format!("{}_some", self.name), format!("{}_none", self.name));
        let has_rows = Column::new(Some(some.as_str()), format!("{some}_found"));
        let totals = plan.schema().columns();
        let numbered = |relation: &str, index: usize| Column::new(Some(relation), format!("{relation}_{index}"));
        let shown = |relation: &str| {
            let columns = totals.iter().enumerate();
            columns
                .map(|(index, column)| named(Expr::Column(column.clone()), &numbered(relation, index)))
                .collect::<Vec<_>>()
        };
        let keys: Vec<Column> =
            (totals.len()..totals.len() + self.domain.columns.len()).map(|index| numbered(&some, index)).collect();
        let keyed = self.domain_values().into_iter().zip(&keys).map(|(value, key)| named(value, key));
        let of_some = LogicalPlanBuilder::from(input.clone())
            .aggregate(self.domain_values(), functions.clone())?
            .project(shown(&some).into_iter().chain(keyed).chain([named(lit(true), &has_rows)]))?
            .build()?;
        let of_none = LogicalPlanBuilder::from(input)
            .filter(lit(false))?
            .aggregate(Vec::<Expr>::new(), functions)?
            .project(shown(&none))?
            .build()?;
        let same = self
            .domain_values()
            .into_iter()
            .zip(&keys)
            .map(|(value, key)| same_value(value, Expr::Column(key.clone())));
        let joined = LogicalPlanBuilder::from(self.domain.plan.clone())
            .join_on(of_some, JoinType::Left, same.collect::<Vec<_>>())?
            .cross_join(of_none)?;
        let mut columns = vec![];
        for (index, column) in totals.iter().enumerate() {
            let value = when(Expr::Column(has_rows.clone()).is_null(), Expr::Column(numbered(&none, index)))
                .otherwise(Expr::Column(numbered(&some, index)))?;
            columns.push(named(value, column));
        }
        joined.project(columns.into_iter().chain(self.domain_values()))?.build()
    }

    fn window(&self, plan: &LogicalPlan, window: &Window) -> Result<LogicalPlan> {
        let keeper = NamePreserver::new_for_projection();
        let mut functions = vec![];
        for function in &window.window_expr {
            let name = keeper.save(function);
            let per_combination = self.substituted(function.clone(), plan)?.transform_up(|part| match part {
                Expr::WindowFunction(mut call) => {
                    call.params.partition_by.extend(self.domain_values());
                    Ok(Transformed::yes(Expr::WindowFunction(call)))
                }
                other => Ok(Transformed::no(other)),
            });
            functions.push(name.restore(per_combination.data()?));
        }
        let rows = Window::try_new(functions, Arc::new(self.carry(&window.input)?))?;
        arranged(LogicalPlan::Window(rows), self.columns_of(plan))
    }

    fn union(&self, plan: &LogicalPlan, union: &Union) -> Result<LogicalPlan> {
        let inputs = union.inputs.iter().map(|input| self.carry(input).map(Arc::new)).collect::<Result<Vec<_>>>()?;
        let rows = LogicalPlan::Union(Union::try_new_with_loose_types(inputs)?);
        let shown = rows.schema().columns().into_iter().zip(self.columns_of(plan));
        let shown: Vec<Expr> = shown.map(|(given, wanted)| named(Expr::Column(given), &wanted)).collect();
        LogicalPlanBuilder::from(rows).project(shown)?.build()
    }

    fn join(&self, plan: &LogicalPlan, join: &Join) -> Result<LogicalPlan> {
        let left_refers = self.is_referring(&join.left);
        let right_refers = !references_past(&around_right(&[], join), &self.domain.rows, &join.right).is_empty();
        let mut conditions: Vec<Expr> = vec![];
        for (left, right) in &join.on {
            conditions.push(match join.null_equality {
                NullEquality::NullEqualsNull => same_value(left.clone(), right.clone()),
                NullEquality::NullEqualsNothing => left.clone().eq(right.clone()),
            });
        }
        conditions.extend(join.filter.clone());
        let conditions =
            conditions.into_iter().map(|condition| self.substituted(condition, plan)).collect::<Result<Vec<_>>>()?;
        let keeps_left = matches!(
            join.join_type,
            JoinType::Inner | JoinType::Left | JoinType::LeftSemi | JoinType::LeftAnti | JoinType::LeftMark
        );
        if !keeps_left || join.null_aware {
            return not_impl_err!(
                "a {} join below a subquery that refers to columns of the outer query",
                join.join_type
            );
        }
        let rows = match (left_refers, right_refers) {
            (false, true) if join.join_type == JoinType::Inner => {
                let left = LogicalPlanBuilder::from(join.left.as_ref().clone());
                left.join_on(self.carry(&join.right)?, join.join_type, conditions)?
            }
            (_, false) => {
                let left = LogicalPlanBuilder::from(self.carry(&join.left)?);
                left.join_on(join.right.as_ref().clone(), join.join_type, conditions)?
            }
            _ => {
                let (right, same) = self.renamed(&join.right)?;
                let left = LogicalPlanBuilder::from(self.carry(&join.left)?);
                left.join_on(right, join.join_type, conditions.into_iter().chain(same))?
            }
        };
        arranged(rows.build()?, self.columns_of(plan))
    }

    /// The right side of a join with other names for the domain, and which of them must be the same.
    fn renamed(&self, right: &LogicalPlan) -> Result<(LogicalPlan, Vec<Expr>)> {
        let relation = format!("{}_right", self.name);
        let other = |column: &Column| Column::new(Some(relation.as_str()), format!("{}_right", column.name));
        let own = right.schema().columns().into_iter().map(Expr::Column);
        let carried = self.domain.columns.iter().map(|column| named(Expr::Column(column.clone()), &other(column)));
        let rows = LogicalPlanBuilder::from(self.carry(right)?).project(own.chain(carried))?.build()?;
        let columns = self.domain.columns.iter();
        let same = columns.map(|column| same_value(Expr::Column(column.clone()), Expr::Column(other(column))));
        Ok((rows, same.collect()))
    }

    fn substituted_all(&self, expressions: &[Expr], node: &LogicalPlan) -> Result<Vec<Expr>> {
        let keeper = NamePreserver::new_for_projection();
        let substituted = |expression: &Expr| {
            let name = keeper.save(expression);
            self.substituted(expression.clone(), node).map(|expression| name.restore(expression))
        };
        expressions.iter().map(substituted).collect()
    }

    /// An expression of a node whose outer columns are those of the domain. What a subquery within it referred to is
    /// now a column of the query around it.
    fn substituted(&self, expression: Expr, node: &LogicalPlan) -> Result<Expr> {
        let around = with_inputs(&[], node);
        expression
            .transform_up(|part| match part {
                Expr::OuterReferenceColumn(field, column) => Ok(match self.carried(&column) {
                    Some(own) => Transformed::yes(Expr::Column(own)),
                    None => Transformed::no(Expr::OuterReferenceColumn(field, column)),
                }),
                part => map_subquery(part, |inner| with_references(inner, &around, &|column| self.carried(column))),
            })
            .data()
    }

    /// The column of the domain that stands for one of the outer query.
    fn carried(&self, column: &Column) -> Option<Column> {
        let place = self.domain.outer.iter().position(|outer| matches!(outer, Expr::Column(of) if of == column))?;
        self.domain.columns.get(place).cloned()
    }
}
