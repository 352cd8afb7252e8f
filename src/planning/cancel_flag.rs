//! Whether a query is cancelled: what all parts of it look at.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether a query is cancelled, or nobody reads its rows any more.
#[derive(Debug, Clone, Default)]
pub struct CancelFlag(Arc<AtomicBool>);

impl CancelFlag {
    /// Cancels the query: all operators of its plan see it.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether the query is cancelled.
    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
