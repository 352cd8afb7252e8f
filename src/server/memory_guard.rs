//! Stops queries that hold more memory than they may, whatever they do: the last line, behind the pools of memory.
//!
//! ```text
//!  bytes really held ─► by one query above its bound ─► that query is stopped
//!                    └► by all above theirs ─► the query that holds most is stopped, then the next
//! ```
//! A pool counts what operators reserve. What they take before they say so, what planning takes, and what a function
//! makes is seen here, as [`allocation`](super::allocation) counts it, some times in the blink of an eye. Bounds are half
//! above the limits: operators that go to disk hold copies for a moment.

#[cfg(test)]
mod tests;

use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};
use std::time::{Duration, Instant};

use tokio::sync::Notify;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use super::allocation::{AllocationMeter, held_memory};
use super::error::ServerError;
use super::limits::ServerLimits;

/// Between two looks, while queries run.
const INTERVAL: Duration = Duration::from_millis(10);
/// How long what a stopped query holds is expected to be free soon.
const EXPECTED: Duration = Duration::from_millis(250);
/// A bound is above its limit by half, and by this at least.
const LEAST_MARGIN: usize = 256 << 20;

/// Watches the memory of all queries.
#[derive(Debug)]
pub struct MemoryGuard {
    bounds: MemoryBounds,
    queries: Mutex<Vec<Weak<GuardedQuery>>>,
    /// Told when a query begins.
    begun: Notify,
}

/// What may really be held.
#[derive(Debug, Clone, Copy)]
struct MemoryBounds {
    query: usize,
    all: usize,
    /// What a query may hold without being stopped for the sake of others.
    small: usize,
}

impl MemoryBounds {
    fn new(limits: &ServerLimits) -> MemoryBounds {
        let bound = |limit: usize| limit.saturating_add(LEAST_MARGIN.max(limit / 2));
        MemoryBounds { query: bound(limits.query_memory), all: bound(limits.memory), small: limits.small_query() }
    }
}

/// A query whose memory is watched until nothing works for it any more.
#[derive(Debug)]
pub(super) struct GuardedQuery {
    pub(super) meter: AllocationMeter,
    pub(super) stop: MemoryStop,
}

/// Whether, and why, a query was stopped for its memory.
#[derive(Debug, Clone, Default)]
pub(super) struct MemoryStop {
    token: CancellationToken,
    reason: Arc<OnceLock<(Instant, ServerError)>>,
}

impl MemoryStop {
    /// Waits until the query is stopped, and says why.
    pub(super) async fn requested(&self) -> ServerError {
        self.token.cancelled().await;
        let reason = self.reason.get().map(|(_, error)| error.clone());
        reason.unwrap_or_else(|| ServerError::internal("a query was stopped for its memory without a reason"))
    }

    fn stop(&self, error: ServerError) {
        // The reason first: whoever waits for the token reads it.
        if self.reason.set((Instant::now(), error)).is_ok() {
            self.token.cancel();
        }
    }

    fn since(&self) -> Option<Duration> {
        self.reason.get().map(|(stopped, _)| stopped.elapsed())
    }
}

/// What one query holds at one moment.
#[derive(Debug, Clone, Copy)]
struct Holding {
    bytes: usize,
    /// How long ago it was stopped, if it was.
    stopped: Option<Duration>,
}

/// Why a query must stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Excess {
    /// It holds more than one query may.
    OfQuery,
    /// It holds the most, and all hold more than they may.
    OfAll,
}

impl MemoryGuard {
    /// A guard for a server with some limits.
    pub fn new(limits: &ServerLimits) -> MemoryGuard {
        MemoryGuard { bounds: MemoryBounds::new(limits), queries: Mutex::default(), begun: Notify::new() }
    }

    /// Watches a query that begins.
    pub(super) fn admit(&self) -> Arc<GuardedQuery> {
        let query = Arc::new(GuardedQuery { meter: AllocationMeter::take(), stop: MemoryStop::default() });
        // The list is whole after any panic.
        self.queries.lock().unwrap_or_else(PoisonError::into_inner).push(Arc::downgrade(&query));
        self.begun.notify_one();
        query
    }

    /// Looks again and again, as long as there are queries; never ends.
    pub async fn watch(&self) {
        loop {
            if self.look() == 0 {
                self.begun.notified().await;
            }
            sleep(INTERVAL).await;
        }
    }

    /// Stops what must stop; how many queries there are.
    fn look(&self) -> usize {
        let queries: Vec<Arc<GuardedQuery>> = {
            let mut queries = self.queries.lock().unwrap_or_else(PoisonError::into_inner);
            queries.retain(|query| query.strong_count() > 0);
            queries.iter().filter_map(Weak::upgrade).collect()
        };
        let holding = |query: &Arc<GuardedQuery>| Holding { bytes: query.meter.held(), stopped: query.stop.since() };
        let holdings: Vec<Holding> = queries.iter().map(holding).collect();
        for (place, excess) in excesses(&self.bounds, held_memory(), &holdings) {
            let bytes = holdings[place].bytes;
            queries[place].stop.stop(match excess {
                Excess::OfQuery => ServerError::too_much_memory(bytes),
                Excess::OfAll => ServerError::short_of_memory(bytes),
            });
        }
        queries.len()
    }
}

/// Which queries must stop, by their places, when all together hold some bytes.
fn excesses(bounds: &MemoryBounds, all: usize, holdings: &[Holding]) -> Vec<(usize, Excess)> {
    let mut running: Vec<usize> = (0..holdings.len()).filter(|place| holdings[*place].stopped.is_none()).collect();
    running.sort_by_key(|place| std::cmp::Reverse(holdings[*place].bytes));
    let expected = |holding: &&Holding| holding.stopped.is_some_and(|since| since < EXPECTED);
    let soon_free: usize = holdings.iter().filter(expected).map(|holding| holding.bytes).sum();
    let mut rest = all.saturating_sub(soon_free);
    let mut found = vec![];
    for place in running {
        let bytes = holdings[place].bytes;
        let excess = match () {
            () if bytes > bounds.query => Excess::OfQuery,
            () if rest > bounds.all && bytes > bounds.small => Excess::OfAll,
            () => break,
        };
        found.push((place, excess));
        rest = rest.saturating_sub(bytes);
    }
    found
}
