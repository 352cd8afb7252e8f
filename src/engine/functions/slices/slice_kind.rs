//! What is sliced, and the series that come of it: what the parts of the aggregate of slices share.

use std::fmt::Debug;

use arrow::array::{Array, ArrayRef, BooleanArray};
use arrow::buffer::BooleanBuffer;
use arrow::datatypes::{DataType, Field};
use datafusion::common::Result;

use super::slice_window::SliceWindow;
use ocellus_kernels::labels::LabelTable;
use ocellus_kernels::pairs::NO_NUMBER;
use ocellus_kernels::slices::{CutBands, SliceStore};

/// What is sliced: how rows become parts, and measures become columns.
pub(crate) trait SliceKind: Debug + Send + Sync + 'static {
    type Store: SliceStore + Debug + Send + Sync + 'static;
    /// The columns of a batch that it needs beside the labels.
    type Columns;
    /// Names of the labels: one or two.
    const LABELS: &'static [&'static str];
    /// How many columns more a row has that is the sum of a band; the first is the width of the band.
    const SUM_COLUMNS: usize = 0;

    /// The columns of a batch.
    fn columns(window: &SliceWindow, arrays: &[ArrayRef]) -> Result<Self::Columns>;
    /// What a row adds; `None` when it lies outside of the window or has no times. Inlined always, where
    /// rows are many and small: see [`ocellus_kernels::slices`].
    fn part(window: &SliceWindow, columns: &Self::Columns, row: usize) -> Option<<Self::Store as SliceStore>::Part>;
    /// Takes their numbers from rows that add nothing: those without a part.
    fn keep(window: &SliceWindow, columns: &Self::Columns, numbers: &mut [u32]) {
        for (row, number) in numbers.iter_mut().enumerate() {
            if Self::part(window, columns, row).is_none() {
                *number = NO_NUMBER;
            }
        }
    }
    /// Adds the rows of a batch to their series; those without a number are omitted, and must be those of
    /// [`SliceKind::keep`] at least.
    fn add(window: &SliceWindow, columns: &Self::Columns, series: &[u32], store: &mut Self::Store) {
        for (row, &series) in series.iter().enumerate() {
            if series != NO_NUMBER
                && let Some(part) = Self::part(window, columns, row)
            {
                store.add(series, part);
            }
        }
    }
    /// The same for rows that are not all rows there are; see [`super::slice_window::SlicedRows`]. Kinds without summaries
    /// never get such.
    fn add_beside_summary(
        window: &SliceWindow,
        columns: &Self::Columns,
        series: &[u32],
        store: &mut Self::Store,
        _cut: &CutBands,
    ) {
        Self::add(window, columns, series, store);
    }
    /// The fields of the measures.
    fn fields() -> Vec<Field>;
    /// The columns of the measures.
    fn arrays(measures: Vec<<Self::Store as SliceStore>::Measure>) -> Vec<ArrayRef>;
}

/// The type of a group between partitions.
pub(crate) const STATE_TYPE: DataType = DataType::LargeBinary;

/// The number of a series in a store, and that of its labels.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LabeledSeries {
    pub(crate) labels: u32,
    pub(crate) number: u32,
}

impl LabeledSeries {
    /// The texts of the labels.
    pub(crate) fn texts<'a>(&self, labels: &'a [LabelTable]) -> [Option<&'a str>; 2] {
        let mut texts = [None; 2];
        let mut number = self.labels;
        for (text, labels) in texts.iter_mut().zip(labels).rev() {
            (number, *text) = labels.label(number);
        }
        texts
    }
}

/// Sorts the series of a group by their texts, so that no order of rows shows.
pub(crate) fn sort_series(series: &mut [LabeledSeries], labels: &[LabelTable]) {
    series.sort_unstable_by(|one, other| one.texts(labels).cmp(&other.texts(labels)));
}

/// What takes groups, one after the other.
pub(crate) trait GroupSink<K: SliceKind> {
    /// Takes a group as its series.
    fn add(&mut self, series: &[LabeledSeries], labels: &[LabelTable], store: &mut K::Store);
}

/// The rows that a condition leaves, when there is one; one that says NULL leaves none.
pub(crate) fn wanted_rows(condition: Option<&BooleanArray>) -> Option<BooleanBuffer> {
    condition.map(|condition| match condition.nulls() {
        Some(nulls) => condition.values() & nulls.inner(),
        None => condition.values().clone(),
    })
}

/// The number of the labels of each row.
pub(crate) fn label_numbers(labels: &mut [LabelTable], columns: &[ArrayRef], rows: usize) -> Vec<u32> {
    let mut numbers = vec![0; rows];
    let mut count = 1;
    for (labels, column) in labels.iter_mut().zip(columns) {
        labels.combine_column(&mut numbers, count, column);
        count = labels.count();
    }
    numbers
}

/// Takes their numbers from rows that are not wanted.
pub(crate) fn keep(numbers: &mut [u32], wanted: &BooleanBuffer) {
    (!wanted).set_indices().for_each(|row| numbers[row] = NO_NUMBER);
}
