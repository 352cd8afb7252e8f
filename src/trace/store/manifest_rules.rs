//! What a manifest may say. A store may come from somebody else, and commands read, write and remove where it points to.

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use super::manifest::{FileEntry, Manifest, TableEntry, TraceEntry};
use super::trace_name::{check_trace_name, is_trace_folder};
use crate::time::Resolution;

/// Says what is wrong with a manifest, if anything is.
pub(super) fn check(manifest: &Manifest) -> Result<(), String> {
    if manifest.generation > i64::MAX as u64 {
        return Err(format!("there cannot have been {} changes", manifest.generation));
    }
    let mut names = BTreeSet::new();
    let mut folders = BTreeSet::new();
    for trace in &manifest.traces {
        check_trace_name(&trace.name).map_err(|error| error.to_string())?;
        if !names.insert(trace.name.as_str()) {
            return Err(format!("two traces have the name {}", trace.name));
        }
        if !is_trace_folder(&trace.folder) {
            return Err(format!(
                "the folder of the trace {} is {:?}; it must be t and digits, such as t000001",
                trace.name, trace.folder
            ));
        }
        if !folders.insert(trace.folder.as_str()) {
            return Err(format!("two traces have the folder {}", trace.folder));
        }
        check_trace(trace).map_err(|what| format!("trace {}: {what}", trace.name))?;
    }
    Ok(())
}

fn check_trace(trace: &TraceEntry) -> Result<(), String> {
    if Resolution::from_digits(trace.resolution_digits).is_none() {
        return Err(format!("there is no resolution of {} digits", trace.resolution_digits));
    }
    let is_span = match (trace.start_tick, trace.end_tick) {
        (Some(start), Some(end)) => start <= end,
        (start, end) => start.is_none() && end.is_none(),
    };
    if !is_span {
        return Err("it ends before it starts".to_string());
    }
    let mut tables = BTreeSet::new();
    let mut files = BTreeSet::new();
    let mut bytes = 0_u64;
    for table in &trace.tables {
        if !tables.insert(table.name.as_str()) {
            return Err(format!("two tables have the name {:?}", table.name));
        }
        check_table(table)?;
        for file in &table.files {
            check_file(file)?;
            if !files.insert(file.name.as_str()) {
                return Err(format!("two files have the name {}", file.name));
            }
            bytes = bytes.checked_add(file.bytes).ok_or("its files are larger than any disk")?;
        }
    }
    Ok(())
}

fn check_table(table: &TableEntry) -> Result<(), String> {
    let mut columns = BTreeSet::new();
    if let Some(twice) = table.extra_columns.iter().find(|column| !columns.insert(column.name.as_str())) {
        return Err(format!("{:?} has two columns {:?}", table.name, twice.name));
    }
    if let Some(bands) = table.bands.filter(|bands| bands.shift >= bands.coarsest || bands.coarsest > 60) {
        return Err(format!("{:?} has no bands from {} to {}", table.name, bands.shift, bands.coarsest));
    }
    let rows = table.files.iter().try_fold(0_u64, |rows, file| rows.checked_add(file.rows));
    // A table that is only counted, as in a catalog without its data, has no files.
    match table.files.is_empty() || rows == Some(table.rows) {
        true => Ok(()),
        false => Err(format!("the files of {:?} do not have its {} rows", table.name, table.rows)),
    }
}

/// A file is named as we name them: nothing that leaves the folder, and nothing that a URL or a pattern would read otherwise.
fn check_file(file: &FileEntry) -> Result<(), String> {
    let stem = file.name.strip_suffix(".parquet").unwrap_or_default();
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    if stem.is_empty() || stem.len() > 200 || !stem.bytes().all(is_plain) {
        return Err(format!(
            "it names a file {:?}; names are letters, digits, - and _, and end with .parquet",
            file.name
        ));
    }
    match &file.footer {
        Some(footer) if footer.bytes > file.bytes => {
            Err(format!("the footer of {} is larger than the file", file.name))
        }
        _ => Ok(()),
    }
}
