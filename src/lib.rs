//! Ocellus: an embedded analytical database for execution traces.
//!
//! ```text
//!  trace file ──► reader ──► simulator ──► store (Parquet + manifest)
//!                 bytes→     events→          │
//!                 events     entities         ▼
//!                                          catalog ──► functions ──► engine ──► formats, pictures, servers, cluster
//! ```
//! Each part is a crate of its own; this one gives them under one roof, and the command line.
//!
//! ```
//! use ocellus::engine::{Engine, EngineOptions};
//! use ocellus::import::{ImportOptions, TraceSource, import};
//! use ocellus::store::Store;
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

#[cfg(feature = "cluster")]
pub use ocellus_cluster as cluster;
pub use ocellus_engine as engine;
pub use ocellus_engine::{catalog, functions};
pub use ocellus_kernels as kernels;
pub use ocellus_render as render;
#[cfg(feature = "server")]
pub use ocellus_server as server;
pub use ocellus_trace::{diagnostics, dump, error, import, model, reader, schema, simulator, store, synth, time};

pub mod cli;
pub mod output;
mod shell;
mod shutdown;
