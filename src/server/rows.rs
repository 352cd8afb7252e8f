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
use tokio::task::AbortHandle;
use tokio::time::{Instant, timeout};
use tracing::Instrument;

use super::cancellation::CancelSignal;
use super::error::{ServerError, ServerErrorKind};
use super::limits::ServerLimits;
use super::log;
use super::metrics::{CountedQuery, Metrics};
use super::plan_execution::PlanExecution;
use super::query_slot::QuerySlot;
use ocellus_engine::{Engine, RowCounter};

/// Batches that wait for the client.
const QUEUE: usize = 2;

/// The rows of a query. Dropping them stops it.
#[derive(Debug)]
pub struct ServerRows {
    schema: SchemaRef,
    batches: Receiver<Result<RecordBatch, ServerError>>,
    task: AbortHandle,
}

impl ServerRows {
    /// The columns of the rows.
    pub fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// The next rows; `None` at the end. Safe to cancel: no rows are lost.
    pub async fn next(&mut self) -> Option<Result<RecordBatch, ServerError>> {
        self.batches.recv().await
    }

    /// All rows: for catalogs and tests.
    pub async fn collect(mut self) -> Result<Vec<RecordBatch>, ServerError> {
        let mut batches = vec![];
        while let Some(batch) = self.next().await {
            batches.push(batch?);
        }
        Ok(batches)
    }

    /// The rows as a stream, for responses that are written as they come.
    pub fn into_stream(self) -> impl futures::Stream<Item = Result<RecordBatch, ServerError>> + Send {
        futures::stream::unfold(self, |mut rows| async move { rows.next().await.map(|batch| (batch, rows)) })
    }
}

impl Drop for ServerRows {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// What a query needs to run.
pub(super) struct QueryTask {
    pub(super) execution: PlanExecution,
    /// Keeps the snapshot of the store.
    pub(super) engine: Arc<Engine>,
    pub(super) text: Arc<str>,
    pub(super) limits: ServerLimits,
    pub(super) slot: Arc<QuerySlot>,
    pub(super) metrics: Arc<Metrics>,
    /// Rows that were handed over.
    pub(super) returned: RowCounter,
    pub(super) counted: CountedQuery,
    pub(super) spent: Duration,
    /// Set when the client cancels or the server must end.
    pub(super) signal: CancelSignal,
}

impl QueryTask {
    /// Starts to hand over rows, on the threads of whoever asks.
    pub(super) fn start(self) -> ServerRows {
        let (sender, batches) = channel(QUEUE);
        let schema = Arc::clone(self.execution.schema());
        let task = tokio::spawn(self.run(sender).in_current_span()).abort_handle();
        ServerRows { schema, batches, task }
    }

    async fn run(mut self, sender: Sender<Result<RecordBatch, ServerError>>) {
        let signal = self.signal.clone();
        let ended = tokio::select! {
            ended = self.hand_over(&sender) => ended,
            error = signal.requested() => Err(error),
        };
        // What can be given back is, before the client hears of the end; the rest of the work holds the slot.
        let QueryTask { limits, mut counted, execution, slot, engine, text, spent, .. } = self;
        drop((execution, slot, engine));
        match ended {
            Ok(()) => {
                counted.succeed();
                log::query_ended(&text, spent);
            }
            Err(error) => {
                counted.fail(&error);
                log::query_failed(&text, &error, spent);
                let _ = timeout(limits.patience, sender.send(Err(error))).await;
            }
        }
    }

    async fn hand_over(&mut self, sender: &Sender<Result<RecordBatch, ServerError>>) -> Result<(), ServerError> {
        let mut rows = 0;
        loop {
            let started = Instant::now();
            let left = self.limits.query_time.saturating_sub(self.spent);
            let next =
                timeout(left, self.execution.next()).await.map_err(|_| ServerError::timeout(self.limits.query_time))?;
            self.spent += started.elapsed();
            let Some(batch) = next else { return Ok(()) };
            let batch = batch.map_err(|error| ServerError::of_engine(&self.engine, &error, &self.text))?;
            if batch.num_rows() == 0 {
                continue;
            }
            rows += batch.num_rows() as u64;
            if rows > self.limits.query_rows {
                return Err(ServerError::too_many_rows(self.limits.query_rows));
            }
            self.metrics.add_rows(batch.num_rows());
            self.returned.add(batch.num_rows());
            match sender.try_send(Ok(batch)) {
                Ok(()) => {}
                Err(TrySendError::Full(batch)) => self.wait_for_client(sender, batch).await?,
                Err(TrySendError::Closed(_)) => return Err(ServerError::cancelled()),
            }
        }
    }

    /// Waits until the client reads; others may run meanwhile.
    async fn wait_for_client(
        &mut self,
        sender: &Sender<Result<RecordBatch, ServerError>>,
        batch: Result<RecordBatch, ServerError>,
    ) -> Result<(), ServerError> {
        self.slot.lend();
        let sent = timeout(self.limits.query_time, sender.send(batch)).await;
        match sent {
            Ok(Ok(())) => {}
            Ok(Err(_)) => return Err(ServerError::cancelled()),
            Err(_) => {
                return Err(ServerError::new(
                    ServerErrorKind::Cancelled,
                    "the client did not read its rows; the query was stopped",
                ));
            }
        }
        let started = Instant::now();
        let left = self.limits.query_time.saturating_sub(self.spent);
        self.slot.take_again(left, self.limits.query_time).await?;
        self.spent += started.elapsed();
        Ok(())
    }
}
