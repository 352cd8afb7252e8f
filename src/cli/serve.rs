//! `ocellus serve`: a store for dashboards and other clients.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::task::spawn_blocking;
use tokio::time::sleep;

use super::allocator::{resident_memory, return_freed_memory};
use super::arguments::ServeArguments;
use super::outcome::Outcome;
use super::source::open_store;
use crate::shutdown::ShutdownSignal;
use ocellus_render::note;
use ocellus_server::{
    Addresses, Listeners, LogOptions, Metrics, ServerLimits, Service, ServiceOptions, Tls, Users, check_page,
    held_memory, serve, start_log,
};
use ocellus_trace::error::{Error, Result};

/// Between two looks at how much freed memory is kept.
const LOOK_INTERVAL: Duration = Duration::from_secs(1);

/// Looks after which freed memory is handed back, however little it is.
const TRIM_LOOKS: u32 = 30;

/// The same when no query runs.
const IDLE_LOOKS: u32 = 5;

/// Freed memory beyond this is handed back at the next look.
const MOST_KEPT: usize = 256 << 20;

/// Runs the command.
pub async fn run(arguments: ServeArguments, workers: Handle) -> Result<Outcome> {
    let mut options = service_options(&arguments)?;
    let (level, format) = (arguments.log_level, arguments.log_format);
    let _log = start_log(LogOptions { level, format, slow: Duration::from_secs_f64(arguments.log_slow) })?;
    let addresses = addresses(&arguments);
    require_tls_or_insecure(&addresses, &mut options, arguments.insecure)?;
    check_page_folder(&addresses, &options)?;
    let store = open_store(&arguments.source, arguments.reading)?;
    let service = Service::open(store, options, workers)?;
    // Before anybody is told that there is something to stop.
    let mut shutdown = ShutdownSignal::listen()?;
    let listeners = Listeners::bind(&addresses).await?;
    for (name, listener) in [("pg", &listeners.pg), ("flight", &listeners.flight), ("http", &listeners.http)] {
        if let Some(address) = listener.as_ref().and_then(|listener| listener.local_addr().ok()) {
            note(&format!("{name} on {address}"));
        }
    }
    run_until_stopped(service, listeners, &mut shutdown, Duration::from_secs(arguments.grace)).await
}

/// Serves until the user wants to stop.
pub async fn run_until_stopped(
    service: Arc<Service>,
    listeners: Listeners,
    shutdown: &mut ShutdownSignal,
    grace: Duration,
) -> Result<Outcome> {
    let metrics = Arc::clone(&service.metrics);
    tokio::select! {
        served = serve(service, listeners, async || shutdown.requested().await, grace) => served?,
        () = trim_memory(&metrics) => {}
    }
    Ok(Outcome::Done)
}

/// Hands freed memory back every now and then, when there were queries since the last time; never ends.
pub async fn trim_memory(metrics: &Metrics) {
    let (mut trimmed, mut looks, mut most_kept) = (0, 0, MOST_KEPT);
    loop {
        sleep(LOOK_INTERVAL).await;
        looks += 1;
        let started = metrics.started();
        let is_idle = metrics.running() == 0;
        let is_due = looks >= if is_idle { IDLE_LOOKS } else { TRIM_LOOKS };
        if started != trimmed && (is_due || kept_memory() > most_kept) {
            // What runs now may free its memory after this.
            trimmed = if is_idle { started } else { 0 };
            looks = 0;
            // It takes up to a tenth of a second, which clients need not wait for.
            let _ = spawn_blocking(return_freed_memory).await;
            // What lies between blocks in use stays: it is no reason to try again at once.
            most_kept = MOST_KEPT.max(2 * kept_memory());
        }
    }
}

/// Bytes that were freed and not handed back, about.
fn kept_memory() -> usize {
    resident_memory().saturating_sub(held_memory())
}

fn service_options(arguments: &ServeArguments) -> Result<ServiceOptions> {
    let limits = ServerLimits {
        query_time: Duration::from_secs(arguments.query_time),
        query_memory: arguments.query_memory,
        query_rows: arguments.query_rows,
        queries: usize::from(arguments.queries),
        connections: usize::from(arguments.connections),
        message: arguments.message_size,
        patience: Duration::from_secs(arguments.patience),
        memory: arguments.memory,
    };
    let tls = match (&arguments.tls_cert, &arguments.tls_key) {
        (Some(certificates), Some(key)) => Some(Tls::read(certificates, key)?),
        _ => None,
    };
    let users = Users::read(arguments.users.as_deref(), arguments.tokens.as_deref())?;
    Ok(ServiceOptions {
        limits,
        users,
        tls,
        tls_is_required: arguments.require_tls,
        page_folder: arguments.page.clone(),
        uploads: arguments.accept_uploads.map(|size| size as u64),
    })
}

/// What was asked for; all three when nothing was.
fn addresses(arguments: &ServeArguments) -> Addresses {
    let given = Addresses { pg: arguments.pg, flight: arguments.flight, http: arguments.http };
    match (given.pg, given.flight, given.http) {
        (None, None, None) => Addresses {
            pg: Some(SocketAddr::from(([127, 0, 0, 1], 5433))),
            flight: Some(SocketAddr::from(([127, 0, 0, 1], 5434))),
            http: Some(SocketAddr::from(([127, 0, 0, 1], 8080))),
        },
        _ => given,
    }
}

/// Whoever edits a page is on this machine, and nobody else sees it.
fn check_page_folder(addresses: &Addresses, options: &ServiceOptions) -> Result<()> {
    let Some(folder) = &options.page_folder else { return Ok(()) };
    if !addresses.http.is_some_and(|address| address.ip().is_loopback()) {
        return Err(Error::Usage(
            "--page is for HTTP on an address of this machine, such as 127.0.0.1:8080".to_string(),
        ));
    }
    check_page(folder)
}

/// Beyond this machine, clients must say who they are, and nobody may listen in.
fn require_tls_or_insecure(addresses: &Addresses, options: &mut ServiceOptions, is_insecure: bool) -> Result<()> {
    let all = [addresses.pg, addresses.flight, addresses.http];
    let Some(outside) = all.into_iter().flatten().find(|address| !address.ip().is_loopback()) else { return Ok(()) };
    if is_insecure {
        return Ok(());
    }
    if options.tls.is_some() && !options.users.is_open() {
        options.tls_is_required = true;
        return Ok(());
    }
    Err(Error::Usage(format!(
        "{outside} can be reached from other machines: give --users or --tokens, and --tls-cert with --tls-key; \
         or say --insecure if the network is trusted"
    )))
}
