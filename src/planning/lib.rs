//! SQL statements become plans, and plans become streams of rows: DataFusion's own async functions,
//! boxed, so that they are compiled here and nowhere else. The same holds for copies of syntax trees.

mod cancel;
mod cancel_flag;
mod deep_stack;
mod memory_share;
mod plan_size;
mod query_control;
mod rewriter;
mod stoppable_rules;

use std::sync::Arc;

use cancel::cancellable;
use datafusion::common::Result;
use datafusion::execution::context::{SQLOptions, SessionContext, SessionState};
use datafusion::execution::runtime_env::RuntimeEnv;
use datafusion::execution::{SendableRecordBatchStream, SessionStateBuilder};
use datafusion::logical_expr::{LogicalPlan, Statement as PlanStatement};
use datafusion::physical_plan::execute_stream;
use datafusion::prelude::DataFrame;
use datafusion::sql::parser::Statement;
use futures::FutureExt;
use futures::future::BoxFuture;
use sqlparser::ast::{Expr, FunctionArg, Query};

pub use cancel_flag::CancelFlag;
use deep_stack::streamed_on_deep_stack;
pub use deep_stack::{DEEP_STACK, DeepTree, on_deep_stack, polled_on_deep_stack};
pub use memory_share::MemoryShare;
pub use query_control::{Occupied, QueryControl, RowCounter, check_cancelled};
pub use rewriter::{Rewriter, rewrite, rewrite_expression};
pub use stoppable_rules::{stoppable_analyzer, stoppable_optimizer, stoppable_physical};

/// Plans a statement; a plan that is too large is refused.
pub fn plan(state: &SessionState, statement: Statement) -> BoxFuture<'_, Result<LogicalPlan>> {
    async move { plan_size::bounded(state.statement_to_plan(statement).await?) }.boxed()
}

/// Plans a text of one statement.
pub fn plan_text<'a>(state: &'a SessionState, text: &'a str) -> BoxFuture<'a, Result<LogicalPlan>> {
    async move { state.create_logical_plan(text).await }.boxed()
}

/// Starts a plan. A query stops once it is cancelled.
pub fn execute(
    context: &SessionContext,
    plan: LogicalPlan,
    control: QueryControl,
) -> BoxFuture<'_, Result<SendableRecordBatchStream>> {
    async move {
        let rows = match plan {
            // These change the session itself.
            LogicalPlan::Ddl(_) | LogicalPlan::Statement(_) => {
                context.execute_logical_plan(plan).await?.execute_stream().await?
            }
            plan => stoppable_stream(context, plan, context.runtime_env(), &control).await?,
        };
        Ok(streamed_on_deep_stack(rows))
    }
    .boxed()
}

/// The rows of a plan, in the given environment, which stop once it is cancelled.
async fn stoppable_stream(
    context: &SessionContext,
    plan: LogicalPlan,
    runtime: Arc<RuntimeEnv>,
    control: &QueryControl,
) -> Result<SendableRecordBatchStream> {
    let rows = DataFrame::new(controlled(context.state(), control.clone(), runtime), plan);
    let environment = Arc::new(rows.task_ctx());
    execute_stream(cancellable(rows.create_physical_plan().await?, control)?, environment)
}

/// The state of a session for one query: rules and functions find its control in the settings.
fn controlled(state: SessionState, control: QueryControl, runtime: Arc<RuntimeEnv>) -> SessionState {
    let mut config = state.config().clone();
    config.options_mut().extensions.insert(control);
    let mut state = SessionStateBuilder::new_from_existing(state).with_config(config).with_runtime_env(runtime).build();
    // What is computed while planning finds the control too.
    state.mark_start_execution();
    state
}

/// The plan that `EXECUTE name (…)` means, with its parameters; any other plan as it is.
pub fn prepared(context: &SessionContext, plan: LogicalPlan) -> BoxFuture<'_, Result<LogicalPlan>> {
    async move {
        match plan {
            LogicalPlan::Statement(PlanStatement::Execute(_)) => {
                Ok(context.execute_logical_plan(plan).await?.into_unoptimized_plan())
            }
            plan => Ok(plan),
        }
    }
    .boxed()
}

/// Starts a plan that only reads, in the given environment: definitions, settings and writes are refused. It
/// stops once it is cancelled.
pub fn read(
    context: &SessionContext,
    plan: LogicalPlan,
    runtime: Arc<RuntimeEnv>,
    control: QueryControl,
) -> BoxFuture<'_, Result<SendableRecordBatchStream>> {
    async move {
        let only_reads = SQLOptions::new().with_allow_ddl(false).with_allow_dml(false).with_allow_statements(false);
        only_reads.verify_plan(&plan)?;
        Ok(streamed_on_deep_stack(stoppable_stream(context, plan, runtime, &control).await?))
    }
    .boxed()
}

/// A copy of a statement.
pub fn copy_statement(statement: &Statement) -> Statement {
    statement.clone()
}

/// A copy of an expression.
pub fn copy_expression(expression: &Expr) -> Expr {
    expression.clone()
}

/// A copy of the arguments of a call.
pub fn copy_arguments(arguments: &[FunctionArg]) -> Vec<FunctionArg> {
    arguments.to_vec()
}

/// A copy of a query.
pub fn copy_query(query: &Query) -> Box<Query> {
    Box::new(query.clone())
}
