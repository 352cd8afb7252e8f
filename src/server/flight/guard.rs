//! What every call passes first: its credentials are checked, and its message must arrive in time.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};

use arrow_flight::flight_service_server::FlightServiceServer;
use axum::body::Bytes;
use hyper::body::{Body, Frame, Incoming, SizeHint};
use hyper::header::AUTHORIZATION;
use hyper::{Request, Response};
use tokio::time::{Sleep, sleep};
use tonic::Status;
use tonic::codegen::Service as _;

use super::service::Flight;
use super::status::status;
use crate::connections::PeerAddress;

/// The call that gives a token, so it needs none.
const HANDSHAKE: &str = "/arrow.flight.protocol.FlightService/Handshake";

/// Checks calls and passes them on.
#[derive(Clone)]
pub(super) struct Guard {
    pub(super) flight: Arc<Flight>,
    pub(super) calls: FlightServiceServer<Flight>,
    /// Whether the client of this connection has made a call that it may make.
    pub(super) is_known: Arc<AtomicBool>,
}

impl Guard {
    pub(super) async fn call(mut self, request: Request<Incoming>) -> Result<Response<tonic::body::Body>, Infallible> {
        let header = request.headers().get(AUTHORIZATION).and_then(|header| header.to_str().ok()).map(str::to_string);
        let address = request.extensions().get::<PeerAddress>().map(|peer| peer.0);
        let is_handshake = request.uri().path() == HANDSHAKE;
        let service = &self.flight.service;
        if !is_handshake {
            let login = service.login_context(address);
            if let Err(refusal) = self.flight.credentials.check(login, header.as_deref()).await {
                return Ok(status(refusal).into_http());
            }
            self.is_known.store(true, Ordering::Relaxed);
        }
        let patience = service.limits.patience;
        self.calls.call(request.map(|body| Timely { body, deadline: Box::pin(sleep(patience)) })).await
    }
}

/// The body of a call, which must arrive before its deadline.
struct Timely {
    body: Incoming,
    deadline: Pin<Box<Sleep>>,
}

impl Body for Timely {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        if let Poll::Ready(frame) = Pin::new(&mut self.body).poll_frame(context) {
            return Poll::Ready(frame.map(|frame| frame.map_err(|error| Status::from_error(Box::new(error)))));
        }
        match self.deadline.as_mut().poll(context) {
            Poll::Ready(()) => Poll::Ready(Some(Err(Status::deadline_exceeded("the message did not arrive in time")))),
            Poll::Pending => Poll::Pending,
        }
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
