//! Row groups are written beside the simulator, by a thread of their own.
//!
//! ```text
//! simulator ──► bands, with the names that are new ──► encoder ──► files
//!           ◄── their memory                       ◄──
//! ```
//! In: bands of all tables, in the order in which they fill. Out: the tables, with all bands written. One band waits at the most, so that
//! memory does not grow where the disk is slow. The first bands of a trace are written at once: most traces have no more.

#[cfg(test)]
mod tests;

use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread::{self, Builder, JoinHandle};

use super::table::TableWriter;
use super::table_rows::TableBand;
use crate::error::{Error, Result};
use crate::model::{RowNames, StoredTable};

/// Bands that are written without a thread.
const WITHOUT_THREAD: usize = 1;
/// Bands that wait for the thread.
const WAITING: usize = 1;

/// The tables that bands are written to, and the names of their rows.
pub(super) struct TableFiles {
    pub names: RowNames,
    /// By the place of the table among those that grow.
    pub tables: Vec<TableWriter>,
}

/// A band, and the names that came since the band before.
struct NamedBand {
    new_names: RowNames,
    band: TableBand,
}

impl TableFiles {
    fn write(&mut self, new: &mut NamedBand) -> Result<()> {
        self.names.extend(&new.new_names);
        let writer = self.tables.iter_mut().find(|writer| writer.table() == new.band.table);
        let writer = writer.ok_or_else(|| not_there(new.band.table))?;
        writer.write(&self.names, &mut new.band)
    }
}

/// Writes bands: at first at once, then beside whoever makes them.
pub(super) enum BandWriting {
    Here {
        files: TableFiles,
        written: usize,
    },
    Beside(BandThread),
    /// An error was returned, or the files were taken.
    Over,
}

impl BandWriting {
    pub fn new(files: TableFiles) -> BandWriting {
        BandWriting::Here { files, written: 0 }
    }

    /// Writes a band or hands it over. Gives back the bands whose memory is free again.
    pub fn write(&mut self, new_names: RowNames, band: TableBand) -> Result<Option<TableBand>> {
        let mut new = NamedBand { new_names, band };
        if matches!(self, BandWriting::Here { written, .. } if *written >= WITHOUT_THREAD) && !has_one_processor() {
            self.go_beside()?;
        }
        match self {
            BandWriting::Here { files, written } => {
                *written += 1;
                files.write(&mut new).map(|()| Some(new.band))
            }
            BandWriting::Beside(thread) => match thread.bands.send(new) {
                Ok(()) => Ok(thread.emptied.try_recv().ok()),
                // The thread has ended early: with an error.
                Err(_) => self.take().and(Err(Error::Internal("row groups are written by nobody".to_string()))),
            },
            BandWriting::Over => Err(Error::Internal("row groups are written after the end".to_string())),
        }
    }

    fn go_beside(&mut self) -> Result<()> {
        if let BandWriting::Here { files, .. } = std::mem::replace(self, BandWriting::Over) {
            *self = BandWriting::Beside(BandThread::start(files)?);
        }
        Ok(())
    }

    /// Waits until all bands are written, and gives their tables.
    pub fn take(&mut self) -> Result<TableFiles> {
        match std::mem::replace(self, BandWriting::Over) {
            BandWriting::Here { files, .. } => Ok(files),
            BandWriting::Beside(thread) => thread.finish(),
            BandWriting::Over => Err(Error::Internal("row groups are asked for after the end".to_string())),
        }
    }
}

fn has_one_processor() -> bool {
    thread::available_parallelism().is_ok_and(|count| count.get() == 1)
}

fn not_there(table: StoredTable) -> Error {
    Error::Internal(format!("{} does not grow with the trace", table.name()))
}

/// The thread that writes.
pub(super) struct BandThread {
    bands: SyncSender<NamedBand>,
    emptied: Receiver<TableBand>,
    thread: JoinHandle<Result<TableFiles>>,
}

impl BandThread {
    fn start(files: TableFiles) -> Result<BandThread> {
        let (bands, waiting) = sync_channel(WAITING);
        let (back, emptied) = channel();
        let thread = Builder::new()
            .name("row groups".to_string())
            .spawn(move || write_all(files, &waiting, &back))
            .map_err(|source| Error::Io { context: "cannot start a thread".to_string(), source })?;
        Ok(BandThread { bands, emptied, thread })
    }

    fn finish(self) -> Result<TableFiles> {
        drop(self.bands);
        match self.thread.join() {
            Ok(written) => written,
            Err(panic) => std::panic::resume_unwind(panic),
        }
    }
}

fn write_all(mut files: TableFiles, waiting: &Receiver<NamedBand>, back: &Sender<TableBand>) -> Result<TableFiles> {
    for mut new in waiting {
        files.write(&mut new)?;
        // The simulator may be at its end.
        let _ = back.send(new.band);
    }
    Ok(files)
}
