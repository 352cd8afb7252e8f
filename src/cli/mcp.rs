//! `ocellus mcp`: tools for an assistant, on standard input and output.

use std::sync::Arc;
use std::time::Duration;

use tokio::runtime::Handle;

use super::arguments::McpArguments;
use super::outcome::Outcome;
use super::serve::trim_memory;
use super::source::open_stores;
use crate::shutdown::ShutdownSignal;
use ocellus_engine::Engine;
use ocellus_server::{LogLevel, LogOptions, ServerLimits, Service, ServiceOptions, serve_assistant, start_log};
use ocellus_trace::error::Result;

/// Queries that take longer are logged.
const SLOW: Duration = Duration::from_secs(10);

/// Runs the command.
pub async fn run(arguments: McpArguments, workers: Handle) -> Result<Outcome> {
    let _log = start_log(LogOptions { level: LogLevel::Warn, slow: SLOW, ..LogOptions::default() })?;
    let limits = ServerLimits {
        query_time: Duration::from_secs(arguments.query_time),
        query_memory: arguments.query_memory,
        queries: usize::from(arguments.queries),
        ..ServerLimits::default()
    };
    let store = open_stores(&arguments.sources, arguments.reading)?;
    // A wrong name is told to the user, who would not see the error of a call.
    Engine::snapshot(&store)?.default_schema(arguments.trace.as_deref())?;
    let service = Service::open(store, ServiceOptions { limits, ..ServiceOptions::default() }, workers)?;
    let mut shutdown = ShutdownSignal::listen()?;
    let metrics = Arc::clone(&service.metrics);
    tokio::select! {
        served = serve_assistant(service, arguments.trace, shutdown.requested()) => served?,
        () = trim_memory(&metrics) => {}
    }
    Ok(Outcome::Done)
}
