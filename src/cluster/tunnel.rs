//! A door with TLS in front of a port of loopback.
//!
//! Ballista's executors take tasks on a port without TLS. So that port is on loopback only, and this door, on the
//! address that others reach, lets in who has a certificate of the cluster.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio_rustls::TlsAcceptor;

/// Connections at once; others wait.
const MOST_CONNECTIONS: usize = 256;
/// How long a caller may take to show its certificate.
const HANDSHAKE: Duration = Duration::from_secs(10);
/// Until the next try when no connection can be accepted, such as for lack of files.
const PAUSE: Duration = Duration::from_millis(100);

/// Serves until it is dropped.
pub(super) async fn tunnel(listener: TcpListener, acceptor: TlsAcceptor, inner: SocketAddr) {
    let places = Arc::new(Semaphore::new(MOST_CONNECTIONS));
    loop {
        let Ok(place) = Arc::clone(&places).acquire_owned().await else {
            return;
        };
        let Ok((outside, _)) = listener.accept().await else {
            tokio::time::sleep(PAUSE).await;
            continue;
        };
        let acceptor = acceptor.clone();
        tokio::spawn(async move {
            // Whoever fails or breaks off here is not told more than that the connection ends.
            let _ = serve(outside, acceptor, inner).await;
            drop(place);
        });
    }
}

async fn serve(outside: TcpStream, acceptor: TlsAcceptor, inner: SocketAddr) -> std::io::Result<()> {
    outside.set_nodelay(true)?;
    let mut outside = tokio::time::timeout(HANDSHAKE, acceptor.accept(outside)).await??;
    let mut inside = TcpStream::connect(inner).await?;
    inside.set_nodelay(true)?;
    copy_bidirectional(&mut outside, &mut inside).await?;
    Ok(())
}
