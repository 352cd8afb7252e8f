//! The rows that a partition is computed from, collected by its aggregate.
//!
//! In: the containers of the trace and the cells of a model, in any order and any split. Out: both, for
//! [`super::partition_model`]. Between partitions they are a run of bytes.

use std::collections::BTreeMap;

use arrow::array::{Array, ArrayRef, AsArray, PrimitiveArray, StringViewArray};
use arrow::datatypes::{ArrowPrimitiveType, Float64Type, Int32Type, Int64Type};
use datafusion::common::{Result, exec_err, internal_err};

use crate::kernels::slices::take;
use crate::kernels::symbols::{NONE, Symbols};

/// A container of the trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ContainerRow {
    pub(super) preorder: i32,
    pub(super) id: i32,
    pub(super) parent: Option<i32>,
    pub(super) depth: i32,
    /// Number of its name.
    pub(super) name: u32,
}

/// A cell of the model.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct CellRow {
    pub(super) container: i32,
    pub(super) slice: u32,
    /// Numbers of the type and the value.
    pub(super) labels: [u32; 2],
    pub(super) rho: f64,
}

/// Everything that was collected.
#[derive(Debug, Default)]
pub(super) struct Rows {
    pub(super) containers: Vec<ContainerRow>,
    pub(super) cells: Vec<CellRow>,
    /// When slices begin and end, as far as cells tell.
    pub(super) times: BTreeMap<u32, [f64; 2]>,
    pub(super) symbols: Symbols,
}

/// The arguments of the aggregates after their settings. A container has a preorder, a cell has none.
pub(super) const COLUMNS: [&str; 11] = [
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
];

/// A batch of rows, by column.
struct Batch<'a> {
    container: &'a PrimitiveArray<Int32Type>,
    parent: &'a PrimitiveArray<Int32Type>,
    preorder: &'a PrimitiveArray<Int32Type>,
    depth: &'a PrimitiveArray<Int32Type>,
    name: &'a StringViewArray,
    slice: &'a PrimitiveArray<Int64Type>,
    times: [&'a PrimitiveArray<Float64Type>; 2],
    labels: [&'a StringViewArray; 2],
    rho: &'a PrimitiveArray<Float64Type>,
}

impl<'a> Batch<'a> {
    fn new(arrays: &'a [ArrayRef]) -> Result<Batch<'a>> {
        let [container, parent, preorder, depth, name, slice, start, end, kind, value, rho] = arrays else {
            return internal_err!("a partition got {} columns", arrays.len());
        };
        Ok(Batch {
            container: container.as_primitive(),
            parent: parent.as_primitive(),
            preorder: preorder.as_primitive(),
            depth: depth.as_primitive(),
            name: name.as_string_view(),
            slice: slice.as_primitive(),
            times: [start.as_primitive(), end.as_primitive()],
            labels: [kind.as_string_view(), value.as_string_view()],
            rho: rho.as_primitive(),
        })
    }
}

fn get<T: ArrowPrimitiveType>(array: &PrimitiveArray<T>, row: usize) -> Option<T::Native> {
    array.is_valid(row).then(|| array.value(row))
}

impl Rows {
    /// Adds a batch of the columns of [`COLUMNS`]. Rows without a container are left out.
    pub(super) fn update(&mut self, function: &str, arrays: &[ArrayRef]) -> Result<()> {
        let batch = Batch::new(arrays)?;
        self.symbols.begin_batch();
        for row in 0..batch.container.len() {
            let Some(container) = get(batch.container, row) else { continue };
            match get(batch.preorder, row) {
                Some(preorder) => {
                    let name = symbol(&mut self.symbols, batch.name, row);
                    let (parent, depth) = (get(batch.parent, row), get(batch.depth, row).unwrap_or(0));
                    self.containers.push(ContainerRow { preorder, id: container, parent, depth, name });
                }
                None => self.add_cell(function, &batch, container, row)?,
            }
        }
        Ok(())
    }

    /// Adds a cell. Without a slice, a value or a rho it tells of its container only.
    fn add_cell(&mut self, function: &str, batch: &Batch<'_>, container: i32, row: usize) -> Result<()> {
        let number = get(batch.slice, row).unwrap_or(0);
        let Ok(slice) = u32::try_from(number) else {
            return exec_err!("{function}: slices are counted from 0 on, got {number}");
        };
        let rho = match (get(batch.slice, row), get(batch.rho, row)) {
            (Some(_), Some(rho)) => rho,
            _ => 0.0,
        };
        if !(0.0..=f64::MAX).contains(&rho) {
            return exec_err!("{function}: rho must be a number that is not negative, got {rho} in slice {slice} of container {container}");
        }
        let labels = batch.labels.map(|labels| symbol(&mut self.symbols, labels, row));
        if let [Some(start), Some(end)] = batch.times.map(|times| get(times, row)) {
            self.times.insert(slice, [start, end]);
        }
        self.cells.push(CellRow { container, slice, labels, rho });
        Ok(())
    }

    pub(super) fn write(&self) -> Vec<u8> {
        let mut bytes = vec![];
        let count = |bytes: &mut Vec<u8>, count: usize| bytes.extend((count as u64).to_le_bytes());
        count(&mut bytes, self.symbols.count() - 1);
        for number in 1..self.symbols.count() as u32 {
            let text = self.symbols.text(number).unwrap_or_default();
            count(&mut bytes, text.len());
            bytes.extend(text.as_bytes());
        }
        count(&mut bytes, self.containers.len());
        for row in &self.containers {
            let parent = row.parent.map_or(i64::MIN, i64::from);
            bytes.extend(row.preorder.to_le_bytes());
            bytes.extend(row.id.to_le_bytes());
            bytes.extend(parent.to_le_bytes());
            bytes.extend(row.depth.to_le_bytes());
            bytes.extend(row.name.to_le_bytes());
        }
        count(&mut bytes, self.cells.len());
        for row in &self.cells {
            bytes.extend(row.container.to_le_bytes());
            bytes.extend([row.slice, row.labels[0], row.labels[1]].map(u32::to_le_bytes).as_flattened());
            bytes.extend(row.rho.to_le_bytes());
        }
        for (slice, times) in &self.times {
            bytes.extend(slice.to_le_bytes());
            bytes.extend(times.map(f64::to_le_bytes).as_flattened());
        }
        bytes
    }

    /// Adds rows that were written; `None` when they were not.
    pub(super) fn read(&mut self, mut bytes: &[u8]) -> Option<()> {
        let bytes = &mut bytes;
        let count = |bytes: &mut &[u8]| Some(u64::from_le_bytes(take(bytes)?) as usize);
        let number = |bytes: &mut &[u8]| Some(u32::from_le_bytes(take(bytes)?));
        let small = |bytes: &mut &[u8]| Some(i32::from_le_bytes(take(bytes)?));
        let real = |bytes: &mut &[u8]| Some(f64::from_le_bytes(take(bytes)?));
        let mut symbols = vec![NONE];
        for _ in 0..count(bytes)? {
            let length = count(bytes)?;
            let (text, rest) = bytes.split_at_checked(length)?;
            *bytes = rest;
            symbols.push(self.symbols.of_text(std::str::from_utf8(text).ok()?));
        }
        for _ in 0..count(bytes)? {
            let (preorder, id) = (small(bytes)?, small(bytes)?);
            let parent = i32::try_from(i64::from_le_bytes(take(bytes)?)).ok();
            let (depth, name) = (small(bytes)?, *symbols.get(number(bytes)? as usize)?);
            self.containers.push(ContainerRow { preorder, id, parent, depth, name });
        }
        for _ in 0..count(bytes)? {
            let (container, slice) = (small(bytes)?, number(bytes)?);
            let labels = [*symbols.get(number(bytes)? as usize)?, *symbols.get(number(bytes)? as usize)?];
            self.cells.push(CellRow { container, slice, labels, rho: real(bytes)? });
        }
        while !bytes.is_empty() {
            let (slice, times) = (number(bytes)?, [real(bytes)?, real(bytes)?]);
            self.times.insert(slice, times);
        }
        Some(())
    }

    /// Bytes that are held.
    pub(super) fn size(&self) -> usize {
        self.containers.capacity() * size_of::<ContainerRow>()
            + self.cells.capacity() * size_of::<CellRow>()
            + self.times.len() * size_of::<(u32, [f64; 2])>()
            + self.symbols.size()
    }
}

fn symbol(symbols: &mut Symbols, texts: &StringViewArray, row: usize) -> u32 {
    if texts.is_null(row) {
        return NONE;
    }
    symbols.of_view(texts.views()[row], || texts.value(row))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let mut rows = Rows::default();
        let (name, kind) = (rows.symbols.of_text("rank 1"), rows.symbols.of_text("State"));
        rows.containers.push(ContainerRow { preorder: 1, id: 7, parent: Some(3), depth: 2, name });
        rows.containers.push(ContainerRow { preorder: 0, id: 3, parent: None, depth: 1, name: NONE });
        rows.cells.push(CellRow { container: 7, slice: 4, labels: [kind, NONE], rho: 0.1 });
        rows.times.insert(4, [0.5, 0.75]);
        let mut again = Rows::default();
        again.symbols.of_text("another");
        again.read(&rows.write()).expect("rows");
        again.read(&Rows::default().write()).expect("no rows");
        assert_eq!((again.containers.len(), again.cells.len(), again.times), (2, 1, rows.times.clone()));
        assert_eq!(again.symbols.text(again.containers[0].name), Some("rank 1"));
        assert_eq!(again.symbols.text(again.cells[0].labels[0]), Some("State"));
        assert_eq!(again.containers[1], rows.containers[1]);
        assert_eq!(Rows::default().read(&rows.write()[..20]), None);
    }
}
