//! The engine: SQL over a store.
//!
//! In: a [`Store`] and SQL text. Out: streams of rows. An engine sees the store as it was when it was
//! opened. Queries run on the caller's tokio runtime; plans can be deep, so give its threads a stack
//! of 16 MB.

mod complexity;
mod context;
mod describe;
mod errors;
mod statement;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use arrow::array::{AsArray, RecordBatch};
use arrow::datatypes::{SchemaRef, UInt64Type};
use datafusion::common::DataFusionError;
use datafusion::execution::SendableRecordBatchStream;
use datafusion::execution::runtime_env::RuntimeEnv;
use datafusion::logical_expr::LogicalPlan;
use datafusion::prelude::SessionContext;
use datafusion::sql::sqlparser::dialect::dialect_from_str;
use futures::TryStreamExt;

pub use ocellus_planning::CancelFlag;

pub use context::register_plan_functions;
pub use describe::{ColumnInfo, TableInfo};
pub use statement::Statement;

use crate::catalog::Catalog;
use errors::KnownNames;
use ocellus_trace::error::{Error, Result};
use ocellus_trace::store::{Manifest, Store, TraceEntry};

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

/// Whether a query may read files beside the store, as in `SELECT * FROM 'other.parquet'`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Files {
    #[default]
    Readable,
    /// The tables of the store are all there is: for servers.
    Hidden,
}

/// A session of SQL over a store.
pub struct Engine {
    catalog: Catalog,
    context: SessionContext,
}

/// What a statement gave.
pub struct StatementResult {
    pub kind: ResultKind,
    pub schema: SchemaRef,
    pub stream: SendableRecordBatchStream,
}

/// How an answer is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResultKind {
    /// Rows.
    Rows,
    /// One row with one number: how many rows were written.
    Count,
    /// Nothing: the statement was a definition or a setting.
    Done,
}

impl Engine {
    /// Opens an engine on a store.
    pub fn open(store: Store, options: EngineOptions) -> Result<Engine> {
        Engine::over(Engine::snapshot(&store)?, &options)
    }

    /// Opens an engine on a store of which only the URL and the manifest are known, such as one in object
    /// storage. Queries ask the session's object stores for its files.
    pub fn open_at(url: &str, manifest: Manifest, options: &EngineOptions) -> Result<Engine> {
        Engine::over(Catalog::at(url, manifest, context::tick_seconds()), options)
    }

    /// The traces of a store as they are now, for several engines.
    pub fn snapshot(store: &Store) -> Result<Catalog> {
        Catalog::open(store, context::tick_seconds())
    }

    /// Opens an engine on a snapshot of a store.
    pub fn over(catalog: Catalog, options: &EngineOptions) -> Result<Engine> {
        let context = context::open(&catalog, options)?;
        Ok(Engine { catalog, context })
    }

    /// The DataFusion session.
    pub fn context(&self) -> &SessionContext {
        &self.context
    }

    /// The traces of the store, by name.
    pub fn traces(&self) -> &[TraceEntry] {
        self.catalog.traces()
    }

    /// The schema that unqualified names mean now.
    pub fn current_schema(&self) -> String {
        self.context.state().config_options().catalog.default_schema.clone()
    }

    /// Splits a text into its statements.
    pub fn split(&self, text: &str) -> Result<Vec<Statement>> {
        let state = self.context.state();
        let options = &state.config_options().sql_parser;
        let dialect =
            dialect_from_str(options.dialect).ok_or_else(|| Error::query(format!("no dialect {}", options.dialect)))?;
        statement::split(text, dialect.as_ref(), options.recursion_limit.get()).map_err(|e| self.explain(&e, text))
    }

    /// Starts a statement. Its rows come as the stream is read; reading may fail too: see
    /// [`Engine::explain_failure`].
    pub async fn run(&self, statement: &Statement) -> Result<StatementResult> {
        let answer = self.start(statement).await;
        answer.map_err(|error| self.explain(&error, &statement.text))
    }

    async fn start(&self, statement: &Statement) -> Result<StatementResult, DataFusionError> {
        let plan = self.plan(statement).await?;
        let kind = kind_of(&plan);
        let stream = ocellus_planning::execute(&self.context, plan).await?;
        Ok(StatementResult { kind, schema: stream.schema(), stream })
    }

    /// Plans a statement.
    pub async fn plan(&self, statement: &Statement) -> Result<LogicalPlan, DataFusionError> {
        ocellus_planning::plan(&self.context.state(), &statement.sql).await
    }

    /// Starts a plan that only reads, with a memory pool and caches of its own choice.
    pub async fn read(
        &self,
        plan: LogicalPlan,
        runtime: Arc<RuntimeEnv>,
        ended: CancelFlag,
    ) -> Result<SendableRecordBatchStream, DataFusionError> {
        ocellus_planning::read(&self.context, plan, runtime, ended).await
    }

    /// Runs all statements of a text; gives the rows of the last.
    pub async fn sql(&self, text: &str) -> Result<Vec<RecordBatch>> {
        let mut batches = vec![];
        for statement in self.split(text)? {
            let answer = self.run(&statement).await?;
            batches = answer.stream.try_collect().await.map_err(|e| self.explain(&e, &statement.text))?;
        }
        Ok(batches)
    }

    /// Explains an error that the stream of a statement gave.
    pub fn explain_failure(&self, error: &DataFusionError, statement: &Statement) -> Error {
        self.explain(error, &statement.text)
    }

    /// Explains an error of a text: its kind, what is wrong, where in the text, and what may have been meant.
    pub fn explain(&self, error: &DataFusionError, text: &str) -> Error {
        Error::Query(Box::new(errors::explain(error, text, &self.known_names())))
    }

    fn known_names(&self) -> KnownNames {
        let mut names = KnownNames {
            tables: vec![],
            table_functions: self.table_function_names(),
            functions: self.function_names(),
        };
        for schema in self.schemas() {
            names.tables.extend(self.table_names(&schema).iter().map(|table| format!("{schema}.{table}")));
        }
        names
    }
}

/// How many rows a [`ResultKind::Count`] answer says were written.
pub fn counted(batches: &[RecordBatch]) -> Option<u64> {
    let column = batches.first()?.columns().first()?;
    let counts = column.as_primitive_opt::<UInt64Type>()?;
    counts.iter().next().flatten()
}

fn kind_of(plan: &LogicalPlan) -> ResultKind {
    match plan {
        LogicalPlan::Copy(_) | LogicalPlan::Dml(_) => ResultKind::Count,
        LogicalPlan::Ddl(_) | LogicalPlan::Statement(_) => ResultKind::Done,
        _ => ResultKind::Rows,
    }
}

impl std::fmt::Debug for Engine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Engine").field("store", &self.catalog).finish_non_exhaustive()
    }
}
