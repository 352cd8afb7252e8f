//! Cells of bands that are too many for the memory, in a file that nobody else sees.
//!
//! In: runs of cells, each sorted by band. Out: the same, read in small pieces. Many runs become one:
//!
//! ```text
//!  sizes   1 1 1 … 1  ──32──►  32 32 … ──32──►  1024 …        so the pieces in memory stay few
//! ```
//! The file has no name: it is gone when the import ends, however it ends.

#[cfg(test)]
mod tests;

use std::fs::{self, File, OpenOptions};
use std::marker::PhantomData;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ocellus_kernels::bands::{BandCell, BandMeasure, BandRuns, merge_runs};

use super::regular_file::open_with;
use crate::error::{Error, Result};

/// Runs of one size that become one.
const FAN_IN: usize = 32;

/// Cells that are read at once.
const PIECE: usize = 1 << 10;

/// A run in a file.
#[derive(Debug, Clone)]
struct StoredRun {
    file: Arc<RunFile>,
    /// Its bands are `2^shift` ticks wide.
    shift: u32,
    /// Where it begins and ends, in bytes.
    begin: u64,
    end: u64,
    /// How often runs were merged to make it.
    generation: u32,
}

/// A file without a name.
#[derive(Debug)]
struct RunFile {
    file: File,
    /// The name that it had.
    path: PathBuf,
}

impl RunFile {
    fn create(path: &Path) -> Result<Arc<RunFile>> {
        let mut options = OpenOptions::new();
        let file = open_with(path, options.read(true).write(true).create_new(true))
            .map_err(|e| Error::io("create", path, e))?;
        fs::remove_file(path).map_err(|e| Error::io("remove", path, e))?;
        Ok(Arc::new(RunFile { file, path: path.to_path_buf() }))
    }
}

/// The runs of a table; see the file's head.
#[derive(Debug)]
pub(super) struct BandRunFile<M> {
    path: PathBuf,
    runs: Vec<StoredRun>,
    measure: PhantomData<M>,
}

impl<M: BandMeasure> BandRunFile<M> {
    /// In files at a path, while they have a name.
    pub(super) fn new(path: PathBuf) -> BandRunFile<M> {
        BandRunFile { path, runs: vec![], measure: PhantomData }
    }

    fn write(
        &self,
        shift: u32,
        generation: u32,
        fill: impl FnOnce(&mut RunWriter<'_>) -> Result<()>,
    ) -> Result<StoredRun> {
        // The newest file, unless it is one of those that are merged: these go with their file.
        let newest = self.runs.last().filter(|last| last.generation == generation);
        let (file, begin) = match newest {
            Some(newest) => (Arc::clone(&newest.file), newest.end),
            None => (RunFile::create(&self.path)?, 0),
        };
        let mut writer = RunWriter { file: &file, at: begin, bytes: Vec::with_capacity(1 << 16) };
        fill(&mut writer)?;
        writer.flush()?;
        let end = writer.at;
        Ok(StoredRun { file, shift, begin, end, generation })
    }

    /// Makes one run of the newest ones while they are many of one size.
    fn merge(&mut self) -> Result<()> {
        loop {
            let Some(generation) = self.runs.last().map(|run| run.generation) else {
                return Ok(());
            };
            let first = self.runs.partition_point(|run| run.generation > generation);
            if self.runs.len() - first < FAN_IN {
                return Ok(());
            }
            let small = self.runs.split_off(first);
            let shift = small.iter().map(|run| run.shift).max().unwrap_or(0);
            let readers = small.iter().map(|run| (run.shift, BandRunReader::new(run))).collect();
            let merged = self.write(shift, generation + 1, |writer| {
                merge_runs(readers, shift, |cell: BandCell<M>| writer.push(&cell).map(|()| true))
            })?;
            self.runs.push(merged);
        }
    }
}

impl<M: BandMeasure> BandRuns<M> for BandRunFile<M> {
    type Error = Error;
    type Run = BandRunReader<M>;

    fn keep(&mut self, shift: u32, cells: &[BandCell<M>]) -> Result<()> {
        let run = self.write(shift, 0, |writer| cells.iter().try_for_each(|cell| writer.push(cell)))?;
        self.runs.push(run);
        self.merge()
    }

    fn runs(&self) -> Result<Vec<(u32, BandRunReader<M>)>> {
        Ok(self.runs.iter().map(|run| (run.shift, BandRunReader::new(run))).collect())
    }
}

/// Appends cells to a file.
struct RunWriter<'a> {
    file: &'a RunFile,
    at: u64,
    bytes: Vec<u8>,
}

impl RunWriter<'_> {
    fn push<M: BandMeasure>(&mut self, cell: &BandCell<M>) -> Result<()> {
        self.bytes.extend_from_slice(&cell.band.to_le_bytes());
        self.bytes.extend_from_slice(&cell.series.to_le_bytes());
        cell.measure.write(&mut self.bytes);
        if self.bytes.len() >= 1 << 16 { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> Result<()> {
        self.file.file.write_all_at(&self.bytes, self.at).map_err(|e| Error::io("write", &self.file.path, e))?;
        self.at += self.bytes.len() as u64;
        self.bytes.clear();
        Ok(())
    }
}

/// Reads a run.
pub(super) struct BandRunReader<M> {
    run: StoredRun,
    /// Cells that were read, the next one last.
    cells: Vec<BandCell<M>>,
    bytes: Vec<u8>,
    cell_size: usize,
}

impl<M: BandMeasure> BandRunReader<M> {
    fn new(run: &StoredRun) -> BandRunReader<M> {
        let mut bytes = vec![];
        M::default().write(&mut bytes);
        BandRunReader {
            run: run.clone(),
            cells: vec![],
            cell_size: size_of::<i64>() + size_of::<u32>() + bytes.len(),
            bytes: vec![],
        }
    }

    fn read_piece(&mut self) -> Result<()> {
        let length = (self.run.end - self.run.begin).min((PIECE * self.cell_size) as u64);
        self.bytes.resize(length as usize, 0);
        let file = &self.run.file;
        file.file.read_exact_at(&mut self.bytes, self.run.begin).map_err(|e| Error::io("read", &file.path, e))?;
        self.run.begin += length;
        let mut rest = self.bytes.as_slice();
        while let Some((cell, after)) = read_cell(rest) {
            self.cells.push(cell);
            rest = after;
        }
        self.cells.reverse();
        Ok(())
    }
}

fn read_cell<M: BandMeasure>(bytes: &[u8]) -> Option<(BandCell<M>, &[u8])> {
    let (band, rest) = bytes.split_first_chunk()?;
    let (series, mut rest) = rest.split_first_chunk()?;
    let measure = M::read(&mut rest)?;
    Some((BandCell { band: i64::from_le_bytes(*band), series: u32::from_le_bytes(*series), measure }, rest))
}

impl<M: BandMeasure> Iterator for BandRunReader<M> {
    type Item = Result<BandCell<M>>;

    fn next(&mut self) -> Option<Result<BandCell<M>>> {
        if self.cells.is_empty()
            && self.run.begin < self.run.end
            && let Err(error) = self.read_piece()
        {
            return Some(Err(error));
        }
        self.cells.pop().map(Ok)
    }
}
