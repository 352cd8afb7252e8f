//! Imports of many traces, each a task of some executor.
//!
//! ```text
//!  one row and one partition per trace ─► ocellus_import_trace(order) ─► one row per trace: what came of it
//! ```
//! The function is known to executors only, and does its work only on those that were started with a folder for
//! stores. Traces and store must be where all executors see them under the same path.

#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use arrow::array::{ArrayRef, AsArray, RecordBatch, StringArray};
use arrow::datatypes::{DataType, Field, Schema};
use datafusion::common::{DataFusionError, Result as QueryResult, exec_err};
use datafusion::config::ConfigOptions;
use datafusion::datasource::memory::MemorySourceConfig;
use datafusion::logical_expr::{ColumnarValue, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Volatility};
use datafusion::physical_expr::ScalarFunctionExpr;
use datafusion::physical_expr::expressions::Column;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::projection::{ProjectionExec, ProjectionExpr};
use datafusion::prelude::SessionConfig;
use futures::TryStreamExt;
use serde::{Deserialize, Serialize};

use super::client::configuration;
use super::identity::{Identity, PATIENCE, check_same_build};
use super::job::{ClusterTarget, encode, run};
use super::read_stores::ReadScope;
use ocellus_trace::error::{Error, Result};
use ocellus_trace::import::{ImportOptions, OnConflict, Silent, Strictness, TraceSource, import};
use ocellus_trace::store::{Store, TraceEntry};

const ORDER: &str = "order";
const REPORT: &str = "report";

/// What came of the import of one trace.
#[derive(Debug, Serialize, Deserialize)]
pub struct Report {
    /// The source of the trace.
    pub path: PathBuf,
    /// The trace in the store, or why there is none.
    pub outcome: std::result::Result<TraceEntry, String>,
    /// How long the import took.
    pub seconds: f64,
}

/// What an executor is asked to do.
#[derive(Debug, Serialize, Deserialize)]
struct ImportOrder {
    path: PathBuf,
    store: PathBuf,
    name: Option<String>,
    format: Option<String>,
    time_unit: Option<String>,
    resolution: String,
    collectives: String,
    origin_ms: Option<i64>,
    strict: bool,
    replace: bool,
}

impl ImportOrder {
    fn new(path: PathBuf, store: PathBuf, options: &ImportOptions) -> ImportOrder {
        ImportOrder {
            path,
            store,
            name: options.name.clone(),
            format: options.format.map(|format| format.to_string()),
            time_unit: options.time_unit.map(|unit| unit.to_string()),
            resolution: options.resolution.to_string(),
            collectives: options.collectives.to_string(),
            origin_ms: options.origin_ms,
            strict: options.strictness == Strictness::Stop,
            replace: options.on_conflict == OnConflict::Replace,
        }
    }

    fn options(&self) -> std::result::Result<ImportOptions, String> {
        Ok(ImportOptions {
            name: self.name.clone(),
            source: None,
            format: self.format.as_deref().map(str::parse).transpose()?,
            time_unit: self.time_unit.as_ref().map(|unit| unit.parse()).transpose()?,
            resolution: self.resolution.parse()?,
            collectives: self.collectives.parse()?,
            origin_ms: self.origin_ms,
            strictness: if self.strict { Strictness::Stop } else { Strictness::GoOn },
            on_conflict: if self.replace { OnConflict::Replace } else { OnConflict::Refuse },
            progress: Arc::new(Silent),
            rows_per_band: None,
        })
    }
}

/// Imports traces into a store by the executors of a cluster; gives a report of each, in their order. Fails when no
/// executor is there for `executor_wait`.
pub async fn import_traces(
    scheduler: &str,
    identity: &Identity,
    executor_wait: Duration,
    traces: &[PathBuf],
    store: &Path,
    options: &ImportOptions,
) -> Result<Vec<Report>> {
    check_same_build(scheduler, identity, PATIENCE, executor_wait.max(PATIENCE)).await?;
    let whole = |path: &Path| path.canonicalize().map_err(|e| Error::io("open", path, e));
    let store = whole(store)?;
    let mut orders = vec![];
    for path in traces {
        let order = serde_json::to_string(&ImportOrder::new(whole(path)?, store.clone(), options));
        orders.push(order.map_err(|e| Error::Internal(format!("an import task cannot be encoded: {e}")))?);
    }
    let batches = ask(scheduler, identity, executor_wait, orders).await.map_err(|e| Error::query(e.to_string()))?;
    let mut reports: Vec<Report> = vec![];
    for text in batches.iter().flat_map(|batch| batch.column(0).as_string::<i32>().iter().flatten()) {
        reports.push(
            serde_json::from_str(text)
                .map_err(|e| Error::Internal(format!("an import report cannot be decoded: {e}")))?,
        );
    }
    let target =
        |report: &Report| traces.iter().position(|path| path.canonicalize().is_ok_and(|path| path == report.path));
    reports.sort_by_key(target);
    Ok(reports)
}

async fn ask(
    scheduler: &str,
    identity: &Identity,
    executor_wait: Duration,
    orders: Vec<String>,
) -> QueryResult<Vec<RecordBatch>> {
    let schema = Arc::new(Schema::new(vec![Field::new(ORDER, DataType::Utf8, false)]));
    let row = |order: String| {
        let column: ArrayRef = Arc::new(StringArray::from(vec![order]));
        Ok(vec![RecordBatch::try_new(Arc::clone(&schema), vec![column])?])
    };
    let partitions = orders.into_iter().map(row).collect::<QueryResult<Vec<_>>>()?;
    let input = MemorySourceConfig::try_new_exec(&partitions, Arc::clone(&schema), None)?;
    let call = ScalarFunctionExpr::new(
        ImportTrace::NAME,
        Arc::new(import_trace(ImportScope::default())),
        vec![Arc::new(Column::new(ORDER, 0))],
        Arc::new(Field::new(REPORT, DataType::Utf8, true)),
        Arc::new(ConfigOptions::default()),
    );
    let report = ProjectionExpr { expr: Arc::new(call), alias: REPORT.to_string() };
    let plan: Arc<dyn ExecutionPlan> = Arc::new(ProjectionExec::try_new(vec![report], input)?);
    let config = configuration(SessionConfig::new(), identity);
    let session = format!("import-{}", std::process::id());
    let target = ClusterTarget { scheduler: scheduler.to_string(), config, session, executor_wait };
    run(encode(&plan)?, target).await?.try_collect().await
}

/// What an executor may import, and where to.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct ImportScope {
    /// Stores at or below this folder, which is canonical; none without it.
    pub(super) root: Option<PathBuf>,
    /// Traces that may be read.
    pub(super) readable: ReadScope,
}

impl Default for ImportScope {
    /// Nothing.
    fn default() -> ImportScope {
        ImportScope { root: None, readable: ReadScope::Everything }
    }
}

impl ImportScope {
    /// The folder that a store really is in, if it may be written to; otherwise why not.
    fn store(&self, path: &Path) -> std::result::Result<PathBuf, String> {
        let root = self.root.as_ref().ok_or("this executor may not import; start it with --store-root DIR")?;
        let real = real_place(path).map_err(|e| format!("cannot open {}: {e}", path.display()))?;
        match real.starts_with(root) {
            true => Ok(real),
            false => Err(format!("{} is not in {}, where this executor may write", path.display(), root.display())),
        }
    }
}

/// Where a path leads, all links followed; its last part need not exist yet.
fn real_place(path: &Path) -> std::io::Result<PathBuf> {
    if path.symlink_metadata().is_ok() {
        return path.canonicalize();
    }
    match (path.parent(), path.file_name()) {
        (Some(parent), Some(name)) => Ok(parent.canonicalize()?.join(name)),
        _ => path.canonicalize(),
    }
}

/// The function that imports.
pub(super) fn import_trace(scope: ImportScope) -> ScalarUDF {
    ScalarUDF::from(ImportTrace { scope, signature: Signature::exact(vec![DataType::Utf8], Volatility::Volatile) })
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct ImportTrace {
    scope: ImportScope,
    signature: Signature,
}

impl ImportTrace {
    const NAME: &str = "ocellus_import_trace";

    fn execute(&self, text: &str) -> QueryResult<String> {
        let started = std::time::Instant::now();
        let order: ImportOrder = serde_json::from_str(text).map_err(|e| unreadable(&e))?;
        let outcome = self.run(&order);
        let report = Report { path: order.path, outcome, seconds: started.elapsed().as_secs_f64() };
        serde_json::to_string(&report).map_err(|e| unreadable(&e))
    }

    fn run(&self, order: &ImportOrder) -> std::result::Result<TraceEntry, String> {
        let folder = self.scope.store(&order.store)?;
        let trace = self.scope.readable.admit(&order.path)?;
        let store = Store::open_or_create(&folder).map_err(|e| e.to_string())?;
        let summary = import(&TraceSource::Path(trace), &store, &order.options()?);
        summary.map(|summary| summary.trace).map_err(|e| e.to_string())
    }
}

fn unreadable(error: &serde_json::Error) -> DataFusionError {
    DataFusionError::Execution(format!("an import task cannot be decoded: {error}"))
}

impl ScalarUDFImpl for ImportTrace {
    fn name(&self) -> &str {
        ImportTrace::NAME
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _arguments: &[DataType]) -> QueryResult<DataType> {
        Ok(DataType::Utf8)
    }

    fn invoke_with_args(&self, arguments: ScalarFunctionArgs) -> QueryResult<ColumnarValue> {
        let [orders] = arguments.args.as_slice() else {
            return exec_err!("{} takes one import task, got {}", ImportTrace::NAME, arguments.args.len());
        };
        let orders = orders.to_array(arguments.number_rows)?;
        let execute = |order: Option<&str>| order.map(|order| self.execute(order)).transpose();
        let reports = orders.as_string::<i32>().iter().map(execute).collect::<QueryResult<StringArray>>()?;
        Ok(ColumnarValue::Array(Arc::new(reports)))
    }
}
