//! The client that calls: the user, the database and the settings of the session.

use std::sync::Arc;

use datafusion::prelude::SessionContext;

use super::super::session_user::SessionUser;
use super::super::settings::SessionSettings;
use ocellus_engine::catalog::CATALOG;

/// One client.
pub(super) struct CatalogClient {
    pub(super) user: String,
    pub(super) database: String,
    settings: Arc<SessionSettings>,
}

impl CatalogClient {
    /// The client of a session; without one, as in tests, a user named as the database.
    pub(super) fn of(context: &SessionContext) -> CatalogClient {
        match context.state().config().get_extension::<SessionUser>() {
            Some(session_user) => CatalogClient {
                user: session_user.user.clone(),
                database: session_user.database.clone(),
                settings: Arc::clone(&session_user.settings),
            },
            None => CatalogClient {
                user: CATALOG.to_string(),
                database: CATALOG.to_string(),
                settings: Arc::new(SessionSettings::new(CATALOG)),
            },
        }
    }

    /// A setting by name, whatever its case.
    pub(super) fn setting(&self, name: &str) -> Option<String> {
        match name {
            "default_table_access_method" => Some("heap".to_string()),
            name => self.settings.get(name),
        }
    }

    /// All settings, by name.
    pub(super) fn settings(&self) -> Vec<(String, String)> {
        self.settings.all()
    }

    /// Changes a setting; gives what was wrong with it.
    pub(super) fn set(&self, name: &str, value: &str) -> Result<(), String> {
        self.settings.set(name, value).map(|_| ()).map_err(|error| error.message)
    }
}
