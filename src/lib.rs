//! Ocellus: an embedded analytical database for execution traces.
//!
//! ```text
//!  trace file ──► reader ──► simulator ──► writer ──► store (Parquet + manifest)
//!                 bytes→     events→       entities→        │
//!                 events     entities      row groups       ▼
//!                                                        catalog ──► functions ──► engine ──► outputs
//! ```
//! Imports go in this direction only; `tests/architecture.rs` checks it.

pub mod error;
pub mod diagnostics;
pub mod time;

pub mod model;
pub mod schema;

pub mod reader;
pub mod synth;

pub mod simulator;

pub mod writer;

pub mod import;

pub mod catalog;

pub mod functions;

pub mod engine;

pub mod outputs;
