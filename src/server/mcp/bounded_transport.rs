//! A transport that takes no further requests while many answers wait for a client that does not read them.

#[cfg(test)]
mod tests;

use std::sync::Arc;

use rmcp::RoleServer;
use rmcp::model::{ClientJsonRpcMessage, ServerJsonRpcMessage};
use rmcp::transport::Transport;
use tokio::sync::Semaphore;

/// Answers that may wait to be read.
const MOST_UNREAD: usize = 64;

/// A transport with bounded answers.
pub(super) struct BoundedTransport<T> {
    inner: T,
    /// A permit for each answer that may still be made.
    free: Arc<Semaphore>,
}

impl<T> BoundedTransport<T> {
    pub(super) fn new(inner: T) -> BoundedTransport<T> {
        BoundedTransport { inner, free: Arc::new(Semaphore::new(MOST_UNREAD)) }
    }
}

impl<T: Transport<RoleServer>> Transport<RoleServer> for BoundedTransport<T> {
    type Error = T::Error;

    fn send(&mut self, item: ServerJsonRpcMessage) -> impl Future<Output = Result<(), T::Error>> + Send + 'static {
        // An answer is always taken: what was read before the last permit went is answered too.
        let permit = Arc::clone(&self.free).try_acquire_owned().ok();
        let sending = self.inner.send(item);
        async move {
            let sent = sending.await;
            drop(permit);
            sent
        }
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        // The semaphore is never closed; a permit is free again when an answer was read.
        drop(self.free.acquire().await);
        self.inner.receive().await
    }

    async fn close(&mut self) -> Result<(), T::Error> {
        self.inner.close().await
    }
}
