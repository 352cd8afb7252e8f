//! Engines that requests without a session of their own share: one for each trace, over the newest snapshot.
//!
//! To open an engine takes longer than a small query. What is opened here only reads, so that nobody sees what others do.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::OnceCell;

use super::error::ServerError;
use ocellus_engine::Engine;
use ocellus_engine::completion::CompletionNames;
use ocellus_trace::store::Stamp;

/// Engines by the trace that unqualified names mean.
#[derive(Debug, Default)]
pub(super) struct SharedEngines {
    opened: Mutex<OpenedEngines>,
}

#[derive(Debug, Default)]
struct OpenedEngines {
    stamp: Option<Stamp>,
    engines: BTreeMap<Option<String>, Arc<SharedEngine>>,
}

/// An engine, and what is computed once for all who use it.
#[derive(Debug)]
pub(super) struct SharedEngine {
    pub(super) engine: Arc<Engine>,
    names: OnceCell<CompletionNames>,
}

impl SharedEngines {
    /// The engine of a trace at a moment of the store, opened by whoever comes first.
    pub(super) fn get(
        &self,
        stamp: &Stamp,
        schema: Option<String>,
        open: impl FnOnce() -> Result<Engine, ServerError>,
    ) -> Result<Arc<SharedEngine>, ServerError> {
        // Entries are added in one step, so the map is whole after any panic.
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        if opened.stamp.as_ref() != Some(stamp) {
            *opened = OpenedEngines { stamp: Some(stamp.clone()), engines: BTreeMap::new() };
        }
        if let Some(engine) = opened.engines.get(&schema) {
            return Ok(Arc::clone(engine));
        }
        // A name that no trace has is refused here, so that there are no more engines than traces.
        let engine = Arc::new(SharedEngine { engine: Arc::new(open()?), names: OnceCell::new() });
        opened.engines.insert(schema, Arc::clone(&engine));
        Ok(engine)
    }
}

impl SharedEngine {
    /// The names that completion offers.
    pub(super) async fn names(&self) -> &CompletionNames {
        self.names.get_or_init(|| CompletionNames::of(&self.engine)).await
    }
}
