//! The arguments of `ocellus export`.

use std::path::PathBuf;

use clap::{Args, ValueHint};

use super::common::{EngineArguments, TraceArguments};
use ocellus_render::formats::ResultFormat;

#[derive(Debug, Args)]
pub struct ExportArguments {
    /// A store, or a trace: a file, or the folder of a DUMPI or OTF2 trace
    #[arg(value_name = "STORE|TRACE", value_hint = ValueHint::AnyPath)]
    pub source: PathBuf,
    /// One query
    #[arg(value_name = "SQL")]
    pub sql: String,
    /// File to write; its extension says how: csv, tsv, json, ndjson, parquet, arrow or md. With --partition-by, a folder
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub output: PathBuf,
    /// Format, when the extension does not determine it
    #[arg(long, value_enum, ignore_case = true)]
    pub format: Option<ResultFormat>,
    /// Columns whose values become folders of Parquet files: type,value gives type=State/value=Running/part-0.parquet
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',')]
    pub partition_by: Vec<String>,
    /// Text of NULL; each format has its own when not given
    #[arg(long, value_name = "TEXT")]
    pub null: Option<String>,
    /// Overwrite an existing file or folder
    #[arg(long)]
    pub force: bool,
    #[command(flatten)]
    pub engine: EngineArguments,
    #[command(flatten)]
    pub reading: TraceArguments,
}
