//! Collects rows by container without a hash table.
//!
//! Containers are numbered from 0 on, and rows of one container mostly follow each other: so a table with a place
//! per container tells its group, and is looked at only where the container changes.
//!
//! ```text
//!  aggregate, final, by container_id          DenseGroupMergeExec, with the same columns out
//!    repartition by container_id        ─►      DenseGroupByExec, with the same columns out
//!      aggregate, partial                         rows
//!        rows
//! ```
//! How groups of several partitions are put together: [`super::merge_exec`]. What that holds cannot go to disk: with
//! a limit of memory, DataFusion's own final aggregate stays, which can spill, and only the partial one is replaced.

use std::sync::Arc;

use arrow::datatypes::DataType;
use datafusion::common::Result;
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode};
use datafusion::config::ConfigOptions;
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::aggregates::AggregateExec;
use datafusion::physical_plan::{ExecutionPlan, InputOrderMode};

use super::exec::DenseGroupByExec;
use super::merge_exec::DenseGroupMergeExec;
use crate::optimizer::partial_aggregate::{aggregate_over, is_partial_of_trace_functions};

/// The rule; see the file's head. It must run when nothing else changes aggregates.
#[derive(Debug)]
pub(crate) struct DenseGroupByRule {
    /// Bytes that queries may hold, if there is a limit.
    pub(crate) memory_limit: Option<usize>,
}

impl DenseGroupByRule {
    /// Its name among the rules of a session.
    pub(crate) const NAME: &str = "dense_group_by";
}

impl PhysicalOptimizerRule for DenseGroupByRule {
    fn name(&self) -> &str {
        DenseGroupByRule::NAME
    }

    fn schema_check(&self) -> bool {
        true
    }

    fn optimize(&self, plan: Arc<dyn ExecutionPlan>, _config: &ConfigOptions) -> Result<Arc<dyn ExecutionPlan>> {
        plan.transform_up(|node| {
            let replaced: Option<Arc<dyn ExecutionPlan>> = match node.downcast_ref::<AggregateExec>() {
                Some(partial) if groups_by_number(partial)? => {
                    let partial = aggregate_over(partial, partial.filter_expr().to_vec(), partial.input())?;
                    Some(Arc::new(DenseGroupByExec::new(Arc::new(partial))))
                }
                Some(merged) if self.memory_limit.is_none() => {
                    DenseGroupMergeExec::of(merged)?.map(|merge| Arc::new(merge) as _)
                }
                _ => None,
            };
            Ok(replaced.map_or_else(|| Transformed::no(node), Transformed::yes))
        })
        .data()
    }
}

/// Whether it collects rows for functions of this crate by one whole number.
fn groups_by_number(partial: &AggregateExec) -> Result<bool> {
    let groups = partial.group_expr();
    let [(key, _)] = groups.expr() else {
        return Ok(false);
    };
    let is_plain = groups.is_single() && partial.limit_options().is_none() && !partial.aggr_expr().is_empty();
    let is_unordered = *partial.input_order_mode() == InputOrderMode::Linear;
    if !is_plain || !is_unordered || !is_partial_of_trace_functions(partial) {
        return Ok(false);
    }
    // Of a partial aggregate only: the key of a final one is a column of what the partial one emits.
    Ok(key.data_type(&partial.input_schema())? == DataType::Int32)
}
