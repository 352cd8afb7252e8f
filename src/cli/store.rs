//! `ocellus drop` and `ocellus rename`: changes of a store.

use super::arguments::{DropArguments, RenameArguments};
use super::outcome::Outcome;
use ocellus_render::note;
use ocellus_trace::error::Result;
use ocellus_trace::store::Store;

/// Removes a trace.
pub fn drop_trace(arguments: &DropArguments) -> Result<Outcome> {
    let store = Store::open(&arguments.store)?;
    store.drop_trace(&arguments.name)?;
    report_warnings(&store);
    note(&format!("dropped {} from {}", arguments.name, arguments.store.display()));
    Ok(Outcome::Done)
}

/// Gives a trace another name.
pub fn rename_trace(arguments: &RenameArguments) -> Result<Outcome> {
    let store = Store::open(&arguments.store)?;
    store.rename_trace(&arguments.old, &arguments.new)?;
    report_warnings(&store);
    note(&format!("renamed {} to {}", arguments.old, arguments.new));
    Ok(Outcome::Done)
}

/// Reports what went wrong after a change that was made all the same.
pub fn report_warnings(store: &Store) {
    for warning in store.take_warnings() {
        note(&format!("warning: {warning}"));
    }
}
