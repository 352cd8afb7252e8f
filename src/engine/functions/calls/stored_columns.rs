//! The stored columns that a column of a relation is made of.

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use datafusion::common::{Column, ScalarValue};
use datafusion::logical_expr::expr::{Cast, ScalarFunction, TryCast};
use datafusion::logical_expr::{Distinct, Expr, LogicalPlan};

use crate::functions::time::tick_seconds::TickSeconds;

/// A column of a stored table.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct StoredColumn {
    /// The schema of the table: the name of a trace, for tables of a store.
    pub(crate) schema: String,
    pub(crate) table: String,
    pub(crate) column: String,
}

/// The stored columns whose values a column of a relation shows unchanged, or as seconds for ticks; none for a table
/// without rows. `None` when the relation has no such column, or computes it.
pub(crate) fn stored_columns(plan: &LogicalPlan, name: &str) -> Option<BTreeSet<StoredColumn>> {
    let (qualifier, field) = plan.schema().qualified_field_with_unqualified_name(name).ok()?;
    let mut found = BTreeSet::new();
    follow(plan, &Column::new(qualifier.cloned(), field.name()), &mut found)?;
    Some(found)
}

fn follow(plan: &LogicalPlan, column: &Column, found: &mut BTreeSet<StoredColumn>) -> Option<()> {
    let place = || plan.schema().maybe_index_of_column(column);
    let at = |input: &LogicalPlan, place: usize| Column::from(input.schema().qualified_field(place));
    match plan {
        LogicalPlan::TableScan(scan) => {
            let schema = scan.table_name.schema()?.to_string();
            let table = scan.table_name.table().to_string();
            found.insert(StoredColumn { schema, table, column: column.name.clone() });
            Some(())
        }
        LogicalPlan::EmptyRelation(empty) => (!empty.produce_one_row).then_some(()),
        LogicalPlan::Projection(projection) => {
            follow(&projection.input, shown_column(projection.expr.get(place()?)?)?, found)
        }
        LogicalPlan::SubqueryAlias(alias) => follow(&alias.input, &at(&alias.input, place()?), found),
        LogicalPlan::Union(union) => {
            let place = place()?;
            union.inputs.iter().try_for_each(|input| follow(input, &at(input, place), found))
        }
        LogicalPlan::Filter(filter) => follow(&filter.input, column, found),
        LogicalPlan::Sort(sort) => follow(&sort.input, column, found),
        LogicalPlan::Limit(limit) => follow(&limit.input, column, found),
        LogicalPlan::Distinct(Distinct::All(input)) => follow(input, column, found),
        LogicalPlan::Join(join) => {
            let side = [&join.left, &join.right].into_iter().find(|side| side.schema().has_column(column))?;
            follow(side, column, found)
        }
        _ => None,
    }
}

/// The column that an expression shows: itself, or the ticks behind seconds.
fn shown_column(expression: &Expr) -> Option<&Column> {
    match expression {
        Expr::Column(column) => Some(column),
        Expr::Alias(alias) => shown_column(&alias.expr),
        Expr::Cast(Cast { expr, .. }) | Expr::TryCast(TryCast { expr, .. }) => shown_column(expr),
        Expr::ScalarFunction(ScalarFunction { func, args }) => {
            func.inner().downcast_ref::<TickSeconds>()?;
            match args.as_slice() {
                [ticks, Expr::Literal(ScalarValue::Int64(Some(_)), _)] => shown_column(ticks),
                _ => None,
            }
        }
        _ => None,
    }
}
