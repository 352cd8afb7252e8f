//! The column that the two sides of `RIGHT JOIN … USING (k)` and `FULL JOIN … USING (k)` share.
//!
//! DataFusion takes it from the left side, where it is NULL for rows that only the right side has. Names of one side
//! only are refused before: see `session/rewrite/repairs/joins.rs`.

use datafusion::common::tree_node::{Transformed, TransformedResult};
use datafusion::common::{JoinConstraint, JoinType, Result};
use datafusion::config::ConfigOptions;
use datafusion::functions::core::expr_fn::coalesce;
use datafusion::logical_expr::{Expr, Join, LogicalPlan, LogicalPlanBuilder};
use datafusion::optimizer::AnalyzerRule;

/// The rule; see the file's head.
#[derive(Debug, Default)]
pub(crate) struct SharedColumns;

impl AnalyzerRule for SharedColumns {
    fn name(&self) -> &str {
        "shared_columns"
    }

    fn analyze(&self, plan: LogicalPlan, _config: &ConfigOptions) -> Result<LogicalPlan> {
        plan.transform_up_with_subqueries(|node| match node {
            LogicalPlan::Join(join) if shares_columns(&join) => with_shared(join).map(Transformed::yes),
            node => Ok(Transformed::no(node)),
        })
        .data()
    }
}

fn shares_columns(join: &Join) -> bool {
    join.join_constraint == JoinConstraint::Using && matches!(join.join_type, JoinType::Right | JoinType::Full)
}

fn with_shared(join: Join) -> Result<LogicalPlan> {
    let shared = |column: Expr| {
        let other = join.on.iter().find(|(left, _)| *left == column).map(|(_, right)| right.clone());
        match (&column, other) {
            (Expr::Column(name), Some(other)) => {
                let name = name.clone();
                coalesce(vec![column, other]).alias_qualified(name.relation, name.name)
            }
            _ => column,
        }
    };
    let columns: Vec<Expr> = join.schema.columns().into_iter().map(|column| shared(Expr::Column(column))).collect();
    LogicalPlanBuilder::from(LogicalPlan::Join(join)).project(columns)?.build()
}
