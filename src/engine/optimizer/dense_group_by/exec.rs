//! Collects rows by container without a hash table.
//!
//! Containers are numbered from 0 on, and rows of one container mostly follow each other: so a table with a place
//! per container tells its group, and is looked at only where the container changes.
//!
//! When memory is refused, the groups so far are emitted and collecting starts anew, as DataFusion's partial aggregate
//! does: a group that was begun twice is put together above.

#[cfg(test)]
mod tests;

use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, Int32Array, RecordBatch};
use arrow::datatypes::{Int32Type, SchemaRef};
use datafusion::common::cast::as_boolean_array;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::common::{DataFusionError, Result, internal_err};
use datafusion::execution::memory_pool::{MemoryConsumer, MemoryReservation};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::logical_expr::{EmitTo, GroupsAccumulator};
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_plan::aggregates::{AggregateExec, aggregate_expressions, evaluate_many};
use datafusion::physical_plan::metrics::{BaselineMetrics, ExecutionPlanMetricsSet, MetricsSet};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{DisplayAs, DisplayFormatType, ExecutionPlan, PlanProperties};
use futures::{TryStreamExt, stream};

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
        // It gives memory back when it is refused more, which is what a pool wants to know.
        let consumer = MemoryConsumer::new(format!("DenseGroupBy[{partition}]")).with_can_spill(true);
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
        let collecting = Collecting {
            groups,
            batch_size: context.session_config().batch_size().max(1),
            input: Some(self.partial.input().execute(partition, context)?),
            ready: VecDeque::new(),
        };
        let batches = stream::try_unfold(collecting, |mut collecting: Collecting| async move {
            Ok(collecting.next().await?.map(|batch| (batch, collecting)))
        });
        Ok(Box::pin(RecordBatchStreamAdapter::new(self.schema(), batches)))
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
    /// Adds the rows of a batch; [`Memory::Refused`] when the groups should be emitted now.
    fn add(&mut self, batch: &RecordBatch) -> Result<Memory> {
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
        match self.reservation.try_resize(self.held()) {
            Ok(()) => Ok(Memory::Granted),
            Err(error) if matches!(error.find_root(), DataFusionError::ResourcesExhausted(_)) => Ok(Memory::Refused),
            Err(error) => Err(error),
        }
    }

    /// Bytes that are held.
    fn held(&self) -> usize {
        let held: usize = self.accumulators.iter().map(|accumulator| accumulator.size()).sum();
        held + self.containers.size()
    }

    /// Takes all groups so far.
    fn emit(&mut self, batch_size: usize) -> Result<VecDeque<RecordBatch>> {
        let ids: Int32Array = std::mem::take(&mut self.containers).ids.into_iter().collect();
        let mut columns: Vec<ArrayRef> = vec![Arc::new(ids)];
        for accumulator in &mut self.accumulators {
            columns.extend(accumulator.state(EmitTo::All)?);
        }
        // What is left is less than before: refusing it would end a query that can go on.
        self.reservation.resize(self.held());
        let whole = RecordBatch::try_new(self.partial.schema(), columns)?;
        self.metrics.record_output(whole.num_rows());
        let starts = (0..whole.num_rows()).step_by(batch_size);
        Ok(starts.map(|start| whole.slice(start, batch_size.min(whole.num_rows() - start))).collect())
    }
}

/// Whether more may be held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Memory {
    Granted,
    Refused,
}

/// Groups that are collected from an input, and those that can go out.
struct Collecting {
    groups: DenseGroups,
    batch_size: usize,
    /// `None` when it has ended.
    input: Option<SendableRecordBatchStream>,
    ready: VecDeque<RecordBatch>,
}

impl Collecting {
    async fn next(&mut self) -> Result<Option<RecordBatch>> {
        loop {
            if let Some(batch) = self.ready.pop_front() {
                return Ok(Some(batch));
            }
            let Some(input) = &mut self.input else {
                return Ok(None);
            };
            let batch = input.try_next().await?;
            let elapsed = self.groups.metrics.elapsed_compute().clone();
            let _timer = elapsed.timer();
            let is_full = match &batch {
                Some(batch) => self.groups.add(batch)? == Memory::Refused,
                None => {
                    self.input = None;
                    true
                }
            };
            if is_full {
                self.ready = self.groups.emit(self.batch_size)?;
            }
        }
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
