//! The sort below windows and sweeps of intervals, in little memory: flat_profile sorts all states of a trace. DataFusion's
//! sort holds as much as it is allowed, and that may be all the memory of a machine.
//!
//! ```text
//!  window                          window
//!    sort                  ─►        BoundedSortExec, with the same rows out
//!      rows                            rows
//! ```

use std::fmt;
use std::sync::Arc;

use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode, TreeNodeRecursion};
use datafusion::common::{Result, internal_err};
use datafusion::config::ConfigOptions;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::sorts::sort::SortExec;
use datafusion::physical_plan::windows::BoundedWindowAggExec;
use datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, ExecutionPlan, ExecutionPlanProperties, InputDistributionRequirements,
    PlanProperties, replace_children_if_necessary,
};

use super::bounded_sort::{bytes_of_partition, sort_by};
use crate::optimizer::interval_join::IntervalSweepExec;

/// The rule. Nothing may look for sorts after it.
#[derive(Debug)]
pub(crate) struct BoundedSorts;

impl BoundedSorts {
    /// Its name among the rules of a session.
    pub(crate) const NAME: &str = "bounded_sorts";
}

impl PhysicalOptimizerRule for BoundedSorts {
    fn name(&self) -> &str {
        BoundedSorts::NAME
    }

    fn schema_check(&self) -> bool {
        true
    }

    fn optimize(&self, plan: Arc<dyn ExecutionPlan>, _config: &ConfigOptions) -> Result<Arc<dyn ExecutionPlan>> {
        plan.transform_up(|node| match bounded(&node)? {
            Some(window) => Ok(Transformed::yes(window)),
            None => Ok(Transformed::no(node)),
        })
        .data()
    }
}

/// A window or a sweep of intervals over sorts; `None` for any other node.
fn bounded(node: &Arc<dyn ExecutionPlan>) -> Result<Option<Arc<dyn ExecutionPlan>>> {
    let is_sorted =
        node.downcast_ref::<BoundedWindowAggExec>().is_some() || node.downcast_ref::<IntervalSweepExec>().is_some();
    if !is_sorted {
        return Ok(None);
    }
    let children: Vec<Arc<dyn ExecutionPlan>> = node.children().into_iter().map(in_little_memory).collect();
    replace_children_if_necessary(Arc::clone(node), children).map(Some)
}

/// A sort that holds little instead of one that does not; anything else as it is.
fn in_little_memory(rows: &Arc<dyn ExecutionPlan>) -> Arc<dyn ExecutionPlan> {
    let Some(sort) = rows.downcast_ref::<SortExec>().filter(|sort| sort.fetch().is_none()) else {
        return Arc::clone(rows);
    };
    // One partition for all would be merged by the sort itself.
    if !sort.preserve_partitioning() && sort.input().output_partitioning().partition_count() > 1 {
        return Arc::clone(rows);
    }
    Arc::new(BoundedSortExec { sort: sort.clone() })
}

/// A sort that holds little.
#[derive(Debug)]
struct BoundedSortExec {
    sort: SortExec,
}

impl DisplayAs for BoundedSortExec {
    fn fmt_as(&self, form: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !matches!(form, DisplayFormatType::TreeRender) {
            write!(f, "Bounded")?;
        }
        self.sort.fmt_as(form, f)
    }
}

impl ExecutionPlan for BoundedSortExec {
    fn name(&self) -> &str {
        "BoundedSortExec"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        self.sort.properties()
    }

    fn input_distribution_requirements(&self) -> InputDistributionRequirements {
        self.sort.input_distribution_requirements()
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        vec![self.sort.input()]
    }

    fn apply_expressions(
        &self,
        f: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        self.sort.apply_expressions(f)
    }

    fn with_new_children(self: Arc<Self>, children: Vec<Arc<dyn ExecutionPlan>>) -> Result<Arc<dyn ExecutionPlan>> {
        let [input] = children.as_slice() else {
            return internal_err!("a sort has one input, got {}", children.len());
        };
        let sort = SortExec::new(self.sort.expr().clone(), Arc::clone(input))
            .with_preserve_partitioning(self.sort.preserve_partitioning());
        Ok(Arc::new(BoundedSortExec { sort }))
    }

    fn execute(&self, partition: usize, context: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        let rows = self.sort.input().execute(partition, Arc::clone(&context))?;
        sort_by(rows, self.sort.expr().clone(), bytes_of_partition(self.sort.input()), &context)
    }
}
