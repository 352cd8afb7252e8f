//! The user of a session: an extension of its configuration, for the functions that report it.

use std::sync::Arc;

use super::settings::SessionSettings;

/// The user, the database and the settings of a session.
#[derive(Debug)]
pub(super) struct SessionUser {
    pub(super) user: String,
    pub(super) database: String,
    pub(super) settings: Arc<SessionSettings>,
}
