//! One side of a join, collected into an index of its intervals.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, RecordBatch};
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
use futures::TryStreamExt;

use super::join_spec::SideColumns;
use ocellus_kernels::intervals::{Asked, Clock, IntervalIndex, KeyMap, Spans};

/// The side that is held in memory.
#[derive(Debug)]
pub(crate) struct Built {
    pub(crate) keys: KeyMap,
    pub(crate) index: IntervalIndex,
    /// The columns that come out, of all rows.
    pub(crate) rows: RecordBatch,
    /// What it is all accounted by.
    _reservation: Arc<MemoryReservation>,
}

/// How to build it.
pub(crate) struct Builder {
    pub(crate) columns: SideColumns,
    pub(crate) clock: Clock,
    /// The columns that come out.
    pub(crate) kept: Vec<usize>,
    pub(crate) reservation: Arc<MemoryReservation>,
    pub(crate) metrics: BuildMetrics,
}

/// What building costs.
#[derive(Debug, Clone)]
pub(crate) struct BuildMetrics {
    time: Time,
    rows: Count,
    memory: Gauge,
}

impl BuildMetrics {
    pub(crate) fn new(metrics: &ExecutionPlanMetricsSet) -> BuildMetrics {
        BuildMetrics {
            time: MetricBuilder::new(metrics).subset_time("build_time", 0),
            rows: MetricBuilder::new(metrics).counter("build_input_rows", 0),
            memory: MetricBuilder::new(metrics).gauge("build_mem_used", 0),
        }
    }
}

/// A batch of the side: its keys, its intervals, and what comes out.
struct BuildBatch {
    keys: Vec<ArrayRef>,
    spans: Spans,
    kept: RecordBatch,
}

impl Builder {
    /// Reads all rows of all partitions.
    pub(crate) async fn build(self, inputs: Vec<SendableRecordBatchStream>) -> Result<Built> {
        let schema = inputs.first().map(|input| input.schema());
        let schema = schema.ok_or_else(|| internal_datafusion_err!("a side without partitions"))?;
        let builder = Arc::new(self);
        let tasks: Vec<SpawnedTask<Result<Vec<BuildBatch>>>> =
            inputs.into_iter().map(|input| SpawnedTask::spawn(Arc::clone(&builder).collect(input))).collect();
        let mut partitions = vec![];
        for task in tasks {
            partitions.push(task.join_unwind().await.map_err(|e| exec_datafusion_err!("interval_join: {e}"))??);
        }
        builder.index(&schema, by_time(partitions))
    }

    /// Reads the rows of one partition.
    async fn collect(self: Arc<Self>, mut input: SendableRecordBatchStream) -> Result<Vec<BuildBatch>> {
        let mut pieces = vec![];
        while let Some(batch) = input.try_next().await? {
            let columns = &self.columns;
            let spans = Spans::new(batch.column(columns.start), batch.column(columns.end), self.clock)?;
            let piece = BuildBatch { keys: columns.key_columns(&batch), spans, kept: batch.project(&self.kept)? };
            let keys = piece.keys.iter().map(|key| key.get_array_memory_size()).sum::<usize>();
            self.grow(get_record_batch_memory_size(&piece.kept) + keys + batch.num_rows() * PER_ROW)?;
            self.metrics.rows.add(batch.num_rows());
            pieces.push(piece);
        }
        Ok(pieces)
    }

    fn index(&self, schema: &Schema, pieces: Vec<BuildBatch>) -> Result<Built> {
        let timer = self.metrics.time.timer();
        let count = pieces.iter().map(|piece| piece.spans.len()).sum::<usize>();
        if u32::try_from(count).is_err() {
            return Err(resources_datafusion_err!("interval_join: one side has {count} rows, more than 2^32"));
        }
        let kept_size = pieces.iter().map(|piece| get_record_batch_memory_size(&piece.kept)).sum::<usize>();
        self.grow(count * IntervalIndex::BYTES_PER_ROW + kept_size)?;
        let mut keys = self.columns.key_map(schema)?;
        let (mut numbered, mut kept) = (vec![], vec![]);
        for piece in pieces {
            let mut numbers = Vec::with_capacity(piece.spans.len());
            keys.insert(&piece.keys, piece.spans.len(), &mut numbers)?;
            numbered.push((numbers, piece.spans));
            kept.push(piece.kept);
        }
        let asked: Vec<Asked<'_>> = numbered.iter().map(|(keys, spans)| Asked { keys, spans }).collect();
        let index = IntervalIndex::new(keys.len(), &asked);
        drop(numbered);
        let rows = concat_batches(&Arc::new(schema.project(&self.kept)?), &kept)?;
        drop(kept);
        let held = get_record_batch_memory_size(&rows) + keys.size() + index.size();
        self.reservation.try_resize(held).map_err(|_| too_large(held))?;
        self.metrics.memory.set(held);
        timer.done();
        Ok(Built { keys, index, rows, _reservation: Arc::clone(&self.reservation) })
    }

    fn grow(&self, bytes: usize) -> Result<()> {
        self.reservation.try_grow(bytes).map_err(|_| too_large(self.reservation.size() + bytes))
    }
}

/// All pieces in one order. Each partition reads its part of a file, which is nearly sorted by time, and
/// stays in order; the parts may lie in each other.
fn by_time(partitions: Vec<Vec<BuildBatch>>) -> Vec<BuildBatch> {
    let mut pieces = vec![];
    for partition in partitions {
        let mut latest = i64::MIN;
        for piece in partition {
            latest = piece.spans.starts.iter().min().map_or(latest, |start| latest.max(*start));
            pieces.push((latest, piece));
        }
    }
    pieces.sort_by_key(|(latest, _)| *latest);
    pieces.into_iter().map(|(_, piece)| piece).collect()
}

/// Bytes of a row while the index is made: the number of its key, and its span.
const PER_ROW: usize = size_of::<u32>() + 2 * size_of::<i64>();

fn too_large(bytes: usize) -> DataFusionError {
    resources_datafusion_err!(
        "interval_join: one side needs {} MB or more; \
         SET datafusion.optimizer.prefer_hash_join = false sorts both on disk instead",
        bytes.div_ceil(1_000_000)
    )
}
