//! Algorithms over tables that need not hold them: rows come in an order, as often as the algorithm needs to see them,
//! and results leave as soon as they are known.
//!
//! ```text
//!  rows ─► in the order of the sweep ─┬─► pass 0 ─► pass 1 ─► …  ─► rows
//!                                     └─ kept on disk for the next pass
//! ```
//! A sweep may keep something else for its next pass, a log, which that reads backwards. And it may make other columns of
//! rows before they are sorted.
//!
//! In plans a sweep is an aggregate function, a [`TableKernel`]: stock nodes, which need nothing of their own anywhere.
//! `TableSweepExec` of the optimizer takes the place of the aggregate and of the unnesting above it, and holds none of
//! the rows. Where it does not, as on a cluster, the aggregate collects the rows and runs the same sweep over them.

use std::fmt::Debug;

use arrow::array::{Array, ArrayRef, new_empty_array};
use arrow::compute::{SortColumn, SortOptions, concat, lexsort_to_indices, take};
use arrow::datatypes::DataType;
use datafusion::common::{Result, ScalarValue};

use super::table_kernel::TableKernel;

/// How rows are sorted: ascending, NULL first.
pub(crate) const SWEEP_SORT: SortOptions = SortOptions { descending: false, nulls_first: true };

/// An algorithm from a table to a table that sees rows one after the other.
#[derive(Debug)]
pub(crate) struct TableSweep {
    /// Its name, its columns, and what it does with rows that were collected: [`TableSweep::run`].
    pub(crate) kernel: &'static TableKernel,
    /// The order in which it needs the rows.
    pub(crate) order: SweepOrder,
    /// Begins, with the constants of the kernel.
    pub(crate) begin: fn(&[ScalarValue]) -> Result<Box<dyn RowSweep>>,
}

/// An order of rows.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SweepOrder {
    /// Types of columns that exist for the order only; they come before those of the kernel.
    pub(crate) computed: &'static [DataType],
    /// Computes these columns from those of the kernel.
    pub(crate) compute: fn(&[ArrayRef]) -> Result<Vec<ArrayRef>>,
    /// Places of the columns that decide, among the computed ones and those of the kernel. None: any order will do.
    pub(crate) by: &'static [usize],
}

impl SweepOrder {
    /// Any order.
    pub(crate) const ANY: SweepOrder = SweepOrder { computed: &[], compute: no_columns, by: &[] };
}

/// Computes no column.
pub(crate) fn no_columns(_columns: &[ArrayRef]) -> Result<Vec<ArrayRef>> {
    Ok(vec![])
}

/// A sweep under way. What it holds must not grow with the number of rows.
pub(crate) trait RowSweep: Debug + Send {
    /// How often it must see the rows.
    fn passes(&self) -> usize;

    /// Takes the next rows of a pass; passes are numbered from 0.
    fn update(&mut self, pass: usize, columns: &[ArrayRef]) -> Result<()>;

    /// Ends a pass.
    fn finish(&mut self, pass: usize) -> Result<()>;

    /// Hands over result rows, as columns of the kernel; `None` when none are ready.
    fn take(&mut self) -> Result<Option<Vec<ArrayRef>>>;

    /// Bytes that it holds.
    fn size(&self) -> usize;

    /// What it makes of rows before they are sorted, if it does not take them as they are. All of them are made before
    /// the first pass begins, where an order decides.
    fn packer(&self) -> Option<RowPacker> {
        None
    }

    /// Types of the columns of its log, if it has one. Then each pass but the first reads the log of the pass before: its
    /// batches from the last to the first, each as it was logged.
    fn log_types(&self) -> Option<&'static [DataType]> {
        None
    }

    /// Hands over rows for the log; `None` when none are ready.
    fn log(&mut self) -> Result<Option<Vec<ArrayRef>>> {
        Ok(None)
    }
}

/// Makes other columns of those of a kernel.
pub(crate) struct RowPacker {
    /// Their types.
    pub(crate) types: &'static [DataType],
    /// Makes them.
    pub(crate) pack: Box<PackRows>,
}

/// Makes columns of columns.
pub(crate) type PackRows = dyn FnMut(&[ArrayRef]) -> Result<Vec<ArrayRef>> + Send;

impl TableSweep {
    /// Runs it over rows that are all there.
    pub(crate) fn run(&self, columns: &[ArrayRef], constants: &[ScalarValue]) -> Result<Vec<ArrayRef>> {
        let mut sweep = (self.begin)(constants)?;
        let columns = match sweep.packer() {
            Some(mut packer) => (packer.pack)(columns)?,
            None => columns.to_vec(),
        };
        let mut batches = vec![self.sorted(&columns)?];
        let mut found: Vec<Vec<ArrayRef>> = vec![];
        for pass in 0..sweep.passes() {
            let mut log = vec![];
            for batch in &batches {
                sweep.update(pass, batch)?;
                while let Some(rows) = sweep.log()? {
                    log.push(rows);
                }
            }
            sweep.finish(pass)?;
            while let Some(rows) = sweep.log()? {
                log.push(rows);
            }
            while let Some(rows) = sweep.take()? {
                found.push(rows);
            }
            if sweep.log_types().is_some() {
                batches = log.into_iter().rev().collect();
            }
        }
        let whole = |(place, (_, kind)): (usize, &(&str, DataType))| -> Result<ArrayRef> {
            let pieces: Vec<&dyn Array> = found.iter().map(|rows| rows[place].as_ref()).collect();
            Ok(if pieces.is_empty() { new_empty_array(kind) } else { concat(&pieces)? })
        };
        self.kernel.rows.iter().enumerate().map(whole).collect()
    }

    fn sorted(&self, columns: &[ArrayRef]) -> Result<Vec<ArrayRef>> {
        if self.order.by.is_empty() {
            return Ok(columns.to_vec());
        }
        let mut all = (self.order.compute)(columns)?;
        all.extend_from_slice(columns);
        let key = |place: &usize| SortColumn { values: all[*place].clone(), options: Some(SWEEP_SORT) };
        let keys: Vec<SortColumn> = self.order.by.iter().map(key).collect();
        let rows = lexsort_to_indices(&keys, None)?;
        columns.iter().map(|column| Ok(take(column, &rows, None)?)).collect()
    }
}
