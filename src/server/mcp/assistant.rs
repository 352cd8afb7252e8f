//! What the calls of assistants share: the service, the trace that is meant, and how many calls may run.

use std::sync::Arc;

use datafusion::common::ScalarValue;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::answer::{AnswerSize, rows_answer};
use crate::error::{ServerError, ServerErrorKind};
use crate::parameters;
use crate::service::Service;
use crate::session::ServerSession;

/// Calls that are in flight at once. Those beyond the slots of queries wait for one.
const MOST_CALLS: usize = 16;

/// A service as assistants use it.
#[derive(Debug)]
pub(super) struct Assistant {
    pub(super) service: Arc<Service>,
    /// The trace of calls that name none.
    trace: Option<String>,
    calls: Arc<Semaphore>,
}

impl Assistant {
    pub(super) fn new(service: Arc<Service>, trace: Option<String>) -> Arc<Assistant> {
        Arc::new(Assistant { service, trace, calls: Arc::new(Semaphore::new(MOST_CALLS)) })
    }

    /// Lets a call in, or refuses it at once: whoever floods gets no queue.
    pub(super) fn admit(&self) -> Result<OwnedSemaphorePermit, ServerError> {
        Arc::clone(&self.calls).try_acquire_owned().map_err(|_| {
            let message = format!("{MOST_CALLS} calls are already in flight; wait for one of them to end");
            ServerError::new(ServerErrorKind::Busy, message)
        })
    }

    /// A session for one call, over the trace that it names.
    pub(super) fn session(&self, trace: Option<String>) -> Result<Arc<ServerSession>, ServerError> {
        ServerSession::open_shared(&self.service, trace.or_else(|| self.trace.clone()))
    }

    /// The rows of a query of ours, with values for its parameters.
    pub(super) async fn rows(
        &self,
        trace: Option<String>,
        query: &str,
        values: &[ScalarValue],
        size: AnswerSize,
    ) -> Result<String, ServerError> {
        let session = self.session(trace)?;
        let query = parameters::bind(query, values)?;
        // The caller does not know the text that a place would be in.
        let rows = session.run_text(&query).await.map_err(ServerError::without_span)?;
        rows_answer(rows, size).await.map_err(ServerError::without_span)
    }
}
