//! The arguments of `ocellus open`.

use std::path::PathBuf;

use clap::{Args, ValueHint};

use super::common::TraceArguments;

#[derive(Debug, Args)]
#[command(
    after_long_help = "Prints the address of the page and opens it in the browser, if there is a screen. Only this \
    machine can reach it. It is served until Ctrl-C.\n\nTraces are imported once into a cache and reused while the \
    files are unchanged. Several traces become one store there, and can be compared."
)]
pub struct OpenArguments {
    /// A store, or traces: files, or folders of DUMPI or OTF2 traces
    #[arg(value_name = "STORE|TRACE", required = true, value_hint = ValueHint::AnyPath)]
    pub sources: Vec<PathBuf>,
    /// Port of the page on 127.0.0.1; a free one when not given
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub port: u16,
    /// Only print the address
    #[arg(long)]
    pub no_browser: bool,
    #[command(flatten)]
    pub reading: TraceArguments,
}
