//! Who asks: the user, the database and the settings of the session.

use datafusion::prelude::SessionContext;

use crate::catalog::CATALOG;

/// One client.
pub(super) struct Client {
    pub(super) user: String,
    pub(super) database: String,
}

/// What clients read of the settings, when the session does not say otherwise.
const DEFAULTS: &[(&str, &str)] = &[
    ("DateStyle", "ISO, MDY"),
    ("IntervalStyle", "postgres"),
    ("TimeZone", "UTC"),
    ("application_name", ""),
    ("bytea_output", "hex"),
    ("client_encoding", "UTF8"),
    ("client_min_messages", "notice"),
    ("default_table_access_method", "heap"),
    ("default_transaction_isolation", "read committed"),
    ("default_transaction_read_only", "on"),
    ("extra_float_digits", "1"),
    ("integer_datetimes", "on"),
    ("is_superuser", "off"),
    ("jit", "off"),
    ("lc_collate", "C"),
    ("lc_ctype", "C"),
    ("max_identifier_length", "63"),
    ("max_index_keys", "32"),
    ("server_encoding", "UTF8"),
    ("server_version", super::SERVER_VERSION),
    ("server_version_num", super::SERVER_VERSION_NUMBER),
    ("session_authorization", "ocellus"),
    ("standard_conforming_strings", "on"),
    ("statement_timeout", "0"),
    ("transaction_isolation", "read committed"),
    ("transaction_read_only", "on"),
];

impl Client {
    /// The client of a session.
    pub(super) fn of(_context: &SessionContext) -> Client {
        Client { user: CATALOG.to_string(), database: CATALOG.to_string() }
    }

    /// A setting by name, whatever its case.
    pub(super) fn setting(&self, name: &str) -> Option<String> {
        let known = DEFAULTS.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
        known.map(|(_, value)| (*value).to_string())
    }

    /// All settings, by name.
    pub(super) fn settings(&self) -> Vec<(String, String)> {
        let setting = |(name, _): &(&str, &str)| Some(((*name).to_string(), self.setting(name)?));
        DEFAULTS.iter().filter_map(setting).collect()
    }
}
