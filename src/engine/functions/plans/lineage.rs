//! Where the columns of a relation come from.
//!
//! In: the plan of a relation argument. Out: the stored ticks behind a column of seconds, when the relation still carries them,
//! in all parts of a union at the same place.

#[cfg(test)]
mod tests;

use datafusion::common::{Column, ScalarValue};
use datafusion::logical_expr::expr::ScalarFunction;
use datafusion::logical_expr::{Expr, LogicalPlan};

use crate::functions::time::tick_seconds::TickSeconds;

/// Ticks behind a column of seconds.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Ticks {
    /// The column of ticks, among those of the relation.
    pub(crate) column: Column,
    pub(crate) per_second: i64,
}

/// The column of a relation that holds the ticks of its column `seconds`.
///
/// `None` when `seconds` was computed, or when the ticks were left behind: then seconds are all there is.
pub(crate) fn ticks_of(plan: &LogicalPlan, seconds: &str) -> Option<Ticks> {
    let origin = ColumnLineage::of_name(plan, seconds)?;
    let (stored, per_second) = origin.stored_ticks().or_else(|| origin.ticks_of_inputs())?;
    let stored = ColumnLineage { node: origin.node, expression: Expr::Column(stored) }.follow();
    let is_stored = |name: &str| {
        ColumnLineage::of_name(plan, name)
            .is_some_and(|other| std::ptr::eq(other.node, stored.node) && other.expression == stored.expression)
    };
    let (qualifier, field) = plan.schema().iter().find(|(_, field)| is_stored(field.name()))?;
    Some(Ticks { column: Column::new(qualifier.cloned(), field.name()), per_second })
}

/// The expression that a column is, over the columns of a node below.
struct ColumnLineage<'a> {
    node: &'a LogicalPlan,
    expression: Expr,
}

impl<'a> ColumnLineage<'a> {
    fn of_name(plan: &'a LogicalPlan, name: &str) -> Option<ColumnLineage<'a>> {
        let (qualifier, field) = plan.schema().qualified_field_with_unqualified_name(name).ok()?;
        let column = Column::new(qualifier.cloned(), field.name());
        Some(ColumnLineage { node: plan, expression: Expr::Column(column) }.follow())
    }

    /// Follows a column down through nodes that keep their rows as they are.
    fn follow(self) -> ColumnLineage<'a> {
        let Expr::Column(column) = &self.expression else {
            return self;
        };
        let below = match self.node {
            LogicalPlan::Projection(projection) => projected(self.node, column, &projection.expr)
                .map(|expression| ColumnLineage { node: &projection.input, expression }),
            LogicalPlan::SubqueryAlias(alias) => place(self.node, column).map(|place| ColumnLineage {
                node: &alias.input,
                expression: Expr::Column(Column::from(alias.input.schema().qualified_field(place))),
            }),
            LogicalPlan::Filter(filter) => {
                Some(ColumnLineage { node: &filter.input, expression: self.expression.clone() })
            }
            LogicalPlan::Sort(sort) => Some(ColumnLineage { node: &sort.input, expression: self.expression.clone() }),
            LogicalPlan::Limit(limit) => {
                Some(ColumnLineage { node: &limit.input, expression: self.expression.clone() })
            }
            // Rows of either side stay together; where one has none, both its seconds and its ticks are NULL.
            LogicalPlan::Join(join) => [&join.left, &join.right]
                .into_iter()
                .find(|side| place(side, column).is_some())
                .map(|side| ColumnLineage { node: side, expression: self.expression.clone() }),
            _ => None,
        };
        match below {
            Some(below) => below.follow(),
            None => self,
        }
    }

    /// The ticks of a column of a union: all its inputs have them at one place.
    fn ticks_of_inputs(&self) -> Option<(Column, i64)> {
        let (LogicalPlan::Union(union), Expr::Column(column)) = (self.node, &self.expression) else {
            return None;
        };
        let seconds = place(self.node, column)?;
        let mut found = union.inputs.iter().map(|input| {
            let Ticks { column, per_second } = ticks_of(input, input.schema().field(seconds).name())?;
            Some((place(input, &column)?, per_second))
        });
        let (ticks, per_second) = found.next()??;
        let is_same = found.all(|other| other == Some((ticks, per_second)));
        is_same.then(|| (Column::from(self.node.schema().qualified_field(ticks)), per_second))
    }

    /// `tick_seconds(column, constant)`: the column and the constant.
    fn stored_ticks(&self) -> Option<(Column, i64)> {
        let Expr::ScalarFunction(ScalarFunction { func, args }) = &self.expression else {
            return None;
        };
        func.inner().downcast_ref::<TickSeconds>()?;
        match args.as_slice() {
            [Expr::Column(ticks), Expr::Literal(ScalarValue::Int64(Some(rate)), _)] => Some((ticks.clone(), *rate)),
            _ => None,
        }
    }
}

fn place(node: &LogicalPlan, column: &Column) -> Option<usize> {
    node.schema().maybe_index_of_column(column)
}

/// The expression of a projection that gives a column, without its name.
fn projected(node: &LogicalPlan, column: &Column, expressions: &[Expr]) -> Option<Expr> {
    let mut expression = expressions.get(place(node, column)?)?;
    // Not by `unalias_nested`, which keeps aliases that carry documentation.
    while let Expr::Alias(alias) = expression {
        expression = &alias.expr;
    }
    Some(expression.clone())
}
