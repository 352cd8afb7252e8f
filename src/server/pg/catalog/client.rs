//! Who asks: the user, the database and the settings of the session.

use std::sync::Arc;

use datafusion::prelude::SessionContext;

use super::super::settings::Settings;
use super::super::who::Who;
use ocellus_engine::catalog::CATALOG;

/// One client.
pub(super) struct Client {
    pub(super) user: String,
    pub(super) database: String,
    settings: Arc<Settings>,
}

impl Client {
    /// The client of a session; without one, as in tests, a user named as the database.
    pub(super) fn of(context: &SessionContext) -> Client {
        match context.state().config().get_extension::<Who>() {
            Some(who) => {
                Client { user: who.user.clone(), database: who.database.clone(), settings: Arc::clone(&who.settings) }
            }
            None => Client {
                user: CATALOG.to_string(),
                database: CATALOG.to_string(),
                settings: Arc::new(Settings::new(CATALOG)),
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
        self.settings.set(name, value).map(|_| ()).map_err(|trouble| trouble.message)
    }
}
