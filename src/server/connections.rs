//! Connections of HTTP and Flight SQL: accepted, admitted or refused, wrapped in TLS, and closed when the
//! server stops or the client is too slow.

use std::io;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, ReadBuf, copy, sink};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio::time::{Instant, Sleep, sleep, timeout};
use tokio_rustls::TlsAcceptor;
use tracing::Instrument;

use super::error::ServerError;
use super::limits::ServerLimits;
use super::service::{Admission, Service};

/// Clients beyond the limit that are sent an error; the others find their connection closed.
const REFUSED_AT_ONCE: usize = 32;
/// How long it may take to send it.
pub(super) const REFUSAL_TIMEOUT: Duration = Duration::from_secs(5);
/// A pause when the system gives no connection, such as when it has no more file handles.
const ACCEPT_RETRY_DELAY: Duration = Duration::from_millis(100);
/// How long a client may go on sending once it has its last response, and how many of the longest messages.
const LINGER: Duration = Duration::from_secs(2);
const LINGER_MESSAGES: u64 = 4;

/// Speaks a protocol over connections.
pub(super) trait Protocol: Send + Sync + 'static {
    /// The protocol in the log.
    const LOG_NAME: &'static str;
    /// Names of the protocol in TLS.
    const NAMES: &'static [&'static str];
    /// Whether every connection starts with TLS, once there is a certificate; else the protocol sees to it.
    const STARTS_WITH_TLS: bool = true;

    /// Serves an admitted client until it leaves or the service closes.
    fn serve(&self, stream: Socket) -> impl Future<Output = ()> + Send;

    /// Reports to a client why it was not admitted.
    fn refuse(&self, stream: Socket, error: ServerError) -> impl Future<Output = ()> + Send;
}

/// Accepts connections until the service closes; then waits until they have ended.
pub(super) async fn accept<P: Protocol>(service: Arc<Service>, listener: TcpListener, protocol: P) {
    let acceptor = Arc::new(match Acceptor::new(service, protocol) {
        Ok(acceptor) => acceptor,
        Err(error) => return ocellus_render::note(&error.to_string()),
    });
    let mut connections = JoinSet::new();
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            Some(_) = connections.join_next() => continue,
            () = acceptor.service.closing.cancelled() => break,
        };
        match accepted {
            Ok((stream, peer)) => {
                // Admitted in the order of arrival.
                let admission = acceptor.service.admit(P::LOG_NAME, Some(peer));
                connections.spawn(Arc::clone(&acceptor).handle(stream, admission));
            }
            Err(_) => sleep(ACCEPT_RETRY_DELAY).await,
        }
    }
    drop(listener);
    while connections.join_next().await.is_some() {}
}

struct Acceptor<P> {
    service: Arc<Service>,
    protocol: P,
    tls: Option<TlsAcceptor>,
    refusals: Semaphore,
}

impl<P: Protocol> Acceptor<P> {
    fn new(service: Arc<Service>, protocol: P) -> ocellus_trace::error::Result<Acceptor<P>> {
        let tls = service.tls.as_ref().filter(|_| P::STARTS_WITH_TLS).map(|tls| tls.acceptor(P::NAMES)).transpose()?;
        Ok(Acceptor { service, protocol, tls, refusals: Semaphore::new(REFUSED_AT_ONCE) })
    }

    async fn handle(self: Arc<Self>, stream: TcpStream, admission: Result<Admission, ServerError>) {
        match admission {
            Ok(admission) => self.serve_client(stream, admission).await,
            Err(error) => {
                let Ok(_permit) = self.refusals.try_acquire() else { return };
                let refusal = async {
                    if let Ok(stream) = self.secure(stream).await {
                        self.protocol.refuse(stream, error).await;
                    }
                };
                // A client that does not read it goes without.
                let _ = timeout(REFUSAL_TIMEOUT, refusal).await;
            }
        }
    }

    async fn serve_client(&self, stream: TcpStream, admission: Admission) {
        let patience = self.service.limits.patience;
        if let Ok(Ok(stream)) = timeout(patience, self.secure(stream)).await {
            self.protocol.serve(stream).instrument(admission.span()).await;
        }
        drop(admission);
    }

    async fn secure(&self, stream: TcpStream) -> io::Result<Socket> {
        // Responses are written whole; waiting for more would only delay them.
        let _ = stream.set_nodelay(true);
        let peer = stream.peer_addr().ok().map(|address| PeerAddress(address.ip()));
        let stream: Box<dyn Duplex> = match &self.tls {
            Some(tls) => Box::new(tls.accept(stream).await?),
            None => Box::new(stream),
        };
        Ok(Socket {
            stream,
            peer,
            stall: self.service.limits.query_time.max(self.service.limits.patience),
            deadline: None,
        })
    }
}

/// The address of a client; requests of HTTP and Flight SQL carry it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PeerAddress(pub(super) IpAddr);

/// What carries a connection: plain TCP, or TLS over it.
pub(super) trait Duplex: AsyncRead + AsyncWrite + Send + Unpin {}
impl<T: AsyncRead + AsyncWrite + Send + Unpin> Duplex for T {}

/// A connection that breaks when its client takes nothing for too long.
pub(super) struct Socket {
    stream: Box<dyn Duplex>,
    /// Who is at the other end.
    pub(super) peer: Option<PeerAddress>,
    /// How long a write may wait: as long as a query waits for its client.
    stall: Duration,
    deadline: Option<Pin<Box<Sleep>>>,
}

impl Socket {
    /// Closes a connection after its last response. What the client still sends is read and forgotten for a while:
    /// were it left unread, the system would reset the connection, and the client would lose the response.
    pub(super) async fn linger(mut self, limits: &ServerLimits) {
        let most = LINGER_MESSAGES.saturating_mul(limits.message as u64);
        let rest = async {
            let _ = self.shutdown().await;
            copy(&mut (&mut self).take(most), &mut sink()).await
        };
        // Whoever goes on beyond that finds the connection reset.
        let _ = timeout(limits.patience.min(LINGER), rest).await;
    }

    /// Passes on what a write gave; fails once it has waited too long.
    fn watch<T>(&mut self, context: &mut Context<'_>, written: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if written.is_ready() {
            self.deadline = None;
            return written;
        }
        let stall = self.stall;
        let deadline = self.deadline.get_or_insert_with(|| Box::pin(tokio::time::sleep_until(Instant::now() + stall)));
        ready!(deadline.as_mut().poll(context));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl AsyncRead for Socket {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for Socket {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.watch(context, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, slices);
        self.watch(context, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = Pin::new(&mut self.stream).poll_flush(context);
        self.watch(context, flushed)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let closed = Pin::new(&mut self.stream).poll_shutdown(context);
        self.watch(context, closed)
    }
}
