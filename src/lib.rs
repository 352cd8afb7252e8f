//! Ocellus: an embedded analytical database for execution traces.
//!
//! ```text
//!  trace file ──► reader ──► simulator ──► writer ──► store (Parquet + manifest)
//!                 bytes→     events→       entities→        │
//!                 events     entities      row groups       ▼
//!                                                        catalog ──► functions ──► engine ──► outputs
//! ```
//! Imports go in this direction only; `tests/architecture.rs` checks it.
//!
//! ```
//! use ocellus::engine::{Engine, EngineOptions};
//! use ocellus::import::{ImportOptions, TraceSource, import};
//! use ocellus::writer::Store;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let folder = tempfile::tempdir()?;
//! let store = Store::open_or_create(folder.path())?;
//! let summary = import(&TraceSource::Path("traces/paper.trace".into()), &store, &ImportOptions::default())?;
//! assert_eq!(summary.trace.rows("states"), 6);
//!
//! let engine = Engine::open(store, EngineOptions::default())?;
//! let runtime = tokio::runtime::Runtime::new()?;
//! let batches = runtime.block_on(engine.sql("SELECT value FROM states WHERE start_time < 1"))?;
//! assert_eq!(batches.iter().map(|batch| batch.num_rows()).sum::<usize>(), 1);
//! # Ok(())
//! # }
//! ```

// layer 0
pub mod diagnostics;
pub mod error;
pub mod time;

// layer 1
pub mod model;
pub mod schema;

// layer 2
pub mod kernels;
pub mod reader;
pub mod synth;

// layer 3
pub mod simulator;

// layer 4
pub mod writer;

// layer 5
pub mod import;

// layer 6
pub mod catalog;

// layer 7
pub mod functions;

// layer 8
pub mod engine;

// layer 9
pub mod outputs;
