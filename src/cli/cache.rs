//! `ocellus cache`: what was imported on the way, and how to get rid of it.

use std::io::Write;

use super::arguments::{CacheAction, CacheArguments};
use super::outcome::Outcome;
use super::sizes::{bytes, counted};
use super::stdout::{stdout, stdout_failed};
use ocellus_render::note;
use ocellus_trace::error::Result;
use ocellus_trace::import::cache;

/// Runs the command.
pub fn run(arguments: &CacheArguments) -> Result<Outcome> {
    match arguments.action.unwrap_or(CacheAction::List) {
        CacheAction::List => list()?,
        CacheAction::Clear => note(&format!("freed {}", bytes(cache::clear()?))),
        CacheAction::Path => {
            let mut out = stdout();
            writeln!(out, "{}", cache::folder()?.display()).and_then(|()| out.flush()).map_err(stdout_failed)?;
        }
    }
    Ok(Outcome::Done)
}

fn list() -> Result<()> {
    let entries = cache::list()?;
    let mut out = stdout();
    for entry in &entries {
        writeln!(out, "{:>12}  {}", bytes(entry.bytes), entry.source).map_err(stdout_failed)?;
    }
    out.flush().map_err(stdout_failed)?;
    let total = entries.iter().map(|entry| entry.bytes).sum();
    note(&format!("{}, {}, in {}", counted(entries.len() as u64, "trace"), bytes(total), cache::folder()?.display()));
    Ok(())
}
