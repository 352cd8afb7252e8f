//! The DataFusion session of an engine: configuration, memory, catalog, functions and views.

use std::collections::BTreeMap;
use std::sync::Arc;

use datafusion::common::{DataFusionError, Result};
use datafusion::execution::runtime_env::{RuntimeEnv, RuntimeEnvBuilder};
use datafusion::execution::{FunctionRegistry, SessionStateBuilder};
use datafusion::logical_expr::ScalarUDF;
use datafusion::prelude::{SessionConfig, SessionContext};

use super::options::EngineOptions;
use super::session_texts::SessionTexts;
use crate::catalog::{CATALOG, Catalog, Views};
use crate::functions::plans::bounded_values::bounded_for_registry;
use crate::functions::plans::float_extremes::float_extreme;
use crate::functions::{Files, FunctionPlanner, TraceSpan, registry, time};
use crate::optimizer::{SummarySettings, analyzer_rules, optimizer_rules, physical_optimizer_rules};
use ocellus_planning::{MemoryShare, stoppable_analyzer, stoppable_optimizer, stoppable_physical};
use ocellus_trace::error::Error;
use ocellus_trace::store::TraceEntry;

/// The function that the catalog shows seconds with.
pub(super) fn tick_seconds() -> Arc<ScalarUDF> {
    Arc::new((time::tick_seconds::FUNCTION.make)())
}

/// A session over a catalog. Needs no runtime: nothing here waits for I/O.
pub(super) fn open(catalog: &Catalog, options: &EngineOptions) -> ocellus_trace::error::Result<SessionContext> {
    let config = configuration(options, &catalog.default_schema(options.trace.as_deref())?);
    // For the catalogs that servers show.
    let config = config.with_extension(Arc::new(catalog.clone()));
    let state = SessionStateBuilder::new_with_default_features()
        .with_config(config)
        .with_runtime_env(runtime(options).map_err(internal)?)
        .with_analyzer_rules(stoppable_analyzer(analyzer_rules(options.memory_limit)))
        .with_optimizer_rules(stoppable_optimizer(optimizer_rules()))
        .with_physical_optimizer_rules(stoppable_physical(physical_optimizer_rules(options.memory_limit)))
        .build();
    // Views read the store only: a name that is no table, such as that of a function, is no file either.
    let stored = Arc::downgrade(state.catalog_list());
    let context = SessionContext::new_with_state(state);
    let context = match options.files {
        Files::Readable => context.enable_url_table(),
        Files::Hidden => context,
    };
    let session = context.state_weak_ref();
    let state = Box::new(move || {
        let mut state = session.upgrade()?.read().clone();
        state.register_catalog_list(stored.upgrade()?);
        Some(state)
    });
    let texts = Arc::new(SessionTexts { state });
    let views: Arc<dyn Views> = Arc::clone(&texts) as Arc<dyn Views>;
    context.register_catalog(CATALOG, catalog.provider(&views)?);
    register_functions(&mut *context.state_ref().write()).map_err(internal)?;
    let catalogs = Arc::clone(context.state().catalog_list());
    let planner = FunctionPlanner::new(catalogs, spans(catalog), catalog.names())
        .with_texts(texts)
        .with_memory_limit(options.memory_limit)
        .with_files(options.files);
    context.register_relation_planner(Arc::new(planner)).map_err(internal)?;
    Ok(context)
}

/// Registers every function of ours that a plan may call: whoever runs our plans must know them by name.
pub fn register_plan_functions(functions: &mut dyn FunctionRegistry) -> Result<()> {
    for make in registry::INTERNAL_AGGREGATES {
        functions.register_udaf(Arc::new(make()))?;
    }
    for name in functions.udafs() {
        if let Some(extreme) = float_extreme(&functions.udaf(&name)?) {
            functions.register_udaf(extreme)?;
        }
    }
    register_functions(functions)
}

fn register_functions(functions: &mut dyn FunctionRegistry) -> Result<()> {
    for name in functions.udfs() {
        if let Some(bounded) = bounded_for_registry(&functions.udf(&name)?) {
            functions.register_udf(bounded)?;
        }
    }
    for function in registry::SCALAR_FUNCTIONS {
        functions.register_udf(Arc::new((function.make)()))?;
    }
    for make in registry::INTERNAL_FUNCTIONS {
        functions.register_udf(Arc::new(make()))?;
    }
    for function in registry::AGGREGATE_FUNCTIONS {
        functions.register_udaf(Arc::new((function.make)()))?;
    }
    for function in registry::WINDOW_FUNCTIONS {
        functions.register_udwf(Arc::new((function.make)()))?;
    }
    for kernel in registry::TABLE_KERNELS {
        functions.register_udaf(Arc::new(kernel.aggregate()))?;
    }
    Ok(())
}

/// When each trace starts and ends.
fn spans(catalog: &Catalog) -> BTreeMap<String, TraceSpan> {
    let span = |trace: &TraceEntry| TraceSpan {
        start_tick: trace.start_tick.unwrap_or(0),
        end_tick: trace.end_tick.unwrap_or(0),
        resolution: trace.resolution(),
        origin: trace.origin_ms().saturating_mul(1_000_000),
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
    config.options_mut().extensions.insert(SummarySettings::default());
    let parser = &mut config.options_mut().sql_parser;
    parser.collect_spans = true;
    // A union keeps the comment of one side on a column, and the check calls that another schema.
    config.options_mut().execution.skip_physical_aggregate_schema_check = true;
    // Rows on their way between partitions may be spilled to several files at once, and the reader waits for
    // the first of them to end while its writer waits for the reader. A file of one batch ends by itself.
    config = config.set_usize("datafusion.execution.max_spill_file_size_bytes", 1);
    // Our files have none: looking for them in each row group costs more than pruning by the footer.
    config.options_mut().execution.parquet.bloom_filter_on_read = false;
    let optimizer = &mut config.options_mut().optimizer;
    // Structs come from our own aggregates, and no scan becomes smaller when a field of them is picked further below.
    optimizer.enable_leaf_expression_pushdown = false;
    // Where two tables have columns of one name, as all of ours have, these filters are put on the wrong
    // one and rows are lost (apache/datafusion#25244, #25296).
    optimizer.enable_dynamic_filter_pushdown = false;
    optimizer.enable_join_dynamic_filter_pushdown = false;
    optimizer.enable_topk_dynamic_filter_pushdown = false;
    optimizer.enable_aggregate_dynamic_filter_pushdown = false;
    config
}

fn runtime(options: &EngineOptions) -> Result<Arc<RuntimeEnv>> {
    if let Some(runtime) = &options.runtime {
        return Ok(Arc::clone(runtime));
    }
    let mut builder = RuntimeEnvBuilder::new();
    if let Some(bytes) = options.memory_limit {
        builder = builder.with_memory_pool(Arc::new(MemoryShare::new(bytes)));
    }
    builder.build_arc()
}
