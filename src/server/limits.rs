//! What a server allows: to one query, to one client, and to all of them together.

use std::time::Duration;

/// The limits of a server.
#[derive(Debug, Clone)]
pub struct ServerLimits {
    /// How long the engine may work on one query, waiting for a slot included.
    pub query_time: Duration,
    /// Bytes that one query may hold; sorts and aggregations go to disk beyond it.
    pub query_memory: usize,
    /// Rows that one query may give.
    pub query_rows: u64,
    /// Queries that run at once; more wait for their turn.
    pub queries: usize,
    /// Clients that are connected at once; more are refused.
    pub connections: usize,
    /// Bytes of one message of a client.
    pub message: usize,
    /// How long a client may take to log in, or to send the rest of a message. To read a batch of rows it
    /// has as long as a query may take.
    pub patience: Duration,
    /// Bytes that all queries together may hold.
    pub memory: usize,
}

/// The part of the memory of all that makes a query small.
const SMALL_PART: usize = 32;

impl ServerLimits {
    /// Bytes that each query may hold however much others do.
    pub(super) fn small_query(&self) -> usize {
        self.memory / SMALL_PART
    }
}

impl Default for ServerLimits {
    fn default() -> ServerLimits {
        ServerLimits {
            query_time: Duration::from_secs(300),
            query_memory: 1 << 30,
            query_rows: 10_000_000,
            queries: 8,
            connections: 256,
            message: 16 << 20,
            patience: Duration::from_secs(60),
            memory: 4 << 30,
        }
    }
}
