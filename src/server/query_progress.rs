//! How far a query is, for those who wait for it.

use std::sync::{Mutex, PoisonError};

use ocellus_engine::RowCounter;
use tokio::time::Instant;

/// What happens to a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum QueryStage {
    /// It waits for a slot.
    Waiting,
    Planning,
    /// Rows are computed, or wait for the client.
    Running,
}

impl QueryStage {
    pub(super) fn name(self) -> &'static str {
        match self {
            QueryStage::Waiting => "waiting",
            QueryStage::Planning => "planning",
            QueryStage::Running => "running",
        }
    }
}

/// The progress of the newest query of a session.
#[derive(Debug)]
pub(super) struct QueryProgress {
    stage: Mutex<(QueryStage, Instant)>,
    /// Rows that were read from tables.
    pub(super) scanned: RowCounter,
    /// Rows that were handed to the client.
    pub(super) returned: RowCounter,
}

impl QueryProgress {
    pub(super) fn new() -> QueryProgress {
        QueryProgress {
            stage: Mutex::new((QueryStage::Waiting, Instant::now())),
            scanned: RowCounter::default(),
            returned: RowCounter::default(),
        }
    }

    /// The stage, and the seconds since the query was asked.
    pub(super) fn stage(&self) -> (QueryStage, f64) {
        // It is replaced in one step, so the lock is whole after any panic.
        let (stage, since) = *self.stage.lock().unwrap_or_else(PoisonError::into_inner);
        (stage, since.elapsed().as_secs_f64())
    }

    pub(super) fn enter(&self, stage: QueryStage) {
        self.stage.lock().unwrap_or_else(PoisonError::into_inner).0 = stage;
    }
}
