//! The rows that a partition is computed from, collected by its aggregate.
//!
//! In: the containers of the trace and the cells of a model, in any order and any split. Out: both, for
//! [`super::partition_model`]. Between partitions they are a run of bytes.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use arrow::array::{Array, ArrayRef, AsArray, PrimitiveArray};
use arrow::datatypes::{ArrowPrimitiveType, Float64Type, Int32Type, Int64Type};
use datafusion::common::{Result, exec_err, internal_err};

use crate::functions::slices::slice_kind::label_numbers;
use ocellus_kernels::labels::LabelTable;
use ocellus_kernels::slices::take;

/// A container of the trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TreeRow {
    pub(crate) preorder: i32,
    pub(crate) id: i32,
    pub(crate) parent: Option<i32>,
    pub(crate) depth: i32,
    /// Number of its name.
    pub(crate) name: u32,
}

/// A cell of the model.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct CellRow {
    pub(crate) container: i32,
    pub(crate) slice: u32,
    /// Number of the type and the value.
    pub(crate) label: u32,
    pub(crate) rho: f64,
}

/// Everything that was collected.
#[derive(Debug, Default)]
pub(crate) struct ModelRows {
    pub(crate) containers: Vec<TreeRow>,
    pub(crate) cells: Vec<CellRow>,
    /// When slices begin and end, as far as cells tell.
    pub(crate) times: BTreeMap<u32, [f64; 2]>,
    /// The same of the run that theirs is compared with.
    pub(crate) right_times: BTreeMap<u32, [f64; 2]>,
    names: LabelTable,
    /// Types, and values after types.
    labels: [LabelTable; 2],
}

/// The arguments of the aggregates after their settings. A container has a preorder, a cell has none.
pub(crate) const COLUMNS: [&str; 13] = [
    "container_id",
    "parent_id",
    "preorder",
    "depth",
    "container",
    "slice",
    "slice_start",
    "slice_end",
    "type",
    "value",
    "rho",
    "right_start",
    "right_end",
];

/// Which numbers a model may hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RhoSigns {
    /// Proportions are not negative.
    Proportions,
    /// Differences have either sign.
    Differences,
}

/// A batch of rows, by column.
struct ModelBatch<'a> {
    container: &'a PrimitiveArray<Int32Type>,
    parent: &'a PrimitiveArray<Int32Type>,
    preorder: &'a PrimitiveArray<Int32Type>,
    depth: &'a PrimitiveArray<Int32Type>,
    names: Vec<u32>,
    slice: &'a PrimitiveArray<Int64Type>,
    times: [&'a PrimitiveArray<Float64Type>; 2],
    labels: Vec<u32>,
    rho: &'a PrimitiveArray<Float64Type>,
    right_times: [&'a PrimitiveArray<Float64Type>; 2],
}

impl<'a> ModelBatch<'a> {
    fn new(arrays: &'a [ArrayRef], rows: &mut ModelRows) -> Result<ModelBatch<'a>> {
        let [container, parent, preorder, depth, _, slice, start, end, _, _, rho, right_start, right_end] = arrays
        else {
            return internal_err!("a partition got {} columns", arrays.len());
        };
        let count = container.len();
        Ok(ModelBatch {
            container: container.as_primitive(),
            parent: parent.as_primitive(),
            preorder: preorder.as_primitive(),
            depth: depth.as_primitive(),
            names: label_numbers(std::slice::from_mut(&mut rows.names), &arrays[4..5], count),
            slice: slice.as_primitive(),
            times: [start.as_primitive(), end.as_primitive()],
            labels: label_numbers(&mut rows.labels, &arrays[8..10], count),
            rho: rho.as_primitive(),
            right_times: [right_start.as_primitive(), right_end.as_primitive()],
        })
    }
}

fn get<T: ArrowPrimitiveType>(array: &PrimitiveArray<T>, row: usize) -> Option<T::Native> {
    array.is_valid(row).then(|| array.value(row))
}

impl ModelRows {
    /// Adds a batch of the columns of [`COLUMNS`]. Rows without a container are omitted.
    pub(crate) fn update(&mut self, function: &str, signs: RhoSigns, arrays: &[ArrayRef]) -> Result<()> {
        let batch = ModelBatch::new(arrays, self)?;
        for row in 0..batch.container.len() {
            let Some(container) = get(batch.container, row) else { continue };
            match get(batch.preorder, row) {
                Some(preorder) => {
                    let name = batch.names[row];
                    let (parent, depth) = (get(batch.parent, row), get(batch.depth, row).unwrap_or(0));
                    self.containers.push(TreeRow { preorder, id: container, parent, depth, name });
                }
                None => self.add_cell(function, signs, &batch, (container, row))?,
            }
        }
        Ok(())
    }

    /// Adds a cell. Without a slice, a value or a rho it tells of its container only.
    fn add_cell(
        &mut self,
        function: &str,
        signs: RhoSigns,
        batch: &ModelBatch<'_>,
        (container, row): (i32, usize),
    ) -> Result<()> {
        let number = get(batch.slice, row).unwrap_or(0);
        let Ok(slice) = u32::try_from(number) else {
            return exec_err!("{function}: slice indices start at 0, got {number}");
        };
        let rho = match (get(batch.slice, row), get(batch.rho, row)) {
            (Some(_), Some(rho)) => rho,
            _ => 0.0,
        };
        let is_allowed = match signs {
            RhoSigns::Proportions => (0.0..=f64::MAX).contains(&rho),
            RhoSigns::Differences => rho.is_finite(),
        };
        if !is_allowed {
            return exec_err!(
                "{function}: rho must be a number that is not negative, got {rho} in slice {slice} of container {container}"
            );
        }
        if let [Some(start), Some(end)] = batch.times.map(|times| get(times, row)) {
            self.times.insert(slice, [start, end]);
        }
        if let [Some(start), Some(end)] = batch.right_times.map(|times| get(times, row)) {
            self.right_times.insert(slice, [start, end]);
        }
        self.cells.push(CellRow { container, slice, label: batch.labels[row], rho });
        Ok(())
    }

    /// The name of a container.
    pub(crate) fn name(&self, container: &TreeRow) -> Option<&str> {
        self.names.label(container.name).1
    }

    /// The type and the value of a label.
    pub(crate) fn label(&self, label: u32) -> [Option<&str>; 2] {
        let (kind, value) = self.labels[1].label(label);
        [self.labels[0].label(kind).1, value]
    }

    pub(crate) fn write(&self) -> Vec<u8> {
        let mut bytes = vec![];
        for labels in [&self.names, &self.labels[0], &self.labels[1]] {
            write_labels(labels, &mut bytes);
        }
        write_count(self.containers.len(), &mut bytes);
        for row in &self.containers {
            let parent = row.parent.map_or(i64::MIN, i64::from);
            bytes.extend(row.preorder.to_le_bytes());
            bytes.extend(row.id.to_le_bytes());
            bytes.extend(parent.to_le_bytes());
            bytes.extend(row.depth.to_le_bytes());
            bytes.extend(row.name.to_le_bytes());
        }
        write_count(self.cells.len(), &mut bytes);
        for row in &self.cells {
            bytes.extend(row.container.to_le_bytes());
            bytes.extend([row.slice, row.label].map(u32::to_le_bytes).as_flattened());
            bytes.extend(row.rho.to_le_bytes());
        }
        for times in [&self.times, &self.right_times] {
            write_count(times.len(), &mut bytes);
            for (slice, times) in times {
                bytes.extend(slice.to_le_bytes());
                bytes.extend(times.map(f64::to_le_bytes).as_flattened());
            }
        }
        bytes
    }

    /// Adds rows that were written; `None` when they were not.
    pub(crate) fn read(&mut self, mut bytes: &[u8]) -> Option<()> {
        let bytes = &mut bytes;
        let small = |bytes: &mut &[u8]| Some(i32::from_le_bytes(take(bytes)?));
        let real = |bytes: &mut &[u8]| Some(f64::from_le_bytes(take(bytes)?));
        let names = read_labels(bytes, &mut self.names, &[0])?;
        let kinds = read_labels(bytes, &mut self.labels[0], &[0])?;
        let labels = read_labels(bytes, &mut self.labels[1], &kinds)?;
        for _ in 0..read_count(bytes)? {
            let (preorder, id) = (small(bytes)?, small(bytes)?);
            let parent = i32::try_from(i64::from_le_bytes(take(bytes)?)).ok();
            let (depth, name) = (small(bytes)?, *names.get(read_number(bytes)?)?);
            self.containers.push(TreeRow { preorder, id, parent, depth, name });
        }
        for _ in 0..read_count(bytes)? {
            let (container, slice) = (small(bytes)?, u32::from_le_bytes(take(bytes)?));
            let label = *labels.get(read_number(bytes)?)?;
            self.cells.push(CellRow { container, slice, label, rho: real(bytes)? });
        }
        for times in [&mut self.times, &mut self.right_times] {
            for _ in 0..read_count(bytes)? {
                let (slice, interval) = (u32::from_le_bytes(take(bytes)?), [real(bytes)?, real(bytes)?]);
                times.insert(slice, interval);
            }
        }
        Some(())
    }

    /// Bytes that are held.
    pub(crate) fn size(&self) -> usize {
        self.containers.capacity() * size_of::<TreeRow>()
            + self.cells.capacity() * size_of::<CellRow>()
            + (self.times.len() + self.right_times.len()) * size_of::<(u32, [f64; 2])>()
            + self.names.size()
            + self.labels.iter().map(LabelTable::size).sum::<usize>()
    }
}

fn write_count(count: usize, bytes: &mut Vec<u8>) {
    bytes.extend((count as u64).to_le_bytes());
}

fn read_count(bytes: &mut &[u8]) -> Option<usize> {
    usize::try_from(u64::from_le_bytes(take(bytes)?)).ok()
}

fn read_number(bytes: &mut &[u8]) -> Option<usize> {
    Some(u32::from_le_bytes(take(bytes)?) as usize)
}

/// Writes all labels of a column, in the order of their numbers. NULL has a length that no text has.
fn write_labels(labels: &LabelTable, bytes: &mut Vec<u8>) {
    write_count(labels.count(), bytes);
    for number in 0..labels.count() as u32 {
        let (before, text) = labels.label(number);
        bytes.extend(before.to_le_bytes());
        write_count(text.map_or(usize::MAX, str::len), bytes);
        bytes.extend(text.unwrap_or_default().as_bytes());
    }
}

/// Adds labels that were written after the numbers `before`; gives their numbers here.
fn read_labels(bytes: &mut &[u8], labels: &mut LabelTable, before: &[u32]) -> Option<Vec<u32>> {
    let mut numbers = vec![];
    for _ in 0..read_count(bytes)? {
        let before = *before.get(read_number(bytes)?)?;
        let text = match read_count(bytes)? {
            usize::MAX => None,
            length => {
                let (text, rest) = bytes.split_at_checked(length)?;
                *bytes = rest;
                Some(std::str::from_utf8(text).ok()?)
            }
        };
        numbers.push(labels.number(before, text));
    }
    Some(numbers)
}
