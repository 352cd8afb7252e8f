//! Settings of queries: `SET ocellus.NAME = …`.

use std::any::Any;

use datafusion::common::config::{ConfigEntry, ConfigExtension, ConfigField, ExtensionOptions};
use datafusion::common::{Result, config_err};

/// Settings of queries.
#[derive(Debug, Clone)]
pub struct SummarySettings {
    /// Whether summaries are read in place of rows, where they say enough.
    pub summaries: bool,
}

impl Default for SummarySettings {
    fn default() -> SummarySettings {
        SummarySettings { summaries: true }
    }
}

impl ConfigExtension for SummarySettings {
    const PREFIX: &'static str = "ocellus";
}

impl ExtensionOptions for SummarySettings {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn as_any_mut(&mut self) -> &mut dyn Any {
        self
    }

    fn cloned(&self) -> Box<dyn ExtensionOptions> {
        Box::new(self.clone())
    }

    fn set(&mut self, key: &str, value: &str) -> Result<()> {
        match key {
            "summaries" => self.summaries.set("", value),
            _ => config_err!("there is no setting ocellus.{key}; there is ocellus.summaries"),
        }
    }

    fn entries(&self) -> Vec<ConfigEntry> {
        vec![ConfigEntry {
            key: "summaries".to_string(),
            value: Some(self.summaries.to_string()),
            description: "Whether summaries are read in place of rows, where they say enough.",
        }]
    }
}
