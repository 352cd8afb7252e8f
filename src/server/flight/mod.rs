//! Arrow Flight SQL, for ADBC and JDBC clients.
//!
//! ```text
//! connection (HTTP/2) ─► guard (credentials, patience) ─► service ─► statements ─► session ─► rows
//!                                                            └─────► catalog, capabilities
//! ```
//! Nothing is kept between calls: tickets and handles of prepared statements hold their own statement.
//! The header `x-ocellus-trace` of a call, or the option `schema` of a session, names the trace that
//! unqualified names mean.

mod capabilities;
mod catalog;
mod guard;
mod handle;
mod keys;
mod options;
mod received;
mod service;
mod statements;
mod status;
#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use arrow_flight::flight_service_server::FlightServiceServer;
use hyper::Request;
use hyper::body::Incoming;
use hyper::server::conn::http2;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use tokio::net::TcpListener;
use tokio::time::sleep;

use super::connections::{self, Protocol, Socket};
use super::error::ServerError;
use super::service::Service;
use guard::Guard;
use ocellus_render::note;
use service::Flight;

/// Bytes of the headers of a call.
const HEADERS: u32 = 32 << 10;
/// Calls of one client at once.
const CALLS: u32 = 64;

/// Serves until the service closes and its clients are gone.
pub(super) async fn serve(service: Arc<Service>, listener: TcpListener) {
    let flight = match Flight::new(&service) {
        Ok(flight) => Arc::new(flight),
        Err(error) => return note(&error.message),
    };
    let calls = FlightServiceServer::from_arc(Arc::clone(&flight)).max_decoding_message_size(service.limits.message);
    let protocol = Grpc { service: Arc::clone(&service), guard: Guard { flight, calls, is_known: Arc::default() } };
    connections::accept(service, listener, protocol).await;
}

struct Grpc {
    service: Arc<Service>,
    guard: Guard,
}

impl Grpc {
    fn builder(&self) -> http2::Builder<TokioExecutor> {
        let mut builder = http2::Builder::new(TokioExecutor::new());
        let patience = self.service.limits.patience;
        // A client that is silent is asked whether it is still there.
        builder.timer(TokioTimer::new()).keep_alive_interval(patience).keep_alive_timeout(patience);
        builder.max_header_list_size(HEADERS).max_concurrent_streams(CALLS);
        builder
    }
}

impl Protocol for Grpc {
    const LOG_NAME: &'static str = "flight";
    const NAMES: &'static [&'static str] = &["h2"];

    async fn serve(&self, stream: Socket) {
        let is_known = Arc::new(AtomicBool::new(false));
        let guard = Guard { is_known: Arc::clone(&is_known), ..self.guard.clone() };
        let peer = stream.peer;
        let calls = service_fn(move |mut request: Request<Incoming>| {
            peer.map(|peer| request.extensions_mut().insert(peer));
            guard.clone().call(request)
        });
        let connection = self.builder().serve_connection(TokioIo::new(stream), calls);
        let mut connection = std::pin::pin!(connection);
        let stranger = async {
            sleep(self.service.limits.patience).await;
            if is_known.load(Ordering::Relaxed) {
                std::future::pending::<()>().await;
            }
        };
        tokio::select! {
            // How a connection ends is the business of its client.
            _ = connection.as_mut() => return,
            () = stranger => return,
            () = self.service.closing.cancelled() => connection.as_mut().graceful_shutdown(),
        }
        let _ = connection.await;
    }

    async fn refuse(&self, stream: Socket, error: ServerError) {
        let refusal = service_fn(move |_: Request<Incoming>| {
            let status = status::status(error.clone());
            async move { Ok::<_, std::convert::Infallible>(status.into_http::<tonic::body::Body>()) }
        });
        let connection = self.builder().serve_connection(TokioIo::new(stream), refusal);
        let mut connection = std::pin::pin!(connection);
        // Long enough for one response.
        if tokio::time::timeout(connections::REFUSAL_TIMEOUT / 2, connection.as_mut()).await.is_err() {
            connection.as_mut().graceful_shutdown();
            let _ = connection.await;
        }
    }
}
