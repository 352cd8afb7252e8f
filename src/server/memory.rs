//! Memory of one query within the memory of all.
//!
//! ```text
//!  query:  [small│ the rest ──────────► of the memory of all]      what is small is free: a short query works
//!                                                                  even when long ones have taken everything
//! ```

#[cfg(test)]
mod tests;

use std::sync::{Arc, Mutex, PoisonError};

use datafusion::common::Result;
use datafusion::execution::memory_pool::{MemoryConsumer, MemoryLimit, MemoryPool, MemoryReservation};
use ocellus_planning::MemoryShare;

/// A pool of its own for each query; all of them share what the server may hold.
#[derive(Debug)]
pub struct QueryPool {
    own: MemoryShare,
    all: Arc<dyn MemoryPool>,
    /// Bytes that were taken of the memory of all.
    shared: Mutex<usize>,
    /// Bytes that are not.
    small: usize,
    limit: usize,
}

impl QueryPool {
    /// A pool with a limit of its own, within the pool of all queries but for a small part.
    pub fn new(limit: usize, small: usize, all: Arc<dyn MemoryPool>) -> QueryPool {
        QueryPool { own: MemoryShare::new(limit), all, shared: Mutex::default(), small, limit }
    }

    /// Takes of the memory of all what the query holds beyond its small part, by `take`, or gives it back.
    fn share(&self, reservation: &MemoryReservation, take: impl Fn(usize) -> Result<()>) -> Result<()> {
        // The number is replaced when all is done, so the lock is whole after any panic.
        let mut shared = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
        let wanted = self.own.reserved().saturating_sub(self.small);
        match wanted.checked_sub(*shared) {
            Some(0) => {}
            Some(more) => take(more)?,
            None => self.all.shrink(reservation, *shared - wanted),
        }
        *shared = wanted;
        Ok(())
    }

    /// The same, whatever all have.
    fn share_always(&self, reservation: &MemoryReservation) {
        // Growing without a question does not fail.
        let _ = self.share(reservation, |more| {
            self.all.grow(reservation, more);
            Ok(())
        });
    }
}

impl std::fmt::Display for QueryPool {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "query({})", self.limit)
    }
}

impl MemoryPool for QueryPool {
    fn name(&self) -> &str {
        "query"
    }

    fn register(&self, consumer: &MemoryConsumer) {
        self.own.register(consumer);
    }

    fn unregister(&self, consumer: &MemoryConsumer) {
        self.own.unregister(consumer);
    }

    fn grow(&self, reservation: &MemoryReservation, additional: usize) {
        self.own.grow(reservation, additional);
        self.share_always(reservation);
    }

    fn shrink(&self, reservation: &MemoryReservation, shrink: usize) {
        self.own.shrink(reservation, shrink);
        self.share_always(reservation);
    }

    fn try_grow(&self, reservation: &MemoryReservation, additional: usize) -> Result<()> {
        self.own.try_grow(reservation, additional)?;
        let shared = self.share(reservation, |more| self.all.try_grow(reservation, more));
        shared.inspect_err(|_| self.shrink(reservation, additional))
    }

    fn reserved(&self) -> usize {
        self.own.reserved()
    }

    fn memory_limit(&self) -> MemoryLimit {
        MemoryLimit::Finite(self.limit)
    }
}
