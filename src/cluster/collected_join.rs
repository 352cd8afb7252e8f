//! A join whose left side every task reads whole.
//!
//! It is a join of DataFusion under another name. Ballista would turn such joins into others by the sizes that it
//! learns on the way: partitions are then not those that the operators above were planned for, and rows are
//! lost, counted apart, or given twice.

use std::fmt;
use std::sync::Arc;

use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::common::{Result, internal_err};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::{OrderingRequirements, PhysicalExpr};
use datafusion::physical_plan::empty::EmptyExec;
use datafusion::physical_plan::joins::{CrossJoinExec, HashJoinExec, NestedLoopJoinExec};
use datafusion::physical_plan::metrics::MetricsSet;
use datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, ExecutionPlan, InputDistributionRequirements, PlanProperties,
    replace_children_if_necessary,
};

/// The join; see the file's head.
#[derive(Debug)]
pub(super) struct CollectedJoinExec {
    join: Arc<dyn ExecutionPlan>,
}

impl CollectedJoinExec {
    /// Over a hash join in the mode CollectLeft, a nested loop join or a cross join.
    pub(super) fn new(join: Arc<dyn ExecutionPlan>) -> Result<CollectedJoinExec> {
        match join.is::<HashJoinExec>() || join.is::<NestedLoopJoinExec>() || join.is::<CrossJoinExec>() {
            true => Ok(CollectedJoinExec { join }),
            false => internal_err!("expected a join, got {}", join.name()),
        }
    }

    /// The join alone, over nothing: its inputs travel by themselves.
    pub(super) fn without_inputs(&self) -> Result<Arc<dyn ExecutionPlan>> {
        let nothing =
            |input: &Arc<dyn ExecutionPlan>| -> Arc<dyn ExecutionPlan> { Arc::new(EmptyExec::new(input.schema())) };
        let inputs = self.join.children().into_iter().map(nothing).collect();
        replace_children_if_necessary(Arc::clone(&self.join), inputs)
    }
}

impl DisplayAs for CollectedJoinExec {
    fn fmt_as(&self, form: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Collected")?;
        self.join.fmt_as(form, f)
    }
}

impl ExecutionPlan for CollectedJoinExec {
    fn name(&self) -> &str {
        "CollectedJoinExec"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        self.join.properties()
    }

    fn input_distribution_requirements(&self) -> InputDistributionRequirements {
        self.join.input_distribution_requirements()
    }

    fn required_input_ordering(&self) -> Vec<Option<OrderingRequirements>> {
        self.join.required_input_ordering()
    }

    fn maintains_input_order(&self) -> Vec<bool> {
        self.join.maintains_input_order()
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        self.join.children()
    }

    fn apply_expressions(
        &self,
        f: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        self.join.apply_expressions(f)
    }

    fn with_new_children(self: Arc<Self>, children: Vec<Arc<dyn ExecutionPlan>>) -> Result<Arc<dyn ExecutionPlan>> {
        Ok(Arc::new(CollectedJoinExec { join: replace_children_if_necessary(Arc::clone(&self.join), children)? }))
    }

    fn execute(&self, partition: usize, context: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        self.join.execute(partition, context)
    }

    fn metrics(&self) -> Option<MetricsSet> {
        self.join.metrics()
    }
}
