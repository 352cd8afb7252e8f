//! Asking queries to end: by their client, or by the server at its own end.

use std::sync::{Mutex, PoisonError};

use tokio_util::sync::CancellationToken;

use super::failure::Failure;

/// Tells one query to end.
#[derive(Debug, Clone)]
pub struct Stop {
    by_client: CancellationToken,
    by_server: CancellationToken,
}

impl Stop {
    /// Waits until the query is asked to end, and says why.
    pub async fn asked(&self) -> Failure {
        tokio::select! {
            () = self.by_client.cancelled() => Failure::cancelled(),
            () = self.by_server.cancelled() => Failure::stopping(),
        }
    }
}

/// Tells all running queries of one client to end.
#[derive(Debug)]
pub struct Canceller {
    by_client: Mutex<CancellationToken>,
    by_server: CancellationToken,
}

impl Canceller {
    pub fn new(by_server: CancellationToken) -> Canceller {
        Canceller { by_client: Mutex::default(), by_server }
    }

    /// For the next query.
    pub fn stop(&self) -> Stop {
        // A token is replaced in one step, so the lock is whole after any panic.
        let by_client = self.by_client.lock().unwrap_or_else(PoisonError::into_inner);
        Stop { by_client: by_client.clone(), by_server: self.by_server.clone() }
    }

    /// Ends the queries that run now; later ones run.
    pub fn cancel(&self) {
        let mut by_client = self.by_client.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut *by_client).cancel();
    }
}
