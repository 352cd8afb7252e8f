//! A place among the queries that run at once.
//!
//! Whoever works for a query holds its slot: the planner, the plan and every task of it. A query that was told to stop
//! in the middle of a long step goes on until the step is done, and so long it keeps its slot and is counted.

#[cfg(test)]
mod tests;

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use super::error::ServerError;
use super::memory_guard::GuardedQuery;
use super::metrics::BusyQuery;

/// The slot of one query.
#[derive(Debug)]
pub(super) struct QuerySlot {
    slots: Arc<Semaphore>,
    /// `None` while the query waits for its client.
    permit: Mutex<Option<OwnedSemaphorePermit>>,
    _running: BusyQuery,
    guarded: Arc<GuardedQuery>,
}

impl QuerySlot {
    /// Waits for a slot, at most so long.
    pub(super) async fn take(
        slots: &Arc<Semaphore>,
        running: BusyQuery,
        guarded: Arc<GuardedQuery>,
        limit: Duration,
    ) -> Result<Arc<QuerySlot>, ServerError> {
        let slot = QuerySlot { slots: Arc::clone(slots), permit: Mutex::default(), _running: running, guarded };
        slot.take_again(limit, limit).await?;
        Ok(Arc::new(slot))
    }

    /// The memory of the query.
    pub(super) fn guarded(&self) -> &GuardedQuery {
        &self.guarded
    }

    /// Lets others run meanwhile.
    pub(super) fn lend(&self) {
        self.set(None);
    }

    /// Waits for a slot as long as there is time left of the limit.
    pub(super) async fn take_again(&self, left: Duration, limit: Duration) -> Result<(), ServerError> {
        let permit = timeout(left, Arc::clone(&self.slots).acquire_owned()).await;
        self.set(Some(permit.map_err(|_| ServerError::busy(limit))?.map_err(|_| ServerError::stopping())?));
        Ok(())
    }

    fn set(&self, permit: Option<OwnedSemaphorePermit>) {
        // A permit is replaced in one step, so the lock is whole after any panic.
        *self.permit.lock().unwrap_or_else(PoisonError::into_inner) = permit;
    }
}
