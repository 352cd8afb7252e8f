//! The files that a path names, and the table over them.
//!
//! ```text
//! path = file | folder '/' pattern        pattern: a file name in which * stands for anything, ? for one character
//! ```

#[cfg(test)]
mod tests;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow::datatypes::SchemaRef;
use datafusion::common::{Result, plan_datafusion_err, plan_err};
use datafusion::datasource::file_format::FileFormat;
use datafusion::datasource::listing::{ListingOptions, ListingTable, ListingTableConfig, ListingTableUrl};
use datafusion::datasource::provider_as_source;
use datafusion::logical_expr::{LogicalPlan, LogicalPlanBuilder};
use url::Url;

use crate::functions::calls::call::{Call, Files};

/// Endings of files that would have to be decompressed first.
const COMPRESSED: [&str; 5] = ["gz", "zst", "bz2", "xz", "zip"];

/// The files of the argument `path` of a call, by name: at least one.
pub(super) fn files_of(call: &Call<'_>) -> Result<Vec<PathBuf>> {
    let function = call.definition.name;
    if call.limits.files == Files::Hidden {
        return plan_err!(
            "{function}: files beside the store cannot be read on a server or a cluster; use ocellus sql on your machine"
        );
    }
    let path = call.text("path").unwrap_or_default();
    if path.contains("://") {
        return plan_err!("{function}: {path} is a URL; only files of this machine can be read");
    }
    named(Path::new(path)).map_err(|reason| plan_datafusion_err!("{function}: {reason}"))
}

/// The files that a path names, by name; `Err` says why there are none.
fn named(path: &Path) -> std::result::Result<Vec<PathBuf>, String> {
    let shown = path.display();
    if path.is_dir() {
        return Err(format!("{shown} is a folder; name its files: {shown}/*.parquet or {shown}/*.csv"));
    }
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let mut files = match path.exists() || !has_wildcard(&path.to_string_lossy()) {
        true => vec![path.to_path_buf()],
        false => matching(path, &name)?,
    };
    files.sort();
    for file in &files {
        let ending = file.extension().map(|ending| ending.to_string_lossy().to_lowercase()).unwrap_or_default();
        if COMPRESSED.contains(&ending.as_str()) {
            return Err(format!("{} is compressed; decompress it first", file.display()));
        }
        fs::metadata(file).map_err(|error| format!("cannot open {}: {error}", file.display()))?;
    }
    Ok(files)
}

fn matching(path: &Path, pattern: &str) -> std::result::Result<Vec<PathBuf>, String> {
    let folder = match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    if has_wildcard(&folder.to_string_lossy()) {
        return Err(format!("{}: * and ? are for names of files, not of folders", path.display()));
    }
    let entries = fs::read_dir(folder).map_err(|error| format!("cannot open {}: {error}", folder.display()))?;
    let fits = |path: &PathBuf| {
        path.is_file() && path.file_name().is_some_and(|name| is_match(&name.to_string_lossy(), pattern))
    };
    let found: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).filter(fits).collect();
    match found.is_empty() {
        true => Err(format!("no file matches {}", path.display())),
        false => Ok(found),
    }
}

fn has_wildcard(text: &str) -> bool {
    text.contains(['*', '?'])
}

/// Whether a name fits a pattern; hidden files fit only a pattern that begins with a dot.
fn is_match(name: &str, pattern: &str) -> bool {
    fn fits(name: &[char], pattern: &[char]) -> bool {
        match pattern.split_first() {
            None => name.is_empty(),
            Some(('*', rest)) => (0..=name.len()).any(|skipped| fits(&name[skipped..], rest)),
            Some((wanted, rest)) => name
                .split_first()
                .is_some_and(|(first, others)| (wanted == first || *wanted == '?') && fits(others, rest)),
        }
    }
    let characters = |text: &str| text.chars().collect::<Vec<char>>();
    name.starts_with('.') == pattern.starts_with('.') && fits(&characters(name), &characters(pattern))
}

/// A scan of files that have these columns.
pub(super) fn scan(
    call: &Call<'_>,
    files: &[PathBuf],
    format: Arc<dyn FileFormat>,
    schema: SchemaRef,
) -> Result<LogicalPlan> {
    let function = call.definition.name;
    let url_of = |path: &PathBuf| {
        let url = path.canonicalize().ok().and_then(|path| Url::from_file_path(path).ok());
        let url = url.ok_or_else(|| plan_datafusion_err!("{function}: cannot open {}", path.display()))?;
        ListingTableUrl::try_new(url, None)
    };
    let urls = files.iter().map(url_of).collect::<Result<Vec<_>>>()?;
    // Names of files say nothing of their format here: the function does.
    let options = ListingOptions::new(format).with_file_extension("");
    let config = ListingTableConfig::new_with_multi_paths(urls).with_listing_options(options).with_schema(schema);
    let table = provider_as_source(Arc::new(ListingTable::try_new(config)?));
    LogicalPlanBuilder::scan(function, table, None)?.build()
}
