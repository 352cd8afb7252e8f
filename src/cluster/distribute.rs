//! Makes a physical plan fit for tasks in different processes.
//!
//! Ballista cuts a plan where rows change partitions, and gives each task some partitions of a piece. An operator
//! that shares something between its partitions would then hold a part of it in every process:
//!
//! | operator | what it shares | here |
//! |---|---|---|
//! | interval join | the index of one side | every task reads that side whole |
//! | other joins that collect their left side | the rows of that side | every task reads that side whole |
//! | those of them that keep rows of that side | which of them were met | both sides by key, or one task |
//!
//! What is known about rows, such as that a column is constant, is lost between pieces. A window that
//! counts on its rows being sorted asks for all columns of that order.

use std::sync::Arc;

use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode};
use datafusion::common::{JoinType, Result, not_impl_err};
use datafusion::datasource::memory::MemorySourceConfig;
use datafusion::physical_expr::{LexOrdering, Partitioning, PhysicalSortExpr};
use datafusion::physical_plan::coalesce_partitions::CoalescePartitionsExec;
use datafusion::physical_plan::empty::EmptyExec;
use datafusion::physical_plan::joins::{CrossJoinExec, HashJoinExec, NestedLoopJoinExec, PartitionMode};
use datafusion::physical_plan::limit::GlobalLimitExec;
use datafusion::physical_plan::memory::LazyMemoryExec;
use datafusion::physical_plan::projection::{ProjectionExec, ProjectionExpr};
use datafusion::physical_plan::repartition::RepartitionExec;
use datafusion::physical_plan::sorts::sort::SortExec;
use datafusion::physical_plan::windows::{BoundedWindowAggExec, WindowAggExec};
use datafusion::physical_plan::{
    ExecutionPlan, ExecutionPlanProperties, InputOrderMode, WindowExpr, replace_children_if_necessary,
};

use super::collected_join::CollectedJoinExec;
use ocellus_engine::optimizer::interval_join::IntervalJoinExec;

/// The plan with the same rows, whatever processes its partitions run in.
pub(super) fn distribute(plan: Arc<dyn ExecutionPlan>) -> Result<Arc<dyn ExecutionPlan>> {
    plan.transform_up(|node| match for_processes(&node)? {
        Some(changed) => Ok(Transformed::yes(changed)),
        None => Ok(Transformed::no(node)),
    })
    .data()
}

/// What takes the place of an operator; `None` when it may stay.
fn for_processes(node: &Arc<dyn ExecutionPlan>) -> Result<Option<Arc<dyn ExecutionPlan>>> {
    if let Some(join) = node.downcast_ref::<IntervalJoinExec>() {
        return Ok(Some(Arc::new(join.with_gathered_index()?)));
    }
    if node.is::<CrossJoinExec>() {
        return Ok(Some(Arc::new(CollectedJoinExec::new(Arc::clone(node))?)));
    }
    if let Some(join) = node.downcast_ref::<NestedLoopJoinExec>() {
        let join = match keeps_left(*join.join_type()) {
            true => with_right(node, in_one_task(Arc::clone(join.right())))?,
            false => Arc::clone(node),
        };
        return Ok(Some(Arc::new(CollectedJoinExec::new(join)?)));
    }
    if let Some(join) = node.downcast_ref::<HashJoinExec>() {
        return match join.partition_mode() {
            PartitionMode::CollectLeft => collected(node, join).map(Some),
            _ => Ok(None),
        };
    }
    if let Some(window) = node.downcast_ref::<WindowAggExec>() {
        return sorted_window(node, window.window_expr(), window.input());
    }
    if let Some(window) = node.downcast_ref::<BoundedWindowAggExec>() {
        if window.window_expr().iter().any(is_reversed) {
            return forward_window(window).map(Some);
        }
        return match window.input_order_mode {
            InputOrderMode::Sorted => sorted_window(node, window.window_expr(), window.input()),
            _ => Ok(None),
        };
    }
    if node.is::<EmptyExec>() {
        // Ballista does not know how to leave it out of a task; of rows in memory, even of none, it does.
        return Ok(Some(MemorySourceConfig::try_new_exec(&[vec![]], node.schema(), None)?));
    }
    counted_series(node)
}

/// Whether a join gives rows because of what all rows of the right side together say about one of the left.
fn keeps_left(kind: JoinType) -> bool {
    match kind {
        JoinType::Inner | JoinType::Right | JoinType::RightSemi | JoinType::RightAnti | JoinType::RightMark => false,
        JoinType::Left | JoinType::Full | JoinType::LeftSemi | JoinType::LeftAnti | JoinType::LeftMark => true,
    }
}

/// A join that collects its left side. Where that side's rows are kept nobody above counts on how the result is
/// spread, only on the number of partitions.
fn collected(node: &Arc<dyn ExecutionPlan>, join: &HashJoinExec) -> Result<Arc<dyn ExecutionPlan>> {
    let partitions = join.right().output_partitioning().partition_count();
    if !keeps_left(*join.join_type()) || partitions == 1 {
        return Ok(Arc::new(CollectedJoinExec::new(Arc::clone(node))?));
    }
    if join.null_aware {
        let join = with_right(node, in_one_task(Arc::clone(join.right())))?;
        return Ok(Arc::new(CollectedJoinExec::new(join)?));
    }
    let (left, right) = join.on().iter().map(|(left, right)| (Arc::clone(left), Arc::clone(right))).unzip();
    let by_key = |input: &Arc<dyn ExecutionPlan>, keys| -> Result<Arc<dyn ExecutionPlan>> {
        Ok(Arc::new(RepartitionExec::try_new(Arc::clone(input), Partitioning::Hash(keys, partitions))?))
    };
    let inputs = vec![by_key(join.left(), left)?, by_key(join.right(), right)?];
    join.builder().with_partition_mode(PartitionMode::Partitioned).with_new_children(inputs)?.build_exec()
}

fn with_right(join: &Arc<dyn ExecutionPlan>, right: Arc<dyn ExecutionPlan>) -> Result<Arc<dyn ExecutionPlan>> {
    let left = Arc::clone(join.children()[0]);
    replace_children_if_necessary(Arc::clone(join), vec![left, right])
}

/// All rows in one partition. The limit, which limits nothing, asks for it: Ballista looks again at who needs one
/// partition, and takes away what nobody asks for.
fn in_one_task(plan: Arc<dyn ExecutionPlan>) -> Arc<dyn ExecutionPlan> {
    if plan.output_partitioning().partition_count() == 1 {
        return plan;
    }
    Arc::new(GlobalLimitExec::new(Arc::new(CoalescePartitionsExec::new(plan)), 0, None))
}

/// A window over rows that are sorted by all its columns, those included that are known to be constant.
fn sorted_window(
    window: &Arc<dyn ExecutionPlan>,
    expressions: &[Arc<dyn WindowExpr>],
    input: &Arc<dyn ExecutionPlan>,
) -> Result<Option<Arc<dyn ExecutionPlan>>> {
    let Some(expression) = expressions.first() else { return Ok(None) };
    let keys = expression.partition_by().iter().map(|key| PhysicalSortExpr::new_default(Arc::clone(key)));
    let Some(order) = LexOrdering::new(keys.chain(expression.order_by().iter().cloned())) else {
        return Ok(None);
    };
    let rows = match input.downcast_ref::<SortExec>().filter(|sort| sort.fetch().is_none()) {
        Some(sort) if sort.expr() == &order => return Ok(None),
        Some(sort) if sort.preserve_partitioning() => Arc::clone(sort.input()),
        _ => Arc::clone(input),
    };
    let sorted = Arc::new(SortExec::new(order, rows).with_preserve_partitioning(true));
    replace_children_if_necessary(Arc::clone(window), vec![sorted]).map(Some)
}

/// Whether a function runs against the order that it was written with. That travels with no plan.
fn is_reversed(expression: &Arc<dyn WindowExpr>) -> bool {
    format!("{expression:?}").contains("is_reversed: true")
}

/// The window in the order that its functions were written with; its rows come out as they did.
fn forward_window(window: &BoundedWindowAggExec) -> Result<Arc<dyn ExecutionPlan>> {
    let order_of = |expression: &Arc<dyn WindowExpr>| {
        let keys = expression.partition_by().iter().map(|key| PhysicalSortExpr::new_default(Arc::clone(key)));
        LexOrdering::new(keys.chain(expression.order_by().iter().cloned()))
    };
    let forward: Option<Vec<_>> = window.window_expr().iter().map(|expression| expression.get_reverse_expr()).collect();
    let before = window.window_expr().first().and_then(order_of);
    let (Some(forward), Some(before)) = (forward, before) else {
        return not_impl_err!(
            "a window function in reverse order cannot run on a cluster; run the query without --cluster"
        );
    };
    let Some(order) = forward.first().and_then(order_of) else {
        return not_impl_err!(
            "a window function without order cannot run on a cluster; run the query without --cluster"
        );
    };
    let can_spread = forward.first().is_some_and(|expression| !expression.partition_by().is_empty());
    let sorted = Arc::new(SortExec::new(order, Arc::clone(window.input())).with_preserve_partitioning(true));
    let window = Arc::new(BoundedWindowAggExec::try_new(forward, sorted, InputOrderMode::Sorted, can_spread)?);
    Ok(Arc::new(SortExec::new(before, window).with_preserve_partitioning(true)))
}

/// A series of numbers whose values nobody asks for, only their count: it travels with its column, which is left out
/// above. Without the column it could not be read again.
fn counted_series(node: &Arc<dyn ExecutionPlan>) -> Result<Option<Arc<dyn ExecutionPlan>>> {
    let Some(series) = node.downcast_ref::<LazyMemoryExec>().filter(|_| node.schema().fields().is_empty()) else {
        return Ok(None);
    };
    let Some(generator) = series.generators().first().map(|generator| generator.read().reset_state()) else {
        return Ok(None);
    };
    let Some(batch) = generator.write().generate_next_batch()? else {
        return Ok(Some(Arc::new(EmptyExec::new(node.schema()))));
    };
    let whole = LazyMemoryExec::try_new(batch.schema(), series.generators().clone())?;
    Ok(Some(Arc::new(ProjectionExec::try_new(Vec::<ProjectionExpr>::new(), Arc::new(whole))?)))
}
