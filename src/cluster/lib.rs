//! A cluster: Ballista's scheduler and executors, with our functions and operators.
//!
//! ```text
//!  client ── plan ──► scheduler ── stages ──► executors ◄── Parquet: shared folder or object storage
//!     ▲                                          │
//!     └──────────────── rows ────────────────────┘
//! ```
//! The client plans a query as the embedded engine does and sends the physical plan; scheduler and executors
//! need no catalog. All three are this program, in the same version: see [`identity`]. Ballista has no authentication
//! and no encryption: [`credentials`] add both, and [`admission`] says what is taken from others.

mod admission;
mod client;
mod codec;
mod collected_join;
mod credentials;
mod distribute;
mod executor;
mod executor_watch;
mod functions;
mod identity;
mod import;
mod job;
mod network;
mod packed_plan;
#[cfg(test)]
#[path = "../../tests/fuzz/plans.rs"]
mod plans;
mod read_stores;
mod scheduler;
mod stages;
mod tunnel;

pub use client::attach;
pub use credentials::ClusterCredentials;
pub use executor::{ExecutorEnd, ExecutorOptions, run_executor};
pub use identity::Identity;
pub use import::{Report, import_traces};
pub use read_stores::ReadScope;
pub use scheduler::{SchedulerOptions, run_scheduler};
