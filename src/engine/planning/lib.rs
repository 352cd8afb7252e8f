//! SQL statements become plans, and plans become streams of rows: DataFusion's own async functions,
//! boxed, so that they are compiled here and nowhere else. The same holds for copies of syntax trees.

use datafusion::common::Result;
use datafusion::execution::SendableRecordBatchStream;
use datafusion::execution::context::{SessionContext, SessionState};
use datafusion::logical_expr::LogicalPlan;
use datafusion::sql::parser::Statement;
use futures::FutureExt;
use futures::future::BoxFuture;
use sqlparser::ast::{Expr, FunctionArg, Query};

/// Plans a statement.
pub fn plan<'a>(state: &'a SessionState, statement: &'a Statement) -> BoxFuture<'a, Result<LogicalPlan>> {
    async move { state.statement_to_plan(statement.clone()).await }.boxed()
}

/// Plans a text of one statement.
pub fn plan_text<'a>(state: &'a SessionState, text: &'a str) -> BoxFuture<'a, Result<LogicalPlan>> {
    async move { state.create_logical_plan(text).await }.boxed()
}

/// Starts a plan.
pub fn execute(context: &SessionContext, plan: LogicalPlan) -> BoxFuture<'_, Result<SendableRecordBatchStream>> {
    async move { context.execute_logical_plan(plan).await?.execute_stream().await }.boxed()
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
