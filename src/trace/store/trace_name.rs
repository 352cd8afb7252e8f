//! Names of traces, and of their folders.

#[cfg(test)]
mod tests;

use std::path::Path;

use crate::error::{Error, Result};

/// The name of the `number`th trace folder.
pub(super) fn trace_folder(number: u64) -> String {
    format!("t{number:06}")
}

/// Whether a folder is one of a trace: t and digits.
pub(super) fn is_trace_folder(name: &str) -> bool {
    let digits = name.strip_prefix('t').unwrap_or_default();
    !digits.is_empty() && digits.len() <= 20 && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// Names that SQL or the catalog needs for itself.
const RESERVED: [&str; 5] = ["all_traces", "information_schema", "public", "pg_catalog", "datafusion"];

/// Checks that a name can be an SQL schema: a letter, then letters, digits and underscores.
pub fn check_trace_name(name: &str) -> Result<()> {
    let mut characters = name.chars();
    let starts_well = characters.next().is_some_and(|c| c.is_ascii_lowercase() || c == '_');
    let goes_on_well = characters.all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
    if !starts_well || !goes_on_well || name.len() > 63 {
        return Err(Error::Usage(format!(
            "a trace name is lower-case letters, digits and underscores, at most 63, starting with a letter; got {name}"
        )));
    }
    if RESERVED.contains(&name) {
        return Err(Error::Usage(format!("the name {name} is taken by SQL; choose another")));
    }
    Ok(())
}

/// Makes a valid trace name from a file name: `LU.S-16.trace.gz` becomes `lu_s_16`.
pub fn trace_name_of(path: &Path) -> String {
    let file = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let mut stem = file.as_str();
    for suffix in [".gz", ".zst", ".trace", ".paje", ".meta", ".otf2", ".json", ".bin", ".txt"] {
        stem = stem.strip_suffix(suffix).unwrap_or(stem);
    }
    let mut name: String =
        stem.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' }).take(60).collect();
    if !name.starts_with(|c: char| c.is_ascii_lowercase()) {
        name.insert_str(0, "t_");
    }
    if check_trace_name(&name).is_err() {
        name.push_str("_1");
    }
    name
}
