//! A sink of the simulator that sorts rows by the times at which they begin and end.

use super::packed_row::{RowBody, pack, phase};
use crate::error::Result;
use crate::model::{EventRow, LinkRow, OwnedExtra, RowSink, StateRow, VariableRow, World};
use crate::reader::{ChromeRecord, RecordSorter, Sorted};

/// Bytes of rows that are sorted in memory.
const SORTED_IN_MEMORY: usize = 64 << 20;

/// Collects rows.
pub(super) struct ConvertSink {
    sorter: RecordSorter,
    packed: Vec<u8>,
}

impl ConvertSink {
    pub fn new() -> ConvertSink {
        ConvertSink { sorter: RecordSorter::new(SORTED_IN_MEMORY), packed: vec![] }
    }

    /// The rows by time; those of one time in the order in which the simulator finished them.
    pub fn sorted(self) -> Result<Sorted> {
        self.sorter.sorted()
    }

    fn push(&mut self, record: &ChromeRecord<'_>) -> Result<()> {
        self.sorter.push(&ChromeRecord { arguments: &self.packed, ..*record })
    }

    /// The other end of a row, which has its fixed part only.
    fn push_end(&mut self, body: RowBody, record: &ChromeRecord<'_>) -> Result<()> {
        pack(body, &[], &mut self.packed);
        self.push(record)
    }
}

impl RowSink for ConvertSink {
    fn state(&mut self, _: &World, row: &StateRow, extras: &[OwnedExtra]) -> Result<()> {
        let (thread, name, category) = (row.container.0, row.type_.0, row.value.0);
        let body = RowBody { number: f64::from(row.depth), ..RowBody::default() };
        pack(body, extras, &mut self.packed);
        let is_instant = row.start == row.end;
        let phase = if is_instant { phase::INSTANT_STATE } else { phase::STATE };
        let record =
            ChromeRecord { start: row.start, end: row.end, thread, name, category, phase, ..ChromeRecord::default() };
        self.push(&record)?;
        if is_instant {
            return Ok(());
        }
        self.push_end(body, &ChromeRecord { start: row.end, phase: phase::STATE_END, ..record })
    }

    fn segment(&mut self, _: &World, _: &StateRow, _: &[OwnedExtra]) -> Result<()> {
        Ok(())
    }

    fn event(&mut self, _: &World, row: &EventRow, extras: &[OwnedExtra]) -> Result<()> {
        let (thread, name, category) = (row.container.0, row.type_.0, row.value.0);
        pack(RowBody::default(), extras, &mut self.packed);
        let (start, end, phase) = (row.tick, row.tick, phase::EVENT);
        self.push(&ChromeRecord { start, end, thread, name, category, phase, ..ChromeRecord::default() })
    }

    fn variable(&mut self, _: &World, row: &VariableRow, extras: &[OwnedExtra]) -> Result<()> {
        let (thread, name) = (row.container.0, row.type_.0);
        let body = RowBody { number: row.value, ..RowBody::default() };
        pack(body, extras, &mut self.packed);
        let (start, end, phase) = (row.start, row.end, phase::VARIABLE);
        let record = ChromeRecord { start, end, thread, name, phase, ..ChromeRecord::default() };
        self.push(&record)?;
        if start == end {
            return Ok(());
        }
        self.push_end(body, &ChromeRecord { start: end, phase: phase::VARIABLE_END, ..record })
    }

    fn link(&mut self, _: &World, row: &LinkRow<'_>, extras: &[OwnedExtra]) -> Result<()> {
        let (thread, name, category, id) = (row.container.0, row.type_.0, row.value.0, row.key);
        let body = RowBody { number: row.volume.unwrap_or(f64::NAN), source: row.source.0, target: row.target.0 };
        pack(body, extras, &mut self.packed);
        let (start, end, phase) = (row.start, row.end, phase::LINK);
        let record = ChromeRecord { start, end, thread, name, category, phase, id, ..ChromeRecord::default() };
        self.push(&record)?;
        self.push_end(body, &ChromeRecord { start: end, phase: phase::LINK_END, ..record })
    }
}
