//! Cancelling queries: by their client, by the server when it stops, or for the memory that they hold.

use std::sync::{Mutex, PoisonError};

use tokio_util::sync::CancellationToken;

use super::error::ServerError;
use super::memory_guard::MemoryStop;

/// Cancels one query.
#[derive(Debug, Clone)]
pub struct CancelSignal {
    by_client: CancellationToken,
    by_server: CancellationToken,
    by_guard: MemoryStop,
}

impl CancelSignal {
    /// The same signal, which the guard of memory gives too.
    pub(super) fn guarded(self, by_guard: &MemoryStop) -> CancelSignal {
        CancelSignal { by_guard: by_guard.clone(), ..self }
    }

    /// Waits until the query is cancelled, and says why.
    pub async fn requested(&self) -> ServerError {
        tokio::select! {
            () = self.by_client.cancelled() => ServerError::cancelled(),
            () = self.by_server.cancelled() => ServerError::stopping(),
            error = self.by_guard.requested() => error,
        }
    }
}

/// Cancels all running queries of one client.
#[derive(Debug)]
pub struct QueryCanceller {
    by_client: Mutex<CancellationToken>,
    by_server: CancellationToken,
}

impl QueryCanceller {
    /// A canceller whose queries also end when the server must.
    pub fn new(by_server: CancellationToken) -> QueryCanceller {
        QueryCanceller { by_client: Mutex::default(), by_server }
    }

    /// The signal for the next query.
    pub fn signal(&self) -> CancelSignal {
        // A token is replaced in one step, so the lock is whole after any panic.
        let by_client = self.by_client.lock().unwrap_or_else(PoisonError::into_inner);
        CancelSignal {
            by_client: by_client.clone(),
            by_server: self.by_server.clone(),
            by_guard: MemoryStop::default(),
        }
    }

    /// Cancels the queries that run now; later ones run.
    pub fn cancel(&self) {
        let mut by_client = self.by_client.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut *by_client).cancel();
    }
}
