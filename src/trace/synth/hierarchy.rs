//! A large hierarchy of containers, each leaf in two states: what a treemap of a large system shows.
//!
//! In: [`HierarchyOptions`]. Out: a trace with one root, and below it the levels of the shape.

#[cfg(test)]
mod tests;

use std::io::Write;

use super::stage::{HierarchyOptions, Stage};
use crate::error::Result;

/// Writes the trace of a hierarchy.
pub fn hierarchy(options: &HierarchyOptions, out: &mut dyn Write) -> Result<()> {
    let mut stage = Stage::new(options, out)?;
    stage.begin(&format!("hierarchy: {} leaves, seed {}", stage.leaves, options.seed), &[])?;
    for round in 0..options.rounds {
        stage.begin_round(round)?;
        stage.end_round(round)?;
    }
    stage.finish()
}
