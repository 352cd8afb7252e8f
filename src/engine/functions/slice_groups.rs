//! The aggregate behind every function that slices time.
//!
//! In: rows of one container per group. Out: per group its series, each with a cell per slice that has
//! something, or with a cell per slice of the window (`fill`). A series is what shares its labels (type,
//! value) within one group.
//!
//! Labels are arguments, not keys of the grouping: grouping by one whole number is cheap, and texts
//! become small numbers here ([`Labels`]).

use std::fmt::Debug;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, BooleanArray};
use arrow::buffer::BooleanBuffer;
use arrow::datatypes::{DataType, Field};
use datafusion::common::{Result, exec_err};
use datafusion::logical_expr::{EmitTo, GroupsAccumulator};

use super::slice_aggregate::keep;
use super::slice_cells::Cells;
use super::slice_states::{Pending, Writer};
use super::slice_window::SliceWindow;
use ocellus_kernels::labels::LabelTable as Labels;
use ocellus_kernels::pairs::{NO_NUMBER, Pairs};
use ocellus_kernels::slices::SliceStore as Store;

/// What is sliced: how rows become parts, and measures become columns.
pub(super) trait Kind: Debug + Send + Sync + 'static {
    type Store: Store + Debug + Send + Sync + 'static;
    /// The columns of a batch that it needs beside the labels.
    type Columns;
    /// Names of the labels: one or two.
    const LABELS: &'static [&'static str];

    /// The columns of a batch.
    fn columns(window: &SliceWindow, arrays: &[ArrayRef]) -> Result<Self::Columns>;
    /// What a row adds; `None` when it lies outside of the window or has no times. Inlined always, where
    /// rows are many and small: see [`ocellus_kernels::slices`].
    fn part(window: &SliceWindow, columns: &Self::Columns, row: usize) -> Option<<Self::Store as Store>::Part>;
    /// Takes their numbers from rows that add nothing: those without a part.
    fn keep(window: &SliceWindow, columns: &Self::Columns, numbers: &mut [u32]) {
        for (row, number) in numbers.iter_mut().enumerate() {
            if Self::part(window, columns, row).is_none() {
                *number = NO_NUMBER;
            }
        }
    }
    /// Adds the rows of a batch to their series; those without a number are left out, and must be those of
    /// [`Kind::keep`] at least.
    fn add(window: &SliceWindow, columns: &Self::Columns, series: &[u32], store: &mut Self::Store) {
        for (row, &series) in series.iter().enumerate() {
            if series != NO_NUMBER
                && let Some(part) = Self::part(window, columns, row)
            {
                store.add(series, part);
            }
        }
    }
    /// The fields of the measures.
    fn fields() -> Vec<Field>;
    /// The columns of the measures.
    fn arrays(measures: Vec<<Self::Store as Store>::Measure>) -> Vec<ArrayRef>;
}

/// The type of a group between partitions.
pub(super) const STATE_TYPE: DataType = DataType::LargeBinary;

/// The number of a series in a store, and that of its labels.
#[derive(Debug, Clone, Copy)]
pub(super) struct Series {
    pub(super) labels: u32,
    pub(super) number: u32,
}

impl Series {
    /// The texts of the labels.
    pub(super) fn texts<'a>(&self, labels: &'a [Labels]) -> [Option<&'a str>; 2] {
        let mut texts = [None; 2];
        let mut number = self.labels;
        for (text, labels) in texts.iter_mut().zip(labels).rev() {
            (number, *text) = labels.label(number);
        }
        texts
    }
}

/// Sorts the series of a group by their texts, so that no order of rows shows.
pub(super) fn sort_series(series: &mut [Series], labels: &[Labels]) {
    series.sort_unstable_by(|one, other| one.texts(labels).cmp(&other.texts(labels)));
}

/// What takes groups, one after the other.
pub(super) trait GroupSink<K: Kind> {
    /// Takes a group as its series.
    fn add(&mut self, series: &[Series], labels: &[Labels], store: &mut K::Store);
}

/// The accumulator of all groups.
#[derive(Debug)]
pub(super) struct SliceGroups<K: Kind> {
    window: SliceWindow,
    groups: usize,
    /// One per label: the combinations of the labels up to it.
    labels: Vec<Labels>,
    /// What came in as rows: the group and the labels of each series.
    series: Pairs,
    store: K::Store,
    /// What came in as bytes.
    pending: Pending<K>,
}

impl<K: Kind> SliceGroups<K> {
    pub(super) fn new(window: SliceWindow) -> SliceGroups<K> {
        SliceGroups {
            window,
            groups: 0,
            labels: K::LABELS.iter().map(|_| Labels::default()).collect(),
            series: Pairs::default(),
            store: K::Store::new(window.slicing),
            pending: Pending::new(&window),
        }
    }

    fn grow(&mut self, groups: usize) {
        self.groups = self.groups.max(groups);
    }

    /// Hands the groups from `begin` to before `end` out.
    fn emit(&mut self, begin: usize, end: usize, sink: &mut impl GroupSink<K>) -> Result<()> {
        if !self.pending.is_empty() && self.series.count() > 0 {
            self.join()?;
        }
        if !self.pending.is_empty() {
            return self.pending.emit((begin, end), &mut self.labels, sink);
        }
        self.store.tidy();
        let group_of = |number: &u32| self.series.pair(*number).0 as usize;
        let mut numbers: Vec<u32> = (0..self.series.count() as u32).collect();
        numbers.retain(|number| (begin..end).contains(&group_of(number)));
        numbers.sort_unstable_by_key(group_of);
        let mut rest = numbers.as_slice();
        let mut series = vec![];
        for group in begin..end {
            let (own, others) = rest.split_at(rest.partition_point(|number| group_of(number) <= group));
            rest = others;
            series.clear();
            series.extend(own.iter().map(|number| Series { labels: self.series.pair(*number).1, number: *number }));
            sort_series(&mut series, &self.labels);
            sink.add(&series, &self.labels, &mut self.store);
        }
        Ok(())
    }

    /// Moves what came in as rows to what came in as bytes, and joins all of it.
    fn join(&mut self) -> Result<()> {
        if self.series.count() > 0 {
            let pending = std::mem::replace(&mut self.pending, Pending::new(&self.window));
            let mut writer = Writer::new(self.store.size() + self.pending.bytes());
            self.emit(0, self.groups, &mut writer)?;
            self.pending = pending;
            self.pending.push(&writer.finish()?, &(0..self.groups).collect::<Vec<_>>());
            self.series = Pairs::default();
            self.store = K::Store::new(self.window.slicing);
        }
        let mut writer = Writer::new(self.store.size() + self.pending.bytes());
        self.pending.emit((0, self.groups), &mut self.labels, &mut writer)?;
        self.pending.replace(writer.finish()?);
        Ok(())
    }

    /// Forgets the groups before `end`; the rest are counted from 0 on.
    fn forget(&mut self, end: usize) -> Result<()> {
        let mut writer = Writer::new(self.store.size() + self.pending.bytes());
        self.emit(end, self.groups, &mut writer)?;
        let rest = self.groups - end;
        *self = SliceGroups::new(self.window);
        self.groups = rest;
        if rest > 0 {
            self.pending.replace(writer.finish()?);
        }
        Ok(())
    }

    fn end(&self, emit_to: EmitTo) -> usize {
        match emit_to {
            EmitTo::All => self.groups,
            EmitTo::First(count) => count.min(self.groups),
        }
    }
}

/// The rows that a condition leaves, when there is one; one that says NULL leaves none.
pub(super) fn wanted_rows(condition: Option<&BooleanArray>) -> Option<BooleanBuffer> {
    condition.map(|condition| match condition.nulls() {
        Some(nulls) => condition.values() & nulls.inner(),
        None => condition.values().clone(),
    })
}

/// The number of the labels of each row.
pub(super) fn label_numbers(labels: &mut [Labels], columns: &[ArrayRef], rows: usize) -> Vec<u32> {
    let mut numbers = vec![0; rows];
    let mut count = 1;
    for (labels, column) in labels.iter_mut().zip(columns) {
        labels.combine_column(&mut numbers, count, column);
        count = labels.count();
    }
    numbers
}

impl<K: Kind> GroupsAccumulator for SliceGroups<K> {
    /// The arguments are the window, the labels, and the columns of the kind.
    fn update_batch(
        &mut self,
        values: &[ArrayRef],
        group_indices: &[usize],
        opt_filter: Option<&BooleanArray>,
        total_num_groups: usize,
    ) -> Result<()> {
        self.grow(total_num_groups);
        let [_window, rest @ ..] = values else {
            return exec_err!("an aggregate of slices got {} arguments", values.len());
        };
        let (labels, rest) = rest.split_at(K::LABELS.len());
        let mut series = label_numbers(&mut self.labels, labels, group_indices.len());
        let columns = K::columns(&self.window, rest)?;
        // Step by step: each has few numbers to keep at hand, and rows are many.
        if let Some(wanted) = wanted_rows(opt_filter) {
            keep(&mut series, &wanted);
        }
        K::keep(&self.window, &columns, &mut series);
        let known = self.series.count();
        self.series.combine(group_indices, &mut series);
        (known..self.series.count()).for_each(|_| _ = self.store.add_series());
        K::add(&self.window, &columns, &series, &mut self.store);
        if self.store.is_crowded() {
            self.store.tidy();
        }
        Ok(())
    }

    fn merge_batch(&mut self, values: &[ArrayRef], group_indices: &[usize], total_num_groups: usize) -> Result<()> {
        self.grow(total_num_groups);
        let [written] = values else {
            return exec_err!("an aggregate of slices got {} states", values.len());
        };
        self.pending.push(written, group_indices);
        if self.pending.is_crowded() { self.join() } else { Ok(()) }
    }

    fn evaluate(&mut self, emit_to: EmitTo) -> Result<ArrayRef> {
        let end = self.end(emit_to);
        // A cell takes 8 bytes at least; but cells between two that are alike take none.
        let mut cells = Cells::new(self.window, self.pending.bytes() / 4);
        self.emit(0, end, &mut cells)?;
        let cells = cells.finish(&self.labels)?;
        self.forget(end)?;
        Ok(cells)
    }

    fn state(&mut self, emit_to: EmitTo) -> Result<Vec<ArrayRef>> {
        let end = self.end(emit_to);
        let mut writer = Writer::new(self.store.size() + self.pending.bytes());
        self.emit(0, end, &mut writer)?;
        self.forget(end)?;
        Ok(vec![Arc::new(writer.finish()?)])
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
        labels + self.series.size() + self.store.size() + self.pending.size()
    }
}
