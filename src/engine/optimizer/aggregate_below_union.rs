//! Collects rows below unions, and leaves rows out without copying the others.
//!
//! ```text
//!  aggregate                               union
//!    union                         ─►        aggregate, where not cut
//!      filter: not cut                         states
//!        states                              aggregate
//!      state_segments                          state_segments
//! ```
//! Most states are not cut. A filter would copy all columns of them to leave the others out; a condition of
//! the aggregate copies nothing.

use std::sync::Arc;

use datafusion::common::Result;
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode};
use datafusion::config::ConfigOptions;
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_expr::expressions::{Column, NotExpr};
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::aggregates::AggregateExec;
use datafusion::physical_plan::filter::FilterExec;
use datafusion::physical_plan::projection::ProjectionExec;
use datafusion::physical_plan::union::UnionExec;

use super::partial_aggregate::{is_partial_of_columns, is_partial_of_trace_functions, over};
use crate::catalog::IS_CUT;

/// The rule; see the file's head. It must run after DataFusion has split aggregates in two.
#[derive(Debug, Default)]
pub(crate) struct AggregateBelowUnion;

impl PhysicalOptimizerRule for AggregateBelowUnion {
    fn name(&self) -> &str {
        "aggregate_below_union"
    }

    fn schema_check(&self) -> bool {
        true
    }

    fn optimize(&self, plan: Arc<dyn ExecutionPlan>, _config: &ConfigOptions) -> Result<Arc<dyn ExecutionPlan>> {
        plan.transform_down(|node| {
            let closer = match node.downcast_ref::<AggregateExec>() {
                Some(aggregate) if is_movable(aggregate) => below_union(aggregate)?.or(without_filter(aggregate)?),
                Some(aggregate) if is_partial_of_columns(aggregate) => below_union(aggregate)?,
                _ => None,
            };
            Ok(closer.map_or_else(|| Transformed::no(node), Transformed::yes))
        })
        .data()
    }
}

/// Whether it has no condition yet, and rows that are left out leave no trace.
fn is_movable(aggregate: &AggregateExec) -> bool {
    is_partial_of_trace_functions(aggregate) && aggregate.filter_expr().iter().all(Option::is_none)
}

/// An aggregate of each input of a union: its partitions are those of its inputs, and each is collected by itself. What is
/// computed of the rows of the union is computed of those of its inputs.
fn below_union(aggregate: &AggregateExec) -> Result<Option<Arc<dyn ExecutionPlan>>> {
    let projection = aggregate.input().downcast_ref::<ProjectionExec>();
    let below = projection.map_or_else(|| aggregate.input(), |projection| projection.input());
    let Some(union) = below.downcast_ref::<UnionExec>() else {
        return Ok(None);
    };
    let closer = |input: &Arc<dyn ExecutionPlan>| {
        let input: Arc<dyn ExecutionPlan> = match projection {
            Some(shown) => Arc::new(ProjectionExec::try_new(shown.expr().to_vec(), Arc::clone(input))?),
            None => Arc::clone(input),
        };
        over(aggregate, aggregate.filter_expr().to_vec(), &input)
    };
    UnionExec::try_new(union.inputs().iter().map(closer).collect::<Result<Vec<_>>>()?).map(Some)
}

/// The aggregate of the rows below a filter, with a condition in its place.
fn without_filter(aggregate: &AggregateExec) -> Result<Option<Arc<dyn ExecutionPlan>>> {
    let Some(filter) = aggregate.input().downcast_ref::<FilterExec>() else {
        return Ok(None);
    };
    // Columns keep their places: what is left out is the flag, which comes last.
    let keeps_places = filter.projection().as_ref().is_none_or(|places| places.iter().copied().eq(0..places.len()));
    if !(keeps_places && is_not_cut(filter.predicate()) && filter.fetch().is_none()) {
        return Ok(None);
    }
    let conditions = vec![Some(Arc::clone(filter.predicate())); aggregate.aggr_expr().len()];
    over(aggregate, conditions, filter.input()).map(Some)
}

fn is_not_cut(condition: &Arc<dyn PhysicalExpr>) -> bool {
    let flag = condition.downcast_ref::<NotExpr>().and_then(|not| not.arg().downcast_ref::<Column>());
    flag.is_some_and(|flag| flag.name() == IS_CUT)
}
