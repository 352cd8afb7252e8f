//! One side of a join, collected into an index of its intervals.

use std::sync::{Arc, Mutex, PoisonError};

use arrow::array::RecordBatch;
use arrow::compute::concat_batches;
use arrow::datatypes::Schema;
use datafusion::common::runtime::SpawnedTask;
use datafusion::common::{
    DataFusionError, Result, exec_datafusion_err, internal_datafusion_err, resources_datafusion_err,
};
use datafusion::execution::SendableRecordBatchStream;
use datafusion::execution::memory_pool::MemoryReservation;
use datafusion::physical_plan::metrics::{Count, ExecutionPlanMetricsSet, Gauge, MetricBuilder, Time};
use datafusion::physical_plan::spill::get_record_batch_memory_size;
use futures::future::{BoxFuture, Shared};
use futures::{FutureExt, TryStreamExt};

use super::shape::SideColumns;
use crate::kernels::intervals::{Clock, IntervalIndex, KeyMap, Spans};

/// The side that is held in memory.
#[derive(Debug)]
pub(super) struct Built {
    pub(super) keys: KeyMap,
    pub(super) index: IntervalIndex,
    /// The columns that come out, of all rows.
    pub(super) rows: RecordBatch,
    /// What it is all accounted by.
    _reservation: Arc<MemoryReservation>,
}

/// How to build it.
pub(super) struct Builder {
    pub(super) columns: SideColumns,
    pub(super) clock: Clock,
    /// The columns that come out.
    pub(super) kept: Vec<usize>,
    pub(super) reservation: Arc<MemoryReservation>,
    pub(super) metrics: BuildMetrics,
}

/// What building costs.
#[derive(Debug, Clone)]
pub(super) struct BuildMetrics {
    time: Time,
    rows: Count,
    memory: Gauge,
}

impl BuildMetrics {
    pub(super) fn new(metrics: &ExecutionPlanMetricsSet) -> BuildMetrics {
        BuildMetrics {
            time: MetricBuilder::new(metrics).subset_time("build_time", 0),
            rows: MetricBuilder::new(metrics).counter("build_input_rows", 0),
            memory: MetricBuilder::new(metrics).gauge("build_mem_used", 0),
        }
    }
}

impl Builder {
    /// Reads all rows of all partitions.
    pub(super) async fn build(self, inputs: Vec<SendableRecordBatchStream>) -> Result<Built> {
        let schema = inputs.first().map(|input| input.schema());
        let schema = schema.ok_or_else(|| internal_datafusion_err!("a side without partitions"))?;
        let mut tasks = vec![];
        for input in inputs {
            let (reservation, rows) = (Arc::clone(&self.reservation), self.metrics.rows.clone());
            tasks.push(SpawnedTask::spawn(collect(input, reservation, rows)));
        }
        let mut batches = vec![];
        for task in tasks {
            batches.extend(task.join_unwind().await.map_err(|e| exec_datafusion_err!("interval_join: {e}"))??);
        }
        // Files are nearly sorted by time; partitions read them in no order.
        let start = |batch: &RecordBatch| Spans::earliest(batch.column(self.columns.start), self.clock);
        let mut ordered = batches.into_iter().map(|batch| Ok((start(&batch)?, batch))).collect::<Result<Vec<_>>>()?;
        ordered.sort_by_key(|(start, _)| *start);
        let batches = ordered.into_iter().map(|(_, batch)| batch).collect();
        self.index(&schema, batches)
    }

    fn index(self, schema: &Schema, batches: Vec<RecordBatch>) -> Result<Built> {
        let timer = self.metrics.time.timer();
        let count = batches.iter().map(RecordBatch::num_rows).sum::<usize>();
        if u32::try_from(count).is_err() {
            return Err(resources_datafusion_err!("interval_join: one side has {count} rows, more than 2^32"));
        }
        // Keys and spans, then the index; afterwards the columns that come out in one piece each.
        let collected = self.reservation.size();
        grow(&self.reservation, count * (PER_ROW + IntervalIndex::BYTES_PER_ROW) + collected)?;
        let mut keys = self.columns.key_map(schema)?;
        let mut numbers = Vec::with_capacity(count);
        let mut spans = Spans::with_capacity(count);
        let mut kept = Vec::with_capacity(batches.len());
        for batch in batches {
            keys.insert(&self.columns.key_columns(&batch), batch.num_rows(), &mut numbers)?;
            spans.append(batch.column(self.columns.start), batch.column(self.columns.end), self.clock)?;
            kept.push(batch.project(&self.kept)?);
        }
        let index = IntervalIndex::new(&numbers, keys.len(), &spans);
        drop((numbers, spans));
        let rows = concat_batches(&Arc::new(schema.project(&self.kept)?), &kept)?;
        drop(kept);
        let held = get_record_batch_memory_size(&rows) + keys.size() + index.size();
        self.reservation.try_resize(held).map_err(|_| too_large(held))?;
        self.metrics.memory.set(held);
        timer.done();
        Ok(Built { keys, index, rows, _reservation: self.reservation })
    }
}

/// Bytes of a row while the index is made: its key and its span.
const PER_ROW: usize = size_of::<u32>() + 2 * size_of::<i64>();

async fn collect(
    mut input: SendableRecordBatchStream,
    reservation: Arc<MemoryReservation>,
    rows: Count,
) -> Result<Vec<RecordBatch>> {
    let mut batches = vec![];
    while let Some(batch) = input.try_next().await? {
        grow(&reservation, get_record_batch_memory_size(&batch))?;
        rows.add(batch.num_rows());
        batches.push(batch);
    }
    Ok(batches)
}

fn grow(reservation: &MemoryReservation, bytes: usize) -> Result<()> {
    reservation.try_grow(bytes).map_err(|_| too_large(reservation.size() + bytes))
}

fn too_large(bytes: usize) -> DataFusionError {
    resources_datafusion_err!(
        "interval_join: one side needs {} MB or more; \
         SET datafusion.optimizer.prefer_hash_join = false sorts both on disk instead",
        bytes.div_ceil(1_000_000)
    )
}

type Failure = Arc<DataFusionError>;
/// A side that is being built, for all who wait.
pub(super) type Building = Shared<BoxFuture<'static, Result<Arc<Built>, Failure>>>;

/// Something that is built once, whoever asks first.
#[derive(Default)]
pub(super) struct BuildOnce(Mutex<Option<Building>>);

impl BuildOnce {
    /// What is being built; `start` starts it when nobody has.
    pub(super) fn get(&self, start: impl FnOnce() -> Result<BoxFuture<'static, Result<Built>>>) -> Result<Building> {
        // The cell is whole after a panic: it is filled in one step.
        let mut cell = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(building) = cell.as_ref() {
            return Ok(building.clone());
        }
        let building = start()?.map(|built| built.map(Arc::new).map_err(Arc::new)).boxed().shared();
        *cell = Some(building.clone());
        Ok(building)
    }
}

impl std::fmt::Debug for BuildOnce {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("BuildOnce")
    }
}

/// Waits for what is being built.
pub(super) async fn wait(building: Building) -> Result<Arc<Built>> {
    building.await.map_err(DataFusionError::Shared)
}
