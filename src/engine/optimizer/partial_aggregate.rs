//! The aggregates that rules may change: those that collect rows for functions of this crate.

use std::sync::Arc;

use datafusion::common::Result;
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_expr::aggregate::AggregateFunctionExpr;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::aggregates::{AggregateExec, AggregateMode};

use crate::functions::filters::column_mix::ColumnMix;
use crate::functions::slices::slice_names::CONTAINER_NAME;
use crate::functions::slices::slice_times::time_arguments;
use crate::functions::tree::hierarchy_aggregate::SUBTREE_FUNCTIONS;

/// Whether it collects the rows of each partition for functions of this crate, and for nothing else.
pub(crate) fn is_partial_of_trace_functions(aggregate: &AggregateExec) -> bool {
    let is_ours = |function: &str| takes_codes(function) || function == CONTAINER_NAME;
    *aggregate.mode() == AggregateMode::Partial
        && aggregate.aggr_expr().iter().all(|function| is_ours(function.fun().name()))
}

/// Whether it collects the rows of each partition for the columns of a screen, and for nothing else.
pub(crate) fn is_partial_of_columns(aggregate: &AggregateExec) -> bool {
    let is_columns =
        |function: &Arc<AggregateFunctionExpr>| function.fun().inner().downcast_ref::<ColumnMix>().is_some();
    *aggregate.mode() == AggregateMode::Partial && aggregate.aggr_expr().iter().all(is_columns)
}

/// Whether a function takes its texts as codes too; see [`super::dictionary_scan_rule`].
pub(crate) fn takes_codes(function: &str) -> bool {
    time_arguments(function).is_some() || SUBTREE_FUNCTIONS.contains(&function)
}

/// The same aggregate of other rows, and with other conditions.
pub(crate) fn over(
    aggregate: &AggregateExec,
    conditions: Vec<Option<Arc<dyn PhysicalExpr>>>,
    input: &Arc<dyn ExecutionPlan>,
) -> Result<Arc<dyn ExecutionPlan>> {
    Ok(Arc::new(aggregate_over(aggregate, conditions, input)?))
}

/// See [`over`].
pub(crate) fn aggregate_over(
    aggregate: &AggregateExec,
    conditions: Vec<Option<Arc<dyn PhysicalExpr>>>,
    input: &Arc<dyn ExecutionPlan>,
) -> Result<AggregateExec> {
    let (groups, functions) = (aggregate.group_expr().clone(), aggregate.aggr_expr().to_vec());
    AggregateExec::try_new(*aggregate.mode(), groups, functions, conditions, Arc::clone(input), input.schema())
}
