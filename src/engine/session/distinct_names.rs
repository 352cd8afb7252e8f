//! No two columns of a result have the same name: what is written to a file, a view or JSON is read back by name.
//!
//! ```text
//! SELECT a.*, b.*   ─►   value, depth, value_1, depth_1
//! ```
//! Columns that a statement names are numbered in its text (`rewrite::column_names`). Those of `*` are known only in
//! the plan, where the tables that they come from tell them apart, but in a result nothing does.

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::sync::Arc;

use datafusion::common::{Column, Result};
use datafusion::execution::SessionState;
use datafusion::logical_expr::dml::CopyTo;
use datafusion::logical_expr::{Expr, LogicalPlan, LogicalPlanBuilder, Prepare, Statement as PlanStatement};
use datafusion::sql::parser::Statement as SqlStatement;
use sqlparser::ast::{Ident, Query, SelectItem, SetExpr, Statement as Ast};
use sqlparser::dialect::GenericDialect;
use sqlparser::parser::Parser;

/// The same plan, whose result has distinct names.
pub(super) fn distinct(plan: LogicalPlan) -> Result<LogicalPlan> {
    match plan {
        LogicalPlan::Copy(copy) => {
            let input = Arc::new(renamed(copy.input.as_ref())?.unwrap_or_else(|| copy.input.as_ref().clone()));
            Ok(LogicalPlan::Copy(CopyTo::new(input, copy.output_url, copy.partition_by, copy.file_type, copy.options)))
        }
        LogicalPlan::Statement(PlanStatement::Prepare(prepare)) => {
            let input = renamed(prepare.input.as_ref())?.map_or_else(|| Arc::clone(&prepare.input), Arc::new);
            Ok(LogicalPlan::Statement(PlanStatement::Prepare(Prepare { input, ..prepare })))
        }
        plan => Ok(renamed(&plan)?.unwrap_or(plan)),
    }
}

/// A projection of a query that has equal names; `None`: it is none, or has none.
fn renamed(plan: &LogicalPlan) -> Result<Option<LogicalPlan>> {
    let Some(names) = numbered(plan.schema().fields().iter().map(|field| field.name().as_str())) else {
        return Ok(None);
    };
    let mut columns = vec![];
    for ((qualifier, field), name) in plan.schema().iter().zip(names) {
        let column = Expr::Column(Column::new(qualifier.cloned(), field.name()));
        columns.push(if *field.name() == name { column } else { column.alias(name) });
    }
    LogicalPlanBuilder::from(plan.clone()).project(columns)?.build().map(Some)
}

/// The names, with a number behind those that occurred before; `None` when all differ.
pub(super) fn numbered<'a>(names: impl Iterator<Item = &'a str>) -> Option<Vec<String>> {
    let names: Vec<&str> = names.collect();
    let mut used: BTreeSet<String> = names.iter().map(|name| name.to_string()).collect();
    if used.len() == names.len() {
        return None;
    }
    let mut seen = BTreeSet::new();
    let mut given = vec![];
    for name in names {
        if seen.insert(name) {
            given.push(name.to_string());
            continue;
        }
        let free = (1_u32..).map(|number| format!("{name}_{number}")).find(|name| !used.contains(name));
        let free = free.unwrap_or_else(|| name.to_string());
        used.insert(free.clone());
        given.push(free);
    }
    Some(given)
}

/// `CREATE VIEW v AS query` and `CREATE TABLE t AS query` with distinct names: equal ones would be refused.
pub(super) async fn in_definition(state: &SessionState, sql: &mut SqlStatement) -> Result<()> {
    let SqlStatement::Statement(statement) = sql else { return Ok(()) };
    let query = match statement.as_mut() {
        Ast::CreateView(view) if view.columns.is_empty() => &mut view.query,
        Ast::CreateTable(table) if table.columns.is_empty() => match &mut table.query {
            Some(query) => query,
            None => return Ok(()),
        },
        _ => return Ok(()),
    };
    if !has_star(&query.body) {
        return Ok(());
    }
    let alone = SqlStatement::Statement(Box::new(Ast::Query(ocellus_planning::copy_query(query))));
    let plan = ocellus_planning::plan(state, alone).await?;
    if let Some(names) = numbered(plan.schema().fields().iter().map(|field| field.name().as_str())) {
        *query = with_names(query, names)?;
    }
    Ok(())
}

fn with_names(query: &Query, names: Vec<String>) -> Result<Box<Query>> {
    let names: Vec<String> = names.into_iter().map(|name| Ident::with_quote('"', name).to_string()).collect();
    let text = format!("SELECT * FROM ({query}) AS named ({})", names.join(", "));
    Ok(Parser::new(&GenericDialect {}).try_with_sql(&text)?.parse_query()?)
}

/// Whether columns of a query may come from `*`.
fn has_star(body: &SetExpr) -> bool {
    match body {
        SetExpr::Select(select) => {
            let is_star =
                |item: &SelectItem| matches!(item, SelectItem::Wildcard(_) | SelectItem::QualifiedWildcard(..));
            select.projection.iter().any(is_star)
        }
        SetExpr::Query(query) => has_star(&query.body),
        SetExpr::SetOperation { left, .. } => has_star(left),
        _ => false,
    }
}
