//! The aggregate of overlap_seconds, which holds unions of intervals, becomes an operator that holds none: intervals sorted
//! by start are over one after the other.
//!
//! ```text
//!  aggregate, final                OverlapLengthsExec
//!    aggregate, partial     ─►       rows, by key
//!      rows
//! ```

use std::sync::Arc;

use datafusion::common::Result;
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode};
use datafusion::config::ConfigOptions;
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::aggregates::AggregateExec;

use super::overlap_lengths_exec::OverlapLengthsExec;
use super::rule::collected;
use crate::functions::intervals::overlap_seconds::INTERVAL_LENGTHS;

/// The rule. It must run before it is decided how rows are spread over partitions.
#[derive(Debug)]
pub(crate) struct OverlapLengths;

impl OverlapLengths {
    /// Its name among the rules of a session.
    pub(crate) const NAME: &str = "overlap_lengths";
}

impl PhysicalOptimizerRule for OverlapLengths {
    fn name(&self) -> &str {
        OverlapLengths::NAME
    }

    fn schema_check(&self) -> bool {
        true
    }

    fn optimize(&self, plan: Arc<dyn ExecutionPlan>, _config: &ConfigOptions) -> Result<Arc<dyn ExecutionPlan>> {
        plan.transform_down(|node| match swept(&node) {
            Some(lengths) => Ok(Transformed::yes(Arc::new(lengths) as Arc<dyn ExecutionPlan>)),
            None => Ok(Transformed::no(node)),
        })
        .data()
    }
}

/// The operator for an aggregate of lengths; `None` for any other node.
fn swept(node: &Arc<dyn ExecutionPlan>) -> Option<OverlapLengthsExec> {
    let (function, groups, input) = node.downcast_ref::<AggregateExec>().and_then(collected)?;
    if function.fun().name() != INTERVAL_LENGTHS || groups.has_grouping_set() {
        return None;
    }
    let keys = groups.input_exprs();
    // Zeros of both signs are one key of an aggregate.
    let is_key = |key: &Arc<dyn PhysicalExpr>| key.data_type(&input.schema()).is_ok_and(|kind| !kind.is_floating());
    keys.iter().all(is_key).then(|| OverlapLengthsExec::new(keys, function.expressions(), node.schema(), input))
}
