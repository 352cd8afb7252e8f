//! The queries that run now, so that another call can cancel one.

use std::sync::{Arc, Mutex, PoisonError, Weak};

use crate::session::ServerSession;

/// Sessions by the numbers of their tickets. A session that has ended is forgotten.
#[derive(Debug, Default)]
pub(super) struct RunningQueries {
    sessions: Mutex<Vec<(Vec<u8>, Weak<ServerSession>)>>,
}

impl RunningQueries {
    pub(super) fn add(&self, id: Vec<u8>, session: &Arc<ServerSession>) {
        // The list is whole after any panic.
        let mut sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        sessions.retain(|(_, session)| session.strong_count() > 0);
        sessions.push((id, Arc::downgrade(session)));
    }

    /// Stops the queries of a ticket; how many there were.
    pub(super) fn cancel(&self, id: &[u8]) -> usize {
        let sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        let named = sessions.iter().filter(|(known, _)| known == id);
        let found: Vec<Arc<ServerSession>> = named.filter_map(|(_, session)| session.upgrade()).collect();
        found.iter().for_each(|session| session.cancel());
        found.len()
    }
}
