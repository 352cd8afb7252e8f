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
    /// Cells that there is memory for. What is beyond is not kept, and an error in the end.
    most: usize,
}

/// How often a cell is there at once: as it is collected, as a column, and in the rows that are made of the lists.
const COPIES: usize = 4;

impl<K: SliceKind> SliceCellColumns<K> {
    const CELL_BYTES: usize = size_of::<i64>() + size_of::<<K::Store as SliceStore>::Measure>();

    /// Makes room for about so many cells, within some bytes of memory; pages that are never written cost nothing.
    pub(crate) fn new(window: SliceWindow, about: usize, memory: usize) -> SliceCellColumns<K> {
        let most = memory / (COPIES * Self::CELL_BYTES);
        let about = about.min(most);
        SliceCellColumns {
            most,
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
        let (slices, measures, most) = (&mut self.slices, &mut self.measures, self.most);
        if !self.window.fill {
            // Only a series that may have more cells than there is room for is watched cell by cell.
            if most - slices.len().min(most) > (last - first) as usize {
                return store.list_measures(series, slices, measures);
            }
            return store.measures(series, &mut |slice, measure| {
                if slices.len() <= most {
                    slices.push(slice.into());
                    measures.push(measure);
                }
            });
        }
        let mut next = i64::from(first);
        let fill = |next: i64, end: i64, slices: &mut Vec<i64>, measures: &mut Vec<_>| {
            let room = i64::try_from((most + 1).saturating_sub(slices.len())).unwrap_or(i64::MAX);
            slices.extend(next..end.min(next.saturating_add(room)));
            measures.resize(slices.len(), Default::default());
        };
        store.measures(series, &mut |slice, measure| {
            let slice = i64::from(slice);
            fill(next, slice, slices, measures);
            if slices.len() <= most {
                slices.push(slice);
                measures.push(measure);
            }
            next = slice + 1;
        });
        fill(next, i64::from(last) + 1, slices, measures);
    }

    /// The lists; `labels` decode the numbers of labels.
    pub(crate) fn finish(self, labels: &[LabelTable]) -> Result<ArrayRef> {
        if self.slices.len() > self.most {
            return resources_err!(
                "the result has more than {} slices of containers, for which the query has memory: ask for fewer \
                 slices, a shorter window or fewer containers, or allow the query more memory",
                self.most
            );
        }
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
