//! Connects a plan with the query that runs it, and collects what there is to say to its user besides the rows.

use std::collections::BTreeSet;
use std::sync::Arc;

use datafusion::common::Result;
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode, TreeNodeRecursion};
use datafusion::execution::memory_pool::MemoryPool;
use datafusion::logical_expr::{Expr, LogicalPlan};
use ocellus_planning::CancelFlag;

use crate::functions::comparison::run_diff_match;
use crate::functions::partition::partition_aggregate;
use crate::functions::plans::query_links::NoteSink;
use crate::functions::slices;

/// Tables of a trace whose rows may be missing, and what their rows are called.
const ENTITIES: [(&str, &str); 5] = [
    ("states", "states"),
    ("state_segments", "states"),
    ("events", "events"),
    ("variables", "variables"),
    ("links", "links"),
];

/// Notes on the result of a query, complete once all of its rows were read.
#[derive(Debug, Clone, Default)]
pub struct QueryNotes {
    sinks: Vec<NoteSink>,
    /// Trace and word for what it has none of, of each table without rows that the query reads.
    missing: BTreeSet<(String, &'static str)>,
}

impl QueryNotes {
    /// The notes, given how many rows the query had: an empty result that comes from an empty table says so.
    pub fn take(&self, rows: usize) -> Vec<String> {
        let mut notes: Vec<String> = self.sinks.iter().flat_map(NoteSink::take).collect();
        if rows == 0 {
            notes.extend(self.missing.iter().map(|(trace, what)| format!("trace {trace} has no {what}")));
        }
        notes
    }
}

/// The same plan, whose functions can be connected with one query: those of a registry belong to all.
pub(super) fn separate(plan: LogicalPlan) -> Result<LogicalPlan> {
    let separate_call = |expression: Expr| match expression {
        Expr::AggregateFunction(mut call) => {
            let own = slices::of_one_call(&call.func);
            let is_changed = own.is_some();
            call.func = own.map_or(call.func, Arc::new);
            Ok(Transformed::new_transformed(Expr::AggregateFunction(call), is_changed))
        }
        other => Ok(Transformed::no(other)),
    };
    plan.transform_up_with_subqueries(|node| node.map_expressions(|expression| expression.transform_up(separate_call)))
        .data()
}

/// Connects the functions of a plan with the flag and the memory of their query.
pub(super) fn connect(plan: &LogicalPlan, cancel: &CancelFlag, memory: &Arc<dyn MemoryPool>) -> Result<QueryNotes> {
    let mut notes = QueryNotes::default();
    plan.apply_with_subqueries(|node| {
        if let Some(missing) = missing_table(node) {
            notes.missing.insert(missing);
        }
        node.apply_expressions(|expression| {
            expression.apply(|expression| {
                match expression {
                    Expr::AggregateFunction(call) => {
                        if let Some(slot) = partition_aggregate::cancel_slot(&call.func) {
                            slot.connect(cancel);
                        }
                        if let Some(slot) = slices::memory_slot(&call.func) {
                            slot.connect(memory);
                        }
                    }
                    Expr::ScalarFunction(call) => notes.sinks.extend(run_diff_match::note_sink(&call.func).cloned()),
                    _ => {}
                }
                Ok(TreeNodeRecursion::Continue)
            })
        })
    })?;
    Ok(notes)
}

/// The catalog gives a table without files as nothing, under the name of the trace and the table.
fn missing_table(node: &LogicalPlan) -> Option<(String, &'static str)> {
    let LogicalPlan::SubqueryAlias(named) = node else { return None };
    let LogicalPlan::EmptyRelation(nothing) = named.input.as_ref() else { return None };
    let (_, word) = ENTITIES.iter().find(|(table, _)| *table == named.alias.table())?;
    (!nothing.produce_one_row).then(|| Some((named.alias.schema()?.to_string(), *word)))?
}
