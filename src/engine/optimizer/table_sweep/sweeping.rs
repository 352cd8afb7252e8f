//! A sweep under way: pass after pass over the rows, and results as soon as they are there.

use std::sync::Arc;

use arrow::array::{RecordBatch, StructArray};
use arrow::datatypes::{DataType, SchemaRef};
use datafusion::common::{Result, internal_err};
use datafusion::execution::SendableRecordBatchStream;
use datafusion::execution::memory_pool::MemoryReservation;
use datafusion::physical_plan::metrics::{BaselineMetrics, RecordOutput};
use futures::StreamExt;

use super::spool::Spool;
use crate::functions::plans::table_sweep::RowSweep;

/// See the file's head.
pub(super) struct SweepPasses {
    pub(super) sweep: Box<dyn RowSweep>,
    pub(super) pass: usize,
    pub(super) passes: usize,
    /// How many columns of the rows are there for their order only.
    pub(super) computed: usize,
    /// The rows of the current pass, sorted.
    pub(super) rows: SendableRecordBatchStream,
    /// The rows for the passes after the first, or the log for the next one.
    pub(super) spool: Spool,
    /// Begins the log of a pass; `None` for a sweep without one.
    pub(super) new_log: Option<Box<dyn Fn() -> Spool + Send>>,
    /// Results that are handed out piece by piece.
    pub(super) ready: Option<RecordBatch>,
    /// One column of structs.
    pub(super) schema: SchemaRef,
    pub(super) batch_size: usize,
    pub(super) reservation: MemoryReservation,
    pub(super) metrics: BaselineMetrics,
}

impl SweepPasses {
    /// The next results; `None` when there are no more.
    pub(super) async fn next(&mut self) -> Result<Option<RecordBatch>> {
        loop {
            if let Some(piece) = self.ready_piece() {
                return Ok(Some(piece.record_output(&self.metrics)));
            }
            if let Some(columns) = self.sweep.take()? {
                self.ready = Some(self.result(columns)?);
                continue;
            }
            if self.pass == self.passes {
                return Ok(None);
            }
            // What it needs for the first row is known before that comes.
            self.reservation.try_resize(self.sweep.size())?;
            match self.rows.next().await {
                Some(rows) => self.update(&rows?)?,
                None => self.finish_pass().await?,
            }
            self.reservation.try_resize(self.sweep.size())?;
        }
    }

    fn update(&mut self, rows: &RecordBatch) -> Result<()> {
        let timer = self.metrics.elapsed_compute().clone();
        let _working = timer.timer();
        if self.pass == 0 && self.passes > 1 && self.new_log.is_none() {
            self.spool.push(rows)?;
        }
        let computed = if self.pass > 0 && self.new_log.is_some() { 0 } else { self.computed };
        self.sweep.update(self.pass, &rows.columns()[computed..])?;
        self.write_log()
    }

    fn write_log(&mut self) -> Result<()> {
        while let Some(columns) = self.sweep.log()? {
            self.spool.push(&RecordBatch::try_new(Arc::clone(self.spool.schema()), columns)?)?;
        }
        Ok(())
    }

    async fn finish_pass(&mut self) -> Result<()> {
        let timer = self.metrics.elapsed_compute().clone();
        let _working = timer.timer();
        self.sweep.finish(self.pass)?;
        self.write_log()?;
        self.pass += 1;
        if self.pass == self.passes {
            return Ok(());
        }
        match &self.new_log {
            Some(new_log) => self.rows = std::mem::replace(&mut self.spool, new_log()).read_back()?,
            None => self.rows = self.spool.read()?,
        }
        Ok(())
    }

    fn result(&self, columns: Vec<arrow::array::ArrayRef>) -> Result<RecordBatch> {
        let DataType::Struct(fields) = self.schema.field(0).data_type() else {
            return internal_err!("a table sweep gives structs, not {}", self.schema.field(0).data_type());
        };
        let rows = StructArray::try_new(fields.clone(), columns, None)?;
        Ok(RecordBatch::try_new(Arc::clone(&self.schema), vec![Arc::new(rows)])?)
    }

    fn ready_piece(&mut self) -> Option<RecordBatch> {
        let ready = self.ready.take()?;
        let rows = ready.num_rows();
        if rows == 0 {
            return None;
        }
        if rows <= self.batch_size {
            return Some(ready);
        }
        self.ready = Some(ready.slice(self.batch_size, rows - self.batch_size));
        Some(ready.slice(0, self.batch_size))
    }
}
