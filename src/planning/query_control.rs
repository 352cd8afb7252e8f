//! What a running query shares with every part of its plan: whether it is cancelled, and what it occupies.
//!
//! Rules of the optimizer and functions get the settings of their session, and nothing else of the query. So the
//! settings of one query hold its control: rules and functions look there whether to stop. Whoever works for the
//! query holds its settings, so that what the query occupies is given back when the last of them has ended, and not
//! when it was told to.

use std::any::Any;
use std::fmt::Debug;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use datafusion::common::config::{ConfigEntry, ConfigExtension, ExtensionOptions};
use datafusion::common::{Result, config_err, exec_err};
use datafusion::config::ConfigOptions;

use super::cancel_flag::CancelFlag;

/// What a query occupies until nothing works for it any more.
pub type Occupied = Arc<dyn Debug + Send + Sync>;

/// The control of a query; see the file's head.
#[derive(Debug, Clone, Default)]
pub struct QueryControl {
    /// Set when the query is cancelled, or nobody reads its rows any more.
    pub cancel: CancelFlag,
    /// Dropped when the last part of the query has ended.
    pub occupied: Option<Occupied>,
    /// Rows that were read from tables so far.
    pub scanned: RowCounter,
}

/// Counts rows; copies count together.
#[derive(Debug, Clone, Default)]
pub struct RowCounter(Arc<AtomicU64>);

impl RowCounter {
    /// Counts more rows.
    pub fn add(&self, rows: usize) {
        self.0.fetch_add(rows as u64, Ordering::Relaxed);
    }

    /// How many were counted so far.
    pub fn total(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

impl QueryControl {
    /// The control of a query that occupies nothing.
    pub fn cancelled_by(cancel: &CancelFlag) -> QueryControl {
        QueryControl { cancel: cancel.clone(), ..QueryControl::default() }
    }
}

impl ConfigExtension for QueryControl {
    const PREFIX: &'static str = "ocellus_query";
}

impl ExtensionOptions for QueryControl {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn as_any_mut(&mut self) -> &mut dyn Any {
        self
    }

    /// The same control: a copy of the settings belongs to the same query.
    fn cloned(&self) -> Box<dyn ExtensionOptions> {
        Box::new(self.clone())
    }

    fn set(&mut self, key: &str, _value: &str) -> Result<()> {
        config_err!("a query has no setting {key}")
    }

    fn entries(&self) -> Vec<ConfigEntry> {
        vec![]
    }
}

/// An error if the query whose settings these are is cancelled.
pub fn check_cancelled(settings: &ConfigOptions) -> Result<()> {
    match settings.extensions.get::<QueryControl>() {
        Some(control) if control.cancel.is_set() => exec_err!("the query was cancelled"),
        _ => Ok(()),
    }
}
