//! A large constant is refused where it would be copied to every row of a batch.
//!
//! A constant of 30 MB is one value; as a column of 8,192 rows it is 250 GB. This rule changes nothing.

use datafusion::common::tree_node::{Transformed, TreeNode, TreeNodeRecursion};
use datafusion::common::{Result, plan_err};
use datafusion::logical_expr::{Expr, LogicalPlan};
use datafusion::optimizer::{ApplyOrder, OptimizerConfig, OptimizerRule};

use crate::functions::plans::bounded_values::{LARGEST_VALUE, literal_bytes};

/// Rows of a batch, if the input has as many.
const BATCH_ROWS: usize = 8_192;
/// Bytes of a constant in all rows of a batch.
const LARGEST_COPIES: u64 = 16 * LARGEST_VALUE;

/// The rule; see the file's head.
#[derive(Debug, Default)]
pub(crate) struct LargeConstants;

impl OptimizerRule for LargeConstants {
    fn name(&self) -> &str {
        "large_constants"
    }

    fn apply_order(&self) -> Option<ApplyOrder> {
        Some(ApplyOrder::TopDown)
    }

    fn rewrite(&self, plan: LogicalPlan, _config: &dyn OptimizerConfig) -> Result<Transformed<LogicalPlan>> {
        let inputs = plan.inputs();
        let rows = inputs.iter().map(|input| input.max_rows().unwrap_or(BATCH_ROWS)).max().unwrap_or(1);
        let rows = rows.min(BATCH_ROWS) as u64;
        plan.apply_expressions(|expression| {
            expression.apply(|part| {
                if let Expr::Literal(value, _) = part {
                    let bytes = literal_bytes(value);
                    if bytes.saturating_mul(rows) > LARGEST_COPIES {
                        return plan_err!(
                            "a constant of {bytes} bytes would be copied to each of {rows} rows; at most {} bytes are \
                             allowed there",
                            LARGEST_COPIES / rows
                        );
                    }
                }
                Ok(TreeNodeRecursion::Continue)
            })
        })?;
        Ok(Transformed::no(plan))
    }
}
