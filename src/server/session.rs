//! One client's session: a schema of its own, over the newest snapshot of the store.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use datafusion::logical_expr::LogicalPlan;
use tokio::time::{Instant, timeout};

use super::cancellation::{CancelSignal, QueryCanceller};
use super::error::ServerError;
use super::limits::ServerLimits;
use super::log;
use super::plan_execution::{CancelOnDrop, PlanExecution};
use super::query_progress::{QueryProgress, QueryStage};
use super::query_slot::QuerySlot;
use super::rows::{QueryTask, ServerRows};
use super::service::Service;
use super::session_engine::{EngineSource, Setup};
use ocellus_engine::catalog::UNDECIDED;
use ocellus_engine::{Engine, QueryControl, QueryScope, Statement};
use ocellus_trace::error::Error;
use ocellus_trace::store::Stamp;

/// A session.
pub struct ServerSession {
    service: Arc<Service>,
    engines: EngineSource,
    canceller: QueryCanceller,
    /// How far its newest query is.
    pub(super) progress: QueryProgress,
    state: Mutex<SessionScope>,
}

struct SessionScope {
    /// The trace that unqualified names mean; `None`: the only one.
    schema: Option<String>,
    opened: Option<(Stamp, Arc<Engine>)>,
    /// How long a query may take, when the client wants less than the server allows.
    query_time: Option<Duration>,
}

impl ServerSession {
    /// Opens a session. The schema is that of unqualified names.
    pub fn open(service: &Arc<Service>, schema: Option<String>, setup: Setup) -> Result<ServerSession, ServerError> {
        ServerSession::with_engines(service, schema, EngineSource::Own(setup))
    }

    /// Opens a session for one request; it shares its engine with others.
    pub(super) fn open_shared(
        service: &Arc<Service>,
        schema: Option<String>,
    ) -> Result<Arc<ServerSession>, ServerError> {
        ServerSession::with_engines(service, schema, EngineSource::Shared).map(Arc::new)
    }

    fn with_engines(
        service: &Arc<Service>,
        schema: Option<String>,
        engines: EngineSource,
    ) -> Result<ServerSession, ServerError> {
        let session = ServerSession {
            service: Arc::clone(service),
            engines,
            canceller: QueryCanceller::new(service.ending.clone()),
            progress: QueryProgress::new(),
            state: Mutex::new(SessionScope { schema, opened: None, query_time: None }),
        };
        session.engine()?;
        Ok(session)
    }

    /// The service that the session belongs to.
    pub fn service(&self) -> &Arc<Service> {
        &self.service
    }

    /// The engine over the store as it is now. What holds it keeps its snapshot.
    pub fn engine(&self) -> Result<Arc<Engine>, ServerError> {
        let snapshot = self.service.snapshot()?;
        let mut state = self.state();
        match &state.opened {
            Some((stamp, engine)) if *stamp == snapshot.stamp => Ok(Arc::clone(engine)),
            before => {
                // A session outlives its trace, but does not go on with another one unasked.
                let is_gone = |name: &String| snapshot.catalog.default_schema(Some(name)).is_err();
                if before.is_some() && state.schema.as_ref().is_some_and(is_gone) {
                    state.schema = Some(UNDECIDED.to_string());
                }
                let engine = self.engines.open(&self.service, &snapshot, state.schema.clone())?;
                state.opened = Some((snapshot.stamp, Arc::clone(&engine)));
                Ok(engine)
            }
        }
    }

    /// Makes a trace, or `all_traces`, the one that unqualified names mean. `None`: the only trace.
    pub fn use_schema(&self, schema: Option<String>) -> Result<(), ServerError> {
        let before = {
            let mut state = self.state();
            state.opened = None;
            std::mem::replace(&mut state.schema, schema)
        };
        self.engine().map(|_| ()).inspect_err(|_| {
            let mut state = self.state();
            state.opened = None;
            state.schema = before;
        })
    }

    /// Lets queries take at most this long; never longer than the server allows.
    pub fn limit_time(&self, limit: Option<Duration>) {
        self.state().query_time = limit;
    }

    /// How long a query may take.
    pub(super) fn query_time(&self) -> Duration {
        self.limits().query_time
    }

    /// Ends the queries of this session that run now.
    pub fn cancel(&self) {
        self.canceller.cancel();
    }

    /// Plans a statement on the threads of queries, over the store as it is now.
    pub async fn plan(&self, statement: &Statement) -> Result<(Arc<Engine>, LogicalPlan), ServerError> {
        let started = Instant::now();
        let (signal, slot) = self.slot().await?;
        let planned = self.plan_newest(&signal, &slot, statement).await;
        planned.inspect_err(|error| log::query_failed(statement.text(), error, started.elapsed()))
    }

    /// Waits for a slot; whoever works in it listens to the signal.
    async fn slot(&self) -> Result<(CancelSignal, Arc<QuerySlot>), ServerError> {
        let (signal, service) = (self.canceller.signal(), &self.service);
        let (running, guarded) = (service.metrics.run(), service.memory_guard.admit());
        self.progress.enter(QueryStage::Waiting);
        let slot = tokio::select! {
            slot = QuerySlot::take(&service.slots, running, guarded, self.limits().query_time) => slot?,
            error = signal.requested() => return Err(error),
        };
        self.progress.enter(QueryStage::Planning);
        Ok((signal.guarded(&slot.guarded().stop), slot))
    }

    async fn plan_newest(
        &self,
        signal: &CancelSignal,
        slot: &Arc<QuerySlot>,
        statement: &Statement,
    ) -> Result<(Arc<Engine>, LogicalPlan), ServerError> {
        let engine = self.engine()?;
        let planned = self.plan_until(signal, slot, &engine, statement).await;
        // A trace may have been replaced or dropped since the store was looked at.
        let now = self.engine()?;
        match planned.is_err() && !Arc::ptr_eq(&engine, &now) {
            true => self.plan_until(signal, slot, &now, statement).await.map(|plan| (now, plan)),
            false => planned.map(|plan| (engine, plan)),
        }
    }

    async fn plan_until(
        &self,
        signal: &CancelSignal,
        slot: &Arc<QuerySlot>,
        engine: &Arc<Engine>,
        statement: &Statement,
    ) -> Result<LogicalPlan, ServerError> {
        if statement.is_use() {
            return Err(ServerError::stateless_use());
        }
        let planned = {
            let (engine, statement) = (Arc::clone(engine), statement.clone());
            self.on_workers(slot, async move { engine.plan(&statement).await })
        };
        let planned = tokio::select! {
            planned = self.within_limit(planned) => planned??,
            error = signal.requested() => return Err(error),
        };
        planned.map_err(|error| ServerError::of_engine(engine, &error, statement.text()))
    }

    /// Runs a statement that only reads.
    pub async fn run(&self, statement: &Statement) -> Result<ServerRows, ServerError> {
        let started = Instant::now();
        let (signal, slot) = self.slot().await?;
        let planned = self.plan_newest(&signal, &slot, statement).await;
        let (engine, plan) =
            planned.inspect_err(|error| log::query_failed(statement.text(), error, started.elapsed()))?;
        self.read_until(signal, slot, started, engine, plan, statement.text()).await
    }

    /// Runs the one statement of a text.
    pub async fn run_text(&self, text: &str) -> Result<ServerRows, ServerError> {
        let engine = self.engine()?;
        let statements = engine.split(text).map_err(ServerError::of_parser);
        let statements = statements.inspect_err(|error| log::query_failed(text, error, Duration::ZERO))?;
        match statements.as_slice() {
            [statement] => self.run(statement).await,
            [] => Err(ServerError::syntax("there is no statement in the text")),
            _ => Err(ServerError::syntax("one statement at a time is accepted, and the text holds several")),
        }
    }

    /// Runs a plan of an engine of this session; the text is for messages.
    pub async fn read(&self, engine: Arc<Engine>, plan: LogicalPlan, text: &str) -> Result<ServerRows, ServerError> {
        let started = Instant::now();
        let (signal, slot) = self.slot().await?;
        self.read_until(signal, slot, started, engine, plan, text).await
    }

    async fn read_until(
        &self,
        signal: CancelSignal,
        slot: Arc<QuerySlot>,
        started: Instant,
        engine: Arc<Engine>,
        plan: LogicalPlan,
        text: &str,
    ) -> Result<ServerRows, ServerError> {
        let service = &self.service;
        if service.closing.is_cancelled() {
            return Err(ServerError::stopping());
        }
        let mut counted = service.metrics.start();
        let begun = tokio::select! {
            begun = self.within_limit(self.begin(&engine, &slot, plan, text)) => begun.flatten(),
            error = signal.requested() => Err(error),
        };
        let execution = begun.inspect_err(|error| {
            counted.fail(error);
            log::query_failed(text, error, started.elapsed());
        })?;
        self.progress.enter(QueryStage::Running);
        let task = QueryTask {
            execution,
            returned: self.progress.returned.clone(),
            engine,
            text: Arc::from(text),
            limits: self.limits(),
            slot,
            metrics: Arc::clone(&service.metrics),
            counted,
            spent: started.elapsed(),
            signal,
        };
        Ok(task.start())
    }

    /// Starts a plan. What works for it holds the slot, and stops when the execution, or this future, is dropped.
    async fn begin(
        &self,
        engine: &Arc<Engine>,
        slot: &Arc<QuerySlot>,
        plan: LogicalPlan,
        text: &str,
    ) -> Result<PlanExecution, ServerError> {
        let control = self.control(slot);
        let ended = CancelOnDrop::new(&control.cancel);
        let started = {
            let (engine, environment) = (Arc::clone(engine), self.service.environment()?);
            self.on_workers(slot, async move { engine.read(plan, environment, control).await })
        };
        let stream = started.await?.map_err(|error| ServerError::of_engine(engine, &error, text))?;
        Ok(PlanExecution::start(stream, Arc::clone(slot), ended, &self.service.workers))
    }

    /// What a query of this session is controlled by.
    fn control(&self, slot: &Arc<QuerySlot>) -> QueryControl {
        let (occupied, scanned) = (Some(Arc::clone(slot) as _), self.progress.scanned.clone());
        QueryControl { occupied, scanned, ..QueryControl::default() }
    }

    /// Runs work that makes several queries as one: in one slot, within the limits of one. The text is for the log.
    pub(super) async fn work<T: Send + 'static, W>(
        &self,
        text: &str,
        work: impl FnOnce(Arc<Engine>, QueryScope) -> W,
    ) -> Result<T, ServerError>
    where
        W: Future<Output = Result<T, Error>> + Send + 'static,
    {
        let started = Instant::now();
        let (signal, slot) = self.slot().await?;
        if self.service.closing.is_cancelled() {
            return Err(ServerError::stopping());
        }
        let mut counted = self.service.metrics.start();
        self.progress.enter(QueryStage::Running);
        let control = self.control(&slot);
        let _ended = CancelOnDrop::new(&control.cancel);
        let scope = QueryScope { runtime: self.service.environment()?, control };
        let working = self.on_workers(&slot, work(self.engine()?, scope));
        let done = tokio::select! {
            done = self.within_limit(working) => done.flatten().and_then(|done| done.map_err(ServerError::from)),
            error = signal.requested() => Err(error),
        };
        match &done {
            Ok(_) => {
                counted.succeed();
                log::query_ended(text, started.elapsed());
            }
            Err(error) => {
                counted.fail(error);
                log::query_failed(text, error, started.elapsed());
            }
        }
        done
    }

    /// Runs work on the threads of queries; it ends with the future that waits for it, and holds the slot until then.
    async fn on_workers<T: Send + 'static>(
        &self,
        slot: &Arc<QuerySlot>,
        work: impl Future<Output = T> + Send + 'static,
    ) -> Result<T, ServerError> {
        let (work, slot) = (slot.guarded().meter.metered(work), Arc::clone(slot));
        let task = AbortOnDrop(self.service.workers.spawn(async move {
            let done = work.await;
            drop(slot);
            done
        }));
        task.await.map_err(|error| ServerError::internal(format!("the query failed: {error}")))
    }

    async fn within_limit<T>(&self, work: impl Future<Output = T>) -> Result<T, ServerError> {
        let limit = self.limits().query_time;
        timeout(limit, work).await.map_err(|_| ServerError::timeout(limit))
    }

    /// The limits of the server, with what the client wants of them.
    fn limits(&self) -> ServerLimits {
        let mut limits = self.service.limits.clone();
        if let Some(wanted) = self.state().query_time {
            limits.query_time = wanted.min(limits.query_time);
        }
        limits
    }

    fn state(&self) -> std::sync::MutexGuard<'_, SessionScope> {
        // Fields are replaced in one step each, so the lock is whole after any panic.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl std::fmt::Debug for ServerSession {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ServerSession").finish_non_exhaustive()
    }
}

/// A task that ends with its handle.
struct AbortOnDrop<T>(tokio::task::JoinHandle<T>);

impl<T> Future for AbortOnDrop<T> {
    type Output = Result<T, tokio::task::JoinError>;

    fn poll(mut self: std::pin::Pin<&mut Self>, context: &mut std::task::Context<'_>) -> std::task::Poll<Self::Output> {
        std::pin::Pin::new(&mut self.0).poll(context)
    }
}

impl<T> Drop for AbortOnDrop<T> {
    fn drop(&mut self) {
        self.0.abort();
    }
}
