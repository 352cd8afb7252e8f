//! What a statement gives: once for each row of values that was bound, one after the other.

use std::sync::{Arc, PoisonError};

use arrow::array::{RecordBatch, RecordBatchReader};
use arrow::datatypes::{Schema, SchemaRef};
use arrow::error::ArrowError;
use ocellus::engine::{CancelFlag, Engine, ResultKind, Statement, counted};
use ocellus::error::Result;

use super::explained_stream::FailureSlot;
use super::failure::{AdbcFailure, INVALID_ARGUMENT};
use super::handover::{check_fork, on_workers};
use crate::worker_query::{QueryStep, WorkerQuery};
use crate::workers::worker_threads;

/// Statements of one text after the other, as they are run: there may be one for each row of a large table.
pub type StatementTexts = Box<dyn Iterator<Item = Result<Vec<Statement>, AdbcFailure>> + Send>;

/// Texts of statements that are to be run, each once; the last statement of a text gives its rows.
pub struct Execution {
    engine: Arc<Engine>,
    texts: StatementTexts,
    cancel: CancelFlag,
    /// Rows that statements such as COPY wrote so far.
    written: Option<u64>,
}

impl Execution {
    /// Nothing of it runs yet.
    pub fn new(engine: Arc<Engine>, texts: StatementTexts, cancel: CancelFlag) -> Execution {
        Execution { engine, texts, cancel, written: None }
    }

    /// Runs all of it; how many rows were written.
    pub fn finish(mut self) -> Result<Option<u64>, AdbcFailure> {
        let cancel = self.cancel.clone();
        let work = async move {
            while let Some(query) = self.next_query().await? {
                drain(query).await?;
            }
            Ok::<_, AdbcFailure>(self.written)
        };
        on_workers(work).map_err(|failure| of_cancelled(failure, &cancel))
    }

    /// Runs what comes before the first rows, and gives these.
    pub fn stream(self) -> Result<(ResultStream, Option<u64>), AdbcFailure> {
        let (execution, query) = self.advanced()?;
        let schema = query.as_ref().map_or_else(|| Arc::new(Schema::empty()), |query| Arc::clone(&query.schema));
        let written = execution.written;
        Ok((ResultStream { schema, query, execution: Some(execution), failure: FailureSlot::default() }, written))
    }

    fn advanced(mut self) -> Result<(Execution, Option<WorkerQuery>), AdbcFailure> {
        let cancel = self.cancel.clone();
        let work = async move {
            let query = self.next_query().await?;
            Ok::<_, AdbcFailure>((self, query))
        };
        on_workers(work).map_err(|failure| of_cancelled(failure, &cancel))
    }

    /// The next query that gives rows; statements that give none run to their end.
    async fn next_query(&mut self) -> Result<Option<WorkerQuery>, AdbcFailure> {
        while let Some(statements) = self.texts.next() {
            let mut statements = statements?;
            let Some(last) = statements.pop() else {
                return Err(AdbcFailure::new(INVALID_ARGUMENT, "the text has no statement"));
            };
            for statement in statements {
                let query = self.started(statement).await?;
                drain(query).await?;
            }
            let query = self.started(last).await?;
            if query.kind == ResultKind::Rows {
                return Ok(Some(query));
            }
            if let Some(count) = counted(&drain(query).await?) {
                self.written = Some(self.written.unwrap_or(0) + count);
            }
        }
        Ok(None)
    }

    /// It borrows nothing: what is still to be run cannot be looked at by two threads.
    fn started(&self, statement: Statement) -> impl Future<Output = Result<WorkerQuery>> + Send + use<> {
        WorkerQuery::start(Arc::clone(&self.engine), statement, self.cancel.clone())
    }
}

/// Runs a query to its end; its last batch, which says how many rows were written where it is such a statement.
async fn drain(mut query: WorkerQuery) -> Result<Vec<RecordBatch>> {
    let mut last = vec![];
    while let QueryStep::Rows(batch) = query.next().await? {
        last = vec![batch];
    }
    Ok(last)
}

/// What fails after it was cancelled fails for that reason.
fn of_cancelled(failure: AdbcFailure, cancel: &CancelFlag) -> AdbcFailure {
    if cancel.is_set() { AdbcFailure::cancelled() } else { failure }
}

/// The rows, for whoever reads them: the connection may be gone meanwhile.
pub struct ResultStream {
    schema: SchemaRef,
    /// The query whose rows come now.
    query: Option<WorkerQuery>,
    /// What comes after it; `None` after an error.
    execution: Option<Execution>,
    /// Why it failed.
    failure: FailureSlot,
}

impl ResultStream {
    /// Where it says why it failed.
    pub fn failure_slot(&self) -> FailureSlot {
        Arc::clone(&self.failure)
    }

    fn step(&mut self) -> Result<Option<RecordBatch>, AdbcFailure> {
        check_fork()?;
        while let (Some(query), Some(execution)) = (&mut self.query, &self.execution) {
            let step = worker_threads()?.block_on(query.next());
            match step.map_err(|error| of_cancelled(AdbcFailure::from(error), &execution.cancel))? {
                // Names of its columns may hold the values; only the arrays go to C, with the names of the first row.
                QueryStep::Rows(batch) => return Ok(Some(batch)),
                QueryStep::End(_) => self.advance()?,
            }
        }
        Ok(None)
    }

    fn advance(&mut self) -> Result<(), AdbcFailure> {
        self.query = None;
        let Some(execution) = self.execution.take() else { return Ok(()) };
        let (execution, query) = execution.advanced()?;
        let types = |schema: &Schema| schema.fields().iter().map(|field| field.data_type().clone()).collect::<Vec<_>>();
        if query.as_ref().is_some_and(|query| types(&query.schema) != types(&self.schema)) {
            let message = "a later row of values gives columns of other types than the first";
            return Err(AdbcFailure::new(INVALID_ARGUMENT, message));
        }
        (self.execution, self.query) = (Some(execution), query);
        Ok(())
    }
}

impl Iterator for ResultStream {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        let step = self.step().map_err(|failure| {
            (self.query, self.execution) = (None, None);
            let message = failure.message.clone();
            *self.failure.lock().unwrap_or_else(PoisonError::into_inner) = Some(failure);
            ArrowError::ExternalError(message.into())
        });
        step.transpose()
    }
}

impl RecordBatchReader for ResultStream {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }
}
