//! Descriptions of the machines that a program ran on: a network as a DOT graph, and the organization
//! of machines as a tree.
//!
//! In: a file. Out: a [`Topology`] or a [`Hierarchy`], or an error with the line of the fault.

mod dot;
mod hierarchy;
mod item;
mod plist;
mod resources;
mod scanner;
#[cfg(test)]
mod tests;
mod units;
mod yaml;

use std::fs;
use std::path::Path;

pub(super) use resources::{Hierarchy, Topology};

use self::item::DescriptionFault;
use crate::error::{Error, Result};

/// Reads a network from a DOT file.
pub(super) fn read_topology(path: &Path) -> Result<Topology> {
    dot::parse(&read(path)?).map_err(|fault| fault.in_file(path))
}

/// Reads an organization of machines from a property list, JSON or YAML; the name of the file says which.
pub(super) fn read_hierarchy(path: &Path) -> Result<Hierarchy> {
    let text = read(path)?;
    let extension = path.extension().map(|extension| extension.to_string_lossy().to_lowercase());
    let item = match extension.as_deref() {
        Some("plist") => plist::parse(&text),
        Some("json" | "yaml" | "yml") => yaml::parse(&text),
        _ => {
            let message = format!("{}: a hierarchy is a .plist, .json, .yaml or .yml file", path.display());
            return Err(Error::Usage(message));
        }
    };
    item.and_then(|item| hierarchy::of_item(&item)).map_err(|fault| fault.in_file(path))
}

fn read(path: &Path) -> Result<String> {
    let bytes = fs::read(path).map_err(|e| Error::io("read", path, e))?;
    String::from_utf8(bytes).map_err(|error| {
        let line =
            1 + error.as_bytes()[..error.utf8_error().valid_up_to()].iter().filter(|byte| **byte == b'\n').count();
        DescriptionFault::at(line, "this is no UTF-8 text").in_file(path)
    })
}
