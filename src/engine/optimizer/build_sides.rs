//! Which side of a join is held in memory, where DataFusion does not know how many rows a side has.
//!
//! A hash join holds its left rows. DataFusion puts the smaller side there when it knows the rows of both; of windows over
//! other joins, for example, it knows none, and then the left side is the one that the query names first. That is often the
//! trace:
//!
//! ```text
//!  FROM states JOIN state_activities          states: 28 million rows; the activities of 7 values
//! ```
//! Here every operator has a guess: a filter keeps a fifth, groups are a tenth of their rows, a join has as many rows as its
//! larger side. The guess decides only what DataFusion left open.

use std::sync::Arc;

use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode};
use datafusion::common::{JoinType, Result};
use datafusion::config::ConfigOptions;
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::aggregates::AggregateExec;
use datafusion::physical_plan::filter::FilterExec;
use datafusion::physical_plan::joins::{CrossJoinExec, HashJoinExec, NestedLoopJoinExec, PartitionMode};
use datafusion::physical_plan::limit::{GlobalLimitExec, LocalLimitExec};
use datafusion::physical_plan::statistics::{StatisticsArgs, StatisticsContext};
use datafusion::physical_plan::union::UnionExec;

/// How much of its rows a filter keeps.
const KEPT: f64 = 0.2;

/// How many groups there are for each row.
const GROUPS_PER_ROW: f64 = 0.1;

/// Operators that are looked at to guess the rows of a side.
const MOST_OPERATORS: usize = 500;

/// The rule; see the file's head. It must follow DataFusion's choice of sides, and come before rows are partitioned.
#[derive(Debug, Default)]
pub(crate) struct BuildSides;

impl PhysicalOptimizerRule for BuildSides {
    fn name(&self) -> &str {
        "build_sides"
    }

    fn schema_check(&self) -> bool {
        true
    }

    fn optimize(&self, plan: Arc<dyn ExecutionPlan>, config: &ConfigOptions) -> Result<Arc<dyn ExecutionPlan>> {
        if !config.optimizer.join_reordering {
            return Ok(plan);
        }
        let collected = config.optimizer.hash_join_single_partition_threshold_rows as f64;
        plan.transform_up(|node| {
            let better = match node.downcast_ref::<HashJoinExec>() {
                Some(join) if is_open(join) => with_smaller_left(join, collected)?,
                _ => None,
            };
            Ok(better.map_or_else(|| Transformed::no(node), Transformed::yes))
        })
        .data()
    }
}

/// Whether DataFusion did not know which side is smaller.
fn is_open(join: &HashJoinExec) -> bool {
    *join.partition_mode() == PartitionMode::Partitioned
        && (known_rows(join.left()).is_none() || known_rows(join.right()).is_none())
}

/// The join with the side at its left that seems to be smaller; if that is small enough, all of it in one table, so that the
/// rows of the other side stay where they are.
fn with_smaller_left(join: &HashJoinExec, collected: f64) -> Result<Option<Arc<dyn ExecutionPlan>>> {
    let guess = |side| guessed_rows(side, &mut MOST_OPERATORS.clone());
    let (Some(left), Some(right)) = (guess(join.left()), guess(join.right())) else {
        return Ok(None);
    };
    if right < left && join.join_type().supports_swap() && !join.null_aware {
        let mode = if right < collected { PartitionMode::CollectLeft } else { PartitionMode::Partitioned };
        return join.swap_inputs(mode).map(Some);
    }
    if left >= collected || right <= left {
        return Ok(None);
    }
    Ok(Some(Arc::new(join.builder().with_partition_mode(PartitionMode::CollectLeft).build()?)))
}

/// What DataFusion knows.
fn known_rows(plan: &Arc<dyn ExecutionPlan>) -> Option<f64> {
    let statistics = StatisticsContext::new().compute(plan.as_ref(), &StatisticsArgs::new()).ok()?;
    statistics.num_rows.get_value().map(|rows| *rows as f64)
}

/// How many rows a plan seems to give; `None` when nothing is known of what it reads, or it is too large to look at.
fn guessed_rows(plan: &Arc<dyn ExecutionPlan>, operators: &mut usize) -> Option<f64> {
    *operators = operators.checked_sub(1)?;
    let children = plan.children();
    if children.is_empty() {
        return known_rows(plan);
    }
    if plan.downcast_ref::<AggregateExec>().is_some_and(|groups| groups.group_expr().expr().is_empty()) {
        return Some(1.0);
    }
    let rows = children.iter().map(|child| guessed_rows(child, operators)).collect::<Option<Vec<f64>>>()?;
    let first = *rows.first()?;
    let second = rows.get(1).copied().unwrap_or(0.0);
    if plan.downcast_ref::<FilterExec>().is_some() {
        return Some(first * KEPT);
    }
    if plan.downcast_ref::<AggregateExec>().is_some() {
        return Some(known_rows(plan).filter(|rows| *rows < first).unwrap_or(first * GROUPS_PER_ROW));
    }
    if let Some(limit) = fetch_of(plan) {
        return Some(first.min(limit as f64));
    }
    if plan.downcast_ref::<UnionExec>().is_some() {
        return Some(rows.iter().sum());
    }
    if plan.downcast_ref::<CrossJoinExec>().is_some() {
        return Some(first * second);
    }
    if let Some(join) = plan.downcast_ref::<NestedLoopJoinExec>() {
        return Some(joined(*join.join_type(), first, second, first * second * KEPT));
    }
    if let Some(join) = plan.downcast_ref::<HashJoinExec>() {
        return Some(joined(*join.join_type(), first, second, first.max(second)));
    }
    // Whatever else there is gives its rows once: sorts, windows, projections.
    Some(rows.iter().copied().fold(0.0, f64::max))
}

/// Rows of a join of which so many have partners.
fn joined(kind: JoinType, left: f64, right: f64, matches: f64) -> f64 {
    match kind {
        JoinType::Inner => matches,
        JoinType::Left => matches.max(left),
        JoinType::Right => matches.max(right),
        JoinType::Full => matches.max(left + right),
        JoinType::LeftSemi | JoinType::LeftAnti | JoinType::LeftMark => left,
        JoinType::RightSemi | JoinType::RightAnti | JoinType::RightMark => right,
    }
}

fn fetch_of(plan: &Arc<dyn ExecutionPlan>) -> Option<usize> {
    if let Some(limit) = plan.downcast_ref::<GlobalLimitExec>() {
        return limit.fetch();
    }
    match plan.downcast_ref::<LocalLimitExec>() {
        Some(limit) => Some(limit.fetch()),
        None => plan.fetch(),
    }
}
