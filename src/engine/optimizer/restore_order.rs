//! Sorts again where the knowledge of an order was lost.
//!
//! DataFusion leaves a column out of a sort when it is constant there, and forgets on the way up that it is: a filter
//! or a join that drops columns forgets constant expressions of them, a union forgets which columns of an input are
//! equal. The rows are in order, but the plan does not show it, and DataFusion's last check refuses the plan:
//!
//! ```text
//!  merge by type, time            merge by type, time
//!    projection             ─►      sort by type, time        (this rule)
//!      sort by time                   projection
//!        … type = 'MPI' …               … type = 'MPI' …
//! ```
//! So this rule looks at every input once more, after all other rules, and sorts those whose order does not show.

#[cfg(test)]
mod tests;

use std::sync::Arc;

use datafusion::common::Result;
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode};
use datafusion::config::ConfigOptions;
use datafusion::physical_expr::{LexOrdering, LexRequirement};
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::projection::ProjectionExec;
use datafusion::physical_plan::sorts::sort::SortExec;
use datafusion::physical_plan::union::UnionExec;
use datafusion::physical_plan::{ExecutionPlan, ExecutionPlanProperties, replace_children_if_necessary};

/// The rule; see the file's head. It must come after every rule that changes plans.
#[derive(Debug, Default)]
pub(crate) struct RestoreOrder;

impl RestoreOrder {
    /// Its name among the rules of a session.
    pub(super) const NAME: &str = "restore_order";
}

impl PhysicalOptimizerRule for RestoreOrder {
    fn name(&self) -> &str {
        RestoreOrder::NAME
    }

    fn schema_check(&self) -> bool {
        true
    }

    fn optimize(&self, plan: Arc<dyn ExecutionPlan>, _config: &ConfigOptions) -> Result<Arc<dyn ExecutionPlan>> {
        plan.transform_up(|node| {
            let mut is_changed = false;
            let mut inputs = vec![];
            for (input, order) in node.children().into_iter().zip(node.required_input_ordering()) {
                let order = order.map(|order| order.into_single());
                inputs.push(match order {
                    Some(order) if !is_shown(input, &order)? => {
                        is_changed = true;
                        sorted(input, order)?
                    }
                    _ => Arc::clone(input),
                });
            }
            match is_changed {
                true => replace_children_if_necessary(node, inputs).map(Transformed::yes),
                false => Ok(Transformed::no(node)),
            }
        })
        .data()
    }
}

fn is_shown(input: &Arc<dyn ExecutionPlan>, order: &LexRequirement) -> Result<bool> {
    input.equivalence_properties().ordering_satisfy_requirement(order.clone())
}

/// The rows of each partition in an order that shows.
fn sorted(input: &Arc<dyn ExecutionPlan>, order: LexRequirement) -> Result<Arc<dyn ExecutionPlan>> {
    let sort = SortExec::new(LexOrdering::from(order), without_sorts(input)?);
    Ok(Arc::new(sort.with_preserve_partitioning(true)))
}

/// The plan without the sorts that the new one stands for.
fn without_sorts(plan: &Arc<dyn ExecutionPlan>) -> Result<Arc<dyn ExecutionPlan>> {
    if let Some(sort) = plan.downcast_ref::<SortExec>() {
        let is_needed = sort.fetch().is_some()
            || sort.input().output_partitioning().partition_count() != plan.output_partitioning().partition_count();
        return Ok(Arc::clone(if is_needed { plan } else { sort.input() }));
    }
    let passes_rows = plan.downcast_ref::<ProjectionExec>().is_some() || plan.downcast_ref::<UnionExec>().is_some();
    if !passes_rows {
        return Ok(Arc::clone(plan));
    }
    let inputs = plan.children().into_iter().map(without_sorts).collect::<Result<Vec<_>>>()?;
    replace_children_if_necessary(Arc::clone(plan), inputs)
}
