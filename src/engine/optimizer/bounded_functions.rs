//! Calls of functions that may make large values become calls of their bounded forms.
//!
//! ```text
//! repeat(a, n)          ──►   repeat(a, n), bounded
//! a || b, both texts    ──►   string_concat(a, b), bounded
//! ```
//! The bounds are those of [`bounded_values`](crate::functions::plans::bounded_values). A registry is not enough:
//! DataFusion's planner makes some calls by itself, such as that of `[1, 2]`.

use std::sync::Arc;

use datafusion::common::Result;
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode};
use datafusion::config::ConfigOptions;
use datafusion::logical_expr::expr::ScalarFunction;
use datafusion::logical_expr::expr_rewriter::NamePreserver;
use datafusion::logical_expr::utils::merge_schema;
use datafusion::logical_expr::{BinaryExpr, Expr, ExprSchemable, LogicalPlan, Operator};
use datafusion::optimizer::AnalyzerRule;

use crate::functions::plans::bounded_values::{ValueLimits, bounded};
use crate::functions::plans::string_concat::string_concat;

/// The rule; see the file's head.
#[derive(Debug)]
pub(crate) struct BoundedFunctions {
    /// Bytes that the session may use.
    pub(crate) memory_limit: Option<usize>,
}

impl AnalyzerRule for BoundedFunctions {
    fn name(&self) -> &str {
        "bounded_functions"
    }

    fn analyze(&self, plan: LogicalPlan, _config: &ConfigOptions) -> Result<LogicalPlan> {
        let limits = ValueLimits::new(self.memory_limit);
        plan.transform_up_with_subqueries(|node| {
            let names = NamePreserver::new(&node);
            let mut inputs = merge_schema(&node.inputs());
            if let LogicalPlan::TableScan(scan) = &node {
                inputs.merge(&scan.projected_schema);
            }
            node.map_expressions(|expression| {
                let name = names.save(&expression);
                let changed = expression.transform_up(|part| bound_call(part, &inputs, &limits))?;
                Ok(if changed.transformed { changed.update_data(|data| name.restore(data)) } else { changed })
            })
        })
        .data()
    }
}

fn bound_call(
    expression: Expr,
    inputs: &datafusion::common::DFSchema,
    limits: &ValueLimits,
) -> Result<Transformed<Expr>> {
    match expression {
        Expr::ScalarFunction(ScalarFunction { func, args }) => match bounded(&func, limits) {
            Some(func) => Ok(Transformed::yes(Expr::ScalarFunction(ScalarFunction { func, args }))),
            None => Ok(Transformed::no(Expr::ScalarFunction(ScalarFunction { func, args }))),
        },
        Expr::BinaryExpr(BinaryExpr { left, op: Operator::StringConcat, right }) => {
            let is_text = |side: &Expr| side.get_type(inputs).is_ok_and(|kind| kind.is_string());
            if !is_text(&left) || !is_text(&right) {
                return Ok(Transformed::no(Expr::BinaryExpr(BinaryExpr { left, op: Operator::StringConcat, right })));
            }
            let func = Arc::new(string_concat());
            let func = bounded(&func, limits).unwrap_or(func);
            Ok(Transformed::yes(Expr::ScalarFunction(ScalarFunction { func, args: vec![*left, *right] })))
        }
        other => Ok(Transformed::no(other)),
    }
}
