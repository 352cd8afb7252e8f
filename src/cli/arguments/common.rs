//! Arguments that several commands have.

use clap::Args;

use crate::cli::dates::{Date, parse_date};
use crate::cli::sizes::parse_size;
use ocellus_trace::import::ImportOptions;
use ocellus_trace::reader::{Collectives, TraceFormat};
use ocellus_trace::time::{Resolution, TimeUnit};

/// How a trace is read.
#[derive(Debug, Clone, Copy, Args)]
pub struct TraceArguments {
    /// Format of the trace, such as paje, otf2, chrome or paraver; recognized by content when not given
    #[arg(long, value_name = "FORMAT")]
    pub trace_format: Option<TraceFormat>,
    /// How collective operations are imported: as links between the members, or as one event per member
    #[arg(long, value_name = "links|events", default_value_t = Collectives::Links)]
    pub collectives: Collectives,
    /// Unit of the times in the trace: s, ms, us or ns; that of the program that wrote it (ms for StarPU), or
    /// else s, when not given
    #[arg(long, value_name = "UNIT")]
    pub time_unit: Option<TimeUnit>,
    /// Resolution of stored times: ms, us, ns, ps or fs
    #[arg(long, default_value_t = Resolution::NANOSECONDS)]
    pub resolution: Resolution,
    /// Date of time 0 of the trace, such as 2024-05-01T12:00:00Z; that of the trace, or else 1970, when not given
    #[arg(long, value_name = "DATE", value_parser = parse_date)]
    pub origin: Option<Date>,
}

impl TraceArguments {
    /// The options of an import that reads a trace so.
    pub fn options(self) -> ImportOptions {
        ImportOptions {
            format: self.trace_format,
            time_unit: self.time_unit,
            resolution: self.resolution,
            collectives: self.collectives,
            origin_ms: self.origin.map(|Date(milliseconds)| milliseconds),
            ..ImportOptions::default()
        }
    }
}

/// What the engine may use.
#[derive(Debug, Args)]
pub struct EngineArguments {
    /// Trace whose tables need no prefix; the only one of the store when not given
    #[arg(long, value_name = "NAME")]
    pub trace: Option<String>,
    /// Memory that queries may use, such as 512MB or 2GiB
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    pub memory_limit: Option<usize>,
    /// Threads that queries may use
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub threads: Option<u16>,
}
