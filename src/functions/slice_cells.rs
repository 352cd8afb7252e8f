//! The output of an aggregate of slices: the cells of each group as a list of structs.

use std::sync::Arc;

use arrow::array::{
    ArrayRef, DictionaryArray, Int64Array, LargeListArray, StringViewArray, StringViewBuilder, StructArray, UInt32Array,
};
use arrow::buffer::OffsetBuffer;
use arrow::datatypes::{DataType, Field, Fields, UInt32Type};
use datafusion::common::Result;

use super::slice_groups::{Group, GroupSink, Kind};
use super::slice_window::SliceWindow;
use crate::kernels::labels::Labels;
use crate::kernels::slices::Store;

/// Type of texts that repeat: decoded by a cast when they are shown.
fn repeated_text() -> DataType {
    DataType::Dictionary(Box::new(DataType::UInt32), Box::new(DataType::Utf8View))
}

/// The fields of a cell: container, labels, slice, measures.
fn cell_fields<K: Kind>() -> Fields {
    let text = |name: &str| Field::new(name, repeated_text(), true);
    let mut fields = vec![text("container")];
    fields.extend(K::LABELS.iter().map(|label| text(label)));
    fields.push(Field::new("slice", DataType::Int64, false));
    fields.extend(K::fields());
    Fields::from(fields)
}

/// The type of the list of cells of a group.
pub(super) fn cells_type<K: Kind>() -> DataType {
    DataType::LargeList(Arc::new(Field::new_list_field(DataType::Struct(cell_fields::<K>()), false)))
}

/// The cells of all groups, while they are collected.
pub(super) struct Cells<K: Kind> {
    window: SliceWindow,
    names: StringViewBuilder,
    offsets: Vec<i64>,
    containers: Vec<u32>,
    labels: [Vec<u32>; 2],
    slices: Vec<i64>,
    measures: Vec<<K::Store as Store>::Measure>,
}

impl<K: Kind> Cells<K> {
    /// Makes room for about so many cells; pages that are never written cost nothing.
    pub(super) fn new(window: SliceWindow, about: usize) -> Cells<K> {
        let labels = [0, 1].map(|place| Vec::with_capacity(if place < K::LABELS.len() { about } else { 0 }));
        Cells {
            window,
            names: StringViewBuilder::new(),
            offsets: vec![0],
            containers: Vec::with_capacity(about),
            labels,
            slices: Vec::with_capacity(about),
            measures: Vec::with_capacity(about),
        }
    }

    /// Adds the slices of a series.
    fn add_series(&mut self, store: &mut K::Store, series: u32) {
        let (first, last) = self.window.slicing.asked();
        let fills = self.window.fill;
        let mut next = i64::from(first);
        let (slices, measures) = (&mut self.slices, &mut self.measures);
        let fill = |next: i64, end: i64, slices: &mut Vec<i64>, measures: &mut Vec<_>| {
            slices.extend(next..end);
            measures.resize(slices.len(), Default::default());
        };
        store.measures(series, &mut |slice, measure| {
            let slice = i64::from(slice);
            if fills {
                fill(next, slice, slices, measures);
            }
            slices.push(slice);
            measures.push(measure);
            next = slice + 1;
        });
        if fills {
            fill(next, i64::from(last) + 1, slices, measures);
        }
    }

    /// The lists; `labels` decode the numbers of labels.
    pub(super) fn finish(mut self, labels: &[Labels]) -> Result<ArrayRef> {
        let decoded_by = |keys: Vec<u32>, texts: StringViewArray| -> Result<ArrayRef> {
            Ok(Arc::new(DictionaryArray::<UInt32Type>::try_new(UInt32Array::from(keys), Arc::new(texts))?))
        };
        let mut columns = vec![decoded_by(self.containers, self.names.finish())?];
        for (numbers, labels) in self.labels.into_iter().zip(labels) {
            columns.push(decoded_by(numbers, texts(labels))?);
        }
        columns.push(Arc::new(Int64Array::from(self.slices)));
        columns.extend(K::arrays(self.measures));
        let fields = cell_fields::<K>();
        let cells = StructArray::try_new(fields.clone(), columns, None)?;
        let item = Arc::new(Field::new_list_field(DataType::Struct(fields), false));
        let offsets = OffsetBuffer::new(self.offsets.into());
        Ok(Arc::new(LargeListArray::try_new(item, offsets, Arc::new(cells), None)?))
    }
}

impl<K: Kind> GroupSink<K> for Cells<K> {
    fn add(&mut self, group: Group<'_>, labels: &[Labels], store: &mut K::Store) {
        let container = self.offsets.len() as u32 - 1;
        self.names.append_option(group.name);
        for series in group.series {
            self.add_series(store, series.number);
            let count = self.slices.len();
            self.containers.resize(count, container);
            let mut number = series.labels;
            for (column, labels) in self.labels.iter_mut().zip(labels).rev() {
                column.resize(count, number);
                number = labels.label(number).0;
            }
        }
        self.offsets.push(self.slices.len() as i64);
    }
}

/// The texts of a label, by number.
fn texts(labels: &Labels) -> StringViewArray {
    let mut texts = StringViewBuilder::with_capacity(labels.count());
    (0..labels.count() as u32).for_each(|number| texts.append_option(labels.label(number).1));
    texts.finish()
}
