//! The arguments of every command.

#[cfg(feature = "cluster")]
mod cluster;
mod common;
mod convert;
mod draw;
mod export;
mod generate;
#[cfg(feature = "server")]
mod mcp;
#[cfg(feature = "server")]
mod open;
#[cfg(feature = "server")]
mod serve;
#[cfg(test)]
mod tests;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueHint};
use clap_complete::Shell;

#[cfg(feature = "cluster")]
pub use self::cluster::{ClusterArguments, ClusterPart, ExecutorArguments, SchedulerArguments};
pub use self::common::{EngineArguments, TraceArguments};
pub use self::convert::{ConvertArguments, ConvertName};
pub use self::draw::DrawArguments;
pub use self::export::ExportArguments;
pub use self::generate::{GenerateArguments, HierarchyArguments, PatternName, TraceKind};
#[cfg(feature = "server")]
pub use self::mcp::McpArguments;
#[cfg(feature = "server")]
pub use self::open::OpenArguments;
#[cfg(feature = "server")]
pub use self::serve::ServeArguments;
use ocellus_render::formats::ResultFormat;

/// An embedded analytical database for execution traces
#[derive(Debug, Parser)]
#[command(name = "ocellus", version, max_term_width = 100, propagate_version = false)]
#[command(after_help = "Exit codes: 0 done, 1 the query or the trace was wrong, 2 the command line was wrong.")]
pub struct Cli {
    #[command(subcommand)]
    pub command: CliCommand,
}

#[derive(Debug, Subcommand)]
pub enum CliCommand {
    /// Run SQL on a store or a trace, or open a shell
    Sql(SqlArguments),
    /// Import traces into a store
    Import(ImportArguments),
    /// Write the result of a query to a file
    Export(ExportArguments),
    /// Draw a picture of a trace
    Draw(DrawArguments),
    /// Write tables and pictures of a trace as a page
    Report(ReportArguments),
    /// Open the page of a store or of traces in the browser
    #[cfg(feature = "server")]
    Open(OpenArguments),
    /// Serve a store to PostgreSQL, Flight SQL and HTTP clients
    #[cfg(feature = "server")]
    Serve(ServeArguments),
    /// Answer an assistant's questions on standard input and output (Model Context Protocol)
    #[cfg(feature = "server")]
    Mcp(McpArguments),
    /// Print the rows that pj_dump prints
    Dump(DumpArguments),
    /// Write a trace in another format
    Convert(ConvertArguments),
    /// Report the faults of a trace
    Validate(ValidateArguments),
    /// Show the content of a store or a trace
    Info(InfoArguments),
    /// Remove a trace from a store
    Drop(DropArguments),
    /// Rename a trace of a store
    Rename(RenameArguments),
    /// Add a network or an organization of machines to a trace of a store
    Attach(AttachArguments),
    /// List or clear the cache of imported traces
    Cache(CacheArguments),
    /// Start a process of a cluster that runs queries and imports
    #[cfg(feature = "cluster")]
    Cluster(ClusterArguments),
    /// Write a synthetic trace
    Generate(GenerateArguments),
    /// Print shell completions
    Completions(CompletionsArguments),
    /// Print the manual page, or write all manual pages into a folder
    Man(ManArguments),
}

#[derive(Debug, Args)]
#[command(after_long_help = "Statements end with ';'. Results go to standard output, everything else to \
    standard error. The format is box unless --format or the name of the -o file says otherwise; a box \
    on a terminal shows at most 40 rows, elsewhere all.\n\nA trace is imported once into a cache and \
    reused while the file is unchanged. A store may be in object storage: s3://bucket/prefix, with its \
    endpoint and credentials in AWS_ENDPOINT, AWS_ACCESS_KEY_ID and related variables.")]
pub struct SqlArguments {
    /// A store, or a trace: a file, or the folder of a DUMPI or OTF2 trace
    #[arg(value_name = "STORE|TRACE", value_hint = ValueHint::AnyPath)]
    pub source: PathBuf,
    /// Statements to run; without any, standard input or the shell
    #[arg(value_name = "SQL", conflicts_with_all = ["command", "file"])]
    pub sql: Option<String>,
    /// Statements to run; may be given several times
    #[arg(short, long, value_name = "SQL", conflicts_with = "file")]
    pub command: Vec<String>,
    /// File with statements to run; may be given several times; - is standard input
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub file: Vec<PathBuf>,
    /// Format of the results
    #[arg(long, value_enum, ignore_case = true)]
    pub format: Option<ResultFormat>,
    /// Text of NULL; each format has its own when not given
    #[arg(long, value_name = "TEXT")]
    pub null: Option<String>,
    /// Maximum number of rows in a box; 0 shows all
    #[arg(long, value_name = "N")]
    pub max_rows: Option<usize>,
    /// File for the results
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub output: Option<PathBuf>,
    /// Run the queries on the cluster of this scheduler; --threads then sets the number of partitions
    #[cfg(feature = "cluster")]
    #[arg(long, value_name = "HOST:PORT")]
    pub cluster: Option<String>,
    /// Folder with the credentials of the cluster
    #[cfg(feature = "cluster")]
    #[arg(long, value_name = "DIR", requires = "cluster", value_hint = ValueHint::DirPath)]
    pub cluster_credentials: Option<PathBuf>,
    /// How long to wait for an executor when the cluster has none
    #[cfg(feature = "cluster")]
    #[arg(long, value_name = "SECONDS", requires = "cluster", default_value_t = 30)]
    pub cluster_wait: u64,
    #[command(flatten)]
    pub engine: EngineArguments,
    #[command(flatten)]
    pub reading: TraceArguments,
}

#[derive(Debug, Args)]
#[command(mut_arg("trace_format", |argument| argument.visible_alias("format")))]
pub struct ImportArguments {
    /// Trace files, or folders of DUMPI or OTF2 traces; - is standard input
    #[arg(value_name = "TRACE", required = true, value_hint = ValueHint::FilePath)]
    pub traces: Vec<PathBuf>,
    /// Folder of the store; created if it does not exist
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub store: PathBuf,
    /// Name of the trace in the store; made from the file name when not given
    #[arg(long)]
    pub name: Option<String>,
    /// Replace a trace of the same name
    #[arg(long)]
    pub replace: bool,
    /// Stop at the first line that would be lost
    #[arg(long)]
    pub strict: bool,
    /// Let the executors of this scheduler import the traces, side by side; they must see traces and store
    /// under the same paths
    #[cfg(feature = "cluster")]
    #[arg(long, value_name = "HOST:PORT")]
    pub cluster: Option<String>,
    /// Folder with the credentials of the cluster
    #[cfg(feature = "cluster")]
    #[arg(long, value_name = "DIR", requires = "cluster", value_hint = ValueHint::DirPath)]
    pub cluster_credentials: Option<PathBuf>,
    /// How long to wait for an executor when the cluster has none
    #[cfg(feature = "cluster")]
    #[arg(long, value_name = "SECONDS", requires = "cluster", default_value_t = 30)]
    pub cluster_wait: u64,
    #[command(flatten)]
    pub reading: TraceArguments,
}

#[derive(Debug, Args)]
pub struct ReportArguments {
    /// A store, or a trace file
    #[arg(value_name = "STORE|TRACE", value_hint = ValueHint::AnyPath)]
    pub source: PathBuf,
    /// Folder to write: index.html, and the tables as CSV and Parquet
    #[arg(short, long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub output: PathBuf,
    /// Replace an existing report
    #[arg(long)]
    pub force: bool,
    #[command(flatten)]
    pub engine: EngineArguments,
    #[command(flatten)]
    pub reading: TraceArguments,
}

#[derive(Debug, Args)]
#[command(mut_arg("trace_format", |argument| argument.visible_alias("format")))]
pub struct DumpArguments {
    /// A trace file, or the folder of a DUMPI or OTF2 trace; - is standard input
    #[arg(value_name = "TRACE", value_hint = ValueHint::FilePath)]
    pub trace: PathBuf,
    /// Decimals of times and numbers
    #[arg(short = 'l', long, value_name = "N", default_value_t = 6, value_parser = clap::value_parser!(u8).range(0..=18))]
    pub decimals: u8,
    /// Quote fields that hold a comma or a quote
    #[arg(long)]
    pub csv: bool,
    /// Print variables with 64 bits, where pj_dump keeps 32
    #[arg(long)]
    pub exact: bool,
    #[command(flatten)]
    pub reading: TraceArguments,
}

#[derive(Debug, Args)]
#[command(after_help = "The exit code is 0 when no line was lost, and 1 otherwise.")]
pub struct ValidateArguments {
    /// A trace file, or the folder of a DUMPI or OTF2 trace; - is standard input
    #[arg(value_name = "TRACE", value_hint = ValueHint::FilePath)]
    pub trace: PathBuf,
    /// Format of the report
    #[arg(long, value_enum, ignore_case = true, default_value_t = ResultFormat::Box)]
    pub format: ResultFormat,
    #[command(flatten)]
    pub reading: TraceArguments,
}

#[derive(Debug, Args)]
pub struct InfoArguments {
    /// A store, or a trace: a file, or the folder of a DUMPI or OTF2 trace
    #[arg(value_name = "STORE|TRACE", value_hint = ValueHint::AnyPath)]
    pub source: PathBuf,
    /// Compare every file with its checksum
    #[arg(long)]
    pub verify: bool,
    #[command(flatten)]
    pub reading: TraceArguments,
}

#[derive(Debug, Args)]
pub struct DropArguments {
    /// A store
    #[arg(value_name = "STORE", value_hint = ValueHint::DirPath)]
    pub store: PathBuf,
    /// Trace to remove
    pub name: String,
}

#[derive(Debug, Args)]
pub struct RenameArguments {
    /// A store
    #[arg(value_name = "STORE", value_hint = ValueHint::DirPath)]
    pub store: PathBuf,
    /// Name of the trace
    pub old: String,
    /// New name
    pub new: String,
}

#[derive(Debug, Args)]
pub struct AttachArguments {
    /// A store
    #[arg(value_name = "STORE", value_hint = ValueHint::DirPath)]
    pub store: PathBuf,
    /// Name of the trace; the only one of the store when not given
    #[arg(long, value_name = "NAME")]
    pub trace: Option<String>,
    /// Network, as a DOT graph
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub topology: Option<PathBuf>,
    /// Organization of machines, as a .plist, .json or .yaml tree; it gets the name of the file
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub hierarchy: Option<PathBuf>,
    /// How containers are matched with machines: name, regex:EXPRESSION or table:FILE.csv
    #[arg(long, default_value = "name")]
    pub map: String,
}

#[derive(Debug, Args)]
pub struct CacheArguments {
    #[command(subcommand)]
    pub action: Option<CacheAction>,
}

#[derive(Debug, Clone, Copy, Subcommand)]
pub enum CacheAction {
    /// List the cached traces, least recently used first
    List,
    /// Empty the cache
    Clear,
    /// Print the folder of the cache
    Path,
}

#[derive(Debug, Args)]
pub struct CompletionsArguments {
    #[arg(value_enum)]
    pub shell: Shell,
}

#[derive(Debug, Args)]
pub struct ManArguments {
    /// Folder for one page per command
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub folder: Option<PathBuf>,
}
