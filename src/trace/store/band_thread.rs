//! Row groups are written beside the simulator, by a thread of their own.
//!
//! ```text
//! simulator ──► bands, with the names that are new ──► encoder ──► files
//!           ◄── their memory                       ◄──
//! ```
//! In: bands of all tables, in the order in which they fill. Out: the tables, with all bands written. One band waits at the most, so that
//! memory does not grow where the disk is slow; nobody goes on before one with much text is written. The first bands of a trace are written
//! at once: most traces have no more.

#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread::{Builder, JoinHandle};

use super::table::TableWriter;
use super::table_rows::TableBand;
use crate::error::{Error, Result};
use crate::model::{StoredTable, WorldNames};
use crate::processors;

/// Bands that are written without a thread.
const WITHOUT_THREAD: usize = 1;
/// Bands that wait for the thread.
const WAITING: usize = 1;

/// The tables that bands are written to, and the names of their rows.
pub(super) struct TableFiles {
    pub names: WorldNames,
    /// By the place of the table among those that grow.
    pub tables: Vec<TableWriter>,
}

/// A band, and the names that came since the band before.
struct NamedBand {
    new_names: WorldNames,
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
    pub fn write(&mut self, new_names: WorldNames, band: TableBand) -> Result<Option<TableBand>> {
        let mut new = NamedBand { new_names, band };
        if matches!(self, BandWriting::Here { written, .. } if *written >= WITHOUT_THREAD) && processors::are_many() {
            self.go_beside();
        }
        match self {
            BandWriting::Here { files, written } => {
                *written += 1;
                files.write(&mut new).map(|()| Some(new.band))
            }
            BandWriting::Beside(thread) => match thread.write(new) {
                Ok(emptied) => Ok(emptied),
                Err(EndedEarly) => {
                    self.take().and(Err(Error::Internal("row groups are written by nobody".to_string())))
                }
            },
            BandWriting::Over => Err(Error::Internal("row groups are written after the end".to_string())),
        }
    }

    /// Goes on with a thread, where one can be started.
    fn go_beside(&mut self) {
        if let BandWriting::Here { files, .. } = std::mem::replace(self, BandWriting::Over) {
            *self = match BandThread::start(files) {
                Ok(thread) => BandWriting::Beside(thread),
                Err(files) => BandWriting::Here { files: *files, written: 0 },
            };
        }
    }

    /// Ends without what is not written yet, however the thread ends: the files are of no use.
    pub fn abandon(&mut self) {
        if let BandWriting::Beside(thread) = std::mem::replace(self, BandWriting::Over) {
            thread.is_abandoned.store(true, Ordering::Relaxed);
            drop(thread.bands);
            let _ = thread.thread.join();
        }
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

fn not_there(table: StoredTable) -> Error {
    Error::Internal(format!("{} does not grow with the trace", table.name()))
}

/// The thread that writes.
pub(super) struct BandThread {
    bands: SyncSender<NamedBand>,
    emptied: Receiver<TableBand>,
    /// Bands that have not come back.
    under_way: usize,
    is_abandoned: Arc<AtomicBool>,
    thread: JoinHandle<Result<TableFiles>>,
}

/// The thread has ended before it was told to: with an error.
struct EndedEarly;

impl BandThread {
    /// Gives the files back when there can be no thread.
    fn start(files: TableFiles) -> Result<BandThread, Box<TableFiles>> {
        let (bands, waiting) = sync_channel(WAITING);
        let (back, emptied) = channel();
        let (give, taken) = channel::<TableFiles>();
        let is_abandoned = Arc::new(AtomicBool::new(false));
        let is_over = Arc::clone(&is_abandoned);
        let spawned = Builder::new().name("row groups".to_string()).spawn(move || match taken.recv() {
            Ok(files) => write_all(files, &waiting, &back, &is_over),
            Err(_) => Err(Error::Internal("row groups have no files".to_string())),
        });
        let Ok(thread) = spawned else { return Err(Box::new(files)) };
        match give.send(files) {
            Ok(()) => Ok(BandThread { bands, emptied, under_way: 0, is_abandoned, thread }),
            Err(unsent) => Err(Box::new(unsent.0)),
        }
    }

    /// Hands a band over, and takes back one that was written. Waits for all when it is large.
    fn write(&mut self, band: NamedBand) -> Result<Option<TableBand>, EndedEarly> {
        let is_large = band.band.rows.is_large();
        self.bands.send(band).map_err(|_| EndedEarly)?;
        let mut emptied = self.emptied.try_recv().ok();
        self.under_way = self.under_way + 1 - usize::from(emptied.is_some());
        while is_large && self.under_way > 0 {
            emptied = Some(self.emptied.recv().map_err(|_| EndedEarly)?);
            self.under_way -= 1;
        }
        Ok(emptied)
    }

    fn finish(self) -> Result<TableFiles> {
        drop(self.bands);
        match self.thread.join() {
            Ok(written) => written,
            Err(panic) => std::panic::resume_unwind(panic),
        }
    }
}

fn write_all(
    mut files: TableFiles,
    waiting: &Receiver<NamedBand>,
    back: &Sender<TableBand>,
    is_abandoned: &AtomicBool,
) -> Result<TableFiles> {
    for mut new in waiting {
        if is_abandoned.load(Ordering::Relaxed) {
            break;
        }
        files.write(&mut new)?;
        // The simulator may be at its end.
        let _ = back.send(new.band);
    }
    Ok(files)
}
