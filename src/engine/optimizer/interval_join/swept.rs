//! A sweep over two sorted inputs: what is held, what comes out.
//!
//! Batches are kept in slots as long as one of their rows is active. When few of them are, the active
//! rows are copied together, so that memory follows the number of active rows.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, RecordBatch, RecordBatchOptions, new_null_array};
use arrow::compute::{BatchCoalescer, interleave, interleave_record_batch};
use datafusion::common::{JoinSide, Result, internal_err, resources_datafusion_err};
use datafusion::execution::SendableRecordBatchStream;
use datafusion::execution::memory_pool::MemoryReservation;
use datafusion::physical_plan::metrics::BaselineMetrics;
use datafusion::physical_plan::spill::get_record_batch_memory_size;
use futures::TryStreamExt;

use super::join_spec::{JoinOutput, OutputOrigin, SideColumns};
use ocellus_kernels::intervals::{Address, Clock, KeyMap, Meeting, Spans, Sweep, SweptSide, Wanted};

/// One side, batch by batch.
pub(crate) struct SweptInput {
    side: JoinSide,
    columns: SideColumns,
    clock: Clock,
    /// The columns that come out.
    shown: Vec<usize>,
    stream: SendableRecordBatchStream,
    is_over: bool,
    /// Batches with rows that are active or are to come; the last one is the current one.
    slots: Vec<RecordBatch>,
    /// How many slots there were when they were last put in order.
    slots_before: usize,
    /// Keys and spans of the current batch, and its next row.
    keys: Vec<u32>,
    spans: Spans,
    next: usize,
}

impl SweptInput {
    pub(crate) fn new(
        side: JoinSide,
        columns: SideColumns,
        layout: &JoinOutput,
        stream: SendableRecordBatchStream,
    ) -> SweptInput {
        let shown = layout.origins.iter().filter_map(|origin| match origin {
            OutputOrigin::Input(origin, column) if *origin == side => Some(*column),
            _ => None,
        });
        SweptInput {
            side,
            columns,
            clock: layout.clock,
            shown: shown.collect(),
            stream,
            is_over: false,
            slots: vec![],
            slots_before: 0,
            keys: vec![],
            spans: Spans::default(),
            next: 0,
        }
    }

    fn is_consumed(&self) -> bool {
        self.next == self.keys.len()
    }

    /// When the next row starts. One that overlaps nothing is not waited for.
    fn next_start(&self) -> Option<i64> {
        if self.is_consumed() {
            return None;
        }
        let (start, end) = (self.spans.starts[self.next], self.spans.ends[self.next]);
        Some(if start < end { start } else { i64::MIN })
    }

    async fn fetch(&mut self, keys: &mut KeyMap) -> Result<()> {
        let Some(batch) = self.stream.try_next().await? else {
            self.is_over = true;
            return Ok(());
        };
        self.keys.clear();
        keys.insert(&self.columns.key_columns(&batch), batch.num_rows(), &mut self.keys)?;
        self.spans = Spans::new(batch.column(self.columns.start), batch.column(self.columns.end), self.clock)?;
        self.next = 0;
        self.slots.push(batch.project(&self.shown)?);
        Ok(())
    }

    fn slots_size(&self) -> usize {
        self.slots.iter().map(get_record_batch_memory_size).sum()
    }

    /// Lets batches go whose rows are all done; copies active rows together when they are few.
    fn tidy(&mut self, sweep: &mut Sweep, side: SweptSide) -> Result<()> {
        let is_time = self.slots.len() >= 2 * self.slots_before + 4;
        let Some((current, earlier)) = self.slots.split_last().filter(|_| is_time) else {
            return Ok(());
        };
        let mut active: Vec<&mut Address> = sweep.addresses(side).collect();
        let last = earlier.len() as u32;
        active.retain(|address| address.0 < last);
        let mut slots = vec![];
        if !active.is_empty() && !self.shown.is_empty() {
            let rows: Vec<(usize, usize)> = active.iter().map(|(slot, row)| (*slot as usize, *row as usize)).collect();
            slots.push(compact(interleave_record_batch(&earlier.iter().collect::<Vec<_>>(), &rows)?)?);
        }
        for (row, address) in active.into_iter().enumerate() {
            *address = (0, row as u32);
        }
        let moved = slots.len() as u32;
        slots.push(current.clone());
        for address in sweep.addresses(side).filter(|address| address.0 == last && last != 0) {
            address.0 = moved;
        }
        self.slots = slots;
        self.slots_before = self.slots.len();
        Ok(())
    }
}

/// The same rows without the texts of others: columns of text share their memory with what they were taken from.
fn compact(batch: RecordBatch) -> Result<RecordBatch> {
    let columns = batch.columns().iter().map(|column| match column.as_string_view_opt() {
        Some(texts) => Arc::new(texts.gc()) as ArrayRef,
        None => Arc::clone(column),
    });
    Ok(RecordBatch::try_new(batch.schema(), columns.collect())?)
}

/// A sweep under way.
pub(crate) struct Sweeping {
    sweep: Sweep,
    wanted: Wanted,
    kept: SweptInput,
    other: SweptInput,
    keys: KeyMap,
    found: Vec<Meeting>,
    layout: JoinOutput,
    batch_size: usize,
    output: BatchCoalescer,
    is_over: bool,
    reservation: MemoryReservation,
    metrics: BaselineMetrics,
}

impl Sweeping {
    pub(crate) fn new(
        wanted: Wanted,
        [kept, other]: [SweptInput; 2],
        keys: KeyMap,
        layout: JoinOutput,
        batch_size: usize,
        reservation: MemoryReservation,
        metrics: BaselineMetrics,
    ) -> Sweeping {
        let output = BatchCoalescer::new(Arc::clone(&layout.schema), batch_size)
            .with_biggest_coalesce_batch_size(Some(batch_size / 2));
        let (sweep, found) = (Sweep::new(wanted), vec![]);
        Sweeping {
            sweep,
            wanted,
            kept,
            other,
            keys,
            found,
            layout,
            batch_size,
            output,
            is_over: false,
            reservation,
            metrics,
        }
    }

    /// The next rows; `None` at the end.
    pub(crate) async fn next(&mut self) -> Result<Option<RecordBatch>> {
        loop {
            if let Some(batch) = self.output.next_completed_batch() {
                self.metrics.record_output(batch.num_rows());
                return Ok(Some(batch));
            }
            if self.is_over {
                return Ok(None);
            }
            if self.needs(SweptSide::Kept) {
                self.prepare(SweptSide::Kept)?;
                self.kept.fetch(&mut self.keys).await?;
            }
            if self.needs(SweptSide::Other) {
                self.prepare(SweptSide::Other)?;
                self.other.fetch(&mut self.keys).await?;
            }
            self.advance()?;
        }
    }

    fn needs(&self, side: SweptSide) -> bool {
        let input = self.input(side);
        input.is_consumed() && !input.is_over
    }

    fn input(&self, side: SweptSide) -> &SweptInput {
        match side {
            SweptSide::Kept => &self.kept,
            SweptSide::Other => &self.other,
        }
    }

    /// Makes room before a batch is fetched, and accounts for what is held.
    fn prepare(&mut self, side: SweptSide) -> Result<()> {
        self.flush()?;
        match side {
            SweptSide::Kept => self.kept.tidy(&mut self.sweep, side)?,
            SweptSide::Other => self.other.tidy(&mut self.sweep, side)?,
        }
        let held = self.kept.slots_size() + self.other.slots_size() + self.sweep.size() + self.keys.size();
        self.reservation.try_resize(held).map_err(|_| {
            resources_datafusion_err!(
                "interval_join: {} rows are active at once and need {} MB",
                self.sweep.active(SweptSide::Kept) + self.sweep.active(SweptSide::Other),
                held.div_ceil(1_000_000)
            )
        })
    }

    /// Sweeps on until a side needs a batch, an output batch is full, or all is done.
    fn advance(&mut self) -> Result<()> {
        let elapsed = self.metrics.elapsed_compute().clone();
        let _timer = elapsed.timer();
        let mut now = i64::MIN;
        while !self.needs(SweptSide::Kept) && !self.needs(SweptSide::Other) {
            let (side, start) = match (self.kept.next_start(), self.other.next_start()) {
                (Some(kept), Some(other)) if other < kept => (SweptSide::Other, other),
                (Some(kept), _) => (SweptSide::Kept, kept),
                (None, Some(other)) => (SweptSide::Other, other),
                (None, None) => {
                    self.sweep.finish(&mut self.found);
                    self.is_over = true;
                    break;
                }
            };
            now = now.max(start);
            let input = match side {
                SweptSide::Kept => &mut self.kept,
                SweptSide::Other => &mut self.other,
            };
            let row = input.next;
            let address = ((input.slots.len() - 1) as u32, row as u32);
            let span = (input.spans.starts[row], input.spans.ends[row]);
            input.next += 1;
            self.sweep.take(side, input.keys[row], span, address, &mut self.found);
            if self.found.len() >= self.batch_size {
                self.flush()?;
                return Ok(());
            }
            if self.nothing_to_come() {
                self.is_over = true;
                break;
            }
        }
        self.sweep.forget(now, &mut self.found);
        if self.is_over {
            self.flush()?;
            self.output.finish_buffered_batch()?;
        }
        Ok(())
    }

    /// Whether a side is done for good and only its pairs were asked for.
    fn nothing_to_come(&self) -> bool {
        let is_done = |side| {
            let input = self.input(side);
            input.is_over && input.is_consumed() && self.sweep.active(side) == 0
        };
        matches!(self.wanted, Wanted::Pairs | Wanted::Partnered)
            && (is_done(SweptSide::Kept) || is_done(SweptSide::Other))
    }

    /// Writes down what was found, since addresses are about to change or there is enough of it.
    fn flush(&mut self) -> Result<()> {
        let found = std::mem::take(&mut self.found);
        for part in found.chunks(self.batch_size) {
            let batch = self.output_batch(part)?;
            self.output.push_batch(batch)?;
        }
        self.found = found;
        self.found.clear();
        Ok(())
    }

    fn output_batch(&self, found: &[Meeting]) -> Result<RecordBatch> {
        let place = |(slot, row): Address| (slot as usize, row as usize);
        let kept_rows: Vec<(usize, usize)> = found.iter().map(|(kept, _)| place(*kept)).collect();
        // Beside a row without a partner stands the one row of a slot of NULL.
        let nothing = (self.other.slots.len(), 0);
        let other_rows: Vec<(usize, usize)> = found.iter().map(|(_, other)| other.map_or(nothing, place)).collect();
        let (mut kept_columns, mut other_columns) = (0.., 0..);
        let mut columns: Vec<ArrayRef> = vec![];
        for (origin, field) in self.layout.origins.iter().zip(self.layout.schema.fields()) {
            let OutputOrigin::Input(side, _) = origin else {
                return internal_err!("a sweep does not show the overlap");
            };
            let is_kept = *side == self.kept.side;
            let (input, column) = match is_kept {
                true => (&self.kept, kept_columns.next().unwrap_or(0)),
                false => (&self.other, other_columns.next().unwrap_or(0)),
            };
            let null = new_null_array(field.data_type(), 1);
            let mut values: Vec<&dyn Array> = input.slots.iter().map(|slot| slot.column(column).as_ref()).collect();
            values.push(null.as_ref());
            columns.push(interleave(&values, if is_kept { &kept_rows } else { &other_rows })?);
        }
        let options = RecordBatchOptions::new().with_row_count(Some(found.len()));
        Ok(RecordBatch::try_new_with_options(Arc::clone(&self.layout.schema), columns, &options)?)
    }
}
