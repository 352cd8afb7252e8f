//! Plans that stop when they are cancelled. Tasks end where they wait, and a join waits for its input only: between two
//! batches of it, it may make millions of batches, or look at billions of pairs and make none.
//!
//! So joins let others have a turn after some batches of their own, and their filters fail once the query is cancelled.
//! Where rows come from, they come no more: a recursive query, which waits for nobody, ends with that. And whoever reads
//! rows in a task of its own holds what the query occupies: such a task may go on for a while after the query was
//! cancelled.
//!
//! A window over a whole partition collects its rows without a word to the pool of memory, and works on all of them in
//! one step that nothing ends. So its rows are reserved as they come, before it is too late.

use std::any::Any;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;
use std::task::Poll;

use datafusion::arrow::array::{ArrayRef, RecordBatch};
use datafusion::arrow::datatypes::{FieldRef, Schema};
use datafusion::common::tree_node::{Transformed, TreeNode, TreeNodeRecursion};
use datafusion::common::{Result, exec_err};
use datafusion::execution::memory_pool::{MemoryConsumer, MemoryReservation};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::logical_expr::ColumnarValue;
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_plan::analyze::AnalyzeExec;
use datafusion::physical_plan::coalesce_partitions::CoalescePartitionsExec;
use datafusion::physical_plan::coop::make_cooperative;
use datafusion::physical_plan::joins::utils::JoinFilter;
use datafusion::physical_plan::joins::{
    CrossJoinExec, HashJoinExec, HashJoinExecBuilder, NestedLoopJoinExec, NestedLoopJoinExecBuilder,
};
use datafusion::physical_plan::metrics::MetricsSet;
use datafusion::physical_plan::repartition::RepartitionExec;
use datafusion::physical_plan::sorts::sort_preserving_merge::SortPreservingMergeExec;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::windows::WindowAggExec;
use datafusion::physical_plan::{
    ChildrenPropertiesMode, DisplayAs, DisplayFormatType, ExecutionPlan, PlanProperties, ReplaceChildrenOptions,
    replace_children_if_necessary,
};
use futures::StreamExt;

use super::cancel_flag::CancelFlag;
use super::query_control::{QueryControl, RowCounter};

/// The same plan, whose joins stop soon after the query is cancelled, and whose tasks hold what it occupies. It looks the
/// same in EXPLAIN ANALYZE.
pub(super) fn cancellable(plan: Arc<dyn ExecutionPlan>, control: &QueryControl) -> Result<Arc<dyn ExecutionPlan>> {
    let cancel = &control.cancel;
    let stoppable = |operator: Arc<dyn ExecutionPlan>, counter: Option<RowCounter>| -> Arc<dyn ExecutionPlan> {
        Arc::new(StoppableExec { operator, control: control.clone(), counter, collected: None })
    };
    let changed = plan.transform_up(|node| {
        let join: Arc<dyn ExecutionPlan> = if let Some(join) = node.downcast_ref::<HashJoinExec>() {
            let filter = join.filter().map(|filter| cancellable_filter(filter, cancel));
            Arc::new(HashJoinExecBuilder::from(join).with_filter(filter).build()?)
        } else if let Some(join) = node.downcast_ref::<NestedLoopJoinExec>() {
            let filter = join.filter().map(|filter| cancellable_filter(filter, cancel));
            Arc::new(NestedLoopJoinExecBuilder::from(join).with_filter(filter).build()?)
        } else if node.is::<CrossJoinExec>() {
            node
        } else if node.children().is_empty() {
            // Rows are counted once, where they come from.
            return Ok(Transformed::yes(stoppable(node, Some(control.scanned.clone()))));
        } else if let Some(window) = node.downcast_ref::<WindowAggExec>() {
            let (operator, control) = (Arc::clone(window.input()), control.clone());
            let collected = Some(Collected { values: window.window_expr().len() });
            let input = Arc::new(StoppableExec { operator, control, counter: None, collected });
            return replace_children_if_necessary(node, vec![input]).map(Transformed::yes);
        } else if reads_in_tasks(&node) {
            let inputs = node.children().into_iter().map(|input| stoppable(Arc::clone(input), None)).collect();
            return replace_children_if_necessary(node, inputs).map(Transformed::yes);
        } else {
            return Ok(Transformed::no(node));
        };
        Ok(Transformed::yes(stoppable(join, None)))
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

/// An operator whose rows end with an error once the query is cancelled, hold what the query occupies, and let others have
/// a turn. In everything else, its looks included, it is that operator.
#[derive(Debug)]
struct StoppableExec {
    operator: Arc<dyn ExecutionPlan>,
    control: QueryControl,
    counter: Option<RowCounter>,
    /// Set where whoever reads the rows keeps all of them.
    collected: Option<Collected>,
}

impl StoppableExec {
    fn around(&self, operator: Arc<dyn ExecutionPlan>) -> Arc<dyn ExecutionPlan> {
        let (control, counter, collected) = (self.control.clone(), self.counter.clone(), self.collected);
        Arc::new(StoppableExec { operator, control, counter, collected })
    }
}

/// Rows that a window collects.
#[derive(Debug, Clone, Copy)]
struct Collected {
    /// How many values the window adds to a row.
    values: usize,
}

impl Collected {
    /// Bytes of an argument and of a value of a row, about: those of large ones are counted elsewhere.
    const VALUE: usize = 16;

    /// Reserves what a batch will cost: itself, its copy in the whole, and what is computed of it.
    fn reserve(self, batch: &RecordBatch, reservation: &MemoryReservation) -> Result<()> {
        let bytes = |column: &ArrayRef| {
            let data = column.to_data();
            data.get_slice_memory_size().unwrap_or_else(|_| data.get_buffer_memory_size())
        };
        let rows: usize = batch.columns().iter().map(bytes).sum();
        reservation.try_grow(2 * rows + Collected::VALUE * self.values * batch.num_rows())
    }
}

impl DisplayAs for StoppableExec {
    fn fmt_as(&self, kind: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.operator.fmt_as(kind, f)
    }
}

impl ExecutionPlan for StoppableExec {
    fn name(&self) -> &str {
        self.operator.name()
    }

    fn downcast_delegate(&self) -> Option<&dyn ExecutionPlan> {
        Some(self.operator.as_ref())
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        self.operator.properties()
    }

    fn maintains_input_order(&self) -> Vec<bool> {
        self.operator.maintains_input_order()
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        self.operator.children()
    }

    fn metrics(&self) -> Option<MetricsSet> {
        self.operator.metrics()
    }

    fn apply_expressions(
        &self,
        visit: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        self.operator.apply_expressions(visit)
    }

    fn replace_children(
        self: Arc<Self>,
        children: Vec<Arc<dyn ExecutionPlan>>,
        options: ReplaceChildrenOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        Ok(self.around(Arc::clone(&self.operator).replace_children(children, options)?))
    }

    fn with_new_children(self: Arc<Self>, children: Vec<Arc<dyn ExecutionPlan>>) -> Result<Arc<dyn ExecutionPlan>> {
        self.replace_children(children, ReplaceChildrenOptions::new(ChildrenPropertiesMode::Recompute))
    }

    // A recursive query begins each of its rounds with these two.
    fn reset_state(self: Arc<Self>) -> Result<Arc<dyn ExecutionPlan>> {
        Ok(self.around(Arc::clone(&self.operator).reset_state()?))
    }

    fn with_new_state(&self, state: Arc<dyn Any + Send + Sync>) -> Option<Arc<dyn ExecutionPlan>> {
        self.operator.with_new_state(state).map(|operator| self.around(operator))
    }

    fn execute(&self, partition: usize, context: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        let reservation = MemoryConsumer::new("window_rows").register(context.memory_pool());
        let mut rows = self.operator.execute(partition, context)?;
        let (schema, control, counter) = (rows.schema(), self.control.clone(), self.counter.clone());
        let collected = self.collected;
        let stoppable = futures::stream::poll_fn(move |task| match control.cancel.is_set() {
            true => Poll::Ready(Some(exec_err!("the query was cancelled"))),
            false => rows.poll_next_unpin(task).map(|polled| {
                polled.map(|batch| {
                    let batch = batch?;
                    counter.iter().for_each(|counter| counter.add(batch.num_rows()));
                    collected.map_or(Ok(()), |collected| collected.reserve(&batch, &reservation))?;
                    Ok(batch)
                })
            }),
        });
        Ok(make_cooperative(Box::pin(RecordBatchStreamAdapter::new(schema, stoppable))))
    }
}
