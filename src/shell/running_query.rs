//! Runs statements away from the thread that waits for them.
//!
//! A query runs on the workers, a runtime of their own: its planning has their deep stack, and whoever
//! waits still hears Ctrl-C when a long join keeps every worker busy. Dropping [`RunningQuery`] stops the
//! query.

use std::sync::Arc;

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use futures::StreamExt;
use tokio::runtime::Handle;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use super::excerpt::with_excerpt;
use ocellus_engine::{CancelFlag, Engine, ResultKind};
use ocellus_trace::error::{Error, Result};

/// Batches that wait for a slow reader.
const CAPACITY: usize = 2;

/// What a running query reports, in order.
#[derive(Debug)]
pub enum ResultEvent {
    /// A statement starts: how its result is shown, and the schema of its rows.
    Start(ResultKind, SchemaRef),
    /// Rows of the statement.
    Rows(RecordBatch),
    /// The statement is done: what there is to say besides its rows.
    End(Vec<String>),
}

/// The statements of a text while they run.
pub struct RunningQuery {
    events: mpsc::Receiver<ResultEvent>,
    task: JoinHandle<Result<()>>,
    cancel: CancelFlag,
}

impl RunningQuery {
    /// Starts to run all statements of a text, one after the other.
    pub fn start(workers: &Handle, engine: Arc<Engine>, text: String) -> RunningQuery {
        let (sender, events) = mpsc::channel(CAPACITY);
        let cancel = CancelFlag::default();
        let ended = cancel.clone();
        let task = workers.spawn(async move {
            // A statement knows the whole text that it was read from: all places count from its start.
            produce(&engine, &text, &sender, &ended).await.map_err(|error| with_excerpt(error, &text))
        });
        RunningQuery { events, task, cancel }
    }

    /// The next event; `None` when all statements are done.
    pub async fn next(&mut self) -> Result<Option<ResultEvent>> {
        if let Some(event) = self.events.recv().await {
            return Ok(Some(event));
        }
        match (&mut self.task).await {
            Ok(result) => result.map(|()| None),
            Err(error) => Err(Error::Internal(format!("the query stopped: {error}"))),
        }
    }
}

impl Drop for RunningQuery {
    fn drop(&mut self) {
        // A task ends where it waits; a long computation looks at the flag.
        self.cancel.cancel();
        self.task.abort();
    }
}

async fn produce(engine: &Engine, text: &str, sender: &mpsc::Sender<ResultEvent>, cancel: &CancelFlag) -> Result<()> {
    for statement in engine.split(text)? {
        let mut result = engine.run_until(&statement, cancel).await?;
        let mut rows = 0;
        send(sender, ResultEvent::Start(result.kind, result.schema.clone())).await?;
        while let Some(batch) = result.stream.next().await {
            let batch = batch.map_err(|error| engine.explain_failure(&error, &statement))?;
            rows += batch.num_rows();
            send(sender, ResultEvent::Rows(batch)).await?;
        }
        let notes = if result.kind == ResultKind::Rows { result.notes.take(rows) } else { vec![] };
        send(sender, ResultEvent::End(notes)).await?;
    }
    Ok(())
}

/// Sends an event; nobody listens any more when the user has stopped the query.
async fn send(sender: &mpsc::Sender<ResultEvent>, event: ResultEvent) -> Result<()> {
    sender.send(event).await.map_err(|_| Error::Cancelled)
}
