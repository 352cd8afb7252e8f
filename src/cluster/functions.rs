//! The functions and operators that every part of a cluster knows.

use std::sync::Arc;

use ballista_core::registry::BallistaFunctionRegistry;
use datafusion::common::Result;
use datafusion::execution::runtime_env::RuntimeEnvBuilder;
use datafusion::execution::{FunctionRegistry, SessionState, SessionStateBuilder};
use datafusion::prelude::SessionConfig;

use super::import::{ImportScope, import_trace};
use ocellus_engine::register_plan_functions;
use ocellus_engine::remote::EnvironmentStores;

/// A session that knows our functions and no table.
pub(super) fn session(config: SessionConfig) -> Result<SessionState> {
    // To read a plan over files one must be able to name their store.
    let runtime =
        RuntimeEnvBuilder::new().with_object_store_registry(Arc::new(EnvironmentStores::default())).build_arc()?;
    let builder = SessionStateBuilder::new_with_default_features().with_config(config).with_runtime_env(runtime);
    let mut state = builder.build();
    register_plan_functions(&mut state)?;
    state.register_udf(Arc::new(import_trace(ImportScope::default())))?;
    Ok(state)
}

/// The same functions for an executor, which may import some traces into some stores.
pub(super) fn registry(scope: ImportScope) -> Result<Arc<BallistaFunctionRegistry>> {
    let mut state = session(SessionConfig::new())?;
    state.register_udf(Arc::new(import_trace(scope)))?;
    Ok(Arc::new(BallistaFunctionRegistry::from(&state)))
}
