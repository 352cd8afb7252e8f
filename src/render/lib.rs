//! What a user sees of a result: tables in many formats, pictures, scenes, reports.
//!
//! In: rows of an engine. Out: text and files. No sockets, no terminal.

use std::io::{self, Write};

pub mod color;
pub mod formats;
pub mod gltf;
pub mod pictures;
pub mod report;

/// Says something beside the results. Nobody listens when standard error is closed: no reason to stop.
pub fn note(text: &str) {
    let _ = writeln!(io::stderr(), "{text}");
}
