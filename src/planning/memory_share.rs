//! The memory of a query, shared among its operators.
//!
//! ```text
//!  limit  [ share │ share │ share │ share │ … ]      one for every operator that can write to disk
//!           ████    █                                 who holds little may take more, up to half of the limit
//! ```
//! DataFusion gives each operator its share whether it uses it or not. A plan has dozens of them, most of which hold
//! nothing, and a single batch of rows may be larger than a share: a sort would fail in an empty pool. Merges and tables
//! have no share and cannot write to disk: the other half is theirs, or is shared as DataFusion does it.

#[cfg(test)]
mod tests;

use std::fmt;

use datafusion::common::Result;
use datafusion::execution::memory_pool::{FairSpillPool, MemoryConsumer, MemoryLimit, MemoryPool, MemoryReservation};

/// Bytes that an operator may hold beyond its share, while half of the memory is free.
const LITTLE: usize = 4 << 20;

/// A pool of memory with fair shares, in which nobody who holds little is refused what is free of the first half.
#[derive(Debug)]
pub struct MemoryShare {
    fair: FairSpillPool,
    limit: usize,
}

impl MemoryShare {
    /// A pool of so many bytes.
    pub fn new(limit: usize) -> MemoryShare {
        MemoryShare { fair: FairSpillPool::new(limit), limit }
    }
}

impl fmt::Display for MemoryShare {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.fair.fmt(f)
    }
}

impl MemoryPool for MemoryShare {
    fn name(&self) -> &str {
        self.fair.name()
    }

    fn register(&self, consumer: &MemoryConsumer) {
        self.fair.register(consumer);
    }

    fn unregister(&self, consumer: &MemoryConsumer) {
        self.fair.unregister(consumer);
    }

    fn grow(&self, reservation: &MemoryReservation, additional: usize) {
        self.fair.grow(reservation, additional);
    }

    fn shrink(&self, reservation: &MemoryReservation, shrink: usize) {
        self.fair.shrink(reservation, shrink);
    }

    fn try_grow(&self, reservation: &MemoryReservation, additional: usize) -> Result<()> {
        let refused = match self.fair.try_grow(reservation, additional) {
            Ok(()) => return Ok(()),
            Err(refused) => refused,
        };
        // Who holds nothing has nothing to write to disk, and would fail.
        let holds_little = reservation.size() == 0 || reservation.size() + additional <= LITTLE;
        if !holds_little || self.fair.reserved().saturating_add(additional) > self.limit / 2 {
            return Err(refused);
        }
        self.fair.grow(reservation, additional);
        Ok(())
    }

    fn reserved(&self) -> usize {
        self.fair.reserved()
    }

    fn memory_limit(&self) -> MemoryLimit {
        self.fair.memory_limit()
    }
}
