//! Adds up measures along a tree: per container and texts first, then from children to parents.
//!
//! ```text
//!  rows (container, texts, measures) ─► cells, one per container and combination of texts
//!  tree (container, parent)          ─► children first, each cell is merged into that of the parent
//! ```
//! Containers are small numbers from 0 on, so a cell is found in a matrix most often, and the texts of a
//! batch are numbered column by column. Rows whose container is NULL, negative or no node of the tree
//! count nowhere. A NULL text is a text; a measure leaves NULL out, and is NULL where nothing else is.

mod merge_rule;

use std::sync::Arc;

use arrow::array::{
    Array, ArrayRef, ArrowNativeTypeOp, ArrowPrimitiveType, AsArray, BooleanArray, Int32Array, PrimitiveArray,
    UInt32Array,
};
use arrow::buffer::{BooleanBuffer, NullBuffer};
use arrow::compute::{filter, take};
use arrow::datatypes::{DataType, Float64Type, Int64Type};
use arrow::error::ArrowError;

pub use merge_rule::MergeRule;

use super::labels::LabelTable;
use super::pairs::Pairs;

/// The parent of a root.
pub const ROOT: i32 = -1;

/// What is not in the tree has this parent.
const UNKNOWN: i32 = -2;

/// The end of a list of cells.
const NOTHING: u32 = u32::MAX;

/// A batch of rows. A row with a parent is a node of the tree and nothing else; the parent of a root is [`ROOT`].
#[derive(Debug, Clone, Copy)]
pub struct RollupRows<'a> {
    /// The container of each row.
    pub containers: &'a Int32Array,
    /// The parent of each row that is a node of the tree.
    pub parents: &'a Int32Array,
    /// BIGINT or DOUBLE.
    pub measures: &'a [ArrayRef],
    /// Texts, as views or as codes.
    pub texts: &'a [ArrayRef],
}

/// The measures of all cells so far, and the tree.
#[derive(Debug)]
pub struct Rollup {
    labels: Vec<LabelTable>,
    /// A container, and the number of its combination of texts.
    cells: Pairs,
    measures: Vec<RollupMeasure>,
    /// By container.
    parents: Vec<i32>,
}

/// One measure of every cell.
#[derive(Debug)]
enum RollupMeasure {
    Whole(MeasureValues<Int64Type>),
    Broken(MeasureValues<Float64Type>),
}

#[derive(Debug)]
struct MeasureValues<T: ArrowPrimitiveType> {
    how: MergeRule,
    values: Vec<T::Native>,
    is_filled: Vec<bool>,
}

/// Columns of equal length.
#[derive(Debug)]
pub struct RollupCells {
    /// The container of each cell.
    pub containers: Int32Array,
    /// NULL for what is no node of the tree.
    pub parents: Int32Array,
    /// The measures of each cell.
    pub measures: Vec<ArrayRef>,
    /// The texts of each cell.
    pub texts: Vec<ArrayRef>,
}

impl Rollup {
    /// Nothing yet. Measures are DOUBLE, or BIGINT.
    pub fn new(texts: usize, measures: &[(MergeRule, DataType)]) -> Rollup {
        let measure = |(merge, kind): &(MergeRule, DataType)| match kind {
            DataType::Float64 => {
                RollupMeasure::Broken(MeasureValues { how: *merge, values: vec![], is_filled: vec![] })
            }
            _ => RollupMeasure::Whole(MeasureValues { how: *merge, values: vec![], is_filled: vec![] }),
        };
        Rollup {
            labels: (0..texts).map(|_| LabelTable::default()).collect(),
            cells: Pairs::default(),
            measures: measures.iter().map(measure).collect(),
            parents: vec![],
        }
    }

    /// Takes rows and nodes in, in any order.
    pub fn add(&mut self, rows: RollupRows<'_>) -> Result<(), ArrowError> {
        let (containers, parents) = (rows.containers, rows.parents);
        let has_nodes = parents.null_count() < parents.len();
        if has_nodes {
            self.add_nodes(containers, parents);
        }
        if !has_nodes && containers.null_count() == 0 && containers.values().iter().all(|id| *id >= 0) {
            self.add_rows(rows);
            return Ok(());
        }
        let is_row = |row: usize| parents.is_null(row) && containers.is_valid(row) && containers.value(row) >= 0;
        let is_row = BooleanArray::from(BooleanBuffer::collect_bool(containers.len(), is_row));
        let keep = |columns: &[ArrayRef]| -> Result<Vec<ArrayRef>, ArrowError> {
            columns.iter().map(|column| filter(column, &is_row)).collect()
        };
        let (measures, texts) = (keep(rows.measures)?, keep(rows.texts)?);
        let containers = filter(containers, &is_row)?;
        self.add_rows(RollupRows { containers: containers.as_primitive(), measures: &measures, texts: &texts, ..rows });
        Ok(())
    }

    fn add_nodes(&mut self, containers: &Int32Array, parents: &Int32Array) {
        for (container, parent) in containers.iter().zip(parents) {
            let Some((container, parent)) = container.and_then(|id| usize::try_from(id).ok()).zip(parent) else {
                continue;
            };
            if container >= self.parents.len() {
                self.parents.resize(container + 1, UNKNOWN);
            }
            self.parents[container] = parent;
        }
    }

    /// Takes rows in whose containers are numbers from 0 on.
    fn add_rows(&mut self, rows: RollupRows<'_>) {
        let mut numbers = vec![0; rows.containers.len()];
        let mut count = 1;
        for (labels, column) in self.labels.iter_mut().zip(rows.texts) {
            labels.combine_column(&mut numbers, count, column);
            count = labels.count();
        }
        let mut first = 0;
        // Rows of one container often come together.
        for run in rows.containers.values().chunk_by(|one, other| one == other) {
            for number in &mut numbers[first..first + run.len()] {
                *number = self.cells.number(run[0].cast_unsigned(), *number);
            }
            first += run.len();
        }
        let count = self.cells.count();
        for (measure, column) in self.measures.iter_mut().zip(rows.measures) {
            measure.grow(count);
            measure.add(&numbers, column);
        }
    }

    /// Merges every cell into that of the parent, children first.
    pub fn roll_up(&mut self) {
        let order = self.children_first();
        // The cells of each container, as a list from the last to the first.
        let mut last = vec![NOTHING; self.parents.len()];
        let mut before: Vec<u32> = Vec::with_capacity(2 * self.cells.count());
        let link = |cell: u32, container: u32, last: &mut Vec<u32>, before: &mut Vec<u32>| {
            let known = last.get_mut(container as usize);
            before.push(known.map_or(NOTHING, |last| std::mem::replace(last, cell)));
        };
        for cell in 0..self.cells.count() as u32 {
            link(cell, self.cells.pair(cell).0, &mut last, &mut before);
        }
        for container in order {
            let Ok(parent) = u32::try_from(self.parents[container as usize]) else {
                continue;
            };
            let mut cell = last[container as usize];
            while cell != NOTHING {
                let above = self.cells.number(parent, self.cells.pair(cell).1);
                if above as usize == before.len() {
                    link(above, parent, &mut last, &mut before);
                    self.measures.iter_mut().for_each(|measure| measure.grow(before.len()));
                }
                self.measures.iter_mut().for_each(|measure| measure.merge(above, cell));
                cell = before[cell as usize];
            }
        }
    }

    /// The nodes of the tree, each after those below it.
    fn children_first(&self) -> Vec<u32> {
        let parent = |container: u32| usize::try_from(self.parents[container as usize]).ok();
        let nodes = || (0..self.parents.len() as u32).filter(|container| self.parents[*container as usize] != UNKNOWN);
        let mut children = vec![0_u32; self.parents.len()];
        nodes().filter_map(parent).for_each(|parent| children[parent] += 1);
        let mut order: Vec<u32> = nodes().filter(|container| children[*container as usize] == 0).collect();
        let mut next = 0;
        while let Some(&container) = order.get(next) {
            next += 1;
            if let Some(parent) = parent(container) {
                children[parent] -= 1;
                if children[parent] == 0 {
                    order.push(parent as u32);
                }
            }
        }
        order
    }

    /// All cells of the tree.
    pub fn cells(&self) -> Result<RollupCells, ArrowError> {
        let is_node = |cell: &u32| {
            let parent = self.parents.get(self.cells.pair(*cell).0 as usize);
            parent.is_some_and(|parent| *parent != UNKNOWN)
        };
        self.columns(&(0..self.cells.count() as u32).filter(is_node).collect::<Vec<u32>>(), &[])
    }

    /// All cells, and the nodes of the tree: rows that another can take in.
    pub fn rows(&self) -> Result<RollupCells, ArrowError> {
        let cells: Vec<u32> = (0..self.cells.count() as u32).collect();
        let nodes = (0..self.parents.len() as i32).filter(|container| self.parents[*container as usize] != UNKNOWN);
        self.columns(&cells, &nodes.collect::<Vec<i32>>())
    }

    fn columns(&self, cells: &[u32], nodes: &[i32]) -> Result<RollupCells, ArrowError> {
        let of_cells = cells.iter().map(|cell| self.cells.pair(*cell).0 as i32);
        let no_parents = cells.iter().map(|_| None);
        // A place that does not exist gives NULL.
        let places = || cells.iter().map(|cell| Some(*cell)).chain(nodes.iter().map(|_| None));
        let cell_places: UInt32Array = places().collect();
        let combinations: UInt32Array = places().map(|cell| cell.map(|cell| self.cells.pair(cell).1)).collect();
        let measures = self.measures.iter().map(|measure| take(&measure.array(), &cell_places, None));
        Ok(RollupCells {
            containers: of_cells.chain(nodes.iter().copied()).collect(),
            parents: no_parents.chain(nodes.iter().map(|node| Some(self.parents[*node as usize]))).collect(),
            measures: measures.collect::<Result<Vec<_>, _>>()?,
            texts: self.text_columns(combinations)?,
        })
    }

    /// The texts of some combinations; the last column is found first.
    fn text_columns(&self, mut numbers: UInt32Array) -> Result<Vec<ArrayRef>, ArrowError> {
        let mut columns: Vec<ArrayRef> = vec![];
        for labels in self.labels.iter().rev() {
            columns.push(take(&labels.texts(), &numbers, None)?);
            numbers = numbers.unary_opt(|number| Some(labels.label(number).0));
        }
        columns.reverse();
        Ok(columns)
    }

    /// Bytes that are held.
    pub fn size(&self) -> usize {
        let labels: usize = self.labels.iter().map(LabelTable::size).sum();
        let measures: usize = self.measures.iter().map(RollupMeasure::size).sum();
        labels + measures + self.cells.size() + self.parents.capacity() * size_of::<i32>()
    }
}

impl RollupMeasure {
    fn grow(&mut self, cells: usize) {
        match self {
            RollupMeasure::Whole(values) => values.grow(cells),
            RollupMeasure::Broken(values) => values.grow(cells),
        }
    }

    /// Takes in one value per cell that is named.
    fn add(&mut self, cells: &[u32], column: &ArrayRef) {
        match self {
            RollupMeasure::Whole(values) => values.add(cells, column.as_primitive()),
            RollupMeasure::Broken(values) => values.add(cells, column.as_primitive()),
        }
    }

    /// Merges the value of a cell into that of another.
    fn merge(&mut self, into: u32, cell: u32) {
        match self {
            RollupMeasure::Whole(values) => values.merge(into as usize, cell as usize),
            RollupMeasure::Broken(values) => values.merge(into as usize, cell as usize),
        }
    }

    fn array(&self) -> ArrayRef {
        match self {
            RollupMeasure::Whole(values) => values.array(),
            RollupMeasure::Broken(values) => values.array(),
        }
    }

    fn size(&self) -> usize {
        match self {
            RollupMeasure::Whole(values) => values.size(),
            RollupMeasure::Broken(values) => values.size(),
        }
    }
}

impl<T: ArrowPrimitiveType<Native: Mergeable>> MeasureValues<T> {
    fn grow(&mut self, cells: usize) {
        self.values.resize(cells, T::Native::nothing(self.how));
        self.is_filled.resize(cells, false);
    }

    fn add(&mut self, cells: &[u32], column: &PrimitiveArray<T>) {
        match self.how {
            MergeRule::Sum => self.add_by(cells, column, T::Native::sum),
            MergeRule::Least => self.add_by(cells, column, T::Native::least),
            MergeRule::Most => self.add_by(cells, column, T::Native::most),
        }
    }

    #[inline]
    fn add_by(&mut self, cells: &[u32], column: &PrimitiveArray<T>, merge: impl Fn(T::Native, T::Native) -> T::Native) {
        let mut put = |cell: u32, value: T::Native| {
            let place = cell as usize;
            self.values[place] = merge(self.values[place], value);
            self.is_filled[place] = true;
        };
        if column.null_count() == 0 {
            cells.iter().zip(column.values()).for_each(|(cell, value)| put(*cell, *value));
            return;
        }
        for (cell, value) in cells.iter().zip(column) {
            if let Some(value) = value {
                put(*cell, value);
            }
        }
    }

    fn merge(&mut self, into: usize, cell: usize) {
        let (one, other) = (self.values[into], self.values[cell]);
        self.values[into] = match self.how {
            MergeRule::Sum => one.sum(other),
            MergeRule::Least => one.least(other),
            MergeRule::Most => one.most(other),
        };
        self.is_filled[into] |= self.is_filled[cell];
    }

    fn array(&self) -> ArrayRef {
        let filled = NullBuffer::from(self.is_filled.clone());
        Arc::new(PrimitiveArray::<T>::new(self.values.clone().into(), Some(filled)))
    }

    fn size(&self) -> usize {
        self.values.capacity() * size_of::<T::Native>() + self.is_filled.capacity()
    }
}

/// Numbers that a measure is made of.
trait Mergeable: ArrowNativeTypeOp {
    /// What changes nothing that it is merged with.
    fn nothing(how: MergeRule) -> Self;

    fn sum(self, other: Self) -> Self {
        self.add_wrapping(other)
    }

    fn least(self, other: Self) -> Self {
        if other.is_lt(self) { other } else { self }
    }

    fn most(self, other: Self) -> Self {
        if other.is_gt(self) { other } else { self }
    }
}

impl Mergeable for i64 {
    fn nothing(how: MergeRule) -> i64 {
        match how {
            MergeRule::Sum => 0,
            MergeRule::Least => i64::MAX,
            MergeRule::Most => i64::MIN,
        }
    }
}

impl Mergeable for f64 {
    fn nothing(how: MergeRule) -> f64 {
        match how {
            MergeRule::Sum => 0.0,
            // The ends of the total order, in which NaN is the largest.
            MergeRule::Least => f64::from_bits(i64::MAX.cast_unsigned()),
            MergeRule::Most => f64::from_bits(u64::MAX),
        }
    }
}

#[cfg(test)]
mod tests;
