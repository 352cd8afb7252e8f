//! Cancel requests of PostgreSQL: they come over connections of their own, with a number and a secret.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use super::super::session::ServerSession;

/// The sessions that can be cancelled, by number and secret.
#[derive(Debug, Default)]
pub(super) struct CancelRegistry {
    sessions: Mutex<HashMap<(i32, i32), Weak<ServerSession>>>,
}

impl CancelRegistry {
    /// Registers a session under a number and a secret, until the registration is dropped.
    pub(super) fn register(self: &Arc<Self>, session: &Arc<ServerSession>) -> CancelRegistration {
        let mut sessions = self.sessions();
        let key = loop {
            // Both parts come from the generator for secrets; numbers of processes are positive.
            let key = (rand::random::<i32>() & i32::MAX, rand::random::<i32>());
            if !sessions.contains_key(&key) {
                break key;
            }
        };
        sessions.insert(key, Arc::downgrade(session));
        CancelRegistration { key, registry: Arc::clone(self) }
    }

    /// Cancels the queries of a session, if the secret is right.
    pub(super) fn cancel(&self, process: i32, secret: i32) {
        let session = self.sessions().get(&(process, secret)).and_then(Weak::upgrade);
        if let Some(session) = session {
            session.cancel();
        }
    }

    fn sessions(&self) -> std::sync::MutexGuard<'_, HashMap<(i32, i32), Weak<ServerSession>>> {
        // Entries are put and taken in one step, so the lock is whole after any panic.
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A session whose queries can be cancelled, until this is dropped.
pub(super) struct CancelRegistration {
    pub(super) key: (i32, i32),
    registry: Arc<CancelRegistry>,
}

impl Drop for CancelRegistration {
    fn drop(&mut self) {
        self.registry.sessions().remove(&self.key);
    }
}
