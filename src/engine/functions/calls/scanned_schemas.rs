//! The traces that a relation reads.

use std::collections::BTreeSet;

use datafusion::common::Result;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::logical_expr::LogicalPlan;

/// The schemas of all tables that a plan scans: the names of traces, for tables of a store.
pub(crate) fn schemas(plan: &LogicalPlan) -> Result<BTreeSet<String>> {
    let mut found = BTreeSet::new();
    plan.apply_with_subqueries(|node| {
        if let LogicalPlan::TableScan(scan) = node
            && let Some(schema) = scan.table_name.schema()
        {
            found.insert(schema.to_string());
        }
        Ok(TreeNodeRecursion::Continue)
    })?;
    Ok(found)
}
