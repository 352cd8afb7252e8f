//! A plan at work on the threads of queries. Whoever waits for its batches is free meanwhile: a step that takes long
//! keeps nobody from noticing that the time is up or the client gone.

use std::collections::VecDeque;
use std::sync::Arc;

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use datafusion::common::{DataFusionError, exec_datafusion_err};
use datafusion::execution::SendableRecordBatchStream;
use futures::StreamExt;
use tokio::runtime::Handle;
use tokio::sync::mpsc::{Receiver, channel};
use tokio::task::JoinHandle;

use super::query_slot::QuerySlot;
use ocellus_engine::CancelFlag;

/// Batches that may be on their way to the client: two in a queue for each of the two that hand them over, and those in
/// their hands. They are kept here until then, so that their memory is freed by, and counted for, the query that took it.
const UNDER_WAY: usize = 6;

/// The batches of a plan. Dropping them ends it.
#[derive(Debug)]
pub(super) struct PlanExecution {
    schema: SchemaRef,
    batches: Receiver<Result<RecordBatch, DataFusionError>>,
    task: JoinHandle<()>,
    _ended: CancelOnDrop,
}

/// Cancels a query when nobody waits for it any more.
#[derive(Debug)]
pub(super) struct CancelOnDrop(CancelFlag);

impl CancelOnDrop {
    pub(super) fn new(cancel: &CancelFlag) -> CancelOnDrop {
        CancelOnDrop(cancel.clone())
    }
}

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

impl PlanExecution {
    /// Starts to read; the slot is held until the last step is done.
    pub(super) fn start(
        mut stream: SendableRecordBatchStream,
        slot: Arc<QuerySlot>,
        ended: CancelOnDrop,
        workers: &Handle,
    ) -> PlanExecution {
        let (sender, batches) = channel(1);
        let schema = stream.schema();
        let work = slot.guarded().meter.metered(async move {
            let mut under_way = VecDeque::with_capacity(UNDER_WAY);
            while let Some(batch) = stream.next().await {
                under_way.truncate(UNDER_WAY - 1);
                under_way.push_front(batch.as_ref().ok().cloned());
                if sender.send(batch).await.is_err() {
                    return;
                }
            }
        });
        let task = workers.spawn(async move {
            let _slot = slot;
            work.await;
        });
        PlanExecution { schema, batches, task, _ended: ended }
    }

    pub(super) fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// The next batch; `None` at the end, after which it must not be asked again.
    pub(super) async fn next(&mut self) -> Option<Result<RecordBatch, DataFusionError>> {
        match self.batches.recv().await {
            Some(batch) => Some(batch),
            // An end is an end only if nothing broke.
            None => (&mut self.task).await.err().map(|error| Err(exec_datafusion_err!("the query failed: {error}"))),
        }
    }
}

impl Drop for PlanExecution {
    fn drop(&mut self) {
        self.task.abort();
    }
}
