//! `ocellus open`: the page over a trace or a store, in the browser.

use std::env;
use std::io::Write;
use std::net::SocketAddr;
use std::process::{Command, Stdio};
use std::time::Duration;

use tokio::runtime::Handle;

use super::arguments::OpenArguments;
use super::outcome::Outcome;
use super::serve::run_until_stopped;
use super::source::open_stores;
use super::stdout::{stdout, stdout_failed};
use crate::shutdown::ShutdownSignal;
use ocellus_render::note;
use ocellus_server::{Addresses, Listeners, LogLevel, LogOptions, Service, ServiceOptions, start_log};
use ocellus_trace::error::{Error, Result};

/// How long running queries have to finish: whoever stops the program waits for it.
const GRACE: Duration = Duration::from_secs(1);

/// Queries that take longer are logged.
const SLOW: Duration = Duration::from_secs(10);

/// Runs the command.
pub async fn run(arguments: OpenArguments, workers: Handle) -> Result<Outcome> {
    let _log = start_log(LogOptions { level: LogLevel::Warn, slow: SLOW, ..LogOptions::default() })?;
    let store = open_stores(&arguments.sources, arguments.reading)?;
    let service = Service::open(store, ServiceOptions::default(), workers)?;
    let mut shutdown = ShutdownSignal::listen()?;
    let http = Some(SocketAddr::from(([127, 0, 0, 1], arguments.port)));
    let listeners = Listeners::bind(&Addresses { http, ..Addresses::default() }).await?;
    let listener = listeners.http.as_ref().and_then(|listener| listener.local_addr().ok());
    let address = listener.ok_or_else(|| Error::Internal("the page has no address".to_string()))?;
    let address = format!("http://{address}/");
    let mut out = stdout();
    writeln!(out, "{address}").and_then(|()| out.flush()).map_err(stdout_failed)?;
    drop(out);
    if !arguments.no_browser {
        open_browser(&address);
    }
    run_until_stopped(service, listeners, &mut shutdown, GRACE).await
}

/// Opens an address where there is a screen; the user has it in print anyway.
fn open_browser(address: &str) {
    let is_mac = cfg!(target_os = "macos");
    let has_screen = is_mac || ["DISPLAY", "WAYLAND_DISPLAY"].iter().any(|name| env::var_os(name).is_some());
    if !has_screen {
        return;
    }
    let program = if is_mac { "open" } else { "xdg-open" };
    let mut command = Command::new(program);
    command.arg(address).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    match command.spawn() {
        // It hands the address to the browser and ends; nobody else waits for it.
        Ok(mut opener) => drop(std::thread::spawn(move || opener.wait())),
        Err(error) => note(&format!("{program} could not be started ({error}): open the address in a browser")),
    }
}
