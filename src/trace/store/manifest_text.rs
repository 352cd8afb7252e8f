//! The manifest as text, with its checksum; what cannot be believed is refused.
//!
//! ```text
//! {"format_version": 1, …, "traces": […]         everything up to the last comma
//!   , "checksum": "0123456789abcdef"             its XXH3
//! }
//! ```
//! The checksum is over the text, so that any change of it is seen. Manifests of older versions have none.

#[cfg(test)]
mod tests;

use serde::Deserialize;
use twox_hash::XxHash3_64;

use super::manifest::{FORMAT_VERSION, MANIFEST, Manifest, OLDEST_VERSION};
use super::manifest_rules;
use crate::error::{Error, Result};

/// What comes between the text that the checksum is about and the checksum.
const CHECKSUM: &str = ",\n  \"checksum\": \"";

impl Manifest {
    /// Reads the text of the manifest of the store at `root`, a folder or a URL.
    pub fn parse(root: &str, text: &str) -> Result<Manifest> {
        #[derive(Deserialize)]
        struct Version {
            format_version: u32,
            #[serde(default)]
            ocellus_version: String,
        }
        let root = root.trim_end_matches('/');
        let damaged = |what: &dyn std::fmt::Display| {
            Error::Store(format!("{root}/{MANIFEST} is damaged: {what}; restore it or import the traces again"))
        };
        let version: Version = serde_json::from_str(text).map_err(|e| damaged(&e))?;
        if !(OLDEST_VERSION..=FORMAT_VERSION).contains(&version.format_version) {
            let way_out = if version.format_version > FORMAT_VERSION {
                format!("use ocellus {} or later", version.ocellus_version)
            } else {
                "import its traces again with this version".to_string()
            };
            return Err(Error::Store(format!(
                "{root} is a store of format {}, and this program reads formats {OLDEST_VERSION} to {FORMAT_VERSION}: {way_out}",
                version.format_version,
            )));
        }
        let is_checked = check_text(text).map_err(|what| damaged(&what))?;
        let manifest: Manifest = serde_json::from_str(text).map_err(|e| damaged(&e))?;
        let mut files = manifest.traces.iter().flat_map(|trace| &trace.tables).flat_map(|table| &table.files);
        if !is_checked && files.any(|file| file.footer.is_some()) {
            return Err(damaged(&"it has lost its checksum"));
        }
        manifest_rules::check(&manifest).map_err(|what| damaged(&what))?;
        Ok(manifest)
    }

    /// Whether the text of a manifest has a checksum of its own; those of older versions have none.
    pub fn has_checksum(text: &str) -> bool {
        text.rfind(CHECKSUM).is_some()
    }

    /// The text of the manifest, with its checksum.
    pub fn to_text(&self) -> Result<String> {
        let text = serde_json::to_string_pretty(self)
            .map_err(|e| Error::Internal(format!("the manifest cannot be written as JSON: {e}")))?;
        let body = text.strip_suffix("\n}").unwrap_or(&text);
        Ok(format!("{body}{}", checksum_of(body)))
    }
}

/// How a manifest ends.
fn checksum_of(body: &str) -> String {
    format!("{CHECKSUM}{:016x}\"\n}}", XxHash3_64::oneshot(body.as_bytes()))
}

/// Compares a text with its checksum; whether it has one.
fn check_text(text: &str) -> std::result::Result<bool, &'static str> {
    match text.rfind(CHECKSUM).map(|end| text.split_at(end)) {
        Some((body, end)) if end.trim_end_matches('\n') != checksum_of(body) => Err("its checksum does not agree"),
        found => Ok(found.is_some()),
    }
}
