//! The arguments of `ocellus cluster`.

use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;

use clap::{Args, Subcommand, ValueHint};

use crate::cli::sizes::parse_size;

#[derive(Debug, Args)]
#[command(
    after_help = "Without --credentials there is no authentication and no encryption: whoever reaches a port can run \
    queries and read every file that executors can read."
)]
pub struct ClusterArguments {
    #[command(subcommand)]
    pub part: ClusterPart,
}

#[derive(Debug, Subcommand)]
pub enum ClusterPart {
    /// Start the scheduler, which takes queries and hands out their tasks
    Scheduler(SchedulerArguments),
    /// Start an executor, which runs tasks
    Executor(ExecutorArguments),
}

#[derive(Debug, Args)]
pub struct SchedulerArguments {
    /// Address to listen on; port 0 takes any free one
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:50050")]
    pub bind: SocketAddr,
    /// Name under which executors reach the scheduler; the address when not given
    #[arg(long, value_name = "HOST")]
    pub host: Option<String>,
    /// Folder with ca.pem, cert.pem, key.pem and token, the same for all parts: connections are then encrypted, and
    /// only who has them is let in
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub credentials: Option<PathBuf>,
    /// Allow an address other than loopback without credentials
    #[arg(long)]
    pub insecure: bool,
}

#[derive(Debug, Args)]
pub struct ExecutorArguments {
    /// The scheduler
    #[arg(long, value_name = "HOST:PORT", default_value = "127.0.0.1:50050")]
    pub scheduler: String,
    /// How long to wait for a scheduler that does not answer, at the start and when it was lost
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    pub scheduler_wait: u64,
    /// Address to listen on
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1")]
    pub bind: IpAddr,
    /// Name under which scheduler, executors and clients reach this one; the address when not given
    #[arg(long, value_name = "HOST")]
    pub host: Option<String>,
    /// Port that rows are fetched from; the next one takes tasks. Any two free ones when not given
    #[arg(long, value_name = "PORT", value_parser = clap::value_parser!(u16).range(1..65535))]
    pub port: Option<u16>,
    /// Partitions of queries that run at once; one per core when not given
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub concurrent_tasks: Option<u16>,
    /// Folder for rows on their way, in a folder of their own that is removed at the end; that for temporary
    /// files when not given
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub work_dir: Option<PathBuf>,
    /// Memory that all tasks together may use, such as 8GiB; 70 % of the machine's when not given
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    pub memory_limit: Option<usize>,
    /// Folder at or below which imports may write stores; without it the executor imports nothing
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub store_root: Option<PathBuf>,
    /// Folder or bucket, such as s3://runs, that queries and imports may read; may be given several times. Without any,
    /// whatever the user of the executor may read
    #[arg(long, value_name = "DIR|BUCKET", value_hint = ValueHint::DirPath)]
    pub read: Vec<PathBuf>,
    /// Folder with ca.pem, cert.pem, key.pem and token, the same for all parts: connections are then encrypted, and
    /// only who has them is let in
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub credentials: Option<PathBuf>,
    /// Allow an address other than loopback without credentials
    #[arg(long)]
    pub insecure: bool,
}
