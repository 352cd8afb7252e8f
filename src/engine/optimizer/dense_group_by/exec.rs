//! Collects rows by container without a hash table.
//!
//! Containers are numbered from 0 on, and rows of one container mostly follow each other: so a table with a place
//! per container tells its group, and is looked at only where the container changes.

#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, Int32Array, RecordBatch};
use arrow::datatypes::{Int32Type, SchemaRef};
use datafusion::common::cast::as_boolean_array;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::common::{Result, internal_err};
use datafusion::execution::memory_pool::{MemoryConsumer, MemoryReservation};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::logical_expr::{EmitTo, GroupsAccumulator};
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_plan::aggregates::{AggregateExec, aggregate_expressions, evaluate_many};
use datafusion::physical_plan::metrics::{BaselineMetrics, ExecutionPlanMetricsSet, MetricsSet};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{DisplayAs, DisplayFormatType, ExecutionPlan, PlanProperties};
use futures::{StreamExt, TryStreamExt, stream};

use crate::optimizer::partial_aggregate::aggregate_over;

/// What a partial aggregate by container gives.
#[derive(Debug)]
pub(crate) struct DenseGroupByExec {
    partial: Arc<AggregateExec>,
    metrics: ExecutionPlanMetricsSet,
}

impl DenseGroupByExec {
    pub(super) fn new(partial: Arc<AggregateExec>) -> DenseGroupByExec {
        DenseGroupByExec { partial, metrics: ExecutionPlanMetricsSet::new() }
    }
}

impl DisplayAs for DenseGroupByExec {
    fn fmt_as(&self, form: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let key =
            self.partial.group_expr().expr().iter().map(|(key, _)| key.to_string()).collect::<Vec<_>>().join(", ");
        let functions: Vec<&str> = self.partial.aggr_expr().iter().map(|function| function.fun().name()).collect();
        if !matches!(form, DisplayFormatType::TreeRender) {
            write!(f, "DenseGroupByExec: ")?;
        }
        write!(f, "gby=[{key}], aggr=[{}]", functions.join(", "))
    }
}

impl ExecutionPlan for DenseGroupByExec {
    fn name(&self) -> &str {
        "DenseGroupByExec"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        self.partial.properties()
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        vec![self.partial.input()]
    }

    fn apply_expressions(
        &self,
        f: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        self.partial.apply_expressions(f)
    }

    fn with_new_children(self: Arc<Self>, children: Vec<Arc<dyn ExecutionPlan>>) -> Result<Arc<dyn ExecutionPlan>> {
        let [input] = children.as_slice() else {
            return internal_err!("groups of containers have one input, got {}", children.len());
        };
        let partial = aggregate_over(&self.partial, self.partial.filter_expr().to_vec(), input)?;
        Ok(Arc::new(DenseGroupByExec::new(Arc::new(partial))))
    }

    fn execute(&self, partition: usize, context: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        let consumer = MemoryConsumer::new(format!("DenseGroupBy[{partition}]"));
        let functions = self.partial.aggr_expr();
        let groups = DenseGroups {
            partial: Arc::clone(&self.partial),
            arguments: aggregate_expressions(functions, self.partial.mode(), 0)?,
            accumulators: functions
                .iter()
                .map(|function| function.create_groups_accumulator())
                .collect::<Result<_>>()?,
            containers: DenseKeys::default(),
            of_rows: vec![],
            reservation: consumer.register(context.memory_pool()),
            metrics: BaselineMetrics::new(&self.metrics, partition),
        };
        let batch_size = context.session_config().batch_size();
        let input = self.partial.input().execute(partition, context)?;
        let batches = stream::once(groups.collect(input, batch_size)).map_ok(|batches| stream::iter(batches).map(Ok));
        Ok(Box::pin(RecordBatchStreamAdapter::new(self.schema(), batches.try_flatten())))
    }

    fn metrics(&self) -> Option<MetricsSet> {
        Some(self.metrics.clone_inner())
    }

    fn schema(&self) -> SchemaRef {
        self.partial.schema()
    }
}

/// The groups of a partition.
struct DenseGroups {
    partial: Arc<AggregateExec>,
    /// Of each function.
    arguments: Vec<Vec<Arc<dyn PhysicalExpr>>>,
    accumulators: Vec<Box<dyn GroupsAccumulator>>,
    containers: DenseKeys,
    /// The group of each row of a batch.
    of_rows: Vec<usize>,
    reservation: MemoryReservation,
    metrics: BaselineMetrics,
}

impl DenseGroups {
    async fn collect(mut self, mut input: SendableRecordBatchStream, batch_size: usize) -> Result<Vec<RecordBatch>> {
        while let Some(batch) = input.try_next().await? {
            let elapsed = self.metrics.elapsed_compute().clone();
            let _timer = elapsed.timer();
            self.add(&batch)?;
        }
        drop(input);
        let elapsed = self.metrics.elapsed_compute().clone();
        let _timer = elapsed.timer();
        self.finish(batch_size)
    }

    fn add(&mut self, batch: &RecordBatch) -> Result<()> {
        for (key, _) in self.partial.group_expr().expr() {
            let ids = key.evaluate(batch)?.into_array(batch.num_rows())?;
            self.containers.groups(ids.as_primitive::<Int32Type>(), &mut self.of_rows);
        }
        let (count, conditions) = (self.containers.ids.len(), self.partial.filter_expr());
        let arguments = evaluate_many(&self.arguments, batch)?;
        for ((accumulator, arguments), condition) in self.accumulators.iter_mut().zip(&arguments).zip(conditions) {
            let wanted = condition.as_ref().map(|condition| condition.evaluate(batch)?.into_array(batch.num_rows()));
            let wanted = wanted.transpose()?;
            let wanted = wanted.as_ref().map(|wanted| as_boolean_array(wanted)).transpose()?;
            accumulator.update_batch(arguments, &self.of_rows, wanted, count)?;
        }
        let held: usize = self.accumulators.iter().map(|accumulator| accumulator.size()).sum();
        self.reservation.try_resize(held + self.containers.size())
    }

    fn finish(mut self, batch_size: usize) -> Result<Vec<RecordBatch>> {
        let ids: Int32Array = self.containers.ids.iter().copied().collect();
        let mut columns: Vec<ArrayRef> = vec![Arc::new(ids)];
        for accumulator in &mut self.accumulators {
            columns.extend(accumulator.state(EmitTo::All)?);
        }
        let whole = RecordBatch::try_new(self.partial.schema(), columns)?;
        self.metrics.record_output(whole.num_rows());
        let starts = (0..whole.num_rows()).step_by(batch_size.max(1));
        Ok(starts.map(|start| whole.slice(start, batch_size.min(whole.num_rows() - start))).collect())
    }
}

/// Numbers beyond this have no place each.
const MOST_PLACES: usize = 1 << 24;

/// The groups of containers, in the order in which they were first seen.
#[derive(Debug, Default)]
struct DenseKeys {
    ids: Vec<Option<i32>>,
    /// By container: its group and one; 0 is nothing.
    places: Vec<u32>,
    /// The groups of those that are no place: NULL, negative and very large numbers.
    others: HashMap<Option<i32>, usize>,
}

impl DenseKeys {
    /// The group of each row.
    fn groups(&mut self, ids: &Int32Array, groups: &mut Vec<usize>) {
        groups.clear();
        let (mut last, mut group) = (None, usize::MAX);
        let mut of = |id: Option<i32>| {
            if last != Some(id) {
                (last, group) = (Some(id), self.group(id));
            }
            group
        };
        match ids.nulls() {
            None => groups.extend(ids.values().iter().map(|id| of(Some(*id)))),
            Some(_) => groups.extend(ids.iter().map(of)),
        }
    }

    #[inline(never)]
    fn group(&mut self, id: Option<i32>) -> usize {
        let next = self.ids.len();
        let place = id.and_then(|id| usize::try_from(id).ok()).filter(|place| *place < MOST_PLACES);
        let group = match place {
            Some(place) => {
                if place >= self.places.len() {
                    self.places.resize((place + 1).next_power_of_two(), 0);
                }
                if self.places[place] == 0 {
                    self.places[place] = next as u32 + 1;
                }
                self.places[place] as usize - 1
            }
            None => *self.others.entry(id).or_insert(next),
        };
        if group == next {
            self.ids.push(id);
        }
        group
    }

    fn size(&self) -> usize {
        self.ids.capacity() * size_of::<Option<i32>>()
            + self.places.capacity() * size_of::<u32>()
            + self.others.capacity() * 2 * size_of::<(Option<i32>, usize)>()
    }
}
