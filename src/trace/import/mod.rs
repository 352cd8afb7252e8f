//! Joins reader, simulator and writer: a trace goes in, a store comes out.

pub mod attach;
pub mod cache;
mod dump;
mod run;

use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::diagnostics::Diagnostic;
use crate::error::{Error, Result};
use crate::reader::{Collectives, ReaderOptions, TraceFormat, TraceOrigin};
use crate::simulator::Precision;
use crate::store::{
    Existing, Store, TraceEntry, TraceFacts, TraceWriter, already_there, check_trace_name, trace_name_of,
};
use crate::time::Clock;

/// Where a trace is read from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TraceSource {
    Path(PathBuf),
    Stdin,
}

/// What to do when the store has a trace of that name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OnConflict {
    #[default]
    Refuse,
    Replace,
}

/// What to do at the first line that is lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Strictness {
    /// Record a diagnostic and go on.
    #[default]
    GoOn,
    /// Stop, and leave the store as it was.
    Stop,
}

/// Hears how far an import is, and can stop it.
pub trait Progress: Send + Sync {
    /// `done` of `total` bytes of the source were read; `total` is unknown for pipes.
    fn advance(&self, done: u64, total: Option<u64>);

    /// Whether the user wants to stop.
    fn is_cancelled(&self) -> bool {
        false
    }
}

/// A progress that nobody watches.
#[derive(Debug, Default)]
pub struct Silent;

impl Progress for Silent {
    fn advance(&self, _done: u64, _total: Option<u64>) {}
}

/// How to import.
#[derive(Clone)]
pub struct ImportOptions {
    /// Name of the trace; made from the file name when not given.
    pub name: Option<String>,
    /// Format of the trace; found by its content when not given.
    pub format: Option<TraceFormat>,
    pub clock: Clock,
    pub collectives: Collectives,
    /// Date of the trace's zero, in milliseconds since 1970; what the format records when not given.
    pub origin_ms: Option<i64>,
    pub strictness: Strictness,
    pub on_conflict: OnConflict,
    pub progress: Arc<dyn Progress>,
}

impl Default for ImportOptions {
    fn default() -> ImportOptions {
        ImportOptions {
            name: None,
            format: None,
            clock: Clock::default(),
            collectives: Collectives::default(),
            origin_ms: None,
            strictness: Strictness::default(),
            on_conflict: OnConflict::default(),
            progress: Arc::new(Silent),
        }
    }
}

impl ImportOptions {
    /// Settings of the reader.
    pub(crate) fn reader(&self) -> ReaderOptions {
        ReaderOptions { clock: self.clock, collectives: self.collectives }
    }
}

/// What an import did.
#[derive(Debug, Clone)]
pub struct ImportSummary {
    pub trace: TraceEntry,
    pub diagnostics: Vec<Diagnostic>,
    pub elapsed: Duration,
}

/// What a validation found.
#[derive(Debug, Clone)]
pub struct Validation {
    pub diagnostics: Vec<Diagnostic>,
    pub lines: u64,
    pub event_lines: u64,
    pub lost_lines: u64,
}

/// How [`dump`] prints.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DumpOptions {
    /// Decimals of times and numbers.
    pub decimals: usize,
    /// Quote fields that hold a comma or a quote, as CSV does.
    pub csv: bool,
    /// Print variables with 64 bits, where pj_dump keeps 32.
    pub exact: bool,
}

impl Default for DumpOptions {
    fn default() -> DumpOptions {
        DumpOptions { decimals: 6, csv: false, exact: false }
    }
}

/// Imports a trace into a store, atomically.
pub fn import(source: &TraceSource, store: &Store, options: &ImportOptions) -> Result<ImportSummary> {
    let started = Instant::now();
    let name = match &options.name {
        Some(name) => name.clone(),
        None => default_name(source)?,
    };
    check_trace_name(&name)?;
    if options.on_conflict == OnConflict::Refuse && store.manifest()?.trace(&name).is_some() {
        return Err(already_there(&name));
    }
    let origin = open(source)?;
    let run = run::run(&origin, options, Precision::Double, || TraceWriter::create(store))?;
    let diagnostics = run.simulated.diagnostics.rows();
    let facts = TraceFacts {
        name,
        format: run.format.name().to_string(),
        source: origin.name.clone(),
        bytes: run.bytes,
        resolution_digits: options.clock.resolution.digits(),
        span: run.simulated.span,
        origin_ms: options.origin_ms.or(run.origin_ms),
        lines: run.simulated.lines,
        event_lines: run.simulated.event_lines,
        lost_lines: run.simulated.diagnostics.lost_lines(),
    };
    let existing = match options.on_conflict {
        OnConflict::Refuse => Existing::Refuse,
        OnConflict::Replace => Existing::Replace,
    };
    let trace = run.sink.commit(&run.simulated.world, &diagnostics, facts, existing)?;
    Ok(ImportSummary { trace, diagnostics, elapsed: started.elapsed() })
}

/// Reads a trace and keeps only what was wrong with it.
pub fn validate(source: &TraceSource, options: &ImportOptions) -> Result<Validation> {
    let run = run::run(&open(source)?, options, Precision::Double, || Ok(run::NullSink))?;
    Ok(Validation {
        diagnostics: run.simulated.diagnostics.rows(),
        lines: run.simulated.lines,
        event_lines: run.simulated.event_lines,
        lost_lines: run.simulated.diagnostics.lost_lines(),
    })
}

/// Prints the rows that pj_dump prints.
pub fn dump(
    source: &TraceSource,
    options: &ImportOptions,
    dump: &DumpOptions,
    out: &mut dyn Write,
) -> Result<Vec<Diagnostic>> {
    let precision = if dump.exact { Precision::Double } else { Precision::Single };
    let run = run::run(&open(source)?, options, precision, || dump::DumpSink::create(*dump, options.clock.resolution))?;
    run.sink.finish(&run.simulated, out)?;
    Ok(run.simulated.diagnostics.rows())
}

fn open(source: &TraceSource) -> Result<TraceOrigin> {
    match source {
        TraceSource::Path(path) => TraceOrigin::open(path),
        TraceSource::Stdin => TraceOrigin::stdin(),
    }
}

fn default_name(source: &TraceSource) -> Result<String> {
    match source {
        TraceSource::Path(path) => Ok(trace_name_of(path)),
        TraceSource::Stdin => Err(Error::Usage("a trace from standard input needs a --name".to_string())),
    }
}
