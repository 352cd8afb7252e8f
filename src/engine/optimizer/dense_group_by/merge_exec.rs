//! Puts the groups of containers together that partitions have collected.
//!
//! DataFusion copies groups twice on their way between partitions, and hands out all of them at once. Groups of ours
//! may be long: here they stay where they are, and only so many are put together at a time as a cache holds.
//!
//! ```text
//!  partition 0  [a b c]  ─┐ kept as  ┌─►  a of 0 and 1 ─► out,  c of 0 ─► out
//!  partition 1  [b a]    ─┘ they are └─►  b of 0 and 1 ─► out
//! ```
//! Which containers a partition gives out is decided as DataFusion's repartitioning would.

#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use arrow::array::{Array, ArrayRef, AsArray, Int32Array, RecordBatch, UInt32Array};
use arrow::compute::take_record_batch;
use arrow::datatypes::{DataType, Field, Int32Type, Schema, SchemaRef, UInt32Type};
use datafusion::common::runtime::SpawnedTask;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::common::{Result, exec_datafusion_err, internal_datafusion_err, internal_err};
use datafusion::execution::memory_pool::{MemoryConsumer, MemoryReservation};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::logical_expr::EmitTo;
use datafusion::physical_expr::aggregate::AggregateFunctionExpr;
use datafusion::physical_expr::expressions::Column;
use datafusion::physical_expr::{Partitioning, PhysicalExpr};
use datafusion::physical_plan::aggregates::{AggregateExec, AggregateMode, aggregate_expressions, evaluate_many};
use datafusion::physical_plan::coop::make_cooperative;
use datafusion::physical_plan::metrics::{BaselineMetrics, ExecutionPlanMetricsSet, MetricsSet, Time};
use datafusion::physical_plan::repartition::{BatchPartitioner, RepartitionExec};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::union::UnionExec;
use datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, ExecutionPlan, ExecutionPlanProperties, PlanProperties, common,
};
use futures::{FutureExt, Stream, TryStreamExt, stream};

use super::exec::DenseGroupByExec;
use crate::optimizer::build_once::{BuildOnce, wait};

/// Bytes of groups that are put together at a time: what comes of them should fit a cache too.
const AT_A_TIME: usize = 256 << 10;

/// Puts groups together; see the file's head.
#[derive(Debug)]
pub(crate) struct DenseGroupMergeExec {
    /// What it stands for: the final aggregate over groups that are spread by container.
    merged: AggregateExec,
    input: Arc<dyn ExecutionPlan>,
    shares: BuildOnce<Shares>,
    metrics: ExecutionPlanMetricsSet,
}

impl DenseGroupMergeExec {
    /// In the place of a final aggregate, when its input are groups of containers.
    pub(crate) fn of(merged: &AggregateExec) -> Result<Option<DenseGroupMergeExec>> {
        let Some(spread) = merged.input().downcast_ref::<RepartitionExec>() else {
            return Ok(None);
        };
        let is_whole = *merged.mode() == AggregateMode::FinalPartitioned && merged.limit_options().is_none();
        let by_container = matches!(spread.partitioning(), Partitioning::Hash(keys, _) if is_first_column(keys));
        if !(is_whole && by_container && !spread.preserve_order() && gives_groups(spread.input())) {
            return Ok(None);
        }
        DenseGroupMergeExec::over(merged, spread.partitioning(), spread.input()).map(Some)
    }

    fn over(
        merged: &AggregateExec,
        spread: &Partitioning,
        input: &Arc<dyn ExecutionPlan>,
    ) -> Result<DenseGroupMergeExec> {
        let (groups, functions) = (merged.group_expr().clone(), merged.aggr_expr().to_vec());
        let conditions = merged.filter_expr().to_vec();
        let spread = Arc::new(RepartitionExec::try_new(Arc::clone(input), spread.clone())?);
        let merged =
            AggregateExec::try_new(*merged.mode(), groups, functions, conditions, spread, merged.input_schema())?;
        let (input, metrics) = (Arc::clone(input), ExecutionPlanMetricsSet::new());
        Ok(DenseGroupMergeExec { merged, input, shares: BuildOnce::default(), metrics })
    }

    fn partition_count(&self) -> usize {
        self.merged.properties().output_partitioning().partition_count()
    }
}

/// The key of groups is their first column.
fn is_first_column(keys: &[Arc<dyn PhysicalExpr>]) -> bool {
    matches!(keys, [key] if key.downcast_ref::<Column>().is_some_and(|column| column.index() == 0))
}

fn gives_groups(plan: &Arc<dyn ExecutionPlan>) -> bool {
    match plan.downcast_ref::<UnionExec>() {
        Some(union) => union.inputs().iter().all(gives_groups),
        None => plan.is::<DenseGroupByExec>(),
    }
}

impl DisplayAs for DenseGroupMergeExec {
    fn fmt_as(&self, form: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !matches!(form, DisplayFormatType::TreeRender) {
            write!(f, "DenseGroupMergeExec: ")?;
        }
        write!(f, "partitions={}", self.partition_count())
    }
}

impl ExecutionPlan for DenseGroupMergeExec {
    fn name(&self) -> &str {
        "DenseGroupMergeExec"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        self.merged.properties()
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        vec![&self.input]
    }

    fn apply_expressions(
        &self,
        f: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        self.merged.apply_expressions(f)
    }

    fn with_new_children(self: Arc<Self>, children: Vec<Arc<dyn ExecutionPlan>>) -> Result<Arc<dyn ExecutionPlan>> {
        let [input] = children.as_slice() else {
            return internal_err!("groups of containers have one input, got {}", children.len());
        };
        let spread = self.merged.properties().output_partitioning();
        Ok(Arc::new(DenseGroupMergeExec::over(&self.merged, spread, input)?))
    }

    fn execute(&self, partition: usize, context: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        let building = self.shares.get(|| {
            let inputs = 0..self.input.output_partitioning().partition_count();
            let inputs = inputs.map(|input| self.input.execute(input, Arc::clone(&context)));
            let reservation = MemoryConsumer::new("DenseGroupMerge").register(context.memory_pool());
            Ok(gather(inputs.collect::<Result<_>>()?, self.partition_count(), reservation).boxed())
        })?;
        let functions = self.merged.aggr_expr();
        let merger = Merger {
            arguments: aggregate_expressions(functions, self.merged.mode(), 1)?,
            functions: functions.to_vec(),
            schema: self.schema(),
            batch_size: context.session_config().batch_size().max(1),
            metrics: BaselineMetrics::new(&self.metrics, partition),
        };
        let batches = async move { wait(building).await?.take(partition).map(|share| merger.batches(share)) };
        let batches = RecordBatchStreamAdapter::new(self.schema(), stream::once(batches).try_flatten());
        Ok(make_cooperative(Box::pin(batches)))
    }

    fn metrics(&self) -> Option<MetricsSet> {
        Some(self.metrics.clone_inner())
    }

    fn schema(&self) -> SchemaRef {
        self.merged.schema()
    }
}

/// A group of an input partition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct GroupRow {
    container: Option<i32>,
    /// Where it lies.
    batch: u32,
    row: u32,
}

/// The groups of the containers that one partition gives out.
#[derive(Debug)]
struct Share {
    batches: Arc<[RecordBatch]>,
    /// By container.
    pieces: Vec<GroupRow>,
    /// What the batches are accounted by.
    _reservation: Arc<MemoryReservation>,
}

/// The share of each partition, until it takes it.
#[derive(Debug)]
struct Shares(Mutex<Vec<Option<Share>>>);

impl Shares {
    fn take(&self, partition: usize) -> Result<Share> {
        // A share is taken in one step: none is broken after a panic.
        let mut shares = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let share = shares.get_mut(partition).and_then(Option::take);
        share.ok_or_else(|| internal_datafusion_err!("groups of partition {partition} were asked for twice"))
    }
}

/// Reads all groups, and shares the containers out.
async fn gather(
    inputs: Vec<SendableRecordBatchStream>,
    partitions: usize,
    reservation: MemoryReservation,
) -> Result<Shares> {
    let tasks: Vec<_> = inputs.into_iter().map(|input| SpawnedTask::spawn(common::collect(input))).collect();
    let mut batches = vec![];
    for task in tasks {
        batches.extend(task.join_unwind().await.map_err(|e| exec_datafusion_err!("groups of containers: {e}"))??);
    }
    reservation.try_grow(batches.iter().map(size).sum())?;
    let (batches, reservation): (Arc<[RecordBatch]>, _) = (batches.into(), Arc::new(reservation));
    let share = |pieces| Some(Share { batches: Arc::clone(&batches), pieces, _reservation: Arc::clone(&reservation) });
    Ok(Shares(Mutex::new(shared_out(&batches, partitions)?.into_iter().map(share).collect())))
}

/// Bytes of the rows of a batch.
fn size(batch: &RecordBatch) -> usize {
    batch.columns().iter().map(|column| column.to_data().get_slice_memory_size().unwrap_or_default()).sum()
}

/// The pieces of each partition, by container.
fn shared_out(batches: &[RecordBatch], partitions: usize) -> Result<Vec<Vec<GroupRow>>> {
    let columns = [Field::new("container", DataType::Int32, true), Field::new("row", DataType::UInt32, false)];
    let schema = Arc::new(Schema::new(columns.to_vec()));
    let key = Arc::new(Column::new("container", 0));
    let mut spread = BatchPartitioner::new_hash_partitioner(vec![key], partitions, Time::new())?;
    let mut shares = vec![vec![]; partitions];
    for (batch, number) in batches.iter().zip(0..) {
        let rows = UInt32Array::from_iter_values(0..batch.num_rows() as u32);
        let rows = RecordBatch::try_new(Arc::clone(&schema), vec![Arc::clone(batch.column(0)), Arc::new(rows)])?;
        spread.partition(rows, |partition, rows| {
            let containers = rows.column(0).as_primitive::<Int32Type>().iter();
            let numbers = rows.column(1).as_primitive::<UInt32Type>().values();
            let piece = |(container, &row)| GroupRow { container, batch: number, row };
            shares[partition].extend(containers.zip(numbers).map(piece));
            Ok(())
        })?;
    }
    shares.iter_mut().for_each(|pieces| pieces.sort_unstable());
    Ok(shares)
}

/// Puts the groups of a partition together.
struct Merger {
    functions: Vec<Arc<AggregateFunctionExpr>>,
    /// Of each function: its columns.
    arguments: Vec<Vec<Arc<dyn PhysicalExpr>>>,
    schema: SchemaRef,
    /// So many groups come out at a time at most.
    batch_size: usize,
    metrics: BaselineMetrics,
}

impl Merger {
    /// All containers of a share, some at a time.
    fn batches(self, share: Share) -> impl Stream<Item = Result<RecordBatch>> {
        let per_row: Vec<usize> = share.batches.iter().map(|batch| size(batch) / batch.num_rows().max(1)).collect();
        let mut next = 0;
        stream::iter(std::iter::from_fn(move || {
            let pieces = some_containers(share.pieces.get(next..)?, &per_row, self.batch_size);
            next += pieces.len();
            (!pieces.is_empty()).then(|| self.merge(&share.batches, pieces))
        }))
    }

    /// The groups of some containers.
    fn merge(&self, batches: &[RecordBatch], pieces: &[GroupRow]) -> Result<RecordBatch> {
        let _timer = self.metrics.elapsed_compute().timer();
        let (mut containers, mut places) = (vec![], vec![]);
        for same in pieces.chunk_by(|one, other| one.container == other.container) {
            places.extend(same.iter().map(|piece| (piece.batch, piece.row, containers.len())));
            containers.push(same[0].container);
        }
        places.sort_unstable();
        let functions = self.functions.iter();
        let mut accumulators =
            functions.map(|function| function.create_groups_accumulator()).collect::<Result<Vec<_>>>()?;
        for places in places.chunk_by(|one, other| one.0 == other.0) {
            let rows = rows_of(&batches[places[0].0 as usize], places.iter().map(|place| place.1))?;
            let groups: Vec<usize> = places.iter().map(|place| place.2).collect();
            let states = evaluate_many(&self.arguments, &rows)?;
            for (accumulator, states) in accumulators.iter_mut().zip(&states) {
                accumulator.merge_batch(states, &groups, containers.len())?;
            }
        }
        let mut columns: Vec<ArrayRef> = vec![Arc::new(Int32Array::from(containers))];
        for accumulator in &mut accumulators {
            columns.push(accumulator.evaluate(EmitTo::All)?);
        }
        let merged = RecordBatch::try_new(Arc::clone(&self.schema), columns)?;
        self.metrics.record_output(merged.num_rows());
        Ok(merged)
    }
}

/// The pieces of the first containers, as many as should be put together at a time.
fn some_containers<'a>(pieces: &'a [GroupRow], per_row: &[usize], most: usize) -> &'a [GroupRow] {
    let (mut bytes, mut containers, mut end) = (0, 0, 0);
    for same in pieces.chunk_by(|one, other| one.container == other.container) {
        if bytes >= AT_A_TIME || containers == most {
            break;
        }
        bytes += same.iter().map(|piece| per_row[piece.batch as usize]).sum::<usize>();
        containers += 1;
        end += same.len();
    }
    &pieces[..end]
}

/// Some rows of a batch, which are given in order; nothing is copied when they follow each other.
fn rows_of(batch: &RecordBatch, rows: impl ExactSizeIterator<Item = u32> + Clone) -> Result<RecordBatch> {
    let first = rows.clone().next().unwrap_or_default();
    if rows.clone().eq((first..).take(rows.len())) {
        return Ok(batch.slice(first as usize, rows.len()));
    }
    Ok(take_record_batch(batch, &UInt32Array::from_iter_values(rows))?)
}
