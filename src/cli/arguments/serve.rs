//! The arguments of `ocellus serve`.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args, ValueHint};

use super::common::TraceArguments;
use crate::cli::sizes::parse_size;
use ocellus_server::{LogFormat, LogLevel};

#[derive(Debug, Args)]
#[command(after_long_help = "Without --pg, --flight and --http the server listens on 127.0.0.1: 5433 for \
    PostgreSQL, 5434 for Flight SQL, 8080 for HTTP. Port 0 takes a free one. An address that other machines \
    can reach needs --users or --tokens, and a certificate, or --insecure.\n\nThe server is read-only, unless --accept-uploads lets clients import traces. Traces \
    that are imported or dropped meanwhile appear and disappear without a restart.")]
pub struct ServeArguments {
    /// A store, or a trace: a file, or the folder of a DUMPI or OTF2 trace
    #[arg(value_name = "STORE|TRACE", value_hint = ValueHint::AnyPath)]
    pub source: PathBuf,
    /// Address of the PostgreSQL protocol
    #[arg(long, value_name = "ADDRESS:PORT")]
    pub pg: Option<SocketAddr>,
    /// Address of Arrow Flight SQL
    #[arg(long, value_name = "ADDRESS:PORT")]
    pub flight: Option<SocketAddr>,
    /// Address of HTTP
    #[arg(long, value_name = "ADDRESS:PORT")]
    pub http: Option<SocketAddr>,
    /// File of users, one name:password per line
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub users: Option<PathBuf>,
    /// File of tokens for HTTP and Flight SQL, one per line
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub tokens: Option<PathBuf>,
    /// Certificates of the server, in PEM
    #[arg(long, value_name = "FILE", requires = "tls_key", value_hint = ValueHint::FilePath)]
    pub tls_cert: Option<PathBuf>,
    /// Key of the certificate, in PEM
    #[arg(long, value_name = "FILE", requires = "tls_cert", value_hint = ValueHint::FilePath)]
    pub tls_key: Option<PathBuf>,
    /// Refuse clients of PostgreSQL that do not use TLS; HTTP and Flight SQL always do with a certificate
    #[arg(long, requires = "tls_cert")]
    pub require_tls: bool,
    /// Folder with the files of the page, for its development; on this machine only
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub page: Option<PathBuf>,
    /// Let clients of HTTP import traces of up to this size into the store
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    pub accept_uploads: Option<usize>,
    /// Accept connections from other machines without users or without a certificate
    #[arg(long)]
    pub insecure: bool,
    /// Seconds that a query may take
    #[arg(long, value_name = "SECONDS", default_value_t = 300, value_parser = clap::value_parser!(u64).range(1..))]
    pub query_time: u64,
    /// Memory that a query may use; sorts and aggregations go to disk beyond it
    #[arg(long, value_name = "SIZE", default_value = "1GiB", value_parser = parse_size)]
    pub query_memory: usize,
    /// Memory that all queries together may use
    #[arg(long, value_name = "SIZE", default_value = "4GiB", value_parser = parse_size)]
    pub memory: usize,
    /// Rows that a query may return
    #[arg(long, value_name = "N", default_value_t = 10_000_000, value_parser = clap::value_parser!(u64).range(1..))]
    pub query_rows: u64,
    /// Queries that run at once; more wait
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u16).range(1..))]
    pub queries: u16,
    /// Clients that are connected at once; more are refused
    #[arg(long, value_name = "N", default_value_t = 256, value_parser = clap::value_parser!(u16).range(1..))]
    pub connections: u16,
    /// Size of a message of a client, such as the text of a query
    #[arg(long, value_name = "SIZE", default_value = "16MiB", value_parser = parse_size)]
    pub message_size: usize,
    /// Seconds that a client may take to log in, or to send the rest of a message
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..))]
    pub patience: u64,
    /// Seconds that running queries have to finish when the server stops
    #[arg(long, value_name = "SECONDS", default_value_t = 10)]
    pub grace: u64,
    /// What is logged to standard error: off, error, warn (failed and slow queries, refused logins), info (connections
    /// too) or debug
    #[arg(long, value_name = "LEVEL", default_value_t)]
    pub log_level: LogLevel,
    /// How a line of the log looks: text or json
    #[arg(long, value_name = "FORMAT", default_value_t)]
    pub log_format: LogFormat,
    /// Seconds from which a query is logged as slow
    #[arg(long, value_name = "SECONDS", default_value_t = 1.0, value_parser = parse_log_slow)]
    pub log_slow: f64,
    #[command(flatten)]
    pub reading: TraceArguments,
}

fn parse_log_slow(text: &str) -> Result<f64, String> {
    let seconds = text.parse().ok().filter(|seconds| (0.0..=1e9).contains(seconds));
    seconds.ok_or_else(|| "give seconds, such as 0.5".to_string())
}
