//! Plans that stop when they are cancelled. Tasks end where they wait, and a join waits for its input only: between two
//! batches of it, it may make millions of batches, or look at billions of pairs and make none.
//!
//! So joins let others have a turn after some batches of their own, and their filters fail once the query is cancelled.
//! Where rows come from, they come no more: a recursive query, which waits for nobody, ends with that. And whoever reads
//! rows in a task of its own holds what the query occupies: such a task may go on for a while after the query was
//! cancelled.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;
use std::task::Poll;

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::{FieldRef, Schema};
use datafusion::common::tree_node::{Transformed, TreeNode, TreeNodeRecursion};
use datafusion::common::{Result, exec_err};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::logical_expr::ColumnarValue;
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_plan::analyze::AnalyzeExec;
use datafusion::physical_plan::coalesce_partitions::CoalescePartitionsExec;
use datafusion::physical_plan::coop::CooperativeExec;
use datafusion::physical_plan::joins::utils::JoinFilter;
use datafusion::physical_plan::joins::{
    CrossJoinExec, HashJoinExec, HashJoinExecBuilder, NestedLoopJoinExec, NestedLoopJoinExecBuilder,
};
use datafusion::physical_plan::repartition::RepartitionExec;
use datafusion::physical_plan::sorts::sort_preserving_merge::SortPreservingMergeExec;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, ExecutionPlan, PlanProperties, replace_children_if_necessary,
};
use futures::StreamExt;

use super::cancel_flag::CancelFlag;
use super::query_control::{QueryControl, RowCounter};

/// The same plan, whose joins stop soon after the query is cancelled, and whose tasks hold what it occupies.
pub(super) fn cancellable(plan: Arc<dyn ExecutionPlan>, control: &QueryControl) -> Result<Arc<dyn ExecutionPlan>> {
    let cancel = &control.cancel;
    let stoppable = |node: &Arc<dyn ExecutionPlan>| -> Arc<dyn ExecutionPlan> {
        // Rows are counted once, where they come from.
        let counter = node.children().is_empty().then(|| control.scanned.clone());
        Arc::new(StoppableExec { input: Arc::clone(node), control: control.clone(), counter })
    };
    let changed = plan.transform_up(|node| {
        let join: Arc<dyn ExecutionPlan> = if let Some(join) = node.downcast_ref::<HashJoinExec>() {
            let filter = join.filter().map(|filter| cancellable_filter(filter, cancel));
            Arc::new(HashJoinExecBuilder::from(join).with_filter(filter).build()?)
        } else if let Some(join) = node.downcast_ref::<NestedLoopJoinExec>() {
            let filter = join.filter().map(|filter| cancellable_filter(filter, cancel));
            Arc::new(NestedLoopJoinExecBuilder::from(join).with_filter(filter).build()?)
        } else if node.downcast_ref::<CrossJoinExec>().is_some() {
            node
        } else if node.children().is_empty() {
            return Ok(Transformed::yes(stoppable(&node)));
        } else if reads_in_tasks(&node) {
            let inputs = node.children().into_iter().map(stoppable).collect();
            return replace_children_if_necessary(node, inputs).map(Transformed::yes);
        } else {
            return Ok(Transformed::no(node));
        };
        Ok(Transformed::yes(Arc::new(CooperativeExec::new(join)) as Arc<dyn ExecutionPlan>))
    });
    changed.map(|changed| changed.data)
}

/// Whether an operator reads its inputs in tasks of their own.
fn reads_in_tasks(node: &Arc<dyn ExecutionPlan>) -> bool {
    node.is::<RepartitionExec>()
        || node.is::<CoalescePartitionsExec>()
        || node.is::<SortPreservingMergeExec>()
        || node.is::<AnalyzeExec>()
}

fn cancellable_filter(filter: &JoinFilter, cancel: &CancelFlag) -> JoinFilter {
    let condition = CancellableCondition { condition: Arc::clone(filter.expression()), cancel: cancel.clone() };
    JoinFilter::new(Arc::new(condition), filter.column_indices().to_vec(), Arc::clone(filter.schema()))
}

/// A condition that fails once the query is cancelled.
#[derive(Debug)]
struct CancellableCondition {
    condition: Arc<dyn PhysicalExpr>,
    cancel: CancelFlag,
}

impl PartialEq for CancellableCondition {
    fn eq(&self, other: &CancellableCondition) -> bool {
        self.condition.eq(&other.condition)
    }
}

impl Eq for CancellableCondition {}

impl Hash for CancellableCondition {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.condition.hash(state);
    }
}

impl fmt::Display for CancellableCondition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.condition.fmt(f)
    }
}

impl PhysicalExpr for CancellableCondition {
    fn evaluate(&self, batch: &RecordBatch) -> Result<ColumnarValue> {
        if self.cancel.is_set() {
            return exec_err!("the query was cancelled");
        }
        self.condition.evaluate(batch)
    }

    fn return_field(&self, input_schema: &Schema) -> Result<FieldRef> {
        self.condition.return_field(input_schema)
    }

    fn children(&self) -> Vec<&Arc<dyn PhysicalExpr>> {
        vec![&self.condition]
    }

    fn with_new_children(self: Arc<Self>, mut children: Vec<Arc<dyn PhysicalExpr>>) -> Result<Arc<dyn PhysicalExpr>> {
        match children.pop() {
            Some(condition) if children.is_empty() => {
                Ok(Arc::new(CancellableCondition { condition, cancel: self.cancel.clone() }))
            }
            _ => exec_err!("a cancellable condition has one child"),
        }
    }

    fn fmt_sql(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.condition.fmt_sql(f)
    }
}

/// Where rows come from: an error once the query is cancelled. Its rows hold what the query occupies.
#[derive(Debug)]
struct StoppableExec {
    input: Arc<dyn ExecutionPlan>,
    control: QueryControl,
    counter: Option<RowCounter>,
}

impl DisplayAs for StoppableExec {
    fn fmt_as(&self, _kind: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("StoppableExec")
    }
}

impl ExecutionPlan for StoppableExec {
    fn name(&self) -> &str {
        "StoppableExec"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        self.input.properties()
    }

    fn maintains_input_order(&self) -> Vec<bool> {
        vec![true]
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        vec![&self.input]
    }

    fn apply_expressions(
        &self,
        _visit: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        Ok(TreeNodeRecursion::Continue)
    }

    fn with_new_children(self: Arc<Self>, mut children: Vec<Arc<dyn ExecutionPlan>>) -> Result<Arc<dyn ExecutionPlan>> {
        match children.pop() {
            Some(input) if children.is_empty() => {
                let (control, counter) = (self.control.clone(), self.counter.clone());
                Ok(Arc::new(StoppableExec { input, control, counter }))
            }
            _ => exec_err!("StoppableExec has one child"),
        }
    }

    fn execute(&self, partition: usize, context: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        let mut rows = self.input.execute(partition, context)?;
        let (schema, control, counter) = (rows.schema(), self.control.clone(), self.counter.clone());
        let stoppable = futures::stream::poll_fn(move |task| match control.cancel.is_set() {
            true => Poll::Ready(Some(exec_err!("the query was cancelled"))),
            false => rows.poll_next_unpin(task).map_ok(|batch| {
                counter.iter().for_each(|counter| counter.add(batch.num_rows()));
                batch
            }),
        });
        Ok(Box::pin(RecordBatchStreamAdapter::new(schema, stoppable)))
    }
}
