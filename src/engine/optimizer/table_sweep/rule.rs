//! Replaces the aggregate of a table sweep, and the unnesting of its list, by the operator.

use std::sync::Arc;

use datafusion::common::Result;
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode};
use datafusion::config::ConfigOptions;
use datafusion::physical_expr::aggregate::AggregateFunctionExpr;
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::aggregates::{AggregateExec, AggregateMode, PhysicalGroupBy};
use datafusion::physical_plan::unnest::UnnestExec;

use super::exec::TableSweepExec;
use crate::functions::registry::TABLE_SWEEPS;

/// The rule. It must run before it is decided how rows are spread over partitions.
#[derive(Debug)]
pub(crate) struct TableSweeps;

impl TableSweeps {
    /// Its name among the rules of a session.
    pub(crate) const NAME: &str = "table_sweeps";
}

impl PhysicalOptimizerRule for TableSweeps {
    fn name(&self) -> &str {
        TableSweeps::NAME
    }

    fn schema_check(&self) -> bool {
        true
    }

    fn optimize(&self, plan: Arc<dyn ExecutionPlan>, _config: &ConfigOptions) -> Result<Arc<dyn ExecutionPlan>> {
        plan.transform_up(|node| match swept(&node)? {
            Some(sweep) => Ok(Transformed::yes(Arc::new(sweep) as Arc<dyn ExecutionPlan>)),
            None => Ok(Transformed::no(node)),
        })
        .data()
    }
}

/// The operator for the list of a sweep that is unnested; `None` for any other node.
fn swept(node: &Arc<dyn ExecutionPlan>) -> Result<Option<TableSweepExec>> {
    let Some(unnest) = node.downcast_ref::<UnnestExec>() else { return Ok(None) };
    let is_one_list =
        matches!(unnest.list_column_indices(), [list] if list.index_in_input_schema == 0 && list.depth == 1);
    if !is_one_list || !unnest.struct_column_indices().is_empty() || node.schema().fields().len() != 1 {
        return Ok(None);
    }
    let Some((function, groups, input)) = unnest.input().downcast_ref::<AggregateExec>().and_then(collected) else {
        return Ok(None);
    };
    if !groups.is_empty() {
        return Ok(None);
    }
    let Some(sweep) = TABLE_SWEEPS.iter().find(|sweep| sweep.kernel.name == function.fun().name()) else {
        return Ok(None);
    };
    TableSweepExec::new(sweep, function.expressions(), node.schema(), Arc::clone(input)).map(Some)
}

/// The only function of an aggregate, the groups of the rows that it takes, and these.
pub(super) fn collected(
    aggregate: &AggregateExec,
) -> Option<(&AggregateFunctionExpr, &PhysicalGroupBy, &Arc<dyn ExecutionPlan>)> {
    let [function] = aggregate.aggr_expr() else { return None };
    let is_filtered = aggregate.filter_expr().iter().any(Option::is_some);
    let is_plain = aggregate.limit_options().is_none() && !is_filtered;
    if !is_plain || function.is_distinct() || !function.order_bys().is_empty() {
        return None;
    }
    match aggregate.mode() {
        AggregateMode::Single | AggregateMode::SinglePartitioned => {
            Some((function, aggregate.group_expr(), aggregate.input()))
        }
        AggregateMode::Final | AggregateMode::FinalPartitioned => {
            let partial = aggregate.input().downcast_ref::<AggregateExec>()?;
            let is_partial = *partial.mode() == AggregateMode::Partial;
            let is_filtered = partial.filter_expr().iter().any(Option::is_some);
            (is_partial && !is_filtered).then_some((function, partial.group_expr(), partial.input()))
        }
        _ => None,
    }
}
