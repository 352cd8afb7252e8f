//! What the handlers of requests share.

use std::sync::Arc;

use axum::http::HeaderMap;
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

impl Server {
    /// The user whose cookie came with a request; empty for one who showed a token.
    pub(super) fn session_user(&self, headers: &HeaderMap) -> Option<String> {
        self.credentials.session_user(self.cookie.of(headers)?)
    }

    /// Whether who asks for a path that needs no credentials may read data: everyone may, or who asks logged in by the form.
    pub(super) fn is_open_to(&self, headers: &HeaderMap) -> bool {
        self.service.users.is_open() || self.session_user(headers).is_some()
    }
}
