//! Takes the limit from groups that later turned out to be in order.
//!
//! DataFusion lets `SELECT DISTINCT … LIMIT n` stop after n groups when rows come in no order. A later rule may sort
//! what the groups are made of; then the same limit means the n largest groups, and the query fails since nobody said
//! which are large. The limit above the groups stays, so that the rows are the same.

use std::sync::Arc;

use datafusion::common::Result;
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode};
use datafusion::config::ConfigOptions;
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::aggregates::AggregateExec;

/// The rule; see the file's head. It must come after the rules that sort.
#[derive(Debug, Default)]
pub(crate) struct OrderedDistinct;

impl PhysicalOptimizerRule for OrderedDistinct {
    fn name(&self) -> &str {
        "ordered_distinct"
    }

    fn schema_check(&self) -> bool {
        true
    }

    fn optimize(&self, plan: Arc<dyn ExecutionPlan>, _config: &ConfigOptions) -> Result<Arc<dyn ExecutionPlan>> {
        plan.transform_up(|node| {
            let limited = node.downcast_ref::<AggregateExec>().filter(|groups| is_misread(groups));
            Ok(match limited {
                Some(groups) => {
                    Transformed::yes(Arc::new(groups.with_new_limit_options(None)) as Arc<dyn ExecutionPlan>)
                }
                None => Transformed::no(node),
            })
        })
        .data()
    }
}

/// Whether a limit without a direction would be taken for one with it.
fn is_misread(groups: &AggregateExec) -> bool {
    let has_no_direction = groups.limit_options().is_some_and(|limit| limit.descending.is_none());
    has_no_direction && groups.get_minmax_desc().is_none() && !groups.is_unordered_unfiltered_group_by_distinct()
}
