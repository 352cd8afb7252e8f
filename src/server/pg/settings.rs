//! The settings of a session: what SET changes, what SHOW shows, what is reported to clients.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use arrow::array::timezone::Tz;

use super::error::PgError;
use super::values::ValueStyle;

/// The version that clients decide by what they may ask for.
pub(super) const SERVER_VERSION: &str = "15.10";

/// Settings of one session, and bytes of one of them.
const MOST: usize = 1000;
const LONGEST: usize = 64 << 10;

/// Settings that are reported to clients at the start, and whenever they change.
const REPORTED: [&str; 13] = [
    "application_name",
    "client_encoding",
    "DateStyle",
    "default_transaction_read_only",
    "in_hot_standby",
    "integer_datetimes",
    "IntervalStyle",
    "is_superuser",
    "server_encoding",
    "server_version",
    "session_authorization",
    "standard_conforming_strings",
    "TimeZone",
];

/// Settings that nobody can change.
const FIXED: [(&str, &str); 13] = [
    ("block_size", "8192"),
    ("in_hot_standby", "off"),
    ("integer_datetimes", "on"),
    ("is_superuser", "off"),
    ("lc_collate", "C"),
    ("lc_ctype", "C.UTF-8"),
    ("max_identifier_length", "63"),
    ("max_index_keys", "32"),
    ("server_encoding", "UTF8"),
    ("server_version", SERVER_VERSION),
    ("server_version_num", "150010"),
    ("session_authorization", "ocellus"),
    ("transaction_isolation", "read committed"),
];

/// Settings that can be changed, and how they start. Most have no effect here.
const CHANGEABLE: [(&str, &str); 41] = [
    ("application_name", ""),
    ("bytea_output", "hex"),
    ("check_function_bodies", "on"),
    ("client_encoding", "UTF8"),
    ("client_min_messages", "notice"),
    ("constraint_exclusion", "partition"),
    ("cursor_tuple_fraction", "0.1"),
    ("DateStyle", "ISO, MDY"),
    ("default_tablespace", ""),
    ("default_transaction_deferrable", "off"),
    ("default_transaction_isolation", "read committed"),
    ("default_transaction_read_only", "on"),
    ("extra_float_digits", "1"),
    ("from_collapse_limit", "8"),
    ("geqo", "on"),
    ("idle_in_transaction_session_timeout", "0"),
    ("idle_session_timeout", "0"),
    ("IntervalStyle", "postgres"),
    ("jit", "off"),
    ("join_collapse_limit", "8"),
    ("lc_messages", "C"),
    ("lc_monetary", "C"),
    ("lc_numeric", "C"),
    ("lc_time", "C"),
    ("lock_timeout", "0"),
    ("log_statement", "none"),
    ("maintenance_work_mem", "64MB"),
    ("max_parallel_workers_per_gather", "0"),
    ("plan_cache_mode", "auto"),
    ("quote_all_identifiers", "off"),
    ("role", "none"),
    ("row_security", "on"),
    ("search_path", "\"$user\", public"),
    ("standard_conforming_strings", "on"),
    ("statement_timeout", "0"),
    ("synchronize_seqscans", "on"),
    ("synchronous_commit", "on"),
    ("TimeZone", "UTC"),
    ("transaction_read_only", "on"),
    ("work_mem", "4MB"),
    ("xmloption", "content"),
];

/// The settings of a session. Names are found in any case.
#[derive(Debug)]
pub(super) struct SessionSettings {
    values: Mutex<SettingValues>,
}

#[derive(Debug)]
struct SettingValues {
    /// By name in lower case: name as it is written, value.
    now: BTreeMap<String, (String, String)>,
    /// What RESET goes back to.
    start: BTreeMap<String, (String, String)>,
    fixed: BTreeMap<String, (String, String)>,
}

impl SessionSettings {
    pub(super) fn new(user: &str) -> SessionSettings {
        let table = |settings: &[(&str, &str)]| -> BTreeMap<String, (String, String)> {
            settings.iter().map(|(name, value)| (name.to_lowercase(), (name.to_string(), value.to_string()))).collect()
        };
        let mut fixed = table(&FIXED);
        fixed.insert("session_authorization".to_string(), ("session_authorization".to_string(), user.to_string()));
        let now = table(&CHANGEABLE);
        SessionSettings { values: Mutex::new(SettingValues { start: now.clone(), now, fixed }) }
    }

    pub(super) fn get(&self, name: &str) -> Option<String> {
        let values = self.values();
        let name = name.to_lowercase();
        values.now.get(&name).or_else(|| values.fixed.get(&name)).map(|(_, value)| value.clone())
    }

    /// All settings with their values, by name.
    pub(super) fn all(&self) -> Vec<(String, String)> {
        let values = self.values();
        let mut all: Vec<(String, String)> = values.now.values().chain(values.fixed.values()).cloned().collect();
        all.sort();
        all
    }

    /// What is reported to a client at its start.
    pub(super) fn reported(&self) -> Vec<(&'static str, String)> {
        REPORTED.iter().filter_map(|name| self.get(name).map(|value| (*name, value))).collect()
    }

    /// Changes a setting. Returns the name if it must be reported to the client.
    pub(super) fn set(&self, name: &str, value: &str) -> Result<Option<&'static str>, PgError> {
        let key = name.to_lowercase();
        let mut values = self.values();
        if values.fixed.contains_key(&key) {
            let same = values.fixed[&key].1.eq_ignore_ascii_case(value)
                || key == "transaction_isolation"
                || key == "session_authorization";
            return match same {
                true => Ok(None),
                false => Err(PgError::new("55P02", format!("parameter \"{name}\" cannot be changed"))),
            };
        }
        if value.len() > LONGEST || key.len() > LONGEST || values.now.len() > MOST {
            return Err(PgError::new("53400", format!("{MOST} settings of {LONGEST} bytes are the most")));
        }
        let value = checked(&key, value)?;
        match values.now.get_mut(&key) {
            Some(known) => known.1 = value,
            // The engine is set when the server starts.
            None if key.starts_with("datafusion.") => return Err(unknown(name)),
            // Names with a dot are for applications.
            None if key.contains('.') || key.starts_with("enable_") => {
                values.now.insert(key.clone(), (key.clone(), value));
            }
            None => return Err(unknown(name)),
        }
        Ok(REPORTED.iter().find(|reported| reported.eq_ignore_ascii_case(&key)).copied())
    }

    /// Makes the present values those that RESET goes back to.
    pub(super) fn begin(&self) {
        let mut values = self.values();
        values.start = values.now.clone();
    }

    /// The value that RESET goes back to.
    pub(super) fn start_of(&self, name: &str) -> Result<String, PgError> {
        let values = self.values();
        let key = name.to_lowercase();
        let start = values.start.get(&key).or_else(|| values.fixed.get(&key)).map(|(_, value)| value.clone());
        match start {
            Some(value) => Ok(value),
            None if values.now.contains_key(&key) => Ok(String::new()),
            None => Err(unknown(name)),
        }
    }

    /// Names that may differ from their start.
    pub(super) fn changeable(&self) -> Vec<String> {
        self.values().now.keys().cloned().collect()
    }

    /// How values are written.
    pub(super) fn style(&self) -> ValueStyle {
        let zone = self.get("timezone").and_then(|zone| zone_named(&zone));
        ValueStyle { zone: zone.unwrap_or(ValueStyle::default().zone) }
    }

    /// How long a statement may take.
    pub(super) fn statement_timeout(&self) -> Option<Duration> {
        let value = self.get("statement_timeout")?;
        duration(&value).filter(|limit| !limit.is_zero())
    }

    fn values(&self) -> std::sync::MutexGuard<'_, SettingValues> {
        // Values are replaced in one step, so the lock is whole after any panic.
        self.values.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

pub(super) fn unknown(name: &str) -> PgError {
    PgError::new("42704", format!("unrecognized configuration parameter \"{name}\""))
}

/// The value as it is kept.
fn checked(key: &str, value: &str) -> Result<String, PgError> {
    let wrong = || PgError::new("22023", format!("invalid value for parameter \"{key}\": \"{value}\""));
    match key {
        "client_encoding" => match value.to_lowercase().replace(['-', '_', '\''], "").as_str() {
            "utf8" | "unicode" | "default" | "sqlascii" => Ok("UTF8".to_string()),
            _ => Err(PgError::new("22023", format!("this server speaks UTF8 only, not {value}"))),
        },
        "datestyle" => match value.to_uppercase().split([',', ' ']).next() {
            Some("ISO" | "DEFAULT" | "MDY" | "YMD" | "DMY") => Ok("ISO, MDY".to_string()),
            _ => Err(PgError::unsupported("this server writes dates in the style ISO only")),
        },
        "intervalstyle" => match value.to_lowercase().as_str() {
            "postgres" | "default" => Ok("postgres".to_string()),
            _ => Err(PgError::unsupported("this server writes intervals in the style postgres only")),
        },
        "bytea_output" if !value.eq_ignore_ascii_case("hex") => {
            Err(PgError::unsupported("this server writes bytea as hex only"))
        }
        "standard_conforming_strings" if !is_on(value) => {
            Err(PgError::unsupported("standard_conforming_strings is always on"))
        }
        "transaction_read_only" | "default_transaction_read_only" => Ok("on".to_string()),
        "timezone" => match value.to_lowercase().as_str() {
            "default" | "local" => Ok("UTC".to_string()),
            _ => zone_named(value).map(|_| value.to_string()).ok_or_else(wrong),
        },
        "statement_timeout" => duration(value).map(shown_duration).ok_or_else(wrong),
        _ => Ok(value.to_string()),
    }
}

fn is_on(value: &str) -> bool {
    matches!(value.to_lowercase().as_str(), "on" | "true" | "yes" | "1" | "default")
}

/// A zone by its name or its offset.
fn zone_named(name: &str) -> Option<Tz> {
    let upper = name.to_uppercase();
    match upper.as_str() {
        "UTC" | "GMT" | "Z" | "ZULU" | "ETC/UTC" => return "+00:00".parse().ok(),
        _ => {}
    }
    // As in `GMT-02:00`, where hours count westward.
    let offset = upper.strip_prefix("GMT").or_else(|| upper.strip_prefix("UTC"));
    match offset.and_then(|offset| offset.split_at_checked(1)) {
        Some(("-", hours)) => format!("+{hours}").parse().ok(),
        Some(("+", hours)) => format!("-{hours}").parse().ok(),
        _ => name.parse().ok(),
    }
}

/// `5000`, `5000ms`, `5s`, `2min`, `1h`, `1d`: milliseconds when there is no unit.
fn duration(text: &str) -> Option<Duration> {
    let text = text.trim();
    let unit = text.find(|character: char| !character.is_ascii_digit()).unwrap_or(text.len());
    let count: u64 = text[..unit].parse().ok()?;
    let milliseconds = match text[unit..].trim() {
        "" | "ms" => 1,
        "s" => 1000,
        "min" => 60_000,
        "h" => 3_600_000,
        "d" => 86_400_000,
        _ => return None,
    };
    Some(Duration::from_millis(count.saturating_mul(milliseconds)))
}

fn shown_duration(limit: Duration) -> String {
    match limit.as_millis() {
        0 => "0".to_string(),
        whole if whole % 60_000 == 0 => format!("{}min", whole / 60_000),
        whole if whole % 1000 == 0 => format!("{}s", whole / 1000),
        other => format!("{other}ms"),
    }
}
