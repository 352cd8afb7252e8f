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
use datafusion::common::Result;

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
}

impl<K: SliceKind> SliceCellColumns<K> {
    /// Makes room for about so many cells; pages that are never written cost nothing.
    pub(crate) fn new(window: SliceWindow, about: usize) -> SliceCellColumns<K> {
        SliceCellColumns {
            window,
            groups: vec![0],
            labels: [vec![], vec![]],
            begins: vec![0],
            slices: Vec::with_capacity(about),
            measures: Vec::with_capacity(about),
        }
    }

    /// Adds the slices of a series.
    fn add_series(&mut self, store: &mut K::Store, series: u32) {
        let (first, last) = self.window.slicing.asked();
        let (slices, measures) = (&mut self.slices, &mut self.measures);
        if !self.window.fill {
            return store.list_measures(series, slices, measures);
        }
        let mut next = i64::from(first);
        let fill = |next: i64, end: i64, slices: &mut Vec<i64>, measures: &mut Vec<_>| {
            slices.extend(next..end);
            measures.resize(slices.len(), Default::default());
        };
        store.measures(series, &mut |slice, measure| {
            let slice = i64::from(slice);
            fill(next, slice, slices, measures);
            slices.push(slice);
            measures.push(measure);
            next = slice + 1;
        });
        fill(next, i64::from(last) + 1, slices, measures);
    }

    /// The lists; `labels` decode the numbers of labels.
    pub(crate) fn finish(self, labels: &[LabelTable]) -> Result<ArrayRef> {
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
        Ok(Arc::new(LargeListArray::try_new(item(fields), ends, Arc::new(series), None)?))
    }
}

impl<K: SliceKind> GroupSink<K> for SliceCellColumns<K> {
    fn add(&mut self, series: &[LabeledSeries], labels: &[LabelTable], store: &mut K::Store) {
        for series in series {
            self.add_series(store, series.number);
            self.begins.push(self.slices.len() as i64);
            let mut number = series.labels;
            for (column, labels) in self.labels.iter_mut().zip(labels).rev() {
                column.push(number);
                number = labels.label(number).0;
            }
        }
        self.groups.push(self.begins.len() as i64 - 1);
    }
}

/// The texts of a label, by number.
fn texts(labels: &LabelTable) -> StringViewArray {
    let mut texts = StringViewBuilder::with_capacity(labels.count());
    (0..labels.count() as u32).for_each(|number| texts.append_option(labels.label(number).1));
    texts.finish()
}
