//! Memory of one query within the memory of all.

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

#[cfg(test)]
mod tests {
    use super::*;
    use datafusion::execution::memory_pool::GreedyMemoryPool;

    #[test]
    fn a_query_has_its_limit_and_all_have_theirs() {
        let all: Arc<dyn MemoryPool> = Arc::new(GreedyMemoryPool::new(150));
        let query = || -> Arc<dyn MemoryPool> { Arc::new(QueryPool::new(100, Arc::clone(&all))) };
        let (one, two) = (query(), query());
        let first = MemoryConsumer::new("first").register(&one);
        let second = MemoryConsumer::new("second").register(&two);
        assert!(first.try_grow(101).is_err());
        first.try_grow(100).expect("within its limit");
        assert!(second.try_grow(60).is_err());
        assert_eq!((two.reserved(), all.reserved()), (0, 100));
        second.try_grow(50).expect("what is left");
        drop(first);
        assert_eq!((one.reserved(), all.reserved()), (0, 50));
        second.try_grow(50).expect("what the first gave back");
    }
}
