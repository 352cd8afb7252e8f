//! The combinations of values of outer columns that a subquery is answered for; see [`super::dependent_join`].

use std::sync::Arc;

use datafusion::common::{Column, DFSchemaRef, JoinType, Result};
use datafusion::logical_expr::{Expr, LogicalPlan, LogicalPlanBuilder, Operator, binary_expr};

use super::references::references_to;

/// The combinations of values that a subquery is answered for.
pub(super) struct Domain {
    /// The rows, each once.
    pub(super) plan: LogicalPlan,
    /// Its columns.
    pub(super) columns: Vec<Column>,
    /// What each of them is in the outer rows.
    pub(super) outer: Vec<Expr>,
    /// The columns of the outer rows.
    pub(super) rows: DFSchemaRef,
}

impl Domain {
    /// The domain of a query, with one more value of the outer rows.
    pub(super) fn of(rows: &LogicalPlan, query: &LogicalPlan, value: Option<Expr>, name: &str) -> Result<Domain> {
        let mut outer: Vec<Expr> = references_to(rows.schema(), query).into_iter().map(Expr::Column).collect();
        outer.extend(value);
        // The names differ too: an alias of the query's renames the relation.
        let columns = (0..outer.len()).map(|index| Column::new(Some(name), format!("{name}_{index}")));
        let columns: Vec<Column> = columns.collect();
        let shown = outer.iter().zip(&columns).map(|(value, column)| named(value.clone(), column));
        let plan = LogicalPlanBuilder::from(rows.clone()).project(shown)?.distinct()?.build()?;
        Ok(Domain { plan, columns, outer, rows: Arc::clone(rows.schema()) })
    }

    pub(super) fn expressions(&self) -> Vec<Expr> {
        self.columns.iter().cloned().map(Expr::Column).collect()
    }

    /// The outer rows, each with the answers for its combination.
    pub(super) fn joined(
        &self,
        rows: &LogicalPlan,
        answers: LogicalPlan,
        kind: JoinType,
        on: Option<Expr>,
    ) -> Result<LogicalPlan> {
        let same = self.outer.iter().zip(&self.columns);
        let same = same.map(|(value, column)| same_value(value.clone(), Expr::Column(column.clone())));
        LogicalPlanBuilder::from(rows.clone()).join_on(answers, kind, same.chain(on))?.build()
    }
}

/// Whether two values are equal, or both NULL.
pub(super) fn same_value(left: Expr, right: Expr) -> Expr {
    binary_expr(left, Operator::IsNotDistinctFrom, right)
}

/// An expression under the name of a column.
pub(super) fn named(expression: Expr, column: &Column) -> Expr {
    expression.alias_qualified(column.relation.clone(), column.name.clone())
}

/// The rows with the given columns only, in this order.
pub(super) fn arranged(rows: LogicalPlan, columns: impl IntoIterator<Item = Column>) -> Result<LogicalPlan> {
    LogicalPlanBuilder::from(rows).project(columns.into_iter().map(Expr::Column))?.build()
}
