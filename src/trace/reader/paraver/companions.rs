//! The files that belong to a trace: `.pcf` and `.row` beside the `.prv`, with one stem.

use std::io::Read;
use std::path::PathBuf;

use crate::error::Result;
use crate::reader::TraceOrigin;

/// How much of such a file is read.
const MOST: u64 = 256 << 20;

/// The trace and what lies beside it.
pub fn files(origin: &TraceOrigin) -> Result<Vec<PathBuf>> {
    let mut files = origin.files()?;
    files.extend(["pcf", "row"].into_iter().filter_map(|ending| beside(origin, ending)));
    Ok(files)
}

/// The text of a file beside the trace; `None` when there is none, or when it cannot be read.
pub(super) fn text(origin: &TraceOrigin, ending: &str) -> Option<String> {
    let path = beside(origin, ending)?;
    let mut bytes = vec![];
    // What a damaged stream gave before it broke is better than nothing.
    let _ = TraceOrigin::open(&path).ok()?.reader().ok()?.take(MOST).read_to_end(&mut bytes);
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

fn beside(origin: &TraceOrigin, ending: &str) -> Option<PathBuf> {
    let path = origin.path().ok()?;
    let name = path.file_name()?.to_str()?;
    let stem = [".gz", ".zst"].into_iter().find_map(|packed| name.strip_suffix(packed)).unwrap_or(name);
    let stem = stem.strip_suffix(".prv").unwrap_or(stem);
    let names = [format!("{stem}.{ending}"), format!("{stem}.{ending}.gz"), format!("{stem}.{ending}.zst")];
    names.iter().map(|name| path.with_file_name(name)).find(|path| path.is_file())
}
