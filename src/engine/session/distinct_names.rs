//! No two columns of a result have the same name: what is written to a file, a view or JSON is read back by name.
//!
//! ```text
//! SELECT a.*, b.*   ─►   value, depth, value_1, depth_1
//! ```
//! Columns that a statement names are numbered in its text (`rewrite::column_names`, `column_scope`). What is left are
//! plans whose columns only the tables that they come from tell apart, but in a result nothing does.

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::sync::Arc;

use datafusion::common::{Column, Result};
use datafusion::logical_expr::dml::CopyTo;
use datafusion::logical_expr::{Expr, LogicalPlan, LogicalPlanBuilder, Prepare, Statement as PlanStatement};

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
