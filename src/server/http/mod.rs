//! HTTP: SQL in, rows out, in the format that the client asks for.
//!
//! ```text
//! connection ─► guard (host, site, credentials) ─► route ─► request ─► session ─► rows ─► response
//! ```
//! `routes` lists what there is, and `openapi.json` describes it.

mod about;
mod accept;
mod catalog;
mod complete;
mod cookie;
mod draw;
mod errors;
mod guard;
mod login;
mod mcp;
mod page;
mod queries;
mod request;
mod response;
mod routes;
mod server;
mod sql;
#[cfg(test)]
mod tests;
mod upload;

use std::sync::Arc;

use axum::Router;
use axum::response::IntoResponse;
use hyper::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service as _, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;

use super::connections::{self, Protocol, Socket};
use super::credentials::Credentials;
use super::error::ServerError;
use super::mcp::McpEndpoint;
use super::page::Page;
use super::running::RunningQueries;
use super::service::Service;
use cookie::SessionCookie;
use errors::ErrorResponse;
use ocellus_render::note;
use server::Server;

/// Bytes of the headers of a request.
const HEADERS: usize = 32 << 10;

/// Serves until the service closes and its clients are gone.
pub(super) async fn serve(service: Arc<Service>, listener: TcpListener) {
    let server = match open(&service, &listener) {
        Ok(server) => Arc::new(server),
        Err(error) => return note(&error.message),
    };
    let http = Http { service: Arc::clone(&service), routes: routes::router(server) };
    connections::accept(service, listener, http).await;
}

fn open(service: &Arc<Service>, listener: &TcpListener) -> Result<Server, ServerError> {
    let address = listener.local_addr().ok();
    let page = match &service.page_folder {
        Some(folder) => Page::folder(folder)?,
        None => Page::embedded(),
    };
    Ok(Server {
        service: Arc::clone(service),
        credentials: Credentials::new()?,
        cookie: SessionCookie::new(address.map_or(0, |address| address.port()), service.tls.is_some()),
        page,
        running: RunningQueries::default(),
        mcp: McpEndpoint::new(service),
        uploads: Semaphore::new(1),
        is_local: address.is_some_and(|address| address.ip().is_loopback()),
    })
}

struct Http {
    service: Arc<Service>,
    routes: Router,
}

impl Http {
    /// Serves a client to its last response, and sees that this arrives.
    async fn run(&self, mut stream: Socket, routes: Router) {
        let is_answered = match self.serve_requests(&mut stream, routes).await {
            Ok(()) => true,
            // Bytes that are no request get a response too. Otherwise the client is gone, or was too slow.
            Err(error) => error.is_parse(),
        };
        if is_answered {
            // A service that closes waits for nobody.
            self.service.closing.run_until_cancelled(stream.linger(&self.service.limits)).await;
        }
    }

    /// Serves requests until the client leaves, one of them ends the connection, or the service closes.
    async fn serve_requests(&self, stream: &mut Socket, routes: Router) -> hyper::Result<()> {
        let mut builder = http1::Builder::new();
        // The time counts for the headers of the first request and of each further one: idle clients leave.
        builder.timer(TokioTimer::new()).header_read_timeout(self.service.limits.patience).max_header_size(HEADERS);
        let (peer, routes) = (stream.peer, TowerToHyperService::new(routes));
        let requests = service_fn(move |mut request: Request<Incoming>| {
            peer.map(|peer| request.extensions_mut().insert(peer));
            routes.call(request)
        });
        let connection = builder.serve_connection(TokioIo::new(stream), requests);
        let mut connection = std::pin::pin!(connection);
        tokio::select! {
            ended = connection.as_mut() => return ended,
            () = self.service.closing.cancelled() => connection.as_mut().graceful_shutdown(),
        }
        connection.await
    }
}

impl Protocol for Http {
    const LOG_NAME: &'static str = "http";
    const NAMES: &'static [&'static str] = &["http/1.1"];

    async fn serve(&self, stream: Socket) {
        self.run(stream, self.routes.clone()).await;
    }

    async fn refuse(&self, stream: Socket, error: ServerError) {
        let response = Arc::new(ErrorResponse::from(error).with_closing());
        let refusal = move || {
            let response = Arc::clone(&response);
            async move { response.as_ref().clone().into_response() }
        };
        self.run(stream, Router::new().fallback(refusal)).await;
    }
}
