//! Databases of GPU profilers: exports of Nsight Systems, and rocpd of AMD's tools.
//!
//! ```text
//! sqlite ─► nsight, messages | rocpd ─► collector, sorted by time ─► emitter
//! ```
//! Rows are in no order of time, so they are sorted. Memory: names, ids of calls that launch something, and what is sorted;
//! what does not fit goes to a temporary file.

mod collector;
mod emitter;
mod messages;
mod nsight;
mod nsight_names;
mod rocpd;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use self::collector::ActivityCollector;
use super::sqlite::database::{MAGIC, SqliteDatabase};
use super::{Consumer, EventWriter, ReaderOptions, TraceOrigin, TraceReader};
use crate::diagnostics::Code;
use crate::error::{Error, Result};

/// Bytes of records that are sorted in memory.
const SORTED_IN_MEMORY: usize = 64 << 20;

/// Reads databases of GPU profilers.
pub struct GpuReader {
    options: ReaderOptions,
    origin_ms: Option<i64>,
}

impl GpuReader {
    pub fn new(options: &ReaderOptions) -> GpuReader {
        GpuReader { options: *options, origin_ms: None }
    }
}

/// The databases of a trace: the file, or all in the folder.
pub(super) fn files(origin: &TraceOrigin) -> Result<Vec<PathBuf>> {
    let mut files = origin.files()?;
    if origin.folder().is_some() {
        files.retain(|path| is_database(path));
    }
    Ok(files)
}

fn is_database(path: &Path) -> bool {
    let mut head = vec![];
    let read = std::fs::File::open(path)
        .map(|file| std::io::Read::read_to_end(&mut std::io::Read::take(file, MAGIC.len() as u64), &mut head));
    matches!(read, Ok(Ok(_))) && head == MAGIC
}

impl TraceReader for GpuReader {
    fn read(&mut self, origin: &TraceOrigin, consume: &mut Consumer<'_>) -> Result<()> {
        let mut writer = EventWriter::new(self.options.resolution, consume);
        let ticks_per_second = self.options.resolution.ticks_per_second();
        let mut collector = ActivityCollector::new(SORTED_IN_MEMORY, ticks_per_second);
        let origins = match origin.folder() {
            Some(_) => files(origin)?.iter().map(|path| TraceOrigin::open(path)).collect::<Result<Vec<_>>>()?,
            None => vec![origin.clone()],
        };
        let mut reports = vec![];
        for origin in &origins {
            let mut database = SqliteDatabase::open(origin)?;
            let start = nsight::session_start(&mut database)?;
            reports.push((database, start));
        }
        // Several reports of one run are brought to one zero, that of the first.
        let zero = reports.iter().filter_map(|(_, start)| *start).min();
        for (number, ((mut database, start), origin)) in reports.into_iter().zip(&origins).enumerate() {
            let shift = start.zip(zero).map_or(0, |(start, zero)| start.saturating_sub(zero));
            let suffixes = rocpd::suffixes(&database);
            if nsight::is_export(&database) {
                let report = if number == 0 { String::new() } else { number.to_string() };
                for (table, rows) in nsight::collect(&mut database, &report, shift, &mut collector)? {
                    writer.fault(Code::IgnoredEvent, format!("{rows} rows of the table {table} were left out"))?;
                }
            } else if suffixes.is_empty() {
                let some: Vec<&str> = database.tables.keys().take(6).map(String::as_str).collect();
                return Err(Error::Trace(format!(
                    "{} is a SQLite database and no trace: its tables are {}; ocellus reads exports of Nsight Systems and rocpd",
                    origin.name,
                    some.join(", ")
                )));
            }
            for suffix in suffixes {
                rocpd::collect(&mut database, &suffix, &mut collector)?;
            }
            for (byte, what) in &database.damage {
                writer.at(*byte);
                writer.fault(Code::DamagedFile, what.clone())?;
            }
        }
        emitter::emit(collector, ticks_per_second, &mut writer)?;
        self.origin_ms = zero.map(|zero| zero.div_euclid(1_000_000));
        writer.finish()
    }

    fn total(&self, _origin: &TraceOrigin, _bytes: u64) -> Result<Option<u64>> {
        Ok(None)
    }

    fn origin_ms(&self) -> Option<i64> {
        self.origin_ms
    }
}
