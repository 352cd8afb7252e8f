//! A trace on its way into a store: rows in, files and a manifest entry out.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

use super::band::BandRow;
use super::band_summary::SummaryOptions;
use super::band_thread::{BandWriting, TableFiles};
use super::import_lock::{IMPORT_LOCK, create_locked};
use super::manifest::{CUT_STATES, TableEntry, TraceEntry};
use super::regular_file::sync_folder;
use super::side_by_side::{FinishingJob, do_all};
use super::small;
use super::store_folder::Store;
use super::table::TableWriter;
use super::table_rows::{FullRows, ROWS_PER_BAND, TableRows};
use super::trace_name::{check_trace_name, trace_folder};
use crate::diagnostics::Diagnostic;
use crate::error::{Error, Result};
use crate::model::{
    CopiedNames, EventRow, LinkRow, OwnedExtra, RowSink, StateRow, StoredTable, VariableRow, World, WorldNames,
};
use crate::time::Resolution;

/// What is known of a trace beside its rows.
#[derive(Debug, Clone)]
pub struct TraceFacts {
    /// Name of the trace.
    pub name: String,
    /// Format it was read from.
    pub format: String,
    /// Where it was read from.
    pub source: String,
    /// Size of the source.
    pub bytes: u64,
    /// Digits of the resolution.
    pub resolution_digits: u8,
    /// Smallest and largest time.
    pub span: Option<(i64, i64)>,
    /// Date of its zero, in milliseconds since 1970.
    pub origin_ms: Option<i64>,
    /// The unit that its times were taken in, such as `ms`; `None` when the format says it.
    pub time_unit: Option<String>,
    /// Lines of the source.
    pub lines: u64,
    /// Lines that carry an event.
    pub event_lines: u64,
    /// Lines that could not be used.
    pub lost_lines: u64,
}

/// What to do with a trace of the same name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Existing {
    /// Return an error.
    Refuse,
    /// Replace it.
    Replace,
}

static NEXT_IMPORT: AtomicU64 = AtomicU64::new(0);

/// Writes the tables of one trace into a temporary folder, and commits them. What is not committed
/// disappears.
pub struct TraceWriter {
    store: Store,
    folder: PathBuf,
    /// Held while the import lives: who finds it free may sweep the folder away.
    _lock: File,
    states: TableRows,
    segments: TableRows,
    events: TableRows,
    variables: TableRows,
    links: TableRows,
    writing: BandWriting,
    /// Names that went with bands.
    copied: CopiedNames,
    /// States that others cut into segments.
    cut_states: u64,
}

/// The tables that grow with the trace.
const GROWING: [StoredTable; 5] =
    [StoredTable::States, StoredTable::StateSegments, StoredTable::Events, StoredTable::Variables, StoredTable::Links];

impl TraceWriter {
    /// Creates the folder of an import in a store, for times of a resolution. Bands of summaries have so many rows at least;
    /// as many as it is good for when not given.
    pub fn create(store: &Store, resolution: Resolution, rows_per_band: Option<u64>) -> Result<TraceWriter> {
        let summaries = SummaryOptions { rows_per_band: rows_per_band.unwrap_or(ROWS_PER_BAND), resolution };
        let number = NEXT_IMPORT.fetch_add(1, Ordering::Relaxed);
        let folder = store.root().join(format!(".import-{}-{number}", std::process::id()));
        if folder.exists() {
            fs::remove_dir_all(&folder).map_err(|e| Error::io("clear", &folder, e))?;
        }
        let lock = create_locked(&folder)?;
        let table = |table| TableRows::new(table, summaries.rows_per_band);
        let writers = GROWING.map(|table| TableWriter::new(&folder, table, summaries));
        Ok(TraceWriter {
            store: store.clone(),
            states: table(StoredTable::States),
            segments: table(StoredTable::StateSegments),
            events: table(StoredTable::Events),
            variables: table(StoredTable::Variables),
            links: table(StoredTable::Links),
            writing: BandWriting::new(TableFiles { names: WorldNames::default(), tables: writers.into() }),
            copied: CopiedNames::default(),
            cut_states: 0,
            folder,
            _lock: lock,
        })
    }

    /// Writes what is left and makes the trace part of the store.
    pub fn commit(
        mut self,
        world: &World,
        diagnostics: &[Diagnostic],
        facts: TraceFacts,
        existing: Existing,
    ) -> Result<TraceEntry> {
        check_trace_name(&facts.name)?;
        let folder = self.folder.clone();
        let mut files = self.writing.take()?;
        files.names.extend(&WorldNames::since(&mut self.copied, world));
        let last_bands = GROWING.map(|table| {
            let rows = self.growing(table);
            (rows.take(world, FullRows::Late), rows.take(world, FullRows::Current), rows.extra_columns(world))
        });
        let (folder, names) = (folder.as_path(), &files.names);
        let mut jobs: Vec<FinishingJob<'_, Vec<TableEntry>>> =
            vec![Box::new(|| Ok(vec![small::containers(folder, world)?]))];
        for (mut writer, (mut late, mut current, columns)) in files.tables.into_iter().zip(last_bands) {
            jobs.push(Box::new(move || {
                writer.write(names, &mut late)?;
                writer.write(names, &mut current)?;
                writer.finish(names, columns)
            }));
        }
        jobs.push(Box::new(|| Ok(vec![small::types(folder, world)?])));
        jobs.push(Box::new(|| Ok(vec![small::entity_values(folder, world)?])));
        jobs.push(Box::new(|| Ok(vec![small::diagnostics(folder, world, diagnostics)?])));
        let tables = do_all(jobs)?.into_iter().flatten().collect();
        sync_folder(folder)?;

        let lock = self.store.lock()?;
        let mut manifest = lock.manifest()?;
        if existing == Existing::Refuse && manifest.trace(&facts.name).is_some() {
            return Err(already_there(&facts.name));
        }
        manifest.traces.retain(|trace| trace.name != facts.name);
        let number = manifest.generation + 1;
        let target = self.store.root().join(trace_folder(number));
        if target.exists() {
            // Left by a writer that died between its rename and its manifest.
            fs::remove_dir_all(&target).map_err(|e| Error::io("clear", &target, e))?;
        }
        fs::rename(folder, &target).map_err(|e| Error::io("move", folder, e))?;
        let _ = fs::remove_file(target.join(IMPORT_LOCK));
        let entry = entry(facts, trace_folder(number), tables, self.cut_states);
        manifest.traces.push(entry.clone());
        lock.commit(&manifest)?;
        Ok(entry)
    }

    /// Writes the rows of a table, or has them written while others are made.
    #[cold]
    fn write(&mut self, world: &World, table: StoredTable, which: FullRows) -> Result<()> {
        let band = self.growing(table).take(world, which);
        let new_names = WorldNames::since(&mut self.copied, world);
        if let Some(written) = self.writing.write(new_names, band)? {
            self.growing(written.table).recycle(written.rows);
        }
        Ok(())
    }

    /// Writes the rows of a table when there are enough.
    #[inline(always)]
    fn write_full(&mut self, world: &World, table: StoredTable, full: Option<FullRows>) -> Result<()> {
        match full {
            Some(which) => self.write(world, table, which),
            None => Ok(()),
        }
    }

    fn growing(&mut self, table: StoredTable) -> &mut TableRows {
        match table {
            StoredTable::States => &mut self.states,
            StoredTable::StateSegments => &mut self.segments,
            StoredTable::Events => &mut self.events,
            StoredTable::Variables => &mut self.variables,
            _ => &mut self.links,
        }
    }
}

impl Drop for TraceWriter {
    fn drop(&mut self) {
        // Whoever still writes there ends first.
        self.writing.abandon();
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// The error for a name that is taken.
pub fn already_there(name: &str) -> Error {
    Error::Store(format!("a trace {name} already exists in the store; choose another --name, or --replace it"))
}

fn entry(facts: TraceFacts, folder: String, tables: Vec<TableEntry>, cut_states: u64) -> TraceEntry {
    let counts = [
        ("lines", facts.lines),
        ("event_lines", facts.event_lines),
        ("lost_lines", facts.lost_lines),
        (CUT_STATES, cut_states),
    ];
    TraceEntry {
        name: facts.name,
        folder,
        format: facts.format,
        source: facts.source,
        bytes: facts.bytes,
        resolution_digits: facts.resolution_digits,
        start_tick: facts.span.map(|(first, _)| first),
        end_tick: facts.span.map(|(_, last)| last),
        origin_ms: facts.origin_ms,
        time_unit: facts.time_unit,
        imported_at_ms: chrono::Utc::now().timestamp_millis(),
        ocellus_version: env!("CARGO_PKG_VERSION").to_string(),
        counts: counts.into_iter().map(|(name, count)| (name.to_string(), count)).collect::<BTreeMap<_, _>>(),
        tables,
    }
}

/// A row of a state; its last code holds the depth and, in the lowest bit, a flag.
#[inline(always)]
fn state_row(state: &StateRow, flag: bool) -> BandRow {
    let depth = state.depth << 1 | u32::from(flag);
    BandRow { codes: [state.container.0, state.type_.0, state.value.0, depth], ticks: [state.start, state.end] }
}

impl RowSink for TraceWriter {
    #[inline(always)]
    fn state(&mut self, world: &World, row: &StateRow, extras: &[OwnedExtra]) -> Result<()> {
        self.cut_states += u64::from(row.is_cut);
        let full = self.states.add(world, state_row(row, row.is_cut), extras, |_| {});
        self.write_full(world, StoredTable::States, full)
    }

    #[inline(always)]
    fn segment(&mut self, world: &World, row: &StateRow, extras: &[OwnedExtra]) -> Result<()> {
        let full = self.segments.add(world, state_row(row, false), extras, |_| {});
        self.write_full(world, StoredTable::StateSegments, full)
    }

    #[inline(always)]
    fn event(&mut self, world: &World, row: &EventRow, extras: &[OwnedExtra]) -> Result<()> {
        let codes = [row.container.0, row.type_.0, row.value.0, 0];
        let full = self.events.add(world, BandRow { codes, ticks: [row.tick, row.tick] }, extras, |_| {});
        self.write_full(world, StoredTable::Events, full)
    }

    #[inline(always)]
    fn variable(&mut self, world: &World, row: &VariableRow, extras: &[OwnedExtra]) -> Result<()> {
        let codes = [row.container.0, row.type_.0, 0, 0];
        let common = BandRow { codes, ticks: [row.start, row.end] };
        let full = self.variables.add(world, common, extras, |rows| rows.doubles.push(row.value));
        self.write_full(world, StoredTable::Variables, full)
    }

    #[inline(always)]
    fn link(&mut self, world: &World, row: &LinkRow<'_>, extras: &[OwnedExtra]) -> Result<()> {
        let codes = [row.source.0, row.type_.0, row.value.0, row.target.0];
        let common = BandRow { codes, ticks: [row.start, row.end] };
        let full = self.links.add(world, common, extras, |rows| {
            // The root becomes 0.
            rows.owners.push(row.container.0.wrapping_add(1));
            rows.doubles.push(row.volume.unwrap_or(f64::NAN));
            rows.keys.extend_from_slice(row.key);
            rows.key_ends.push(rows.keys.len() as u32);
        });
        self.write_full(world, StoredTable::Links, full)
    }
}
