//! What the handlers of requests share.

use std::sync::Arc;

use tokio::sync::Semaphore;

use super::cookie::SessionCookie;
use crate::credentials::Credentials;
use crate::mcp::McpEndpoint;
use crate::page::Page;
use crate::running::RunningQueries;
use crate::service::Service;

/// The service, and what HTTP adds to it.
pub(super) struct Server {
    pub(super) service: Arc<Service>,
    pub(super) credentials: Credentials,
    /// What those who logged in by the form show.
    pub(super) cookie: SessionCookie,
    pub(super) page: Page,
    /// Queries that their clients named.
    pub(super) running: RunningQueries,
    /// The protocol of assistants.
    pub(super) mcp: McpEndpoint,
    /// One trace is imported at a time.
    pub(super) uploads: Semaphore,
    /// Whether only this machine can connect.
    pub(super) is_local: bool,
}
