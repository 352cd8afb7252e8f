//! Groups of an aggregate of slices as bytes: between partitions, and on disk.
//!
//! ```text
//!  group:  per series: labels, cells        text: length, bytes; NULL has a length of its own
//! ```
//! Groups that come in as bytes are kept as they are, and put together one after the other when they are
//! needed: the cells of one group fit a cache, those of all groups do not. When many have come in, those
//! of one group are joined, so that room grows with groups and not with what comes in.

use arrow::array::{Array, AsArray, LargeBinaryArray};
use arrow::buffer::OffsetBuffer;
use datafusion::common::{DataFusionError, Result, internal_datafusion_err};

use super::slice_kind::{GroupSink, LabeledSeries, SliceKind, sort_series};
use super::slice_window::SliceWindow;
use ocellus_kernels::labels::LabelTable;
use ocellus_kernels::slices::{SliceStore, take};

pub(crate) fn unreadable() -> DataFusionError {
    internal_datafusion_err!("slices of another version, or damaged ones")
}

fn write_text(bytes: &mut Vec<u8>, text: Option<&str>) {
    let length = text.map_or(u32::MAX, |text| text.len() as u32);
    bytes.extend_from_slice(&length.to_le_bytes());
    bytes.extend_from_slice(text.unwrap_or_default().as_bytes());
}

fn read_text<'a>(bytes: &mut &'a [u8]) -> Option<Option<&'a str>> {
    let length = u32::from_le_bytes(take(bytes)?);
    if length == u32::MAX {
        return Some(None);
    }
    let (text, rest) = bytes.split_at_checked(length as usize)?;
    *bytes = rest;
    Some(Some(std::str::from_utf8(text).ok()?))
}

/// Writes groups down.
pub(crate) struct GroupWriter {
    bytes: Vec<u8>,
    offsets: Vec<i64>,
}

impl GroupWriter {
    /// Makes room for about so many bytes; pages that are never written cost nothing.
    pub(crate) fn new(about: usize) -> GroupWriter {
        GroupWriter { bytes: Vec::with_capacity(about), offsets: vec![0] }
    }

    pub(crate) fn finish(mut self) -> Result<LargeBinaryArray> {
        self.bytes.shrink_to_fit();
        Ok(LargeBinaryArray::try_new(OffsetBuffer::new(self.offsets.into()), self.bytes.into(), None)?)
    }
}

impl<K: SliceKind> GroupSink<K> for GroupWriter {
    fn add(&mut self, series: &[LabeledSeries], labels: &[LabelTable], store: &mut K::Store) -> Result<()> {
        for series in series {
            for text in series.texts(labels).into_iter().take(labels.len()) {
                write_text(&mut self.bytes, text);
            }
            store.write(series.number, &mut self.bytes);
        }
        self.offsets.push(self.bytes.len() as i64);
        Ok(())
    }
}

/// A row of what came in.
#[derive(Debug, Clone, Copy)]
struct PendingRow {
    group: u32,
    array: u32,
    row: u32,
}

/// Groups that came in as bytes, and one of them at a time put together.
#[derive(Debug)]
pub(crate) struct PendingGroups<K: SliceKind> {
    arrays: Vec<LargeBinaryArray>,
    rows: Vec<PendingRow>,
    bytes: usize,
    /// Bytes when they were last joined.
    joined: usize,
    store: K::Store,
    series: Vec<LabeledSeries>,
    /// By the number of the labels: the last group that had them, counted from 1, and its series.
    seen: Vec<(u32, u32)>,
}

/// What may come in before it is joined, beside as much as there was.
const ROOM: usize = 16 << 20;

impl<K: SliceKind> PendingGroups<K> {
    pub(crate) fn new(window: &SliceWindow) -> PendingGroups<K> {
        let store = K::Store::new(window.slicing);
        PendingGroups { arrays: vec![], rows: vec![], bytes: 0, joined: 0, store, series: vec![], seen: vec![] }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Bytes of what came in.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// What came in counts twice: it is written once more when groups are joined, or go to disk.
    pub(crate) fn size(&self) -> usize {
        2 * self.bytes
            + self.rows.capacity() * size_of::<PendingRow>()
            + self.seen.capacity() * size_of::<(u32, u32)>()
            + self.store.size()
    }

    /// Keeps rows for later.
    pub(crate) fn push(&mut self, array: &dyn Array, groups: &[usize]) {
        let array = array.as_binary::<i64>().clone();
        let number = self.arrays.len() as u32;
        for (row, &group) in groups.iter().enumerate().filter(|(row, _)| array.is_valid(*row)) {
            self.bytes += array.value_length(row) as usize;
            self.rows.push(PendingRow { group: group as u32, array: number, row: row as u32 });
        }
        self.arrays.push(array);
    }

    /// Whether so much came in that it should be joined.
    pub(crate) fn is_crowded(&self) -> bool {
        self.bytes > 2 * self.joined + ROOM
    }

    /// Hands the groups from `begin` to before `end` out, each put together.
    pub(crate) fn emit(
        &mut self,
        (begin, end): (usize, usize),
        labels: &mut [LabelTable],
        sink: &mut impl GroupSink<K>,
    ) -> Result<()> {
        self.rows.sort_by_key(|row| row.group);
        self.seen.clear();
        let rows = std::mem::take(&mut self.rows);
        let mut next = rows.partition_point(|row| (row.group as usize) < begin);
        for group in begin..end {
            self.store.clear();
            self.series.clear();
            while let Some(row) = rows.get(next).filter(|row| row.group as usize == group) {
                let array = self.arrays[row.array as usize].clone();
                self.read(group as u32 + 1, array.value(row.row as usize), labels).ok_or_else(unreadable)?;
                next += 1;
            }
            self.store.tidy();
            sort_series(&mut self.series, labels);
            sink.add(&self.series, labels, &mut self.store)?;
        }
        self.store.clear();
        self.rows = rows;
        Ok(())
    }

    /// Adds a group to the one that is put together.
    fn read(&mut self, group: u32, mut bytes: &[u8], labels: &mut [LabelTable]) -> Option<()> {
        while !bytes.is_empty() {
            let mut number = 0;
            for labels in labels.iter_mut() {
                number = labels.number(number, read_text(&mut bytes)?);
            }
            let series = self.series_of(group, number);
            self.store.read(series, &mut bytes)?;
        }
        Some(())
    }

    /// The series of some labels in the group that is put together.
    fn series_of(&mut self, group: u32, labels: u32) -> u32 {
        if self.seen.len() <= labels as usize {
            self.seen.resize(labels as usize + 1, (0, 0));
        }
        let seen = &mut self.seen[labels as usize];
        if seen.0 != group {
            *seen = (group, self.store.add_series());
            self.series.push(LabeledSeries { labels, number: seen.1 });
        }
        seen.1
    }

    /// Replaces what came in by joined groups, the first of which is now number 0.
    pub(crate) fn replace(&mut self, joined: LargeBinaryArray) {
        let groups: Vec<usize> = (0..joined.len()).collect();
        (self.arrays, self.rows, self.bytes) = (vec![], vec![], 0);
        self.push(&joined, &groups);
        self.joined = self.bytes;
    }
}
