//! `ocellus info`: what a store holds.

use std::io::{self, Write};

use chrono::DateTime;

use super::arguments::InfoArguments;
use super::outcome::Outcome;
use super::sizes::{bytes, counted};
use super::source::open_store;
use super::stdout::{stdout, stdout_failed};
use super::summary::write_trace;
use ocellus_trace::error::{Error, Result};
use ocellus_trace::store::{Manifest, Store, TraceEntry};

/// Runs the command.
pub fn run(arguments: &InfoArguments) -> Result<Outcome> {
    let store = open_store(&arguments.source, arguments.reading)?;
    let manifest = store.manifest()?;
    let mut out = stdout();
    write_store(&mut out, &store, &manifest).map_err(stdout_failed)?;
    if arguments.verify {
        verify(&mut out, &store, &manifest)?;
    }
    out.flush().map_err(stdout_failed)?;
    Ok(Outcome::Done)
}

fn write_store(out: &mut dyn Write, store: &Store, manifest: &Manifest) -> io::Result<()> {
    let size = manifest.traces.iter().map(TraceEntry::stored_bytes).sum();
    writeln!(
        out,
        "store {}: {}, {}, format {}, written by ocellus {}",
        store.root().display(),
        counted(manifest.traces.len() as u64, "trace"),
        bytes(size),
        manifest.format_version,
        manifest.ocellus_version
    )?;
    for trace in &manifest.traces {
        writeln!(out, "\ntrace {}", trace.name)?;
        writeln!(out, "  from            {} ({})", trace.source, trace.format)?;
        writeln!(out, "  imported        {} by ocellus {}", date(trace.imported_at_ms), trace.ocellus_version)?;
        let told = if trace.origin_ms.is_some() { "" } else { " (not recorded in the trace)" };
        writeln!(out, "  origin          {}{told}", date(trace.origin_ms()))?;
        write_trace(out, trace)?;
        write_extra_columns(out, trace)?;
    }
    Ok(())
}

fn write_extra_columns(out: &mut dyn Write, trace: &TraceEntry) -> io::Result<()> {
    for table in trace.tables.iter().filter(|table| !table.extra_columns.is_empty()) {
        let names: Vec<&str> = table.extra_columns.iter().map(|column| column.name.as_str()).collect();
        writeln!(out, "  columns of its own in {}: {}", table.name, names.join(", "))?;
    }
    Ok(())
}

/// Checks every trace, also those after a damaged one.
fn verify(out: &mut dyn Write, store: &Store, manifest: &Manifest) -> Result<()> {
    writeln!(out).map_err(stdout_failed)?;
    let mut damages = vec![];
    for trace in &manifest.traces {
        match store.verify(trace) {
            Ok(()) => writeln!(out, "trace {}: all checksums agree{}", trace.name, what_is_unchecked(trace))
                .map_err(stdout_failed)?,
            Err(error) => damages.push(error.to_string()),
        }
    }
    if !store.has_checked_manifest()? {
        let older = "the manifest has no checksum of its own: an older version wrote it; the next change adds one";
        writeln!(out, "{older}").map_err(stdout_failed)?;
    }
    out.flush().map_err(stdout_failed)?;
    if damages.is_empty() { Ok(()) } else { Err(Error::Store(damages.join("\n"))) }
}

/// What an older version did not record.
fn what_is_unchecked(trace: &TraceEntry) -> &'static str {
    match trace.tables.iter().flat_map(|table| &table.files).all(|file| file.footer.is_some()) {
        true => "",
        false => {
            "; an older version imported it, without checksums that queries can use: they compare sizes and rows only; \
             import it again"
        }
    }
}

fn date(milliseconds: i64) -> String {
    match DateTime::from_timestamp_millis(milliseconds) {
        Some(date) => date.format("%Y-%m-%d %H:%M:%S UTC").to_string(),
        None => format!("{milliseconds} ms since 1970"),
    }
}
