//! The connection of a client: whole messages in, buffered messages out, both with bounded patience
//! and memory.
//!
//! Messages out are pgwire's. Its codec for messages in is not used: it waits for ever for the rest of a message, and
//! gathers up to a gigabyte of it.

use std::io;
use std::time::Duration;

use bytes::{Buf, Bytes, BytesMut};
use pgwire::messages::PgWireBackendMessage;
use tokio::io::{AsyncReadExt, AsyncWriteExt, empty, join, split};
use tokio::time::{Instant, timeout};
use tokio_rustls::TlsAcceptor;

use super::super::connections::Duplex;
use super::error::{ConnectionError, PgError};
use super::values::put_sized;

/// Bytes of a message before the client has logged in.
const LARGEST_FIRST_PACKET: usize = 10_000;
/// Bytes that are read at once.
const CHUNK: usize = 8 << 10;
/// Bytes that are gathered before they are sent.
const SEND_THRESHOLD: usize = 64 << 10;

/// A connection.
pub(super) struct PgConnection {
    stream: Box<dyn Duplex>,
    incoming: BytesMut,
    out: BytesMut,
    largest: usize,
    patience: Duration,
    sending: Duration,
}

impl PgConnection {
    /// A connection before its login, whose messages must be small.
    pub(super) fn new(stream: Box<dyn Duplex>, patience: Duration) -> PgConnection {
        let (incoming, out) = (BytesMut::new(), BytesMut::new());
        PgConnection { stream, incoming, out, largest: LARGEST_FIRST_PACKET, patience, sending: Duration::ZERO }
    }

    /// Takes messages up to this size from now on.
    pub(super) fn set_message_limit(&mut self, largest: usize) {
        self.largest = largest;
    }

    /// The first byte that was not read yet. It stays.
    pub(super) async fn first_byte(&mut self) -> Result<u8, ConnectionError> {
        self.fill(1).await?;
        Ok(self.incoming[0])
    }

    /// The first packet of a client: it has a length, but no kind.
    pub(super) async fn first_packet(&mut self) -> Result<Bytes, ConnectionError> {
        self.fill(4).await?;
        let length = self.length_at(0);
        if !(8..=LARGEST_FIRST_PACKET).contains(&length) {
            return Err(ConnectionError::Fatal(PgError::protocol("invalid length of startup packet")));
        }
        self.fill(length).await?;
        self.incoming.advance(4);
        Ok(self.incoming.split_to(length - 4).freeze())
    }

    /// The next message: its kind and its body. Waits for its start as long as it takes. May be
    /// dropped and called again.
    pub(super) async fn next(&mut self) -> Result<(u8, Bytes), ConnectionError> {
        self.fill(1).await?;
        let patience = self.patience;
        let rest = timeout(patience, self.rest()).await;
        rest.unwrap_or_else(|_| {
            let message = format!("the rest of a message did not come within {patience:?}");
            Err(ConnectionError::Fatal(PgError::protocol(message)))
        })
    }

    async fn rest(&mut self) -> Result<(u8, Bytes), ConnectionError> {
        self.fill(5).await?;
        let length = self.length_at(1);
        if length < 4 {
            return Err(ConnectionError::Fatal(PgError::protocol("invalid message length")));
        }
        if length - 4 > self.largest {
            let message =
                format!("a message of {length} bytes is larger than this server takes, {} bytes", self.largest);
            return Err(ConnectionError::Fatal(PgError::new("54000", message)));
        }
        self.fill(1 + length).await?;
        let kind = self.incoming[0];
        self.incoming.advance(5);
        Ok((kind, self.incoming.split_to(length - 4).freeze()))
    }

    /// Whether bytes came that nobody asked for yet.
    pub(super) fn has_more(&self) -> bool {
        !self.incoming.is_empty()
    }

    /// Waits until as many bytes are there.
    async fn fill(&mut self, length: usize) -> Result<(), ConnectionError> {
        while self.incoming.len() < length {
            self.receive().await?;
        }
        Ok(())
    }

    async fn receive(&mut self) -> Result<(), ConnectionError> {
        self.incoming.reserve(CHUNK);
        match self.stream.read_buf(&mut self.incoming).await {
            Ok(0) | Err(_) => Err(ConnectionError::Disconnected),
            Ok(_) => Ok(()),
        }
    }

    fn length_at(&self, place: usize) -> usize {
        (&self.incoming[place..place + 4]).get_u32() as usize
    }

    /// Does work as long as the client is there. What it sends meanwhile is kept for later.
    pub(super) async fn run_until_disconnect<T>(
        &mut self,
        work: impl Future<Output = T>,
    ) -> Result<T, ConnectionError> {
        tokio::select! {
            biased;
            done = work => Ok(done),
            () = self.disconnected() => Err(ConnectionError::Disconnected),
        }
    }

    async fn disconnected(&mut self) {
        while self.incoming.len() <= self.largest {
            if self.receive().await.is_err() {
                return;
            }
        }
        // Enough is kept; more waits in the network.
        std::future::pending().await
    }

    /// Gathers a message.
    pub(super) fn put(&mut self, message: PgWireBackendMessage) {
        let before = self.out.len();
        // By the time that pgwire finds a message too long, it has written its type.
        if message.encode(&mut self.out).is_err() {
            self.out.truncate(before);
        }
    }

    /// Gathers a message of many, whose body the function writes: no copy is made of it.
    pub(super) fn put_with(&mut self, kind: u8, body: impl FnOnce(&mut BytesMut)) {
        self.out.extend_from_slice(&[kind]);
        put_sized(&mut self.out, 4, body);
    }

    /// Sends what was gathered, once it is worth it.
    pub(super) async fn send_if_full(&mut self) -> Result<(), ConnectionError> {
        match self.out.len() < SEND_THRESHOLD {
            true => Ok(()),
            false => self.send().await,
        }
    }

    /// How long the client has let the server wait by now, that it may send.
    pub(super) fn time_sending(&self) -> Duration {
        self.sending
    }

    /// Sends what was gathered. A client that does not read it in time is left.
    pub(super) async fn send(&mut self) -> Result<(), ConnectionError> {
        let sending = async {
            self.stream.write_all(&self.out).await?;
            self.stream.flush().await
        };
        let started = Instant::now();
        let sent = timeout(self.patience, sending).await;
        self.sending += started.elapsed();
        self.out.clear();
        match sent {
            Ok(Ok(())) => Ok(()),
            _ => Err(ConnectionError::Disconnected),
        }
    }

    /// Sends what was gathered and closes.
    pub(super) async fn close(mut self) {
        if self.send().await.is_ok() {
            let _ = timeout(self.patience, self.stream.shutdown()).await;
        }
    }

    /// Goes on in TLS; what was received already belongs to its handshake. One that fails ends the connection: nothing
    /// goes on in plain text.
    ///
    /// pgwire's own negotiation takes what came before the handshake for what came after it, so that somebody between
    /// client and server could put words into its mouth.
    pub(super) async fn encrypt(&mut self, acceptor: &TlsAcceptor) -> Result<(), ConnectionError> {
        let (reader, writer) = split(std::mem::replace(&mut self.stream, Box::new(empty())));
        let received = io::Cursor::new(self.incoming.split().freeze());
        let handshake = acceptor.accept(join(AsyncReadExt::chain(received, reader), writer)).await;
        self.stream = Box::new(handshake.map_err(|_| ConnectionError::Disconnected)?);
        Ok(())
    }
}
