//! Rows of a query that a client reads at its own pace: portals, and cursors, which are the same.

use std::sync::Arc;

use arrow::array::{ArrayRef, RecordBatch, StringArray};
use arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use datafusion::logical_expr::LogicalPlan;

use super::super::failure::{Failure, Kind};
use super::super::rows::Rows;
use super::super::session::Session;
use super::commands::Lasts;
use super::types::{Column, columns};
use ocellus_engine::Engine;

/// Rows, of which some may have been given already.
pub(super) struct Portal {
    pub(super) schema: SchemaRef,
    pub(super) columns: Vec<Column>,
    /// The first word of the answer at its end, such as `SELECT`.
    pub(super) tag: &'static str,
    pub(super) lasts: Lasts,
    /// Rows before the next one.
    pub(super) given: u64,
    source: Source,
}

enum Source {
    /// It starts when the first row is asked for.
    Planned {
        engine: Arc<Engine>,
        plan: Box<LogicalPlan>,
        text: String,
    },
    Running {
        rows: Rows,
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
        Portal::new(schema, tag, Source::Planned { engine, plan: Box::new(plan), text })
    }

    /// Rows of text that are there already.
    pub(super) fn ready(names: &[&str], rows: &[Vec<String>]) -> Result<Portal, Failure> {
        let fields: Vec<Field> = names.iter().map(|name| Field::new(*name, DataType::Utf8, true)).collect();
        let column =
            |index: usize| -> ArrayRef { Arc::new(StringArray::from_iter(rows.iter().map(|row| row.get(index)))) };
        let schema = Arc::new(Schema::new(fields));
        let batch = RecordBatch::try_new(Arc::clone(&schema), (0..names.len()).map(column).collect());
        let batch = batch.map_err(|error| Failure::new(Kind::Internal, error.to_string()))?;
        Ok(Portal::new(schema, "SHOW", Source::Ready(batch)))
    }

    fn new(schema: SchemaRef, tag: &'static str, source: Source) -> Portal {
        let columns = columns(&schema);
        Portal { schema, columns, tag, lasts: Lasts::Transaction, given: 0, source }
    }

    /// The next rows, at most as many; `None` at the end.
    pub(super) async fn next(&mut self, session: &Session, most: usize) -> Result<Option<RecordBatch>, Failure> {
        self.start(session).await?;
        let batch = match &mut self.source {
            Source::Planned { .. } | Source::Ended => None,
            Source::Ready(batch) => Some(batch.clone()),
            Source::Running { rows, left } => match left.take() {
                Some(batch) => Some(batch),
                None => rows.next().await.transpose()?,
            },
        };
        let Some(batch) = batch else {
            self.source = Source::Ended;
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
            (Source::Running { left, .. }, later) => *left = later,
            (source, Some(later)) => *source = Source::Ready(later),
            (source, None) => *source = Source::Ended,
        }
    }

    async fn start(&mut self, session: &Session) -> Result<(), Failure> {
        let Source::Planned { .. } = self.source else { return Ok(()) };
        if let Source::Planned { engine, plan, text } = std::mem::replace(&mut self.source, Source::Ended) {
            let rows = session.read(engine, *plan, &text).await?;
            self.source = Source::Running { rows, left: None };
        }
        Ok(())
    }
}
