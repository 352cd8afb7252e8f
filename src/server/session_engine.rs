//! The engine of a session: one of its own, or that of all requests about the same trace.

use std::sync::Arc;

use datafusion::prelude::SessionContext;

use super::error::ServerError;
use super::service::{Service, Snapshot};
use super::shared_engines::SharedEngine;
use ocellus_engine::{Engine, EngineOptions, Files};

/// What a protocol adds to the sessions of DataFusion: its dialect, its catalogs, its functions.
pub type Setup = Arc<dyn Fn(&SessionContext) -> Result<(), ServerError> + Send + Sync>;

/// Where a session has its engine from.
pub(super) enum EngineSource {
    /// One of its own, with what its protocol adds.
    Own(Setup),
    /// That of all requests about the same trace.
    Shared,
}

impl EngineSource {
    /// The engine over a snapshot; the schema is that of unqualified names.
    pub(super) fn open(
        &self,
        service: &Service,
        snapshot: &Snapshot,
        schema: Option<String>,
    ) -> Result<Arc<Engine>, ServerError> {
        match self {
            EngineSource::Own(setup) => {
                let engine = open_engine(service, snapshot, schema)?;
                setup(engine.context())?;
                Ok(Arc::new(engine))
            }
            EngineSource::Shared => Ok(Arc::clone(&shared_engine(service, snapshot, schema)?.engine)),
        }
    }
}

fn open_engine(service: &Service, snapshot: &Snapshot, schema: Option<String>) -> Result<Engine, ServerError> {
    let options = EngineOptions {
        memory_limit: Some(service.limits.query_memory),
        trace: schema,
        runtime: Some(service.shared()),
        files: Files::Hidden,
        ..EngineOptions::default()
    };
    Ok(Engine::over(snapshot.catalog.clone(), &options)?)
}

/// The engine that requests about a trace share.
pub(super) fn shared_engine(
    service: &Service,
    snapshot: &Snapshot,
    schema: Option<String>,
) -> Result<Arc<SharedEngine>, ServerError> {
    let open = || open_engine(service, snapshot, schema.clone());
    service.engines.get(&snapshot.stamp, schema.clone(), open)
}
