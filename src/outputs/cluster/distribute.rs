//! Makes a physical plan fit for tasks in different processes.
//!
//! Ballista cuts a plan where rows change partitions, and gives each task some partitions of a piece. An operator
//! that shares something between its partitions would then hold a part of it in every process. Of the operators
//! in our plans two do: the index of an interval join is made of all partitions of one side, and a nested loop
//! join that keeps rows of its left side notes which of them were met.

use std::sync::Arc;

use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode};
use datafusion::common::{JoinType, Result};
use datafusion::physical_plan::coalesce_partitions::CoalescePartitionsExec;
use datafusion::physical_plan::joins::NestedLoopJoinExec;
use datafusion::physical_plan::limit::GlobalLimitExec;
use datafusion::physical_plan::{ExecutionPlan, ExecutionPlanProperties, replace_children_if_necessary};

use crate::functions::intervals::interval_join::IntervalJoinExec;

/// The plan with the same rows, whatever processes its partitions run in.
pub(super) fn distribute(plan: Arc<dyn ExecutionPlan>) -> Result<Arc<dyn ExecutionPlan>> {
    plan.transform_up(|node| {
        if let Some(join) = node.downcast_ref::<IntervalJoinExec>() {
            return Ok(Transformed::yes(Arc::new(join.with_gathered_index()?) as Arc<dyn ExecutionPlan>));
        }
        match node.downcast_ref::<NestedLoopJoinExec>() {
            Some(join) if keeps_left(*join.join_type()) => {
                let children = vec![Arc::clone(join.left()), in_one_task(Arc::clone(join.right()))];
                Ok(Transformed::yes(replace_children_if_necessary(node, children)?))
            }
            _ => Ok(Transformed::no(node)),
        }
    })
    .data()
}

/// Whether a join gives rows because of what all rows of the right side together say about one of the left.
fn keeps_left(kind: JoinType) -> bool {
    match kind {
        JoinType::Inner | JoinType::Right | JoinType::RightSemi | JoinType::RightAnti | JoinType::RightMark => false,
        JoinType::Left | JoinType::Full | JoinType::LeftSemi | JoinType::LeftAnti | JoinType::LeftMark => true,
    }
}

/// All rows in one partition. The limit, which limits nothing, asks for it: Ballista looks again at who needs one
/// partition, and takes away what nobody asks for.
fn in_one_task(plan: Arc<dyn ExecutionPlan>) -> Arc<dyn ExecutionPlan> {
    if plan.output_partitioning().partition_count() == 1 {
        return plan;
    }
    Arc::new(GlobalLimitExec::new(Arc::new(CoalescePartitionsExec::new(plan)), 0, None))
}
