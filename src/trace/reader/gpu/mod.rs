//! Databases of GPU profilers: exports of Nsight Systems, and rocpd of AMD's tools.
//!
//! ```text
//! tables (sqlite, parquet) ─► nsight, messages | rocpd ─► collector, sorted by time ─► emitter
//! ```
//! Rows are in no order of time, so they are sorted. Memory: names, ids of calls that launch something, and what is sorted;
//! what does not fit goes to a temporary file.

mod collector;
mod emitter;
mod messages;
mod nsight;
mod nsight_metrics;
mod nsight_names;
mod parquet_tables;
mod rocpd;
mod rocpd_names;
pub(super) mod tables;
#[cfg(test)]
mod tests;

use std::path::PathBuf;

use self::collector::ActivityCollector;
use self::tables::ReportTables;
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

/// The files of a trace: the file, or all databases and exported tables in the folder.
pub(super) fn files(origin: &TraceOrigin) -> Result<Vec<PathBuf>> {
    if origin.folder().is_some() { tables::files_below(origin) } else { origin.files() }
}

impl TraceReader for GpuReader {
    fn read(&mut self, origin: &TraceOrigin, consume: &mut Consumer<'_>) -> Result<()> {
        let mut writer = EventWriter::new(self.options.resolution, consume);
        let ticks_per_second = self.options.resolution.ticks_per_second();
        let mut collector = ActivityCollector::new(SORTED_IN_MEMORY, ticks_per_second);
        let mut reports = vec![];
        for (name, mut tables) in tables::open_reports(origin)? {
            let start = nsight::session_start(&mut tables)?;
            reports.push((name, tables, start));
        }
        // Several reports of one run are brought to one zero, that of the first.
        let zero = reports.iter().filter_map(|(_, _, start)| *start).min();
        for (number, (name, mut tables, start)) in reports.into_iter().enumerate() {
            let shift = start.zip(zero).map_or(0, |(start, zero)| start.saturating_sub(zero));
            let suffixes = rocpd::suffixes(&tables);
            if nsight::is_export(&tables) {
                let report = if number == 0 { String::new() } else { number.to_string() };
                nsight::collect(&mut tables, &report, shift, &mut collector)?;
                for remark in nsight::remarks(&mut tables)? {
                    writer.fault(Code::TraceProperty, remark)?;
                }
            } else if suffixes.is_empty() {
                return Err(no_trace(&name, &tables));
            }
            for suffix in suffixes {
                rocpd::collect(&mut tables, &suffix, &mut collector)?;
            }
            for (byte, what) in tables.damage() {
                writer.at(*byte);
                writer.fault(Code::DamagedFile, what.clone())?;
            }
        }
        let first = emitter::emit(collector, ticks_per_second, &mut writer)?;
        let first_ms = i128::from(first) * 1000 / i128::from(ticks_per_second);
        self.origin_ms = zero.map(|zero| zero.div_euclid(1_000_000).saturating_add(first_ms as i64));
        writer.finish()
    }

    fn total(&self, _origin: &TraceOrigin, _bytes: u64) -> Result<Option<u64>> {
        Ok(None)
    }

    fn origin_ms(&self) -> Option<i64> {
        self.origin_ms
    }
}

fn no_trace(name: &str, tables: &ReportTables) -> Error {
    let some: Vec<&str> = tables.all().keys().take(6).map(String::as_str).collect();
    Error::Trace(format!(
        "{name} is a SQLite database and no trace: its tables are {}; ocellus reads exports of Nsight Systems and rocpd",
        some.join(", ")
    ))
}
