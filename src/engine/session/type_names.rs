//! Types by their SQL names where DataFusion shows Arrow's: DESCRIBE, SHOW COLUMNS, information_schema.columns.

use arrow::datatypes::{FieldRef, SchemaRef};
use datafusion::common::tree_node::Transformed;
use datafusion::common::{Column, Result};
use datafusion::logical_expr::{Expr, LogicalPlan, LogicalPlanBuilder, lit};
use datafusion::prelude::col;

use super::distinct_names::numbered;
use crate::catalog::type_name;
use crate::functions::sql_type_name;

/// DESCRIBE, with SQL's names of types; any other plan as it is.
pub(super) fn describe_in_sql(plan: LogicalPlan) -> Result<LogicalPlan> {
    match plan {
        LogicalPlan::DescribeTable(table) if !table.schema.fields().is_empty() => describe(&table.schema),
        plan => Ok(plan),
    }
}

/// The same plan, in which DataFusion's `information_schema.columns` has SQL's names of types.
pub(super) fn list_in_sql(plan: LogicalPlan) -> Result<LogicalPlan> {
    let renamed = plan.transform_up_with_subqueries(|node| match is_columns_table(&node) {
        true => Ok(Transformed::yes(rename_types(node)?)),
        false => Ok(Transformed::no(node)),
    });
    renamed.map(|renamed| renamed.data)
}

/// One row per column: the columns of DataFusion's DESCRIBE.
fn describe(schema: &SchemaRef) -> Result<LogicalPlan> {
    let numbered = numbered(schema.fields().iter().map(|field| field.name().as_str()));
    let row = |(index, field): (usize, &FieldRef)| -> Vec<Expr> {
        let nullable = if field.is_nullable() { "YES" } else { "NO" };
        let name = numbered.as_ref().map_or(field.name(), |names| &names[index]);
        vec![lit(name.as_str()), lit(type_name(field.data_type())), lit(nullable)]
    };
    let names = ["column_name", "data_type", "is_nullable"];
    let shown = names.iter().enumerate().map(|(index, name)| col(format!("column{}", index + 1)).alias(*name));
    let rows: Vec<Vec<Expr>> = schema.fields().iter().enumerate().map(row).collect();
    LogicalPlanBuilder::values(rows)?.project(shown)?.build()
}

fn is_columns_table(node: &LogicalPlan) -> bool {
    let LogicalPlan::TableScan(scan) = node else { return false };
    scan.table_name.schema() == Some("information_schema") && scan.table_name.table() == "columns"
}

fn rename_types(scan: LogicalPlan) -> Result<LogicalPlan> {
    let mut shown = vec![];
    for (qualifier, field) in scan.schema().iter() {
        let column = Expr::Column(Column::new(qualifier.cloned(), field.name()));
        shown.push(match field.name() == "data_type" {
            true => sql_type_name().call(vec![column]).alias_qualified(qualifier.cloned(), field.name()),
            false => column,
        });
    }
    LogicalPlanBuilder::from(scan).project(shown)?.build()
}
