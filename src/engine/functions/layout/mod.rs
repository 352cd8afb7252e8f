//! Layouts: tables of rectangles, positions and shapes that a picture is drawn from.

pub mod comm_graph;
pub mod graph_layout;
pub mod route_load;
pub mod scene;
mod tree_input;
pub mod treemap;

use datafusion::common::{Column, Result, plan_err};
use datafusion::logical_expr::{Expr, LogicalPlan};

use super::calls::call::Call;

/// A column of a relation, if it is there.
fn column(relation: &LogicalPlan, name: &str) -> Option<Expr> {
    let (qualifier, field) = relation.schema().qualified_field_with_unqualified_name(name).ok()?;
    Some(Expr::Column(Column::new(qualifier.cloned(), field.name())))
}

fn required_column(call: &Call<'_>, relation: &LogicalPlan, name: &str) -> Result<Expr> {
    match column(relation, name) {
        Some(column) => Ok(column),
        None => {
            plan_err!("{}: the relation has no column {name}; it has {}", call.definition.name, column_names(relation))
        }
    }
}

fn column_names(relation: &LogicalPlan) -> String {
    relation.schema().fields().iter().map(|field| field.name().as_str()).collect::<Vec<_>>().join(", ")
}
