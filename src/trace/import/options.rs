//! How a trace is imported: where it comes from, its clock, and what happens on conflicts and errors.

use std::path::PathBuf;
use std::sync::Arc;

use crate::error::Result;
use crate::reader::{Collectives, ReaderOptions, TraceFormat, TraceOrigin};
use crate::time::{Resolution, TimeUnit};

/// Where a trace is read from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TraceSource {
    /// A file or a folder.
    Path(PathBuf),
    /// Standard input.
    Stdin,
}

impl TraceSource {
    /// Opens the trace.
    pub(crate) fn open(&self) -> Result<TraceOrigin> {
        match self {
            TraceSource::Path(path) => TraceOrigin::open(path),
            TraceSource::Stdin => TraceOrigin::stdin(),
        }
    }
}

/// What to do when the store has a trace of that name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OnConflict {
    /// Return an error.
    #[default]
    Refuse,
    /// Replace it.
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

    /// Something that the user should know, in one line.
    fn note(&self, _text: &str) {}

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
    /// Where the trace is said to come from; the path of the file when not given.
    pub source: Option<String>,
    /// Format of the trace; found by its content when not given.
    pub format: Option<TraceFormat>,
    /// Unit of the numbers in the trace; that of the program that wrote it, or seconds, when not given. Formats
    /// that say it themselves ignore it.
    pub time_unit: Option<TimeUnit>,
    /// How fine times are stored.
    pub resolution: Resolution,
    /// How collective operations are shown.
    pub collectives: Collectives,
    /// Date of time 0 of the trace, in milliseconds since 1970; what the format records when not given.
    pub origin_ms: Option<i64>,
    /// What to do at the first line that is lost.
    pub strictness: Strictness,
    /// What to do when the store has a trace of that name.
    pub on_conflict: OnConflict,
    /// Rows of states for each band of time that summaries tell apart, at least; as many as it is good for when not given.
    pub rows_per_band: Option<u64>,
    /// Who is informed of the progress.
    pub progress: Arc<dyn Progress>,
}

impl Default for ImportOptions {
    fn default() -> ImportOptions {
        ImportOptions {
            name: None,
            source: None,
            format: None,
            time_unit: None,
            resolution: Resolution::default(),
            collectives: Collectives::default(),
            origin_ms: None,
            strictness: Strictness::default(),
            on_conflict: OnConflict::default(),
            rows_per_band: None,
            progress: Arc::new(Silent),
        }
    }
}

impl ImportOptions {
    /// Settings of the reader.
    pub(crate) fn reader(&self) -> ReaderOptions {
        ReaderOptions { time_unit: self.time_unit, resolution: self.resolution, collectives: self.collectives }
    }
}
