//! Runs statements away from the thread that waits for them.
//!
//! A query runs on the workers, a runtime of their own: its planning has their deep stack, and whoever
//! waits still hears Ctrl-C when a long join keeps every worker busy. Dropping [`Answers`] stops the
//! query.

use std::sync::Arc;

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use futures::StreamExt;
use tokio::runtime::Handle;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use super::excerpt::with_excerpt;
use ocellus_engine::{AnswerKind, Engine};
use ocellus_trace::error::{Error, Result};

/// Batches that wait for a slow reader.
const CAPACITY: usize = 2;

/// A part of what statements answer.
#[derive(Debug)]
pub enum Part {
    /// A statement begins to answer.
    Start(AnswerKind, SchemaRef),
    Rows(RecordBatch),
    /// The statement is done.
    End,
}

/// The answers of a text, in order.
pub struct Answers {
    parts: mpsc::Receiver<Part>,
    task: JoinHandle<Result<()>>,
}

impl Answers {
    /// Starts to run all statements of a text, one after the other.
    pub fn start(workers: &Handle, engine: Arc<Engine>, text: String) -> Answers {
        let (sender, parts) = mpsc::channel(CAPACITY);
        let task = workers.spawn(async move {
            // A statement knows the whole text that it was read from: all places count from its start.
            produce(&engine, &text, &sender).await.map_err(|error| with_excerpt(error, &text))
        });
        Answers { parts, task }
    }

    /// The next part; `None` when all statements are done.
    pub async fn next(&mut self) -> Result<Option<Part>> {
        if let Some(part) = self.parts.recv().await {
            return Ok(Some(part));
        }
        match (&mut self.task).await {
            Ok(result) => result.map(|()| None),
            Err(error) => Err(Error::Internal(format!("the query stopped: {error}"))),
        }
    }
}

impl Drop for Answers {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn produce(engine: &Engine, text: &str, sender: &mpsc::Sender<Part>) -> Result<()> {
    for statement in engine.split(text)? {
        let mut answer = engine.run(&statement).await?;
        send(sender, Part::Start(answer.kind, answer.schema.clone())).await?;
        while let Some(batch) = answer.stream.next().await {
            let batch = batch.map_err(|error| engine.explain_failure(&error, &statement))?;
            send(sender, Part::Rows(batch)).await?;
        }
        send(sender, Part::End).await?;
    }
    Ok(())
}

/// Sends a part; nobody listens any more when the user has stopped the query.
async fn send(sender: &mpsc::Sender<Part>, part: Part) -> Result<()> {
    sender.send(part).await.map_err(|_| Error::Cancelled)
}
