//! The rows of a query while it runs, and rows that were kept.
//!
//! A query runs on the workers, at most two batches ahead of its reader. Ctrl-C, or dropping [`RunningRows`], stops it.

use std::collections::VecDeque;
use std::sync::Arc;

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use datafusion::execution::SendableRecordBatchStream;
use datafusion::prelude::SQLOptions;
use futures::StreamExt;
use ocellus::engine::{CancelFlag, Engine, QueryControl, QueryNotes, ResultKind, Statement, StatementResult};
use ocellus::error::{Error, Result};
use ocellus::render::formats::{plain_batch, plain_schema};
use pyo3::prelude::*;
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;

use crate::errors::python_error;
use crate::workers::{PATIENCE, is_forked, wait_for, workers};

/// Batches that wait for a slow reader.
const CAPACITY: usize = 2;

/// A query that runs, or rows that were kept, read batch by batch.
pub struct RunningRows {
    /// Columns with plain types: those that files have.
    pub schema: SchemaRef,
    /// How the result is shown.
    pub kind: ResultKind,
    source: RowOrigin,
}

/// A statement that was started.
struct StartedQuery {
    kind: ResultKind,
    stream: SendableRecordBatchStream,
    /// `None` for a query that only reads.
    notes: Option<QueryNotes>,
}

impl StartedQuery {
    /// Queries that only read stop in the middle of a join; statements that change the session end where they wait.
    async fn start(engine: &Engine, statement: &Statement, cancel: &CancelFlag) -> Result<StartedQuery> {
        let only_reads = SQLOptions::new().with_allow_ddl(false).with_allow_dml(false).with_allow_statements(false);
        if let Ok(plan) = engine.plan(statement).await
            && only_reads.verify_plan(&plan).is_ok()
        {
            let runtime = engine.context().runtime_env();
            let stream = engine.read(plan, runtime, QueryControl::cancelled_by(cancel)).await;
            let stream = stream.map_err(|error| engine.explain_failure(&error, statement))?;
            return Ok(StartedQuery { kind: ResultKind::Rows, stream, notes: None });
        }
        // Errors of planning come from here, too.
        let StatementResult { kind, stream, notes, .. } = engine.run_until(statement, cancel).await?;
        Ok(StartedQuery { kind, stream, notes: Some(notes) })
    }
}

enum RowOrigin {
    Query(SpawnedQuery),
    Kept(VecDeque<RecordBatch>),
    /// Everything was read: what there is to say besides.
    Ended(Vec<String>),
}

/// The task on the workers.
struct SpawnedQuery {
    batches: mpsc::Receiver<RecordBatch>,
    /// Gives what there is to say besides the rows.
    end: oneshot::Receiver<Result<Vec<String>>>,
    task: JoinHandle<()>,
    cancel: CancelFlag,
    text: Arc<str>,
}

impl Drop for SpawnedQuery {
    fn drop(&mut self) {
        // The threads of a parent are not there.
        if !is_forked() {
            self.cancel.cancel();
            self.task.abort();
        }
    }
}

impl RunningRows {
    /// Starts a statement, and waits until it is planned.
    pub fn start(py: Python<'_>, engine: Arc<Engine>, statement: Statement) -> PyResult<RunningRows> {
        let text: Arc<str> = Arc::from(statement.text());
        let cancel = CancelFlag::default();
        let (sender, batches) = mpsc::channel(CAPACITY);
        let (end_sender, end) = oneshot::channel();
        let ended = cancel.clone();
        let starting = async move {
            let StartedQuery { kind, mut stream, notes } = StartedQuery::start(&engine, &statement, &ended).await?;
            let schema = plain_schema(&stream.schema());
            let columns = Arc::clone(&schema);
            let task = tokio::spawn(async move {
                let produced = async {
                    let mut rows = 0;
                    while let Some(batch) = stream.next().await {
                        let batch = batch.map_err(|error| engine.explain_failure(&error, &statement))?;
                        rows += batch.num_rows();
                        let sent = sender.send(plain_batch(&batch, &columns)?).await;
                        sent.map_err(|_| Error::Cancelled)?;
                    }
                    match notes {
                        Some(notes) => Ok(if kind == ResultKind::Rows { notes.take(rows) } else { vec![] }),
                        None if rows > 0 => Ok(vec![]),
                        // An empty result that comes from an empty table says so; planning finds it.
                        None => Ok(engine.run_until(&statement, &ended).await?.notes.take(0)),
                    }
                };
                let produced = produced.await;
                drop(sender);
                let _ = end_sender.send(produced);
            });
            Ok((kind, schema, task))
        };
        let (kind, schema, task) = wait_for(py, &cancel, Some(&text), starting)?;
        Ok(RunningRows { schema, kind, source: RowOrigin::Query(SpawnedQuery { batches, end, task, cancel, text }) })
    }

    /// Rows that were kept.
    pub fn kept(schema: SchemaRef, batches: Vec<RecordBatch>) -> RunningRows {
        RunningRows { schema, kind: ResultKind::Rows, source: RowOrigin::Kept(batches.into()) }
    }

    /// The next batch; `None` at the end.
    pub fn next(&mut self, py: Python<'_>) -> PyResult<Option<RecordBatch>> {
        let outcome = match &mut self.source {
            RowOrigin::Kept(batches) => return Ok(batches.pop_front()),
            RowOrigin::Ended(_) => return Ok(None),
            RowOrigin::Query(task) => task.next(py),
        };
        match outcome {
            Ok(NextBatch::Rows(batch)) => Ok(Some(batch)),
            Ok(NextBatch::End(notes)) => {
                self.source = RowOrigin::Ended(notes);
                Ok(None)
            }
            Err(error) => {
                // Stops the query.
                self.source = RowOrigin::Ended(vec![]);
                Err(error)
            }
        }
    }

    /// All rows that are left.
    pub fn collect(&mut self, py: Python<'_>) -> PyResult<Vec<RecordBatch>> {
        let mut batches = vec![];
        while let Some(batch) = self.next(py)? {
            batches.push(batch);
        }
        Ok(batches)
    }

    /// Stops the query.
    pub fn close(&mut self) {
        self.source = RowOrigin::Ended(vec![]);
    }

    /// What there is to say besides the rows, once they were read.
    pub fn notes(&self) -> Vec<String> {
        match &self.source {
            RowOrigin::Ended(notes) => notes.clone(),
            _ => vec![],
        }
    }
}

enum NextBatch {
    Rows(RecordBatch),
    End(Vec<String>),
}

impl SpawnedQuery {
    fn next(&mut self, py: Python<'_>) -> PyResult<NextBatch> {
        let workers = workers(py)?;
        // Mostly it is there already.
        let mut received = self.batches.try_recv().ok();
        let mut is_over = false;
        while received.is_none() && !is_over {
            let batches = &mut self.batches;
            let waited = py.detach(|| workers.block_on(async { tokio::time::timeout(PATIENCE, batches.recv()).await }));
            match waited {
                Ok(Some(batch)) => received = Some(batch),
                Ok(None) => is_over = true,
                Err(_) => py.check_signals()?,
            }
        }
        if let Some(batch) = received {
            // A query that is always ahead never waits above.
            py.check_signals()?;
            return Ok(NextBatch::Rows(batch));
        }
        let end = &mut self.end;
        let ended = py.detach(|| workers.block_on(end));
        let ended = ended.unwrap_or_else(|_| Err(Error::Internal("the query stopped without a result".to_string())));
        ended.map(NextBatch::End).map_err(|error| python_error(py, error, Some(&self.text)))
    }
}
