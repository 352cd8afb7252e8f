//! The arguments of `ocellus mcp`.

use std::path::PathBuf;

use clap::{Args, ValueHint};

use super::common::TraceArguments;
use crate::cli::sizes::parse_size;

#[derive(Debug, Args)]
#[command(
    after_long_help = "Speaks the Model Context Protocol on standard input and output, until standard input is closed: a \
    program that runs an assistant starts it and talks to it. Everything only reads the store. Messages go to standard \
    error. `ocellus serve` has the same tools over HTTP, at /mcp.\n\nTraces are imported once into a cache and reused while \
    the files are unchanged, before the first answer: import large ones into a store beforehand. Several traces become one \
    store there, and can be compared."
)]
pub struct McpArguments {
    /// A store, or traces: files, or folders of DUMPI or OTF2 traces
    #[arg(value_name = "STORE|TRACE", required = true, value_hint = ValueHint::AnyPath)]
    pub sources: Vec<PathBuf>,
    /// Trace that is meant where none is named; the only one of the store when not given
    #[arg(long, value_name = "NAME")]
    pub trace: Option<String>,
    /// Seconds that a query may take
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..))]
    pub query_time: u64,
    /// Memory that a query may use; sorts and aggregations go to disk beyond it
    #[arg(long, value_name = "SIZE", default_value = "1GiB", value_parser = parse_size)]
    pub query_memory: usize,
    /// Queries that run at once; more wait
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u16).range(1..))]
    pub queries: u16,
    #[command(flatten)]
    pub reading: TraceArguments,
}
