//! What the sweeps over messages share: their order, and the passes that find phases and communities.

use std::fmt::Debug;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, BooleanArray, Int64Array};
use arrow::datatypes::{DataType, Float64Type, Int32Type, Int64Type};
use datafusion::common::{Result, ScalarValue};

use super::comm_messages::gram_settings;
use crate::functions::plans::table_sweep::{RowSweep, SweepOrder};
use ocellus_kernels::commgram::streamed::StreamedGram;
use ocellus_kernels::commgram::{CommMessage, CommPhase};

/// Messages in the order of their representative times; of equal times in that of start, source, target and volume.
pub(crate) const BY_MIDDLE: SweepOrder = SweepOrder { computed: &MIDDLE, compute: middle, by: &[0, 1, 2, 4, 5, 6] };

/// The same; what is still equal, by one text.
pub(crate) const BY_MIDDLE_AND_TEXT: SweepOrder =
    SweepOrder { computed: &MIDDLE, compute: middle, by: &[0, 1, 2, 4, 5, 6, 7] };

/// The same; what is still equal, by three texts.
pub(crate) const BY_MIDDLE_AND_TEXTS: SweepOrder =
    SweepOrder { computed: &MIDDLE, compute: middle, by: &[0, 1, 2, 4, 5, 6, 7, 8, 9] };

/// The middle of a message in ticks, rounded down, and whether that took half a tick away.
const MIDDLE: [DataType; 2] = [DataType::Int64, DataType::Boolean];

fn middle(columns: &[ArrayRef]) -> Result<Vec<ArrayRef>> {
    let [starts, ends] = [0, 1].map(|index| columns[index].as_primitive::<Int64Type>().values());
    let pairs = || starts.iter().zip(ends);
    // The sum of both might not fit.
    let whole = pairs().map(|(start, end)| (start >> 1) + (end >> 1) + (start & end & 1));
    let is_odd = pairs().map(|(start, end)| (start ^ end) & 1 == 1).collect::<Vec<bool>>();
    Ok(vec![Arc::new(Int64Array::from_iter_values(whole)), Arc::new(BooleanArray::from(is_odd))])
}

/// The messages of some rows, whose columns begin with those of
/// [`MESSAGE_COLUMNS`](super::comm_messages::MESSAGE_COLUMNS).
pub(crate) fn messages_of(columns: &[ArrayRef]) -> impl Iterator<Item = CommMessage> + '_ {
    let [starts, ends] = [0, 1].map(|index| columns[index].as_primitive::<Int64Type>());
    let [sources, targets] = [2, 3].map(|index| columns[index].as_primitive::<Int32Type>());
    let volumes = columns[4].as_primitive::<Float64Type>();
    (0..starts.len()).map(move |row| CommMessage {
        start: starts.value(row),
        end: ends.value(row),
        source: sources.value(row) as u32,
        target: targets.value(row) as u32,
        volume: volumes.is_valid(row).then(|| volumes.value(row)),
    })
}

/// What a function makes of phases and their communities.
pub(crate) trait GramRows: Debug + Send {
    /// Everything that is known before the first phase comes: the totals of all of them, and who communicates at all.
    fn begin(&mut self, _gram: &mut StreamedGram) {}

    /// Takes the next phase.
    fn add(&mut self, phase: CommPhase);

    /// Takes the end of all phases.
    fn finish(&mut self, _gram: &StreamedGram) -> Result<()> {
        Ok(())
    }

    /// How often it sees all messages after that.
    fn further_passes(&self) -> usize {
        0
    }

    /// Takes messages of such a pass.
    fn update(&mut self, _columns: &[ArrayRef]) -> Result<()> {
        Ok(())
    }

    /// Ends such a pass.
    fn finish_pass(&mut self) -> Result<()> {
        Ok(())
    }

    /// Hands over rows; `None` when none are ready.
    fn take(&mut self) -> Option<Vec<ArrayRef>>;

    /// Bytes on the heap.
    fn bytes(&self) -> usize;
}

/// The sweep of a function over phases and communities.
#[derive(Debug)]
pub(crate) struct GramSweep<R> {
    gram: StreamedGram,
    rows: R,
}

impl<R: GramRows + 'static> GramSweep<R> {
    /// Begins with the constants of [`gram_constants`](super::comm_messages::gram_constants).
    pub(crate) fn begin(constants: &[ScalarValue], rows: R) -> Result<Box<dyn RowSweep>> {
        let (phases, cut, weight) = gram_settings(constants)?;
        Ok(Box::new(GramSweep { gram: StreamedGram::new(phases, cut, weight), rows }))
    }
}

impl<R: GramRows> RowSweep for GramSweep<R> {
    fn passes(&self) -> usize {
        StreamedGram::PASSES + self.rows.further_passes()
    }

    fn update(&mut self, pass: usize, columns: &[ArrayRef]) -> Result<()> {
        if pass >= StreamedGram::PASSES {
            return self.rows.update(columns);
        }
        for message in messages_of(columns) {
            if let Some(phase) = self.gram.add(pass, &message) {
                self.rows.add(phase);
            }
        }
        Ok(())
    }

    fn finish(&mut self, pass: usize) -> Result<()> {
        if pass >= StreamedGram::PASSES {
            return self.rows.finish_pass();
        }
        if let Some(phase) = self.gram.finish(pass) {
            self.rows.add(phase);
        }
        match pass {
            1 => self.rows.begin(&mut self.gram),
            2 => self.rows.finish(&self.gram)?,
            _ => {}
        }
        Ok(())
    }

    fn take(&mut self) -> Result<Option<Vec<ArrayRef>>> {
        Ok(self.rows.take())
    }

    fn size(&self) -> usize {
        size_of_val(self) + self.gram.bytes() + self.rows.bytes()
    }
}

/// The sum of what phases hold on the heap.
pub(crate) fn bytes_of(phases: &[CommPhase]) -> usize {
    phases.iter().map(|phase| size_of_val(phase) + phase.bytes()).sum()
}
