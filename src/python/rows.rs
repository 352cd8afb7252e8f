//! The rows of a query while it runs, and rows that were kept, as Python reads them. Ctrl-C stops the query.

use std::collections::VecDeque;
use std::sync::Arc;

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use ocellus::engine::{CancelFlag, Engine, Statement};
use pyo3::prelude::*;

use crate::errors::python_error;
use crate::worker_query::{QueryStep, WorkerQuery};
use crate::workers::{PATIENCE, wait_for, workers};

/// A query that runs, or rows that were kept, read batch by batch.
pub struct RunningRows {
    /// Columns with plain types: those that files have.
    pub schema: SchemaRef,
    source: RowOrigin,
}

enum RowOrigin {
    /// A query and its SQL.
    Query(WorkerQuery, Arc<str>),
    Kept(VecDeque<RecordBatch>),
    /// Everything was read: what there is to say besides.
    Ended(Vec<String>),
}

impl RunningRows {
    /// Starts a statement, and waits until it is planned.
    pub fn start(py: Python<'_>, engine: Arc<Engine>, statement: Statement) -> PyResult<RunningRows> {
        let text: Arc<str> = Arc::from(statement.text());
        let cancel = CancelFlag::default();
        let starting = WorkerQuery::start(engine, statement, cancel.clone());
        let query = wait_for(py, &cancel, Some(&text), starting)?;
        Ok(RunningRows { schema: Arc::clone(&query.schema), source: RowOrigin::Query(query, text) })
    }

    /// Rows that were kept.
    pub fn kept(schema: SchemaRef, batches: Vec<RecordBatch>) -> RunningRows {
        RunningRows { schema, source: RowOrigin::Kept(batches.into()) }
    }

    /// The next batch; `None` at the end.
    pub fn next(&mut self, py: Python<'_>) -> PyResult<Option<RecordBatch>> {
        let outcome = match &mut self.source {
            RowOrigin::Kept(batches) => return Ok(batches.pop_front()),
            RowOrigin::Ended(_) => return Ok(None),
            RowOrigin::Query(query, text) => next_step(py, query, text),
        };
        match outcome {
            Ok(QueryStep::Rows(batch)) => Ok(Some(batch)),
            Ok(QueryStep::End(notes)) => {
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

/// Waits for what comes next of a query, while other threads of Python run.
fn next_step(py: Python<'_>, query: &mut WorkerQuery, text: &str) -> PyResult<QueryStep> {
    let workers = workers(py)?;
    // A query that is always ahead never waits below.
    py.check_signals()?;
    if let Some(batch) = query.ready() {
        return Ok(QueryStep::Rows(batch));
    }
    loop {
        let step = py.detach(|| workers.block_on(async { tokio::time::timeout(PATIENCE, query.next()).await }));
        match step {
            Ok(step) => return step.map_err(|error| python_error(py, error, Some(text))),
            Err(_) => py.check_signals()?,
        }
    }
}
