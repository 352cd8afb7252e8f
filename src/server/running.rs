//! The sessions whose queries can be cancelled by another call or connection, by a secret that only their client knows.

use std::sync::{Arc, Mutex, PoisonError, Weak};

use subtle::ConstantTimeEq;

use super::session::ServerSession;

/// Sessions by the secrets of their clients. A session that has ended is forgotten.
#[derive(Debug, Default)]
pub(super) struct RunningQueries {
    sessions: Mutex<Vec<(Vec<u8>, Weak<ServerSession>)>>,
}

impl RunningQueries {
    pub(super) fn add(&self, secret: Vec<u8>, session: &Arc<ServerSession>) {
        // The list is whole after any panic.
        let mut sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        sessions.retain(|(_, session)| session.strong_count() > 0);
        sessions.push((secret, Arc::downgrade(session)));
    }

    /// Stops the queries of the sessions with a secret; how many there were.
    pub(super) fn cancel(&self, secret: &[u8]) -> usize {
        let found = self.find(secret);
        found.iter().for_each(|session| session.cancel());
        found.len()
    }

    /// The sessions with a secret, the newest last.
    pub(super) fn find(&self, secret: &[u8]) -> Vec<Arc<ServerSession>> {
        let sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        let named = sessions.iter().filter(|(known, _)| bool::from(known.as_slice().ct_eq(secret)));
        named.filter_map(|(_, session)| session.upgrade()).collect()
    }
}
