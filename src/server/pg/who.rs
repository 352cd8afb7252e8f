//! Who a session belongs to: an extension of its configuration, for functions that tell.

use std::sync::Arc;

use super::settings::Settings;

/// The client of a session.
#[derive(Debug)]
pub(super) struct Who {
    pub(super) user: String,
    pub(super) database: String,
    pub(super) settings: Arc<Settings>,
}
