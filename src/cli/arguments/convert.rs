//! The arguments of `ocellus convert`.

use std::path::PathBuf;

use clap::{Args, ValueEnum, ValueHint};

use super::common::TraceArguments;

/// What a trace can be written as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ConvertName {
    /// Pajé text
    Paje,
    /// Chrome trace event JSON
    Json,
    /// Perfetto track events
    Pftrace,
}

#[derive(Debug, Args)]
#[command(
    after_long_help = "Rows are written as they are imported, with their extra fields. What a format cannot say is \
    counted; the guide lists it."
)]
pub struct ConvertArguments {
    /// A trace file, or the folder of a DUMPI or OTF2 trace; - is standard input
    #[arg(value_name = "TRACE", value_hint = ValueHint::FilePath)]
    pub trace: PathBuf,
    /// File to write; its extension says how: paje or trace, json, pftrace
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub output: PathBuf,
    /// Format of the file, when the extension does not determine it
    #[arg(long, value_enum, ignore_case = true)]
    pub format: Option<ConvertName>,
    /// Overwrite an existing file
    #[arg(long)]
    pub force: bool,
    #[command(flatten)]
    pub reading: TraceArguments,
}
