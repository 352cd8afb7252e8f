//! How an engine is opened.

use std::sync::Arc;

use datafusion::execution::runtime_env::RuntimeEnv;

use crate::functions::Files;

/// How to open an engine.
#[derive(Debug, Clone, Default)]
pub struct EngineOptions {
    /// Bytes that queries may hold; sorts and aggregations go to disk beyond it. `None`: no limit.
    pub memory_limit: Option<usize>,
    /// Partitions of a query. `None`: one per core.
    pub threads: Option<usize>,
    /// The trace that unqualified names mean. `None`: the only one.
    pub trace: Option<String>,
    /// Memory, temporary files and caches shared with other engines. `None`: its own, with the memory limit.
    pub runtime: Option<Arc<RuntimeEnv>>,
    /// What a name in quotes may mean.
    pub files: Files,
}
