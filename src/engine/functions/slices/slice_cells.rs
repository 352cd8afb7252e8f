//! The output of an aggregate of slices: the series of each group, each with its cells.
//!
//! ```text
//!  group ─► [{type, value, cells: [{slice, measures…}, …]}, …]
//! ```
//! Both lists are taken apart by the plan. Texts are kept once per series, so that a query that does not
//! ask for them does not pay for them in each cell.

use std::sync::Arc;

use arrow::array::{
    ArrayRef, Int64Array, LargeListArray, LargeListViewArray, StringViewArray, StringViewBuilder, StructArray,
    UInt32Array,
};
use arrow::buffer::OffsetBuffer;
use arrow::compute::take;
use arrow::datatypes::{DataType, Field, FieldRef, Fields};
use datafusion::common::{Result, resources_err};
use datafusion::execution::memory_pool::MemoryReservation;

use super::slice_kind::{GroupSink, LabeledSeries, SliceKind};
use super::slice_window::SliceWindow;
use ocellus_kernels::labels::LabelTable;
use ocellus_kernels::slices::SliceStore;

/// Name of the column that holds the series of a group.
pub(crate) const SERIES: &str = "series";

/// Name of the field that holds the cells of a series.
pub(crate) const CELLS: &str = "cells";

/// The fields of a cell: slice, measures.
fn cell_fields<K: SliceKind>() -> Fields {
    std::iter::once(Field::new("slice", DataType::Int64, false)).chain(K::fields()).collect()
}

/// The fields of a series: labels, cells. Taking views of lists copies no cells.
fn series_fields<K: SliceKind>() -> Fields {
    let labels = K::LABELS.iter().map(|label| Field::new(*label, DataType::Utf8View, true));
    let cells = DataType::LargeListView(item(cell_fields::<K>()));
    labels.chain([Field::new(CELLS, cells, false)]).collect()
}

fn item(fields: Fields) -> FieldRef {
    Arc::new(Field::new_list_field(DataType::Struct(fields), false))
}

/// The type of the list of series of a group.
pub(crate) fn series_type<K: SliceKind>() -> DataType {
    DataType::LargeList(item(series_fields::<K>()))
}

/// The cells of all groups, while they are collected.
pub(crate) struct SliceCellColumns<K: SliceKind> {
    window: SliceWindow,
    /// Where the series of each group end.
    groups: Vec<i64>,
    /// By series: the numbers of its labels, and where its cells begin; the last is where all end.
    labels: [Vec<u32>; 2],
    begins: Vec<i64>,
    /// By cell.
    slices: Vec<i64>,
    measures: Vec<<K::Store as SliceStore>::Measure>,
    room: CellRoom,
}

/// Cells that there is memory for, reserved before they are made.
struct CellRoom {
    memory: MemoryReservation,
    /// Bytes that a cell takes, all its copies together.
    cell_bytes: usize,
    cells: usize,
    is_short: bool,
}

impl CellRoom {
    /// Whether there is room for so many cells; some more is reserved where there is.
    #[inline(always)]
    fn has(&mut self, cells: usize) -> bool {
        cells <= self.cells || self.grow(cells)
    }

    #[cold]
    fn grow(&mut self, cells: usize) -> bool {
        let about = cells.max(self.cells + self.cells / 4 + MORE_CELLS);
        let is_enough = [about, cells].into_iter().find(|cells| {
            let more = (cells - self.cells).checked_mul(self.cell_bytes);
            more.is_some_and(|bytes| self.memory.try_grow(bytes).is_ok())
        });
        self.cells = is_enough.unwrap_or(self.cells);
        self.is_short |= is_enough.is_none();
        is_enough.is_some()
    }
}

/// How often a cell is there at once: as it is collected, as a column, and in the rows that are made of the lists.
const COPIES: usize = 4;

/// Cells that room is made for at once.
const MORE_CELLS: usize = 1 << 14;

/// Cells that there is room for at first, at most.
const MOST_ABOUT: usize = 1 << 20;

/// A series of this many slices gets room for all of them at once, and needs no look at each.
const FEW_SLICES: usize = 1 << 18;

impl<K: SliceKind> SliceCellColumns<K> {
    const CELL_BYTES: usize = size_of::<i64>() + size_of::<<K::Store as SliceStore>::Measure>();

    /// Makes room for about so many cells; pages that are never written cost nothing.
    pub(crate) fn new(window: SliceWindow, about: usize, memory: MemoryReservation) -> SliceCellColumns<K> {
        let room = CellRoom { memory, cell_bytes: COPIES * Self::CELL_BYTES, cells: 0, is_short: false };
        let about = about.min(MOST_ABOUT);
        SliceCellColumns {
            room,
            window,
            groups: vec![0],
            labels: [vec![], vec![]],
            begins: vec![0],
            slices: Vec::with_capacity(about),
            measures: Vec::with_capacity(about),
        }
    }

    /// Adds the slices of a series, as far as there is room.
    fn add_series(&mut self, store: &mut K::Store, series: u32) {
        let (first, last) = self.window.slicing.asked();
        let (slices, measures, room) = (&mut self.slices, &mut self.measures, &mut self.room);
        if !self.window.fill {
            let asked = (i64::from(last) - i64::from(first) + 1).max(0) as usize;
            if asked <= FEW_SLICES && room.has(slices.len() + asked) {
                return store.list_measures(series, slices, measures);
            }
            room.is_short = false;
            return store.measures(series, &mut |slice, measure| {
                if !room.is_short && room.has(slices.len() + 1) {
                    slices.push(slice.into());
                    measures.push(measure);
                }
            });
        }
        let mut next = i64::from(first);
        let fill = |next: i64, end: i64, slices: &mut Vec<i64>, measures: &mut Vec<_>, room: &mut CellRoom| {
            if next < end && !room.is_short && room.has(slices.len() + (end - next) as usize) {
                slices.extend(next..end);
                measures.resize(slices.len(), Default::default());
            }
        };
        store.measures(series, &mut |slice, measure| {
            let slice = i64::from(slice);
            fill(next, slice, slices, measures, room);
            if !room.is_short && room.has(slices.len() + 1) {
                slices.push(slice);
                measures.push(measure);
            }
            next = slice + 1;
        });
        fill(next, i64::from(last) + 1, slices, measures, room);
    }

    /// The lists, and the memory that they hold; `labels` decode the numbers of labels.
    pub(crate) fn finish(self, labels: &[LabelTable]) -> Result<(ArrayRef, MemoryReservation)> {
        let (memory, bytes) = (self.room.memory, self.slices.len() * Self::CELL_BYTES);
        let mut columns = vec![];
        for (numbers, labels) in self.labels.into_iter().zip(labels) {
            columns.push(take(&texts(labels), &UInt32Array::from(numbers), None)?);
        }
        let mut cells: Vec<ArrayRef> = vec![Arc::new(Int64Array::from(self.slices))];
        cells.extend(K::arrays(self.measures));
        let fields = cell_fields::<K>();
        let cells = StructArray::try_new(fields.clone(), cells, None)?;
        let sizes: Vec<i64> = self.begins.windows(2).map(|pair| pair[1] - pair[0]).collect();
        let mut begins = self.begins;
        begins.truncate(sizes.len());
        let cells = LargeListViewArray::try_new(item(fields), begins.into(), sizes.into(), Arc::new(cells), None)?;
        columns.push(Arc::new(cells));
        let fields = series_fields::<K>();
        let series = StructArray::try_new(fields.clone(), columns, None)?;
        let ends = OffsetBuffer::new(self.groups.into());
        let lists = LargeListArray::try_new(item(fields), ends, Arc::new(series), None)?;
        // They are there once now; rows that are made of them are counted where that is done.
        memory.resize(bytes.min(memory.size()));
        Ok((Arc::new(lists), memory))
    }
}

impl<K: SliceKind> GroupSink<K> for SliceCellColumns<K> {
    fn add(&mut self, series: &[LabeledSeries], labels: &[LabelTable], store: &mut K::Store) -> Result<()> {
        for series in series {
            self.add_series(store, series.number);
            if self.room.is_short {
                return resources_err!(
                    "the result has more than {} slices of containers, for which the query has memory: ask for fewer \
                     slices, a shorter window or fewer containers, or allow the query more memory",
                    self.slices.len()
                );
            }
            self.begins.push(self.slices.len() as i64);
            let mut number = series.labels;
            for (column, labels) in self.labels.iter_mut().zip(labels).rev() {
                column.push(number);
                number = labels.label(number).0;
            }
        }
        self.groups.push(self.begins.len() as i64 - 1);
        Ok(())
    }
}

/// The texts of a label, by number.
fn texts(labels: &LabelTable) -> StringViewArray {
    let mut texts = StringViewBuilder::with_capacity(labels.count());
    (0..labels.count() as u32).for_each(|number| texts.append_option(labels.label(number).1));
    texts.finish()
}
