//! `ocellus drop` and `ocellus rename`: changes of a store.

use super::arguments::{DropArguments, RenameArguments};
use super::outcome::Outcome;
use ocellus_render::note;
use ocellus_trace::error::Result;
use ocellus_trace::store::Store;

/// Removes a trace.
pub fn drop_trace(arguments: &DropArguments) -> Result<Outcome> {
    Store::open(&arguments.store)?.drop_trace(&arguments.name)?;
    note(&format!("dropped {} from {}", arguments.name, arguments.store.display()));
    Ok(Outcome::Done)
}

/// Gives a trace another name.
pub fn rename_trace(arguments: &RenameArguments) -> Result<Outcome> {
    Store::open(&arguments.store)?.rename_trace(&arguments.old, &arguments.new)?;
    note(&format!("renamed {} to {}", arguments.old, arguments.new));
    Ok(Outcome::Done)
}
