//! A trace on its way into a store: rows in, files and a manifest entry out.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

use super::band::BandRow;
use super::band_summary::SummaryOptions;
use super::import_lock::{IMPORT_LOCK, create_locked};
use super::manifest::{CUT_STATES, TraceEntry};
use super::regular_file::sync_folder;
use super::small;
use super::store_folder::Store;
use super::table::{ROWS_PER_BAND, TableWriter};
use super::trace_name::{check_trace_name, trace_folder};
use crate::diagnostics::Diagnostic;
use crate::error::{Error, Result};
use crate::model::{EventRow, LinkRow, OwnedExtra, RowSink, StateRow, StoredTable, VariableRow, World};
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
    states: TableWriter,
    segments: TableWriter,
    events: TableWriter,
    variables: TableWriter,
    links: TableWriter,
    /// States that others cut into segments.
    cut_states: u64,
    summaries: SummaryOptions,
}

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
        let table = |table| TableWriter::new(&folder, table, summaries);
        Ok(TraceWriter {
            store: store.clone(),
            states: table(StoredTable::States),
            segments: table(StoredTable::StateSegments),
            events: table(StoredTable::Events),
            variables: table(StoredTable::Variables),
            links: table(StoredTable::Links),
            cut_states: 0,
            summaries,
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
        let mut tables = vec![small::containers(&folder, world)?];
        for table in [
            StoredTable::States,
            StoredTable::StateSegments,
            StoredTable::Events,
            StoredTable::Variables,
            StoredTable::Links,
        ] {
            let empty = TableWriter::new(&folder, table, self.summaries);
            let writer = std::mem::replace(self.growing(table), empty);
            tables.extend(writer.finish(world)?);
        }
        tables.push(small::types(&folder, world)?);
        tables.push(small::entity_values(&folder, world)?);
        tables.push(small::diagnostics(&folder, world, diagnostics)?);
        sync_folder(&folder)?;

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
        fs::rename(&folder, &target).map_err(|e| Error::io("move", &folder, e))?;
        let _ = fs::remove_file(target.join(IMPORT_LOCK));
        let entry = entry(facts, trace_folder(number), tables, self.cut_states);
        manifest.traces.push(entry.clone());
        lock.commit(&manifest)?;
        Ok(entry)
    }

    fn growing(&mut self, table: StoredTable) -> &mut TableWriter {
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
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// The error for a name that is taken.
pub fn already_there(name: &str) -> Error {
    Error::Store(format!("a trace {name} already exists in the store; choose another --name, or --replace it"))
}

fn entry(facts: TraceFacts, folder: String, tables: Vec<super::TableEntry>, cut_states: u64) -> TraceEntry {
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
        self.states.add(world, state_row(row, row.is_cut), extras, |_| {})
    }

    #[inline(always)]
    fn segment(&mut self, world: &World, row: &StateRow, extras: &[OwnedExtra]) -> Result<()> {
        self.segments.add(world, state_row(row, false), extras, |_| {})
    }

    #[inline(always)]
    fn event(&mut self, world: &World, row: &EventRow, extras: &[OwnedExtra]) -> Result<()> {
        let codes = [row.container.0, row.type_.0, row.value.0, 0];
        self.events.add(world, BandRow { codes, ticks: [row.tick, row.tick] }, extras, |_| {})
    }

    #[inline(always)]
    fn variable(&mut self, world: &World, row: &VariableRow, extras: &[OwnedExtra]) -> Result<()> {
        let codes = [row.container.0, row.type_.0, 0, 0];
        let common = BandRow { codes, ticks: [row.start, row.end] };
        self.variables.add(world, common, extras, |rows| rows.doubles.push(row.value))
    }

    #[inline(always)]
    fn link(&mut self, world: &World, row: &LinkRow<'_>, extras: &[OwnedExtra]) -> Result<()> {
        let codes = [row.source.0, row.type_.0, row.value.0, row.target.0];
        let common = BandRow { codes, ticks: [row.start, row.end] };
        self.links.add(world, common, extras, |rows| {
            // The root becomes 0.
            rows.owners.push(row.container.0.wrapping_add(1));
            rows.doubles.push(row.volume.unwrap_or(f64::NAN));
            rows.keys.extend_from_slice(row.key);
            rows.key_ends.push(rows.keys.len() as u32);
        })
    }
}
