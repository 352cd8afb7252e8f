//! A query that runs on the workers, at most two batches ahead of its reader. Dropping it stops it.
//!
//! It knows nothing of Python: the rows of connections and those of the ADBC driver come from here.

use std::sync::Arc;

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use futures::StreamExt;
use ocellus::engine::{CancelFlag, Engine, ResultKind, Statement, StatementResult};
use ocellus::error::{Error, Result};
use ocellus::render::formats::{plain_batch, plain_schema};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;

use crate::workers::is_forked;

/// Batches that wait for a slow reader.
const CAPACITY: usize = 2;

/// A query that runs.
pub struct WorkerQuery {
    /// Columns with plain types: those that files have.
    pub schema: SchemaRef,
    /// How the result is shown.
    pub kind: ResultKind,
    batches: mpsc::Receiver<RecordBatch>,
    /// Gives what there is to say besides the rows.
    end: oneshot::Receiver<Result<Vec<String>>>,
    task: JoinHandle<()>,
    cancel: CancelFlag,
    /// Whether it has ended by itself.
    is_over: bool,
}

/// What comes next of a query.
pub enum QueryStep {
    /// Some rows.
    Rows(RecordBatch),
    /// Nothing more; what there is to say besides the rows.
    End(Vec<String>),
}

impl Drop for WorkerQuery {
    fn drop(&mut self) {
        // The threads of a parent are not there.
        if !self.is_over && !is_forked() {
            self.cancel.cancel();
            self.task.abort();
        }
    }
}

impl WorkerQuery {
    /// Plans a statement and starts it, on the workers. The flag cancels it, and is set when it is dropped before its end.
    pub async fn start(engine: Arc<Engine>, statement: Statement, cancel: CancelFlag) -> Result<WorkerQuery> {
        let StatementResult { kind, mut stream, notes, .. } = engine.run_until(&statement, &cancel).await?;
        let schema = plain_schema(&stream.schema());
        let columns = Arc::clone(&schema);
        let (sender, batches) = mpsc::channel(CAPACITY);
        let (end_sender, end) = oneshot::channel();
        let task = tokio::spawn(async move {
            let produced = async {
                let mut rows = 0;
                while let Some(batch) = stream.next().await {
                    let batch = batch.map_err(|error| engine.explain_failure(&error, &statement))?;
                    rows += batch.num_rows();
                    sender.send(plain_batch(&batch, &columns)?).await.map_err(|_| Error::Cancelled)?;
                }
                Ok(if kind == ResultKind::Rows { notes.take(rows) } else { vec![] })
            };
            let produced = produced.await;
            drop(sender);
            // Nobody listens any more after Ctrl-C.
            let _ = end_sender.send(produced);
        });
        Ok(WorkerQuery { schema, kind, batches, end, task, cancel, is_over: false })
    }

    /// What comes next. A caller that stops waiting may ask again; after the end or an error there is nothing.
    pub async fn next(&mut self) -> Result<QueryStep> {
        if let Some(batch) = self.batches.recv().await {
            return Ok(QueryStep::Rows(batch));
        }
        let ended = (&mut self.end).await;
        self.is_over = true;
        let ended = ended.unwrap_or_else(|_| Err(Error::Internal("the query stopped without a result".to_string())));
        ended.map(QueryStep::End)
    }

    /// A batch that is there already.
    pub fn ready(&mut self) -> Option<RecordBatch> {
        self.batches.try_recv().ok()
    }
}
