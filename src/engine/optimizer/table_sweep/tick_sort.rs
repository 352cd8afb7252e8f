//! Sorts rows by a column of ticks in little memory: sorted runs on disk, then merged.
//!
//! ```text
//!  rows ─► runs, each sorted in memory ─► files ─► merge
//!            run 1  [=========]
//!            run 2         [==========]      a stretch that lies before all other runs is passed on as it is
//! ```
//! Rows of a store come nearly in the order of time, so that runs hardly overlap. DataFusion's sort merges every batch
//! of a run row by row, and all runs again.

#[cfg(test)]
mod tests;

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

use arrow::array::{AsArray, RecordBatch};
use arrow::compute::interleave_record_batch;
use arrow::datatypes::{DataType, Int64Type, Schema};
use datafusion::common::Result;
use datafusion::execution::memory_pool::{MemoryConsumer, MemoryReservation};
use datafusion::execution::spill_file::SpillFile;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_plan::metrics::SpillMetrics;
use datafusion::physical_plan::spill::{SpillManager, get_record_batch_memory_size};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use futures::{StreamExt, TryStreamExt, stream};

/// A stretch of so many rows of one run is passed on as it is.
const LONG_STRETCH: usize = 512;

/// Rows of a batch of a run: a batch or two of every run are held while runs are merged.
const ROWS_OF_RUN: usize = 1024;

/// Runs that are merged at once at most: each is an open file, and a reader with buffers of its own.
const MOST_RUNS: usize = 64;

/// Bytes for a row while it is sorted, beside its own.
const BYTES_OF_PLACE: usize = 3 * size_of::<TickPlace>() / 2;

/// Whether rows can be sorted here by one of their columns: they are numbers, or texts that a batch holds one after the other.
pub(super) fn is_sortable(schema: &Schema, by: &[usize]) -> bool {
    let is_ticks = matches!(by, [place] if *schema.field(*place).data_type() == DataType::Int64);
    let is_copied = |kind: &DataType| kind.is_primitive() || *kind == DataType::Utf8;
    is_ticks && schema.fields().iter().all(|field| is_copied(field.data_type()))
}

/// The rows in the order of a column of ticks that are never NULL, sorted in about so many bytes.
pub(super) fn sort_by_ticks(
    rows: SendableRecordBatchStream,
    place: usize,
    bytes: usize,
    context: &TaskContext,
    metrics: SpillMetrics,
) -> SendableRecordBatchStream {
    let schema = rows.schema();
    let sorter = TickSorter {
        place,
        bytes,
        batch_size: context.session_config().batch_size(),
        manager: SpillManager::new(context.runtime_env(), metrics, Arc::clone(&schema)),
        reservation: MemoryConsumer::new("TableSweep[sort]").with_can_spill(true).register(context.memory_pool()),
        held: vec![],
        files: vec![],
        largest_batch: 0,
    };
    let sorted = stream::once(sorter.sort(rows)).try_flatten();
    Box::pin(RecordBatchStreamAdapter::new(schema, sorted))
}

/// The tick of a row, and where it is among batches.
#[derive(Debug, Clone, Copy)]
struct TickPlace {
    tick: i64,
    batch: u32,
    row: u32,
}

/// Rows that are collected.
struct TickSorter {
    place: usize,
    bytes: usize,
    batch_size: usize,
    manager: SpillManager,
    reservation: MemoryReservation,
    held: Vec<RecordBatch>,
    /// The runs.
    files: Vec<Arc<dyn SpillFile>>,
    /// Bytes of the largest batch of them.
    largest_batch: usize,
}

impl TickSorter {
    async fn sort(mut self, mut rows: SendableRecordBatchStream) -> Result<SendableRecordBatchStream> {
        while let Some(batch) = rows.next().await {
            self.add(batch?)?;
        }
        let schema = rows.schema();
        if self.files.is_empty() {
            let sorted = SortedRows::new(std::mem::take(&mut self.held), self.place);
            // The reservation lives as long as the rows.
            let batches = stream::try_unfold((sorted, self), |(mut sorted, sorter)| async move {
                Ok(sorted.next(sorter.batch_size)?.map(|batch| (batch, (sorted, sorter))))
            });
            return Ok(Box::pin(RecordBatchStreamAdapter::new(schema, batches)));
        }
        self.write_run()?;
        while self.runs_that_fit()? < self.files.len() {
            self.merge_some().await?;
        }
        let files = std::mem::take(&mut self.files);
        let merge = TickMerge::new(&self, files).await?;
        // The reservation lives as long as the merge.
        let batches = stream::try_unfold((merge, self), |(mut merge, sorter)| async move {
            Ok(merge.next().await?.map(|batch| (batch, (merge, sorter))))
        });
        Ok(Box::pin(RecordBatchStreamAdapter::new(schema, batches)))
    }

    fn add(&mut self, batch: RecordBatch) -> Result<()> {
        if batch.num_rows() == 0 {
            return Ok(());
        }
        let bytes = get_record_batch_memory_size(&batch) + batch.num_rows() * BYTES_OF_PLACE;
        if self.reservation.size() + bytes > self.bytes || self.reservation.try_grow(bytes).is_err() {
            self.write_run()?;
            self.reservation.try_grow(bytes)?;
        }
        self.held.push(batch);
        Ok(())
    }

    fn write_run(&mut self) -> Result<()> {
        if self.held.is_empty() {
            return Ok(());
        }
        let mut sorted = SortedRows::new(std::mem::take(&mut self.held), self.place);
        let mut file = self.manager.create_in_progress_file("a run of a table sweep")?;
        while let Some(batch) = sorted.next(self.batch_size.min(ROWS_OF_RUN))? {
            self.largest_batch = self.largest_batch.max(get_record_batch_memory_size(&batch));
            file.append_batch(&batch)?;
        }
        self.files.extend(file.finish()?);
        self.reservation.free();
        Ok(())
    }

    /// How many runs can be merged at once, at least two; their memory is reserved.
    fn runs_that_fit(&mut self) -> Result<usize> {
        // One batch of each, and the next one that is read.
        let bytes = 2 * self.largest_batch;
        self.reservation.try_resize(2 * bytes)?;
        let (mut runs, most) = (2, self.files.len().min(MOST_RUNS));
        while runs < most && (runs + 1) * bytes <= self.bytes && self.reservation.try_grow(bytes).is_ok() {
            runs += 1;
        }
        Ok(runs)
    }

    /// Makes one run of those that fit.
    async fn merge_some(&mut self) -> Result<()> {
        let runs = self.runs_that_fit()?.min(self.files.len());
        let files = self.files.drain(..runs).collect();
        let mut merge = TickMerge::new(self, files).await?;
        merge.batch_size = merge.batch_size.min(ROWS_OF_RUN);
        let mut file = self.manager.create_in_progress_file("merged runs of a table sweep")?;
        while let Some(batch) = merge.next().await? {
            self.largest_batch = self.largest_batch.max(get_record_batch_memory_size(&batch));
            file.append_batch(&batch)?;
        }
        self.files.extend(file.finish()?);
        Ok(())
    }
}

/// Rows in memory, in their order.
struct SortedRows {
    batches: Vec<RecordBatch>,
    places: Vec<TickPlace>,
    next: usize,
}

impl SortedRows {
    fn new(batches: Vec<RecordBatch>, place: usize) -> SortedRows {
        let mut places = Vec::with_capacity(batches.iter().map(RecordBatch::num_rows).sum());
        for (number, batch) in (0..).zip(&batches) {
            let ticks = batch.column(place).as_primitive::<Int64Type>().values();
            places.extend((0..).zip(ticks.iter()).map(|(row, tick)| TickPlace { tick: *tick, batch: number, row }));
        }
        // It finds stretches that are sorted already.
        places.sort_by_key(|place| place.tick);
        SortedRows { batches, places, next: 0 }
    }

    fn next(&mut self, rows: usize) -> Result<Option<RecordBatch>> {
        let places = &self.places[self.next..self.places.len().min(self.next + rows)];
        if places.is_empty() {
            return Ok(None);
        }
        self.next += places.len();
        let places: Vec<(usize, usize)> =
            places.iter().map(|place| (place.batch as usize, place.row as usize)).collect();
        let batches: Vec<&RecordBatch> = self.batches.iter().collect();
        Ok(Some(interleave_record_batch(&batches, &places)?))
    }
}

/// A run that is read.
struct TickRun {
    rows: SendableRecordBatchStream,
    batch: RecordBatch,
    /// The next row of the batch.
    next: usize,
    /// The place of the batch among those that rows are taken from.
    place: usize,
}

/// Runs that are merged.
struct TickMerge {
    place: usize,
    batch_size: usize,
    runs: Vec<TickRun>,
    /// The tick of the next row of each run.
    first: BinaryHeap<Reverse<(i64, usize)>>,
    /// Batches that rows are taken from, and these rows.
    batches: Vec<RecordBatch>,
    taken: Vec<(usize, usize)>,
}

impl TickMerge {
    async fn new(sorter: &TickSorter, files: Vec<Arc<dyn SpillFile>>) -> Result<TickMerge> {
        let mut merge = TickMerge {
            place: sorter.place,
            batch_size: sorter.batch_size,
            runs: vec![],
            first: BinaryHeap::new(),
            batches: vec![],
            taken: vec![],
        };
        for file in files {
            let mut rows = sorter.manager.read_spill_as_stream(file, None)?;
            let Some(batch) = rows.next().await else { continue };
            let batch = batch?;
            merge.first.push(Reverse((merge.tick(&batch, 0), merge.runs.len())));
            merge.runs.push(TickRun { rows, batch: batch.clone(), next: 0, place: merge.batches.len() });
            merge.batches.push(batch);
        }
        Ok(merge)
    }

    fn tick(&self, batch: &RecordBatch, row: usize) -> i64 {
        batch.column(self.place).as_primitive::<Int64Type>().value(row)
    }

    async fn next(&mut self) -> Result<Option<RecordBatch>> {
        while let Some(Reverse((tick, number))) = self.first.pop() {
            let limit = self.first.peek().map_or(i64::MAX, |Reverse((tick, _))| *tick);
            let run = &mut self.runs[number];
            let ticks = &run.batch.column(self.place).as_primitive::<Int64Type>().values()[run.next..];
            let stretch = stretch(ticks, limit);
            if stretch >= LONG_STRETCH {
                if !self.taken.is_empty() {
                    self.first.push(Reverse((tick, number)));
                    return self.flush().map(Some);
                }
                let rows = run.batch.slice(run.next, stretch);
                run.next += stretch;
                self.push(number).await?;
                return Ok(Some(rows));
            }
            self.taken.extend((run.next..run.next + stretch).map(|row| (run.place, row)));
            run.next += stretch;
            self.push(number).await?;
            if self.taken.len() >= self.batch_size {
                return self.flush().map(Some);
            }
        }
        if self.taken.is_empty() { Ok(None) } else { self.flush().map(Some) }
    }

    /// Puts a run in its place again, with its next batch if this one is over.
    async fn push(&mut self, number: usize) -> Result<()> {
        let run = &mut self.runs[number];
        if run.next == run.batch.num_rows() {
            let Some(batch) = run.rows.next().await else {
                run.batch = RecordBatch::new_empty(run.batch.schema());
                run.next = 0;
                return Ok(());
            };
            run.batch = batch?;
            run.next = 0;
            run.place = self.batches.len();
            self.batches.push(run.batch.clone());
            if self.taken.is_empty() {
                self.forget();
            }
        }
        let run = &self.runs[number];
        self.first.push(Reverse((self.tick(&run.batch, run.next), number)));
        Ok(())
    }

    fn flush(&mut self) -> Result<RecordBatch> {
        let batches: Vec<&RecordBatch> = self.batches.iter().collect();
        let rows = interleave_record_batch(&batches, &self.taken)?;
        self.taken.clear();
        self.forget();
        Ok(rows)
    }

    /// Keeps only the batches that runs are in.
    fn forget(&mut self) {
        self.batches.clear();
        for run in &mut self.runs {
            run.place = self.batches.len();
            self.batches.push(run.batch.clone());
        }
    }
}

/// How many ticks, which are sorted, are not after a limit; the first one is not.
fn stretch(ticks: &[i64], limit: i64) -> usize {
    let mut bound = 1;
    while bound < ticks.len() && ticks[bound] <= limit {
        bound *= 2;
    }
    let from = bound / 2;
    let to = bound.min(ticks.len());
    from + ticks[from..to].partition_point(|tick| *tick <= limit)
}
