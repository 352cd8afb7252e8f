//! Joins reader, simulator and writer: a trace goes in, a store comes out.

pub mod attach;
pub mod cache;
mod options;
mod run;

use std::time::{Duration, Instant};

pub use options::{ImportOptions, OnConflict, Progress, Silent, Strictness, TraceSource};
pub(crate) use run::run;

use crate::diagnostics::Diagnostic;
use crate::error::{Error, Result};
use crate::simulator::Precision;
use crate::store::{
    Existing, Store, TraceEntry, TraceFacts, TraceWriter, already_there, check_trace_name, trace_name_of,
};

/// What an import did.
#[derive(Debug, Clone)]
pub struct ImportSummary {
    /// The trace as the manifest lists it.
    pub trace: TraceEntry,
    /// What was wrong with the trace.
    pub diagnostics: Vec<Diagnostic>,
    /// How long the import took.
    pub elapsed: Duration,
}

/// What a validation found.
#[derive(Debug, Clone)]
pub struct Validation {
    /// What was wrong with the trace.
    pub diagnostics: Vec<Diagnostic>,
    /// Lines of the trace.
    pub lines: u64,
    /// Lines that carry an event.
    pub event_lines: u64,
    /// Lines that could not be used.
    pub lost_lines: u64,
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
    let origin = source.open()?;
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
    let run = run::run(&source.open()?, options, Precision::Double, || Ok(run::NullSink))?;
    Ok(Validation {
        diagnostics: run.simulated.diagnostics.rows(),
        lines: run.simulated.lines,
        event_lines: run.simulated.event_lines,
        lost_lines: run.simulated.diagnostics.lost_lines(),
    })
}

fn default_name(source: &TraceSource) -> Result<String> {
    match source {
        TraceSource::Path(path) => Ok(trace_name_of(path)),
        TraceSource::Stdin => Err(Error::Usage("a trace from standard input needs a --name".to_string())),
    }
}
