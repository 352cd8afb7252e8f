//! Rows of a query that a client reads at its own pace: portals, and cursors, which are the same.

use std::sync::Arc;

use arrow::array::{ArrayRef, RecordBatch, StringArray};
use arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use datafusion::logical_expr::LogicalPlan;

use super::super::error::ServerError;
use super::super::rows::ServerRows;
use super::super::session::ServerSession;
use super::commands::CursorLifetime;
use super::types::{ResultColumn, columns};
use ocellus_engine::Engine;

/// Rows, of which some may have been given already.
pub(super) struct Portal {
    pub(super) schema: SchemaRef,
    pub(super) columns: Vec<ResultColumn>,
    /// The first word of the message that completes it, such as `SELECT`.
    pub(super) tag: &'static str,
    pub(super) lifetime: CursorLifetime,
    /// Rows before the next one.
    pub(super) given: u64,
    /// Bytes of its text.
    pub(super) bytes: usize,
    source: RowSource,
}

enum RowSource {
    /// It starts when the first row is asked for.
    Planned {
        engine: Arc<Engine>,
        plan: Box<LogicalPlan>,
        text: String,
    },
    Running {
        rows: ServerRows,
        left: Option<RecordBatch>,
    },
    Ready(RecordBatch),
    Ended,
}

impl Portal {
    pub(super) fn planned(engine: Arc<Engine>, plan: LogicalPlan, text: String) -> Portal {
        let schema = Arc::clone(plan.schema().inner());
        let tag = match plan {
            LogicalPlan::Explain(_) | LogicalPlan::Analyze(_) => "EXPLAIN",
            _ => "SELECT",
        };
        let bytes = text.len();
        let source = RowSource::Planned { engine, plan: Box::new(plan), text };
        Portal { bytes, ..Portal::new(schema, tag, source) }
    }

    /// Rows of text that are there already.
    pub(super) fn ready(names: &[&str], rows: &[Vec<String>]) -> Result<Portal, ServerError> {
        let fields: Vec<Field> = names.iter().map(|name| Field::new(*name, DataType::Utf8, true)).collect();
        let column =
            |index: usize| -> ArrayRef { Arc::new(StringArray::from_iter(rows.iter().map(|row| row.get(index)))) };
        let schema = Arc::new(Schema::new(fields));
        let batch = RecordBatch::try_new(Arc::clone(&schema), (0..names.len()).map(column).collect());
        let batch = batch.map_err(|error| ServerError::internal(error.to_string()))?;
        Ok(Portal::new(schema, "SHOW", RowSource::Ready(batch)))
    }

    fn new(schema: SchemaRef, tag: &'static str, source: RowSource) -> Portal {
        let columns = columns(&schema);
        Portal { schema, columns, tag, lifetime: CursorLifetime::Transaction, given: 0, bytes: 0, source }
    }

    /// The next rows, at most as many; `None` at the end.
    pub(super) async fn next(
        &mut self,
        session: &ServerSession,
        most: usize,
    ) -> Result<Option<RecordBatch>, ServerError> {
        self.start(session).await?;
        let batch = match &mut self.source {
            RowSource::Planned { .. } | RowSource::Ended => None,
            RowSource::Ready(batch) => Some(batch.clone()),
            RowSource::Running { rows, left } => match left.take() {
                Some(batch) => Some(batch),
                None => rows.next().await.transpose()?,
            },
        };
        let Some(batch) = batch else {
            self.source = RowSource::Ended;
            return Ok(None);
        };
        let (now, later) = match batch.num_rows() > most {
            true => (batch.slice(0, most), Some(batch.slice(most, batch.num_rows() - most))),
            false => (batch, None),
        };
        self.keep(later);
        self.given += now.num_rows() as u64;
        Ok(Some(now))
    }

    fn keep(&mut self, later: Option<RecordBatch>) {
        match (&mut self.source, later) {
            (RowSource::Running { left, .. }, later) => *left = later,
            (source, Some(later)) => *source = RowSource::Ready(later),
            (source, None) => *source = RowSource::Ended,
        }
    }

    async fn start(&mut self, session: &ServerSession) -> Result<(), ServerError> {
        let RowSource::Planned { .. } = self.source else { return Ok(()) };
        if let RowSource::Planned { engine, plan, text } = std::mem::replace(&mut self.source, RowSource::Ended) {
            let rows = session.read(engine, *plan, &text).await?;
            self.source = RowSource::Running { rows, left: None };
        }
        Ok(())
    }
}
