//! The DataFusion session of an engine: configuration, memory, catalog, functions and views.

use std::collections::BTreeMap;
use std::sync::Arc;

use datafusion::common::{DataFusionError, Result, TableReference};
use datafusion::datasource::ViewTable;
use datafusion::execution::SessionStateBuilder;
use datafusion::execution::memory_pool::FairSpillPool;
use datafusion::execution::runtime_env::{RuntimeEnv, RuntimeEnvBuilder};
use datafusion::logical_expr::ScalarUDF;
use datafusion::prelude::{SessionConfig, SessionContext};
use futures::FutureExt;

use super::EngineOptions;
use super::time_filter::optimizer_rules;
use crate::catalog::{CATALOG, Catalog};
use crate::error::Error;
use crate::functions::{FunctionPlanner, TraceSpan, registry, time};
use crate::writer::TraceEntry;

/// The function that the catalog shows seconds with.
pub(super) fn tick_seconds() -> Arc<ScalarUDF> {
    Arc::new((time::tick_seconds::FUNCTION.make)())
}

/// A session over a catalog. Needs no runtime: nothing here waits for I/O.
pub(super) fn open(catalog: &Catalog, options: &EngineOptions) -> crate::error::Result<SessionContext> {
    let config = configuration(options, &catalog.default_schema(options.trace.as_deref())?);
    let state = SessionStateBuilder::new_with_default_features()
        .with_config(config)
        .with_runtime_env(runtime(options).map_err(internal)?)
        .with_optimizer_rules(optimizer_rules())
        .build();
    let context = SessionContext::new_with_state(state).enable_url_table();
    context.register_catalog(CATALOG, catalog.provider()?);
    for function in registry::SCALAR_FUNCTIONS {
        context.register_udf((function.make)());
    }
    for function in registry::AGGREGATE_FUNCTIONS {
        context.register_udaf((function.make)());
    }
    for kernel in registry::TABLE_KERNELS {
        context.register_udaf(kernel.aggregate());
    }
    let catalogs = Arc::clone(context.state().catalog_list());
    context.register_relation_planner(Arc::new(FunctionPlanner::new(catalogs, spans(catalog)))).map_err(internal)?;
    for trace in catalog.traces() {
        register_views(&context, &trace.name).map_err(internal)?;
    }
    Ok(context)
}

/// When each trace starts and ends.
fn spans(catalog: &Catalog) -> BTreeMap<String, TraceSpan> {
    let span = |trace: &TraceEntry| TraceSpan {
        start_tick: trace.start_tick.unwrap_or(0),
        end_tick: trace.end_tick.unwrap_or(0),
        resolution: trace.resolution(),
    };
    catalog.traces().iter().map(|trace| (trace.name.clone(), span(trace))).collect()
}

fn internal(error: DataFusionError) -> Error {
    Error::Internal(error.to_string())
}

fn configuration(options: &EngineOptions, default_schema: &str) -> SessionConfig {
    let mut config = SessionConfig::new()
        .with_default_catalog_and_schema(CATALOG, default_schema)
        .with_create_default_catalog_and_schema(false)
        .with_information_schema(true);
    if let Some(threads) = options.threads {
        config = config.with_target_partitions(threads.max(1));
    }
    let parser = &mut config.options_mut().sql_parser;
    parser.collect_spans = true;
    config
}

fn runtime(options: &EngineOptions) -> Result<Arc<RuntimeEnv>> {
    let mut builder = RuntimeEnvBuilder::new();
    if let Some(bytes) = options.memory_limit {
        builder = builder.with_memory_pool(Arc::new(FairSpillPool::new(bytes)));
    }
    builder.build_arc()
}

/// Plans our views over the tables of one trace.
fn register_views(context: &SessionContext, trace: &str) -> Result<()> {
    let mut state = context.state();
    state.config_mut().options_mut().catalog.default_schema = trace.to_string();
    for view in registry::VIEWS {
        let plan = ocellus_planning::plan_text(&state, view.sql).now_or_never().ok_or_else(|| {
            DataFusionError::Internal(format!("the view {} waits for something", view.definition.name))
        })??;
        let schema = state.schema_for_ref(TableReference::partial(trace, view.definition.name))?;
        let table = Arc::new(ViewTable::new(plan, Some(view.sql.to_string())));
        schema.register_table(view.definition.name.to_string(), table)?;
    }
    Ok(())
}
