//! Rows that are read again: the last of them in memory, the others in files.

use std::sync::Arc;

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use datafusion::common::{DataFusionError, Result};
use datafusion::execution::memory_pool::{MemoryConsumer, MemoryReservation};
use datafusion::execution::spill_file::SpillFile;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_plan::metrics::SpillMetrics;
use datafusion::physical_plan::spill::{SpillManager, get_record_batch_memory_size};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use futures::{StreamExt, TryStreamExt, stream};

/// Bytes of rows that stay in memory: those of a file.
const MOST_IN_MEMORY: usize = 16 << 20;

/// Batches in the order in which they came.
pub(super) struct Spool {
    manager: SpillManager,
    files: Vec<Arc<dyn SpillFile>>,
    held: Vec<RecordBatch>,
    reservation: MemoryReservation,
}

impl Spool {
    pub(super) fn new(context: &TaskContext, metrics: SpillMetrics, schema: SchemaRef) -> Spool {
        let reservation = MemoryConsumer::new("TableSweep[rows]").with_can_spill(true).register(context.memory_pool());
        let manager = SpillManager::new(context.runtime_env(), metrics, schema);
        Spool { manager, files: vec![], held: vec![], reservation }
    }

    /// The columns of its rows.
    pub(super) fn schema(&self) -> &SchemaRef {
        self.manager.schema()
    }

    /// Adds rows after the others.
    pub(super) fn push(&mut self, batch: &RecordBatch) -> Result<()> {
        if batch.num_rows() == 0 {
            return Ok(());
        }
        let bytes = get_record_batch_memory_size(batch);
        let is_full = self.reservation.size() + bytes > MOST_IN_MEMORY;
        self.held.push(batch.clone());
        if is_full || self.reservation.try_grow(bytes).is_err() {
            self.write()?;
        }
        Ok(())
    }

    fn write(&mut self) -> Result<()> {
        self.files.extend(self.manager.spill_record_batch_and_finish(&self.held, "rows of a table sweep")?);
        self.held.clear();
        self.reservation.free();
        Ok(())
    }

    /// The batches from the last to the first, each as it was added. A file is in memory while it is read.
    pub(super) fn read_back(&self) -> Result<SendableRecordBatchStream> {
        let manager = self.manager.clone();
        let held = stream::iter(self.held.clone().into_iter().rev()).map(Ok);
        let written = stream::iter(self.files.clone().into_iter().rev()).then(move |file| {
            let rows = manager.read_spill_as_stream(file, None);
            async move {
                let batches: Vec<RecordBatch> = rows?.try_collect().await?;
                Ok::<_, DataFusionError>(stream::iter(batches.into_iter().rev().map(Ok)))
            }
        });
        let rows = held.chain(written.try_flatten());
        Ok(Box::pin(RecordBatchStreamAdapter::new(Arc::clone(self.manager.schema()), rows)))
    }

    /// All rows in their order.
    pub(super) fn read(&self) -> Result<SendableRecordBatchStream> {
        let manager = self.manager.clone();
        let written = stream::iter(self.files.clone()).map(move |file| manager.read_spill_as_stream(file, None));
        let held = stream::iter(self.held.clone()).map(Ok);
        let rows = written.try_flatten().chain(held);
        Ok(Box::pin(RecordBatchStreamAdapter::new(Arc::clone(self.manager.schema()), rows)))
    }
}
