//! Traces become stores: bytes become events, events become entities, entities become Parquet files.
//!
//! ```text
//!  trace file ──► reader ──► simulator ──► store (Parquet + manifest)
//!                 bytes→     events→       entities→
//!                 events     entities      row groups
//! ```
//! [`import`] joins the three; [`dump`] prints entities instead of storing them, [`convert`] writes them in
//! another format. Nothing here knows of SQL.

pub mod convert;
pub mod diagnostics;
pub mod dump;
pub mod error;
pub mod import;
pub mod model;
pub mod panics;
mod processors;
pub mod reader;
pub mod schema;
pub mod simulator;
pub mod store;
pub mod synth;
pub mod time;
