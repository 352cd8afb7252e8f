//! The aggregate behind every function that slices time.
//!
//! In: rows of one container per group. Out: per group a list of cells, one per series and slice that
//! has something, or one per series and slice of the window (`fill`). A series is what shares its
//! labels (type, value) within one group.
//!
//! Labels are arguments, not keys of the grouping: grouping by one whole number is cheap, and texts
//! become small numbers here ([`Labels`]). Between partitions and on disk a group is a run of bytes.

use std::borrow::Cow;
use std::fmt::Debug;
use std::sync::Arc;

use arrow::array::{
    Array, ArrayRef, AsArray, BooleanArray, DictionaryArray, Int64Array, LargeBinaryArray,
    LargeListArray, StringViewArray, StringViewBuilder, StructArray, UInt32Array,
};
use arrow::buffer::OffsetBuffer;
use arrow::datatypes::{DataType, Field, Fields, UInt32Type};
use datafusion::common::{Result, exec_err, internal_datafusion_err};
use datafusion::logical_expr::{EmitTo, GroupsAccumulator};

use super::slice_window::SliceWindow;
use crate::kernels::labels::{Labels, NO_VIEW};
use crate::kernels::pairs::Pairs;
use crate::kernels::slices::{Store, take};

/// What is sliced: how rows become parts, and measures become columns.
pub(super) trait Kind: Debug + Send + Sync + 'static {
    type Store: Store + Debug + Send + Sync + 'static;
    /// The columns of a batch that it needs beside the labels.
    type Columns;
    /// Names of the labels.
    const LABELS: &'static [&'static str];

    /// The columns of a batch.
    fn columns(window: &SliceWindow, arrays: &[ArrayRef]) -> Result<Self::Columns>;
    /// What a row adds; `None` when it lies outside of the window or has no times.
    fn part(window: &SliceWindow, columns: &Self::Columns, row: usize) -> Option<<Self::Store as Store>::Part>;
    /// The fields of the measures.
    fn fields() -> Vec<Field>;
    /// The columns of the measures.
    fn arrays(measures: Vec<<Self::Store as Store>::Measure>) -> Vec<ArrayRef>;
}

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

/// The type of a group between partitions.
pub(super) const STATE_TYPE: DataType = DataType::LargeBinary;

/// The names of the groups' containers: the first that was seen of each.
#[derive(Debug, Default)]
struct Names {
    texts: Vec<Option<Box<str>>>,
    bytes: usize,
}

impl Names {
    #[inline]
    fn note<'a>(&mut self, group: usize, text: impl FnOnce() -> Option<&'a str>) {
        if self.texts[group].is_none()
            && let Some(text) = text()
        {
            self.bytes += text.len();
            self.texts[group] = Some(text.into());
        }
    }

    fn size(&self) -> usize {
        self.bytes + self.texts.capacity() * size_of::<Option<Box<str>>>()
    }
}

/// The accumulator of all groups.
#[derive(Debug)]
pub(super) struct SliceGroups<K: Kind> {
    window: SliceWindow,
    names: Names,
    /// One per label: the combinations of the labels up to it.
    labels: Vec<Labels>,
    /// The group and the labels of each series.
    series: Pairs,
    store: K::Store,
}

impl<K: Kind> SliceGroups<K> {
    pub(super) fn new(window: SliceWindow) -> SliceGroups<K> {
        let labels = K::LABELS.iter().map(|_| Labels::default()).collect();
        let (series, store) = (Pairs::default(), K::Store::new(window.slicing));
        SliceGroups { window, names: Names::default(), labels, series, store }
    }

    /// The number of a series; a new one is added to the store.
    #[inline]
    fn number(&mut self, group: usize, labels: u32) -> u32 {
        let known = self.series.count();
        let number = self.series.number(group as u32, labels);
        if number as usize == known {
            self.store.add_series();
        }
        number
    }

    fn group(&self, series: u32) -> usize {
        self.series.pair(series).0 as usize
    }

    /// The numbers of the labels of a series, of the last one first.
    fn label_numbers(&self, series: u32) -> impl Iterator<Item = (usize, u32)> {
        let mut next = self.series.pair(series).1;
        (0..K::LABELS.len()).rev().map(move |place| {
            let number = next;
            next = self.labels[place].label(number).0;
            (place, number)
        })
    }

    /// The texts of the labels of a series.
    fn texts(&self, series: u32) -> [Option<&str>; 2] {
        let mut texts = [None; 2];
        for (place, number) in self.label_numbers(series) {
            texts[place] = self.labels[place].label(number).1;
        }
        texts
    }

    /// The series of the groups from `begin` to before `end`, by group, then by labels.
    fn sorted_series(&self, begin: usize, end: usize) -> Vec<u32> {
        let mut series: Vec<u32> = (0..self.series.count() as u32).collect();
        series.retain(|number| (begin..end).contains(&self.group(*number)));
        series.sort_unstable_by(|one, other| {
            let groups = self.group(*one).cmp(&self.group(*other));
            groups.then_with(|| self.texts(*one).cmp(&self.texts(*other)))
        });
        series
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

    /// The groups from `begin` to before `end` as bytes: the name, then each series.
    fn written(&mut self, begin: usize, end: usize) -> Result<LargeBinaryArray> {
        self.store.tidy();
        let series = self.sorted_series(begin, end);
        let mut rest = series.as_slice();
        let mut offsets = vec![0_i64];
        let mut bytes = vec![];
        for group in begin..end {
            Self::write_text(&mut bytes, self.names.texts[group].as_deref());
            for number in self.split_group(&mut rest, group) {
                let texts = self.texts(*number);
                texts[..K::LABELS.len()].iter().for_each(|text| Self::write_text(&mut bytes, *text));
                self.store.write(*number, &mut bytes);
            }
            offsets.push(bytes.len() as i64);
        }
        Ok(LargeBinaryArray::try_new(OffsetBuffer::new(offsets.into()), bytes.into(), None)?)
    }

    /// Adds a group that was written.
    fn read(&mut self, group: usize, mut bytes: &[u8]) -> Option<()> {
        let name = Self::read_text(&mut bytes)?;
        self.names.note(group, || name);
        while !bytes.is_empty() {
            let mut number = 0;
            for labels in &mut self.labels {
                number = labels.number(number, Self::read_text(&mut bytes)?);
            }
            let series = self.number(group, number);
            self.store.read(series, &mut bytes)?;
        }
        Some(())
    }

    /// Takes the series of a group from the front.
    fn split_group<'a>(&self, series: &mut &'a [u32], group: usize) -> &'a [u32] {
        let count = series.partition_point(|number| self.group(*number) <= group);
        let (own, rest) = series.split_at(count);
        *series = rest;
        own
    }

    /// Forgets the groups before `end`; the rest are counted from 0 on.
    fn forget(&mut self, end: usize) -> Result<()> {
        let count = self.names.texts.len();
        let rest = self.written(end, count)?;
        *self = SliceGroups::new(self.window);
        self.names.texts.resize(count - end, None);
        for group in 0..count - end {
            self.read(group, rest.value(group)).ok_or_else(unreadable)?;
        }
        Ok(())
    }

    fn end(&self, emit_to: EmitTo) -> usize {
        match emit_to {
            EmitTo::All => self.names.texts.len(),
            EmitTo::First(count) => count,
        }
    }

    fn cells(&mut self, end: usize) -> Result<ArrayRef> {
        self.store.tidy();
        let series = self.sorted_series(0, end);
        let mut rest = series.as_slice();
        let mut cells = Cells::<K>::default();
        let mut offsets = vec![0_i64];
        for group in 0..end {
            for number in self.split_group(&mut rest, group) {
                cells.series(&mut self.store, *number, &self.window);
                let mut labels = [0; 2];
                self.label_numbers(*number).for_each(|(place, label)| labels[place] = label);
                cells.label(group as u32, labels);
            }
            offsets.push(cells.slices.len() as i64);
        }
        let containers: StringViewArray = self.names.texts[..end].iter().map(|name| name.as_deref()).collect();
        let texts = self.labels.iter().map(label_texts).collect();
        cells.finish(offsets, Arc::new(containers), texts)
    }
}

/// The texts of a label, by number.
fn label_texts(labels: &Labels) -> ArrayRef {
    let mut texts = StringViewBuilder::with_capacity(labels.count());
    (0..labels.count() as u32).for_each(|number| texts.append_option(labels.label(number).1));
    Arc::new(texts.finish())
}

pub(super) fn unreadable() -> datafusion::common::DataFusionError {
    internal_datafusion_err!("slices of another version, or damaged ones")
}

/// The cells of the output, while they are collected.
struct Cells<K: Kind> {
    containers: Vec<u32>,
    labels: [Vec<u32>; 2],
    slices: Vec<i64>,
    measures: Vec<<K::Store as Store>::Measure>,
}

impl<K: Kind> Default for Cells<K> {
    fn default() -> Cells<K> {
        Cells { containers: vec![], labels: [vec![], vec![]], slices: vec![], measures: vec![] }
    }
}

impl<K: Kind> Cells<K> {
    /// Adds the slices of a series.
    fn series(&mut self, store: &mut K::Store, series: u32, window: &SliceWindow) {
        let (first, last) = window.slicing.asked();
        let mut next = i64::from(first);
        let (slices, measures) = (&mut self.slices, &mut self.measures);
        let fill = |next: i64, end: i64, slices: &mut Vec<i64>, measures: &mut Vec<_>| {
            slices.extend(next..end);
            measures.resize(slices.len(), Default::default());
        };
        store.measures(series, &mut |slice, measure| {
            let slice = i64::from(slice);
            if window.fill {
                fill(next, slice, slices, measures);
            }
            slices.push(slice);
            measures.push(measure);
            next = slice + 1;
        });
        if window.fill {
            fill(next, i64::from(last) + 1, slices, measures);
        }
    }

    /// Labels the slices that were added since the last call.
    fn label(&mut self, group: u32, labels: [u32; 2]) {
        let count = self.slices.len();
        self.containers.resize(count, group);
        for (column, label) in self.labels.iter_mut().zip(labels).take(K::LABELS.len()) {
            column.resize(count, label);
        }
    }

    fn finish(self, offsets: Vec<i64>, containers: ArrayRef, texts: Vec<ArrayRef>) -> Result<ArrayRef> {
        let decoded_by = |keys: Vec<u32>, texts: &ArrayRef| -> Result<ArrayRef> {
            Ok(Arc::new(DictionaryArray::<UInt32Type>::try_new(UInt32Array::from(keys), Arc::clone(texts))?))
        };
        let mut columns = vec![decoded_by(self.containers, &containers)?];
        for (labels, texts) in self.labels.into_iter().zip(texts) {
            columns.push(decoded_by(labels, &texts)?);
        }
        columns.push(Arc::new(Int64Array::from(self.slices)));
        columns.extend(K::arrays(self.measures));
        let fields = cell_fields::<K>();
        let cells = StructArray::try_new(fields.clone(), columns, None)?;
        let item = Arc::new(Field::new_list_field(DataType::Struct(fields), false));
        let offsets = OffsetBuffer::new(offsets.into());
        Ok(Arc::new(LargeListArray::try_new(item, offsets, Arc::new(cells), None)?))
    }
}

/// The views of a column of texts, with one of its own for NULL.
fn views(texts: &StringViewArray) -> Cow<'_, [u128]> {
    let Some(nulls) = texts.nulls().filter(|nulls| nulls.null_count() > 0) else {
        return Cow::Borrowed(texts.views());
    };
    let views = texts.views().iter().zip(nulls);
    Cow::Owned(views.map(|(view, is_text)| if is_text { *view } else { NO_VIEW }).collect())
}

/// The number of the labels of each row.
pub(super) fn label_numbers(labels: &mut [Labels], columns: &[ArrayRef], rows: usize) -> Vec<u32> {
    let mut numbers = vec![0; rows];
    for (labels, column) in labels.iter_mut().zip(columns) {
        let texts = column.as_string_view();
        labels.combine(&mut numbers, &views(texts), |row| texts.is_valid(row).then(|| texts.value(row)));
    }
    numbers
}

impl<K: Kind> GroupsAccumulator for SliceGroups<K> {
    /// The arguments are the window, the container, the labels, and the columns of the kind.
    fn update_batch(
        &mut self,
        values: &[ArrayRef],
        group_indices: &[usize],
        opt_filter: Option<&BooleanArray>,
        total_num_groups: usize,
    ) -> Result<()> {
        self.names.texts.resize(total_num_groups, None);
        let [_window, container, rest @ ..] = values else {
            return exec_err!("an aggregate of slices got {} arguments", values.len());
        };
        let (labels, rest) = rest.split_at(K::LABELS.len());
        let labels = label_numbers(&mut self.labels, labels, group_indices.len());
        let containers = container.as_string_view();
        let columns = K::columns(&self.window, rest)?;
        for (row, (&group, labels)) in group_indices.iter().zip(labels).enumerate() {
            if opt_filter.is_some_and(|filter| !filter.is_valid(row) || !filter.value(row)) {
                continue;
            }
            let Some(part) = K::part(&self.window, &columns, row) else {
                continue;
            };
            self.names.note(group, || containers.is_valid(row).then(|| containers.value(row)));
            let number = self.number(group, labels);
            self.store.add(number, part);
        }
        Ok(())
    }

    fn merge_batch(&mut self, values: &[ArrayRef], group_indices: &[usize], total_num_groups: usize) -> Result<()> {
        self.names.texts.resize(total_num_groups, None);
        let [written] = values else {
            return exec_err!("an aggregate of slices got {} states", values.len());
        };
        let written = written.as_binary::<i64>();
        for (row, &group) in group_indices.iter().enumerate() {
            if written.is_valid(row) {
                self.read(group, written.value(row)).ok_or_else(unreadable)?;
            }
        }
        Ok(())
    }

    fn evaluate(&mut self, emit_to: EmitTo) -> Result<ArrayRef> {
        let end = self.end(emit_to);
        let cells = self.cells(end)?;
        self.forget(end)?;
        Ok(cells)
    }

    fn state(&mut self, emit_to: EmitTo) -> Result<Vec<ArrayRef>> {
        let end = self.end(emit_to);
        let written = self.written(0, end)?;
        self.forget(end)?;
        Ok(vec![Arc::new(written)])
    }

    /// Each row by itself: for groups so many that collecting them does not pay.
    fn convert_to_state(&self, values: &[ArrayRef], opt_filter: Option<&BooleanArray>) -> Result<Vec<ArrayRef>> {
        let count = values.first().map_or(0, |array| array.len());
        let groups: Vec<usize> = (0..count).collect();
        let mut single = SliceGroups::<K>::new(self.window);
        single.update_batch(values, &groups, opt_filter, count)?;
        single.state(EmitTo::All)
    }

    fn size(&self) -> usize {
        let labels: usize = self.labels.iter().map(Labels::size).sum();
        self.names.size() + labels + self.series.size() + self.store.size()
    }
}
