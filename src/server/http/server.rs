//! What the handlers of requests share.

use std::sync::Arc;

use crate::credentials::Credentials;
use crate::service::Service;

/// The service, and what HTTP adds to it.
pub(super) struct Server {
    pub(super) service: Arc<Service>,
    pub(super) credentials: Credentials,
    /// Whether only this machine can connect.
    pub(super) is_local: bool,
}
