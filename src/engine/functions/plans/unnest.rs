//! Rows from lists: the last step of a function that aggregates into lists.
//!
//! DataFusion keeps the keys of an aggregate as unique keys when lists are unnested above it, though
//! each then has many rows. It would take `ORDER BY key, other` for `ORDER BY key`, and leave keys out of a
//! GROUP BY. So one column of the keys goes through [`hide_unique_key`], which DataFusion does not look into.

use datafusion::common::{Column, Result};
use datafusion::logical_expr::{Expr, LogicalPlanBuilder};

use super::hide_unique_key::hide_unique_key;

/// Unnests a column of lists. `keys` are the columns that the lists were grouped by.
pub(crate) fn unnest_lists(groups: LogicalPlanBuilder, list: &str, keys: &[&str]) -> Result<LogicalPlanBuilder> {
    let shown: Vec<Expr> = groups
        .schema()
        .iter()
        .map(|(qualifier, field)| {
            let column = Expr::Column(Column::new(qualifier.cloned(), field.name()));
            if keys.contains(&field.name().as_str()) {
                hide_unique_key().call(vec![column]).alias_qualified(qualifier.cloned(), field.name())
            } else {
                column
            }
        })
        .collect();
    groups.project(shown)?.unnest_column(list)
}
