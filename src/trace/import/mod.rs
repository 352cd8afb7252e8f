//! Joins reader, simulator and writer: a trace goes in, a store comes out.

pub mod attach;
pub mod cache;
mod options;
mod pipeline;
mod run;

use std::time::{Duration, Instant};

pub use options::{ImportOptions, OnConflict, Progress, Silent, Strictness, TraceSource};
pub(crate) use run::run;

use crate::diagnostics::Diagnostic;
use crate::error::{Error, Result};
use crate::simulator::{Precision, Simulated};
use crate::store::{
    Existing, Store, TraceEntry, TraceFacts, TraceWriter, already_there, check_trace_name, trace_name_of,
};

/// How many faults the refusal of a trace shows.
const SHOWN_ERRORS: usize = 3;

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
    /// Events and definitions that were of use; an import of a trace with lost lines and none of these is refused.
    pub used_events: u64,
    /// Lines that could not be used.
    pub lost_lines: u64,
}

/// Imports a trace into a store, atomically. A trace of which everything was lost is refused; one that holds
/// definitions and no event is not.
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
    let run = run::run(&origin, options, Precision::Double, || {
        TraceWriter::create(store, options.resolution, options.rows_per_band)
    })?;
    refuse_useless(&origin.name, &run.simulated)?;
    // The last moment: from here on the trace comes into the store.
    if options.progress.is_cancelled() {
        return Err(Error::Cancelled);
    }
    let diagnostics = run.simulated.diagnostics.rows();
    let facts = TraceFacts {
        name,
        format: run.format.name().to_string(),
        source: options.source.clone().unwrap_or_else(|| origin.name.clone()),
        bytes: run.bytes,
        resolution_digits: options.resolution.digits(),
        span: run.simulated.span,
        origin_ms: options.origin_ms.or(run.origin_ms),
        time_unit: run.time_unit.map(|unit| unit.to_string()),
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
        used_events: run.simulated.used_events,
        lost_lines: run.simulated.diagnostics.lost_lines(),
    })
}

/// Refuses a trace that had something to say, of which nothing could be used.
pub(crate) fn refuse_useless(name: &str, simulated: &Simulated) -> Result<()> {
    let lost = simulated.diagnostics.lost_lines();
    if lost == 0 || simulated.used_events > 0 {
        return Ok(());
    }
    let lines = if lost == 1 { "line was" } else { "lines were" };
    let mut message = format!("nothing in {name} could be used: {lost} {lines} lost; is it a trace of this format?");
    for first in simulated.diagnostics.first_errors(SHOWN_ERRORS) {
        message.push_str(&format!("\n  line {}: {}: {}", first.place.line, first.code.name(), first.message));
    }
    if lost > SHOWN_ERRORS as u64 {
        message.push_str(&format!("\n  … ocellus validate {name} lists all"));
    }
    Err(Error::Trace(message))
}

fn default_name(source: &TraceSource) -> Result<String> {
    match source {
        TraceSource::Path(path) => Ok(trace_name_of(path)),
        TraceSource::Stdin => Err(Error::Usage("a trace from standard input needs a --name".to_string())),
    }
}
