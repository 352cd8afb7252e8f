//! `INTERSECT ALL` and `EXCEPT ALL`: rows count as often as they occur.
//!
//! DataFusion plans them as joins that ask whether a row is there at all. Here the copies of a row are numbered on
//! both sides, and the number is one more column that must be equal: of m copies on the left and n on the right,
//! min(m, n) are in both, and max(m − n, 0) are on the left alone.
//!
//! ```text
//!  left   a a a b        a1 a2 a3 b1       INTERSECT ALL   a1 a2
//!  right  a a c     ─►   a1 a2 c1          EXCEPT ALL      a3 b1
//! ```

use std::sync::Arc;

use datafusion::common::tree_node::{Transformed, TransformedResult};
use datafusion::common::{JoinType, NullEquality, Result};
use datafusion::config::ConfigOptions;
use datafusion::functions_window::row_number::row_number;
use datafusion::logical_expr::{Expr, ExprFunctionExt, Join, LogicalPlan, LogicalPlanBuilder};
use datafusion::optimizer::AnalyzerRule;
use datafusion::prelude::col;

/// The rule; see the file's head.
#[derive(Debug, Default)]
pub(crate) struct MultisetOperations;

impl AnalyzerRule for MultisetOperations {
    fn name(&self) -> &str {
        "multiset_operations"
    }

    fn analyze(&self, plan: LogicalPlan, _config: &ConfigOptions) -> Result<LogicalPlan> {
        plan.transform_up_with_subqueries(|node| match node {
            LogicalPlan::Join(join) if keeps_copies(&join) => by_number_of_copies(join).map(Transformed::yes),
            node => Ok(Transformed::no(node)),
        })
        .data()
    }
}

/// Whether a join stands for one of the two: no other joins of rows that were just parsed take NULL for equal to NULL.
/// Where the left side has no copies, the question whether a row is there at all is the right one.
fn keeps_copies(join: &Join) -> bool {
    let compares_rows = join.on.len() == join.left.schema().fields().len() && join.filter.is_none();
    matches!(join.join_type, JoinType::LeftSemi | JoinType::LeftAnti)
        && join.null_equality == NullEquality::NullEqualsNull
        && compares_rows
        && !matches!(join.left.as_ref(), LogicalPlan::Distinct(_))
}

fn by_number_of_copies(join: Join) -> Result<LogicalPlan> {
    let columns = join.left.schema().columns();
    let (left, right) = ("__copy_left", "__copy_right");
    let mut on = join.on;
    on.push((col(left), col(right)));
    let joined = Join::try_new(
        Arc::new(numbered(&join.left, left)?),
        Arc::new(numbered(&join.right, right)?),
        on,
        None,
        join.join_type,
        join.join_constraint,
        join.null_equality,
        false,
    )?;
    LogicalPlanBuilder::from(LogicalPlan::Join(joined)).project(columns.into_iter().map(Expr::Column))?.build()
}

/// The rows with one more column: the how manieth copy of its row each is.
fn numbered(rows: &LogicalPlan, name: &str) -> Result<LogicalPlan> {
    let columns: Vec<Expr> = rows.schema().columns().into_iter().map(Expr::Column).collect();
    let number = row_number().partition_by(columns.clone()).build()?.alias(name);
    LogicalPlanBuilder::from(rows.clone()).window(vec![number])?.build()
}
