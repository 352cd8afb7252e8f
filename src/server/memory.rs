//! Memory of one query within the memory of all.

#[cfg(test)]
mod tests;

use std::sync::Arc;

use datafusion::common::Result;
use datafusion::execution::memory_pool::{FairSpillPool, MemoryConsumer, MemoryLimit, MemoryPool, MemoryReservation};

/// A pool of its own for each query; all of them share what the server may hold.
#[derive(Debug)]
pub struct QueryPool {
    own: FairSpillPool,
    all: Arc<dyn MemoryPool>,
    limit: usize,
}

impl QueryPool {
    /// A pool with a limit of its own, within the pool of all queries.
    pub fn new(limit: usize, all: Arc<dyn MemoryPool>) -> QueryPool {
        QueryPool { own: FairSpillPool::new(limit), all, limit }
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
        self.all.grow(reservation, additional);
    }

    fn shrink(&self, reservation: &MemoryReservation, shrink: usize) {
        self.own.shrink(reservation, shrink);
        self.all.shrink(reservation, shrink);
    }

    fn try_grow(&self, reservation: &MemoryReservation, additional: usize) -> Result<()> {
        self.own.try_grow(reservation, additional)?;
        self.all.try_grow(reservation, additional).inspect_err(|_| self.own.shrink(reservation, additional))
    }

    fn reserved(&self) -> usize {
        self.own.reserved()
    }

    fn memory_limit(&self) -> MemoryLimit {
        MemoryLimit::Finite(self.limit)
    }
}
