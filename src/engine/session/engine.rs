//! The engine: statements are split, planned and started; errors are explained.

use std::sync::Arc;

use arrow::array::{AsArray, RecordBatch};
use arrow::datatypes::{SchemaRef, UInt64Type};
use datafusion::common::{DataFusionError, not_impl_err, plan_datafusion_err};
use datafusion::execution::SendableRecordBatchStream;
use datafusion::execution::runtime_env::RuntimeEnv;
use datafusion::logical_expr::LogicalPlan;
use datafusion::prelude::SessionContext;
use datafusion::sql::sqlparser::dialect::{Dialect, GenericDialect, dialect_from_str};
use futures::{FutureExt, TryStreamExt};
use ocellus_planning::{CancelFlag, DeepTree, QueryControl, polled_on_deep_stack};

use super::column_scope;
use super::context;
use super::distinct_names;
use super::errors::{self, KnownNames};
use super::expansion;
use super::options::EngineOptions;
use super::pivot::PivotStatement;
use super::query_links::{self, QueryNotes};
use super::replacement;
use super::rewrite;
use super::statement::{self, Statement};
use super::type_names::{describe_in_sql, list_in_sql};
use crate::catalog::Catalog;
use ocellus_trace::error::{Error, Result};
use ocellus_trace::store::{Manifest, Store, TraceEntry};

/// A session of SQL over a store.
pub struct Engine {
    catalog: Catalog,
    context: SessionContext,
}

/// The result of a statement.
pub struct StatementResult {
    /// How the result is shown.
    pub kind: ResultKind,
    /// The schema of its rows.
    pub schema: SchemaRef,
    /// Its rows, which are computed as they are read.
    pub stream: SendableRecordBatchStream,
    /// What there is to say besides the rows, once they were read.
    pub notes: QueryNotes,
}

/// What a query that only reads may use, and what stops it.
#[derive(Debug, Clone)]
pub struct QueryScope {
    /// Its memory, its temporary files and its caches.
    pub runtime: Arc<RuntimeEnv>,
    /// What stops it, and what it occupies.
    pub control: QueryControl,
}

/// How a result is shown.
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

    pub(super) fn catalog(&self) -> &Catalog {
        &self.catalog
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
        let dialect = dialect(options.dialect).map_err(|error| self.explain(&error, text))?;
        statement::split(text, dialect.as_ref(), options.recursion_limit.get()).map_err(|e| self.explain(&e, text))
    }

    /// Starts a statement. Its rows come as the stream is read; reading may fail too: see
    /// [`Engine::explain_failure`].
    pub async fn run(&self, statement: &Statement) -> Result<StatementResult> {
        self.run_until(statement, &CancelFlag::default()).await
    }

    /// The same, for a statement that may be cancelled: long computations stop soon after, with an error.
    pub async fn run_until(&self, statement: &Statement, cancel: &CancelFlag) -> Result<StatementResult> {
        let result = polled_on_deep_stack(self.start(statement, cancel).boxed()).await;
        result.map_err(|error| self.explain(&error, &statement.text))
    }

    async fn start(&self, statement: &Statement, cancel: &CancelFlag) -> Result<StatementResult, DataFusionError> {
        if let Some(pivot) = &statement.pivot {
            return self.start_pivot(statement, pivot, cancel).await;
        }
        let plan = ocellus_planning::prepared(&self.context, self.plan(statement).await?).await?;
        let notes = query_links::connect(&plan, cancel, &self.context.runtime_env().memory_pool)?;
        let kind = kind_of(&plan);
        let stream = ocellus_planning::execute(&self.context, plan, QueryControl::cancelled_by(cancel)).await?;
        Ok(StatementResult { kind, schema: stream.schema(), stream, notes })
    }

    /// Finds the values that a statement PIVOT does not say, and starts it with them.
    async fn start_pivot(
        &self,
        statement: &Statement,
        pivot: &PivotStatement,
        cancel: &CancelFlag,
    ) -> Result<StatementResult, DataFusionError> {
        let question = Statement { pivot: None, ..statement.clone() };
        let plan = self.plan(&question).await?;
        let control = QueryControl::cancelled_by(cancel);
        let values = ocellus_planning::execute(&self.context, plan, control.clone()).await?;
        let query = pivot.query_with(values).await?;
        let state = self.context.state();
        let options = &state.config_options().sql_parser;
        let sql = statement::parse_made(&query, &GenericDialect {}, options.recursion_limit.get())?;
        let plan = self.plan(&Statement { sql: Arc::new(DeepTree::new(sql)), ..question }).await?;
        let notes = query_links::connect(&plan, cancel, &self.context.runtime_env().memory_pool)?;
        let stream = ocellus_planning::execute(&self.context, plan, control).await?;
        Ok(StatementResult { kind: ResultKind::Rows, schema: stream.schema(), stream, notes })
    }

    /// How the result of a statement would be shown, and its columns, without running it. The columns of a PIVOT that does
    /// not say its values are not known before it runs.
    pub async fn foresee(&self, statement: &Statement) -> Result<(ResultKind, Option<SchemaRef>)> {
        if statement.pivot.is_some() {
            return Ok((ResultKind::Rows, None));
        }
        let plan = self.plan(statement).await.map_err(|error| self.explain(&error, &statement.text))?;
        Ok((kind_of(&plan), Some(Arc::clone(plan.schema().inner()))))
    }

    /// Plans a statement.
    pub async fn plan(&self, statement: &Statement) -> Result<LogicalPlan, DataFusionError> {
        polled_on_deep_stack(self.plan_here(statement).boxed()).await
    }

    async fn plan_here(&self, statement: &Statement) -> Result<LogicalPlan, DataFusionError> {
        if statement.pivot.is_some() {
            return not_impl_err!("PIVOT without its values here; write them: PIVOT … ON column IN ('a', 'b')");
        }
        if let Some(plan) = self.plan_use(statement) {
            return plan;
        }
        let state = self.context.state();
        let mut sql = ocellus_planning::copy_statement(&statement.sql);
        rewrite::change(&mut sql, &expansion::check)?;
        rewrite::name(&mut sql);
        column_scope::resolve(&state, &mut sql).await?;
        rewrite::repair(&mut sql, &state, dialect(state.config_options().sql_parser.dialect)?.as_ref())?;
        let plan = distinct_names::distinct(ocellus_planning::plan(&state, sql).await?)?;
        let plan = query_links::separate(plan)?;
        let plan = describe_in_sql(replacement::allow(&state, plan).await?)?;
        match state.config_options().catalog.information_schema {
            true => list_in_sql(plan),
            // The session has tables of its own there, as PostgreSQL's clients expect them.
            false => Ok(plan),
        }
    }

    /// Starts a plan that only reads, with a memory pool and caches of its own choice.
    pub async fn read(
        &self,
        plan: LogicalPlan,
        runtime: Arc<RuntimeEnv>,
        control: QueryControl,
    ) -> Result<SendableRecordBatchStream, DataFusionError> {
        query_links::connect(&plan, &control.cancel, &runtime.memory_pool)?;
        polled_on_deep_stack(ocellus_planning::read(&self.context, plan, runtime, control)).await
    }

    /// All rows of a statement. Within a scope it must only read.
    pub async fn rows(
        &self,
        statement: &Statement,
        scope: Option<&QueryScope>,
    ) -> Result<(SchemaRef, Vec<RecordBatch>)> {
        let stream = match scope {
            None => self.run(statement).await?.stream,
            Some(QueryScope { runtime, control }) => {
                let plan = self.plan(statement).await.map_err(|e| self.explain(&e, &statement.text))?;
                let started = self.read(plan, Arc::clone(runtime), control.clone()).await;
                started.map_err(|e| self.explain(&e, &statement.text))?
            }
        };
        let schema = stream.schema();
        let batches = stream.try_collect().await.map_err(|e| self.explain(&e, &statement.text))?;
        Ok((schema, batches))
    }

    /// Runs all statements of a text and returns the rows of the last.
    pub async fn sql(&self, text: &str) -> Result<Vec<RecordBatch>> {
        let mut batches = vec![];
        for statement in self.split(text)? {
            let result = self.run(&statement).await?;
            batches = result.stream.try_collect().await.map_err(|e| self.explain(&e, &statement.text))?;
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
            traces: self.traces().iter().map(|trace| trace.name.clone()).collect(),
            table_functions: self.table_function_names(),
            functions: self.function_names(),
        };
        for schema in self.schemas() {
            names.tables.extend(self.table_names(&schema).iter().map(|table| format!("{schema}.{table}")));
        }
        names
    }
}

/// How many rows a [`ResultKind::Count`] result says were written.
pub fn counted(batches: &[RecordBatch]) -> Option<u64> {
    let column = batches.first()?.columns().first()?;
    let counts = column.as_primitive_opt::<UInt64Type>()?;
    counts.iter().next().flatten()
}

fn dialect(name: impl AsRef<str>) -> Result<Box<dyn Dialect>, DataFusionError> {
    let name = name.as_ref();
    dialect_from_str(name).ok_or_else(|| plan_datafusion_err!("no dialect {name}"))
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
