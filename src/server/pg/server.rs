//! What all clients of PostgreSQL's protocol share.

use std::sync::Arc;

use tokio_rustls::TlsAcceptor;

use super::super::running::RunningQueries;
use super::super::service::Service;

/// The service, and what PostgreSQL's protocol adds to it.
pub(super) struct PgServer {
    pub(super) service: Arc<Service>,
    pub(super) tls: Option<TlsAcceptor>,
    pub(super) running: RunningQueries,
}
