//! The user of a session: an extension of its configuration, for the catalogs and functions that report it.

use std::sync::Arc;

use datafusion::prelude::SessionContext;

use super::settings::SessionSettings;
use ocellus_engine::catalog::CATALOG;

/// The user, the database and the settings of a session.
#[derive(Debug)]
pub(super) struct SessionUser {
    pub(super) user: String,
    pub(super) database: String,
    pub(super) settings: Arc<SessionSettings>,
}

impl SessionUser {
    /// The user of a session; without one, as in tests, a user named as the database.
    pub(super) fn of(context: &SessionContext) -> Arc<SessionUser> {
        context.state().config().get_extension::<SessionUser>().unwrap_or_else(|| {
            let settings = Arc::new(SessionSettings::new(CATALOG));
            Arc::new(SessionUser { user: CATALOG.to_string(), database: CATALOG.to_string(), settings })
        })
    }

    /// A setting by name, whatever its case.
    pub(super) fn setting(&self, name: &str) -> Option<String> {
        match name {
            "default_table_access_method" => Some("heap".to_string()),
            name => self.settings.get(name),
        }
    }
}
