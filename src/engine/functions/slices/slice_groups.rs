//! The aggregate behind every function that slices time.
//!
//! In: rows of one container per group. Out: per group its series, each with a cell per slice that has
//! something, or with a cell per slice of the window (`fill`). A series is what shares its labels (type,
//! value) within one group.
//!
//! Labels are arguments, not keys of the grouping: grouping by one whole number is cheap, and texts
//! become small numbers here ([`LabelTable`]).

use std::fmt::Debug;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, BooleanArray};
use datafusion::common::{Result, exec_err};
use datafusion::execution::memory_pool::MemoryReservation;
use datafusion::logical_expr::{EmitTo, GroupsAccumulator};

use super::slice_cells::SliceCellColumns;
use super::slice_kind::{GroupSink, LabeledSeries, SliceKind, keep, label_numbers, sort_series, wanted_rows};
use super::slice_state_codec::{GroupWriter, PendingGroups};
use super::slice_window::{SliceWindow, SlicedRows};
use crate::functions::plans::query_links::MemorySlot;
use ocellus_kernels::labels::LabelTable;
use ocellus_kernels::pairs::Pairs;
use ocellus_kernels::slices::{CutBands, SliceStore};

/// The accumulator of all groups.
#[derive(Debug)]
pub(crate) struct SliceGroups<K: SliceKind> {
    window: SliceWindow,
    memory: MemorySlot,
    /// What the rows hold that were handed out: they are on their way as long as this is there.
    handed_out: Vec<MemoryReservation>,
    groups: usize,
    /// One per label: the combinations of the labels up to it.
    labels: Vec<LabelTable>,
    /// What came in as rows: the group and the labels of each series.
    series: Pairs,
    store: K::Store,
    /// Where rows count, when they are not all rows there are.
    cut: Option<CutBands>,
    /// What came in as bytes.
    pending: PendingGroups<K>,
}

impl<K: SliceKind> SliceGroups<K> {
    /// No rows yet, in the memory of a query.
    pub(crate) fn new(window: SliceWindow, memory: MemorySlot) -> SliceGroups<K> {
        SliceGroups {
            window,
            memory,
            handed_out: vec![],
            groups: 0,
            labels: K::LABELS.iter().map(|_| LabelTable::default()).collect(),
            series: Pairs::default(),
            store: K::Store::new(window.slicing),
            cut: match window.rows {
                SlicedRows::All => None,
                SlicedRows::InCutBands { shift } => {
                    Some(CutBands::new(&window.slicing, shift).with_last_instant(&window.slicing, shift))
                }
                SlicedRows::BandSums { .. } => Some(CutBands::default()),
            },
            pending: PendingGroups::new(&window),
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
            series.extend(
                own.iter().map(|number| LabeledSeries { labels: self.series.pair(*number).1, number: *number }),
            );
            sort_series(&mut series, &self.labels);
            sink.add(&series, &self.labels, &mut self.store)?;
        }
        Ok(())
    }

    /// Moves what came in as rows to what came in as bytes, and joins all of it.
    fn join(&mut self) -> Result<()> {
        if self.series.count() > 0 {
            let pending = std::mem::replace(&mut self.pending, PendingGroups::new(&self.window));
            let mut writer = GroupWriter::new(self.store.size() + self.pending.bytes());
            self.emit(0, self.groups, &mut writer)?;
            self.pending = pending;
            self.pending.push(&writer.finish()?, &(0..self.groups).collect::<Vec<_>>());
            self.series = Pairs::default();
            self.store = K::Store::new(self.window.slicing);
        }
        let mut writer = GroupWriter::new(self.store.size() + self.pending.bytes());
        self.pending.emit((0, self.groups), &mut self.labels, &mut writer)?;
        self.pending.replace(writer.finish()?);
        Ok(())
    }

    /// Forgets the groups before `end`; the rest are counted from 0 on.
    fn forget(&mut self, end: usize) -> Result<()> {
        let mut writer = GroupWriter::new(self.store.size() + self.pending.bytes());
        self.emit(end, self.groups, &mut writer)?;
        let rest = self.groups - end;
        let handed_out = std::mem::take(&mut self.handed_out);
        *self = SliceGroups::new(self.window, self.memory.clone());
        self.handed_out = handed_out;
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

impl<K: SliceKind> GroupsAccumulator for SliceGroups<K> {
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
        match &self.cut {
            None => K::add(&self.window, &columns, &series, &mut self.store),
            Some(cut) => K::add_beside_summary(&self.window, &columns, &series, &mut self.store, cut),
        }
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
        let mut cells = SliceCellColumns::new(self.window, self.pending.bytes() / 4, self.memory.reservation("slices"));
        self.emit(0, end, &mut cells)?;
        let (cells, memory) = cells.finish(&self.labels)?;
        self.handed_out.push(memory);
        self.forget(end)?;
        Ok(cells)
    }

    fn state(&mut self, emit_to: EmitTo) -> Result<Vec<ArrayRef>> {
        let end = self.end(emit_to);
        let mut writer = GroupWriter::new(self.store.size() + self.pending.bytes());
        self.emit(0, end, &mut writer)?;
        self.forget(end)?;
        Ok(vec![Arc::new(writer.finish()?)])
    }

    /// Each row by itself: for groups so many that collecting them does not pay.
    fn convert_to_state(&self, values: &[ArrayRef], opt_filter: Option<&BooleanArray>) -> Result<Vec<ArrayRef>> {
        let count = values.first().map_or(0, |array| array.len());
        let groups: Vec<usize> = (0..count).collect();
        let mut single = SliceGroups::<K>::new(self.window, self.memory.clone());
        single.update_batch(values, &groups, opt_filter, count)?;
        single.state(EmitTo::All)
    }

    fn size(&self) -> usize {
        let labels: usize = self.labels.iter().map(LabelTable::size).sum();
        labels + self.series.size() + self.store.size() + self.pending.size()
    }
}
