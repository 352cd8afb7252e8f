//! Definitions that replace a view of ours.
//!
//! `CREATE VIEW activity_rules AS …` is a mistake by the letter of SQL, since a view of that name is there. Those
//! that are made to be replaced ([`registry::REPLACEABLE_VIEWS`]) may be: the statement is taken as if it said `OR
//! REPLACE`, as long as the name still means ours. A second one is a mistake as ever.

use std::sync::Arc;

use datafusion::common::{Result, TableReference};
use datafusion::execution::SessionState;
use datafusion::logical_expr::{DdlStatement, LogicalPlan};

use crate::functions::registry;

/// The plan, as one that replaces when it defines a view of ours that may be replaced.
pub(super) async fn allow(state: &SessionState, mut plan: LogicalPlan) -> Result<LogicalPlan> {
    let (name, is_absent_only, replaces) = match &mut plan {
        LogicalPlan::Ddl(DdlStatement::CreateView(view)) => (&view.name, None, &mut view.or_replace),
        LogicalPlan::Ddl(DdlStatement::CreateMemoryTable(table)) => {
            (&table.name, Some(&mut table.if_not_exists), &mut table.or_replace)
        }
        LogicalPlan::Ddl(DdlStatement::CreateExternalTable(table)) => {
            (&table.name, Some(&mut table.if_not_exists), &mut table.or_replace)
        }
        _ => return Ok(plan),
    };
    if is_ours(state, name).await? {
        *replaces = true;
        if let Some(is_absent_only) = is_absent_only {
            *is_absent_only = false;
        }
    }
    Ok(plan)
}

/// Whether a name means a view of ours that may be replaced, and that nobody has replaced yet.
async fn is_ours(state: &SessionState, name: &TableReference) -> Result<bool> {
    if !registry::REPLACEABLE_VIEWS.contains(&name.table()) {
        return Ok(false);
    }
    let Ok(schema) = state.schema_for_ref(name.clone()) else {
        return Ok(false);
    };
    let ours = registry::VIEWS.iter().find(|view| view.definition.name == name.table()).map(|view| view.sql);
    let table = schema.table(name.table()).await?;
    Ok(ours.is_some() && table.as_ref().map(Arc::as_ref).and_then(|table| table.get_table_definition()) == ours)
}
