//! Results as a user sees them: tables in many formats, pictures, scenes and reports.
//!
//! In: rows of an engine. Out: text and files. No sockets, no terminal.

use std::io::{self, Write};

pub mod color;
pub mod formats;
pub mod gltf;
pub mod pictures;
pub mod report;

/// Writes a message to standard error, beside the results. That standard error is closed is no reason to stop.
pub fn note(text: &str) {
    let _ = writeln!(io::stderr(), "{text}");
}
