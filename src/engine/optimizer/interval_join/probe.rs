//! The other side of a join, which asks the index batch by batch.

use std::cell::LazyCell;
use std::sync::Arc;

use arrow::array::{ArrayRef, RecordBatch, RecordBatchOptions, UInt32Array, new_null_array};
use arrow::buffer::NullBuffer;
use arrow::compute::{BatchCoalescer, take};
use datafusion::common::{JoinSide, Result, internal_err};
use datafusion::execution::SendableRecordBatchStream;
use datafusion::execution::memory_pool::MemoryReservation;
use datafusion::physical_plan::metrics::BaselineMetrics;
use futures::TryStreamExt;

use super::build::Built;
use super::join_spec::{JoinOutput, OutputOrigin, SideColumns};
use crate::optimizer::build_once::{Building, wait};
use ocellus_kernels::intervals::{Asked, Cursor, Found, NO_ROW, Spans, Wanted};

/// What a partition of the asking side is joined by.
pub(crate) struct Asking {
    pub(crate) side: JoinSide,
    pub(crate) columns: SideColumns,
    pub(crate) wanted: Wanted,
    pub(crate) layout: JoinOutput,
    pub(crate) batch_size: usize,
    pub(crate) input: SendableRecordBatchStream,
    pub(crate) reservation: MemoryReservation,
    pub(crate) metrics: BaselineMetrics,
}

/// A join under way.
pub(crate) struct Probe {
    asking: Asking,
    built: Arc<Built>,
    cursor: Cursor,
    /// The batch that asks, if one does.
    current: Option<RecordBatch>,
    /// Its keys and intervals.
    keys: Vec<u32>,
    spans: Spans,
    found: Found,
    output: BatchCoalescer,
    is_over: bool,
}

impl Probe {
    pub(crate) async fn start(asking: Asking, building: Building<Built>) -> Result<Probe> {
        let built = wait(building).await?;
        let cursor = Cursor::new(&built.index);
        asking.reservation.try_grow(cursor.size() + 4 * size_of::<i64>() * asking.batch_size)?;
        let output = BatchCoalescer::new(Arc::clone(&asking.layout.schema), asking.batch_size)
            .with_biggest_coalesce_batch_size(Some(asking.batch_size / 2));
        // Without anything to find, the rows need not be read.
        let is_over = built.index.is_empty() && matches!(asking.wanted, Wanted::Pairs | Wanted::Partnered);
        let found = Found::new(asking.batch_size);
        let (keys, spans) = (vec![], Spans::default());
        Ok(Probe { asking, built, cursor, current: None, keys, spans, found, output, is_over })
    }

    /// The next rows; `None` at the end.
    pub(crate) async fn next(&mut self) -> Result<Option<RecordBatch>> {
        loop {
            if let Some(batch) = self.output.next_completed_batch() {
                self.asking.metrics.record_output(batch.num_rows());
                return Ok(Some(batch));
            }
            if self.is_over {
                return Ok(None);
            }
            if self.current.is_none() {
                match self.asking.input.try_next().await? {
                    Some(rows) => self.ask(rows)?,
                    None => {
                        self.output.finish_buffered_batch()?;
                        self.is_over = true;
                        continue;
                    }
                }
            }
            self.answer()?;
        }
    }

    fn ask(&mut self, rows: RecordBatch) -> Result<()> {
        let elapsed = self.asking.metrics.elapsed_compute().clone();
        let _timer = elapsed.timer();
        let columns = &self.asking.columns;
        self.keys.clear();
        self.built.keys.look_up(&columns.key_columns(&rows), rows.num_rows(), &mut self.keys)?;
        self.spans = Spans::new(rows.column(columns.start), rows.column(columns.end), self.asking.layout.clock)?;
        self.cursor.rewind();
        self.current = Some(rows);
        Ok(())
    }

    /// Answers as many rows of the current batch as fill an output batch.
    fn answer(&mut self) -> Result<()> {
        let Some(rows) = self.current.take() else {
            return Ok(());
        };
        let elapsed = self.asking.metrics.elapsed_compute().clone();
        let _timer = elapsed.timer();
        let asked = Asked { keys: &self.keys, spans: &self.spans };
        let is_done = self.built.index.answer(asked, self.asking.wanted, &mut self.cursor, &mut self.found);
        if !self.found.is_empty() {
            let batch = self.output_batch(&rows)?;
            self.output.push_batch(batch)?;
        }
        if !is_done {
            self.current = Some(rows);
        }
        Ok(())
    }

    /// The columns of the pairs that were found.
    fn output_batch(&self, rows: &RecordBatch) -> Result<RecordBatch> {
        let (index, found, clock) = (&self.built.index, &self.found, self.asking.layout.clock);
        let asked = Asked { keys: &self.keys, spans: &self.spans };
        let nulls = partnered(self.asking.wanted, found);
        let is_whole = found.len() == rows.num_rows() && (0..).zip(found.asking()).all(|(row, found)| row == found);
        let asking_rows = LazyCell::new(|| UInt32Array::from_iter_values(found.asking()));
        let indexed_rows = LazyCell::new(|| {
            let row = |place: u32| if place == NO_ROW { 0 } else { index.row(place) };
            UInt32Array::new(found.places().map(row).collect(), nulls.clone())
        });
        let mut kept = self.built.rows.columns().iter();
        let mut columns: Vec<ArrayRef> = vec![];
        for origin in &self.asking.layout.origins {
            columns.push(match origin {
                OutputOrigin::OverlapStart => clock.numbers(index.overlap_starts(asked, found), nulls.clone()),
                OutputOrigin::OverlapEnd => clock.numbers(index.overlap_ends(asked, found), nulls.clone()),
                OutputOrigin::Input(side, place) if *side == self.asking.side => match is_whole {
                    true => Arc::clone(rows.column(*place)),
                    false => take(rows.column(*place), &*asking_rows, None)?,
                },
                OutputOrigin::Input(_, place) => match kept.next() {
                    Some(values) if values.is_empty() => new_null_array(values.data_type(), found.len()),
                    Some(values) => take(values, &*indexed_rows, None)?,
                    None => return internal_err!("the index lacks column {place}"),
                },
            });
        }
        let options = RecordBatchOptions::new().with_row_count(Some(found.len()));
        Ok(RecordBatch::try_new_with_options(Arc::clone(&self.asking.layout.schema), columns, &options)?)
    }
}

/// Which pairs have a partner; `None` when all have.
fn partnered(wanted: Wanted, found: &Found) -> Option<NullBuffer> {
    let some_are_lonely = wanted == Wanted::PairsAndLonely && found.places().any(|place| place == NO_ROW);
    some_are_lonely.then(|| NullBuffer::from_iter(found.places().map(|place| place != NO_ROW)))
}
