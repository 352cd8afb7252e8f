//! A running query: its rows come as they are read, and it ends when nobody reads them any more.
//!
//! The query works on the threads of queries and hands its batches through a short queue to the
//! threads of the network, so that a busy engine never keeps a client from being heard. Time counts
//! while the engine works; a client that does not read gives its slot to others.

use std::sync::Arc;
use std::time::Duration;

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::AbortHandle;
use tokio::time::{Instant, timeout};

use super::failure::{Failure, Kind};
use super::limits::Limits;
use super::metrics::{Metrics, Running};
use super::reading::Reading;
use super::stop::Stop;
use ocellus_engine::Engine;

/// Batches that wait for the client.
const QUEUE: usize = 2;

/// The rows of a query. Dropping them stops it.
#[derive(Debug)]
pub struct Rows {
    schema: SchemaRef,
    batches: Receiver<Result<RecordBatch, Failure>>,
    task: AbortHandle,
}

impl Rows {
    pub fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// The next rows; `None` at the end. Safe to cancel: no rows are lost.
    pub async fn next(&mut self) -> Option<Result<RecordBatch, Failure>> {
        self.batches.recv().await
    }

    /// All rows: for catalogues and tests.
    pub async fn collect(mut self) -> Result<Vec<RecordBatch>, Failure> {
        let mut batches = vec![];
        while let Some(batch) = self.next().await {
            batches.push(batch?);
        }
        Ok(batches)
    }

    /// The rows as a stream, for answers that are written as they come.
    pub fn into_stream(self) -> impl futures::Stream<Item = Result<RecordBatch, Failure>> + Send {
        futures::stream::unfold(self, |mut rows| async move { rows.next().await.map(|batch| (batch, rows)) })
    }
}

impl Drop for Rows {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// What a query needs to run.
pub(super) struct Work {
    pub(super) reading: Reading,
    /// Keeps the snapshot of the store.
    pub(super) engine: Arc<Engine>,
    pub(super) text: Arc<str>,
    pub(super) limits: Limits,
    pub(super) slots: Arc<Semaphore>,
    pub(super) slot: OwnedSemaphorePermit,
    pub(super) metrics: Arc<Metrics>,
    pub(super) running: Running,
    pub(super) spent: Duration,
    /// Set when the client cancels or the server must end.
    pub(super) stop: Stop,
}

impl Work {
    /// Starts to hand over rows, on the threads of whoever asks.
    pub(super) fn start(self) -> Rows {
        let (sender, batches) = channel(QUEUE);
        let schema = Arc::clone(self.reading.schema());
        let task = tokio::spawn(self.run(sender)).abort_handle();
        Rows { schema, batches, task }
    }

    async fn run(mut self, sender: Sender<Result<RecordBatch, Failure>>) {
        let stop = self.stop.clone();
        let ended = tokio::select! {
            ended = self.hand_over(&sender) => ended,
            failure = stop.asked() => Err(failure),
        };
        // Everything is given back before the client hears of the end.
        let Work { limits, mut running, reading, slot, engine, .. } = self;
        drop((reading, slot, engine));
        match ended {
            Ok(()) => running.succeed(),
            Err(failure) => {
                running.fail(&failure);
                let _ = timeout(limits.patience, sender.send(Err(failure))).await;
            }
        }
    }

    async fn hand_over(&mut self, sender: &Sender<Result<RecordBatch, Failure>>) -> Result<(), Failure> {
        let mut rows = 0;
        loop {
            let started = Instant::now();
            let left = self.limits.query_time.saturating_sub(self.spent);
            let next =
                timeout(left, self.reading.next()).await.map_err(|_| Failure::timeout(self.limits.query_time))?;
            self.spent += started.elapsed();
            let Some(batch) = next else { return Ok(()) };
            let batch = batch.map_err(|error| Failure::of_engine(&self.engine, &error, &self.text))?;
            if batch.num_rows() == 0 {
                continue;
            }
            rows += batch.num_rows() as u64;
            if rows > self.limits.query_rows {
                return Err(Failure::too_many_rows(self.limits.query_rows));
            }
            self.metrics.add_rows(batch.num_rows());
            match sender.try_send(Ok(batch)) {
                Ok(()) => {}
                Err(TrySendError::Full(batch)) => self.wait_for_client(sender, batch).await?,
                Err(TrySendError::Closed(_)) => return Err(Failure::cancelled()),
            }
        }
    }

    /// Waits until the client reads; others may run meanwhile.
    async fn wait_for_client(
        &mut self,
        sender: &Sender<Result<RecordBatch, Failure>>,
        batch: Result<RecordBatch, Failure>,
    ) -> Result<(), Failure> {
        if let Some(slot) = self.slot.split(1) {
            drop(slot);
        }
        let sent = timeout(self.limits.query_time, sender.send(batch)).await;
        match sent {
            Ok(Ok(())) => {}
            Ok(Err(_)) => return Err(Failure::cancelled()),
            Err(_) => {
                return Err(Failure::new(Kind::Cancelled, "the client did not read its rows; the query was stopped"));
            }
        }
        let started = Instant::now();
        let left = self.limits.query_time.saturating_sub(self.spent);
        let slot = timeout(left, Arc::clone(&self.slots).acquire_owned()).await;
        self.slot.merge(slot.map_err(|_| Failure::busy(self.limits.query_time))?.map_err(|_| Failure::stopping())?);
        self.spent += started.elapsed();
        Ok(())
    }
}
