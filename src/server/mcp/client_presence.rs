//! Whether the client of a call over HTTP is still there: a call that nobody waits for any more is stopped.
//!
//! ```text
//! request ─► presence, within the request ─► handler: stops the call once the client is gone
//!     └────► watch, within the response ──► dropped when the connection ends
//! ```
//! A request that stands alone is lost with its connection. In a session, a client may come back and go on reading where
//! it was (`Last-Event-ID`), so that it is gone only when it has not done so for a while.

#[cfg(test)]
mod tests;

use std::sync::{Arc, Weak};
use std::time::Duration;

use axum::http::HeaderMap;
use axum::http::request::Parts;
use tokio::runtime::Handle;
use tokio::sync::broadcast;
use tokio_util::sync::CancellationToken;

/// How long a client of a session has to come back. It is told to try after three seconds.
const GRACE: Duration = Duration::from_secs(10);
/// Clients that come back at the same moment.
const RETURNS: usize = 64;

const SESSION: &str = "mcp-session-id";
const LAST_EVENT: &str = "last-event-id";

/// Within a request: the client that waits for its answer.
#[derive(Debug, Clone)]
pub(super) struct ClientPresence(Arc<CancellationToken>);

impl ClientPresence {
    /// The presence that came with a request, if it came over HTTP.
    pub(super) fn of(parts: Option<&Parts>) -> Option<ClientPresence> {
        parts?.extensions.get::<ClientPresence>().cloned()
    }

    /// Waits until the client is gone.
    pub(super) async fn gone(presence: Option<&ClientPresence>) {
        match presence {
            Some(ClientPresence(gone)) => gone.cancelled().await,
            None => std::future::pending().await,
        }
    }
}

/// Who comes back, by session.
#[derive(Debug)]
pub(super) struct ReturningClients {
    returns: broadcast::Sender<Arc<str>>,
    grace: Duration,
}

impl Default for ReturningClients {
    fn default() -> ReturningClients {
        ReturningClients::within(GRACE)
    }
}

impl ReturningClients {
    fn within(grace: Duration) -> ReturningClients {
        ReturningClients { returns: broadcast::Sender::new(RETURNS), grace }
    }

    /// Puts the presence of its client into a request. The watch belongs into the response.
    pub(super) fn watch(&self, parts: &mut Parts) -> ClientWatch {
        let session = text(&parts.headers, SESSION);
        if let Some(session) = session.clone().filter(|_| parts.headers.contains_key(LAST_EVENT)) {
            // Nobody listens where no client has left.
            let _ = self.returns.send(session);
        }
        let gone = Arc::new(CancellationToken::new());
        let watch =
            ClientWatch { gone: Arc::downgrade(&gone), session, returns: self.returns.clone(), grace: self.grace };
        parts.extensions.insert(ClientPresence(gone));
        watch
    }
}

fn text(headers: &HeaderMap, name: &str) -> Option<Arc<str>> {
    headers.get(name)?.to_str().ok().map(Arc::from)
}

/// Within a response: dropped when the client has it, or is not there any more.
#[derive(Debug)]
pub(super) struct ClientWatch {
    /// Nothing when the call is over.
    gone: Weak<CancellationToken>,
    session: Option<Arc<str>>,
    returns: broadcast::Sender<Arc<str>>,
    grace: Duration,
}

impl Drop for ClientWatch {
    fn drop(&mut self) {
        let Some(running) = self.gone.upgrade() else { return };
        match (self.session.take(), Handle::try_current()) {
            (Some(session), Ok(runtime)) => {
                let (gone, returns, grace) = (Weak::clone(&self.gone), self.returns.subscribe(), self.grace);
                runtime.spawn(cancel_unless_back(gone, session, returns, grace));
            }
            (None, _) | (_, Err(_)) => running.cancel(),
        }
    }
}

async fn cancel_unless_back(
    gone: Weak<CancellationToken>,
    session: Arc<str>,
    mut returns: broadcast::Receiver<Arc<str>>,
    grace: Duration,
) {
    let is_back = async {
        loop {
            match returns.recv().await {
                Ok(returned) if returned == session => return,
                Ok(_) | Err(broadcast::error::RecvError::Lagged(_)) => {}
                // The server is stopping, and stops all calls.
                Err(broadcast::error::RecvError::Closed) => return,
            }
        }
    };
    let is_late = tokio::time::timeout(grace, is_back).await.is_err();
    if let Some(running) = gone.upgrade().filter(|_| is_late) {
        running.cancel();
    }
}
