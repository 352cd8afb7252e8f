//! Runs that are sorted and written beside whoever fills the next one.
//!
//! In: buffers of records. Out: their runs, in their order, all in one temporary file.

use std::fs::File;
use std::ops::Range;
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::thread::{Builder, JoinHandle};

use super::record_run::{RecordBuffer, RecordRun, RunInFile, failed};
use crate::error::{Error, Result};
use crate::processors;

/// The runs of a sorter.
#[derive(Default)]
pub(super) struct SpilledRuns {
    file: Option<Arc<File>>,
    /// Where in the file they stand.
    parts: Vec<Range<u64>>,
    /// Writes the last run, and gives its memory back.
    under_way: Option<JoinHandle<Result<RecordBuffer>>>,
}

impl SpilledRuns {
    /// Sorts and writes the records of a buffer, and gives an empty one for the next.
    pub fn add(&mut self, full: RecordBuffer) -> Result<RecordBuffer> {
        let emptied = self.written()?;
        let file = match &self.file {
            Some(file) => Arc::clone(file),
            None => Arc::clone(self.file.insert(Arc::new(tempfile::tempfile().map_err(failed)?))),
        };
        let start = self.parts.last().map_or(0, |part| part.end);
        self.parts.push(start..start + full.len() as u64);
        if !processors::are_many() {
            return write(&file, start, full);
        }
        let (give, taken) = channel::<RecordBuffer>();
        let beside = Arc::clone(&file);
        let spawned = Builder::new().name("sorter".to_string()).spawn(move || match taken.recv() {
            Ok(full) => write(&beside, start, full),
            Err(_) => Err(Error::Internal("a run has no records".to_string())),
        });
        let Ok(thread) = spawned else { return write(&file, start, full) };
        match give.send(full) {
            Ok(()) => self.under_way = Some(thread),
            Err(unsent) => return write(&file, start, unsent.0),
        }
        Ok(emptied)
    }

    /// The runs from their beginning, when all are written.
    pub fn runs(mut self) -> Result<Vec<RecordRun>> {
        self.written()?;
        let Some(file) = self.file else { return Ok(vec![]) };
        self.parts.into_iter().map(|part| RunInFile::new(Arc::clone(&file), part).map(RecordRun::Stored)).collect()
    }

    /// Waits until the last run is written; its memory, if it had one of its own.
    fn written(&mut self) -> Result<RecordBuffer> {
        match self.under_way.take().map(JoinHandle::join) {
            None => Ok(RecordBuffer::default()),
            Some(Ok(written)) => written,
            Some(Err(panic)) => std::panic::resume_unwind(panic),
        }
    }
}

fn write(file: &File, at: u64, mut full: RecordBuffer) -> Result<RecordBuffer> {
    full.write(file, at)?;
    full.clear();
    Ok(full)
}
