//! Replaces generic joins whose condition is an overlap of intervals.
//!
//! In: a stock join of any kind but full and mark, on equal keys and
//! `intervals_overlap(left start, left end, right start, right end)`. Out: an operator of ours. What an
//! inner join asks beyond that becomes a filter above it; other kinds with such conditions stay.

use std::sync::Arc;

use arrow::datatypes::Schema;
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode};
use datafusion::common::{JoinSide, NullEquality, Result};
use datafusion::config::ConfigOptions;
use datafusion::logical_expr::JoinType;
use datafusion::physical_expr::expressions::Column;
use datafusion::physical_expr::{PhysicalExpr, ScalarFunctionExpr, conjunction, split_conjunction};
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::filter::FilterExec;
use datafusion::physical_plan::joins::utils::{JoinFilter, JoinOnRef};
use datafusion::physical_plan::joins::{HashJoinExec, NestedLoopJoinExec, SortMergeJoinExec};
use datafusion::physical_plan::statistics::{StatisticsArgs, StatisticsContext};
use datafusion::physical_plan::{ExecutionPlan, ExecutionPlanProperties};

use super::exec::IntervalJoinExec;
use super::join_spec::{JoinSpec, SideColumns};
use super::sweep_exec::IntervalSweepExec;
use crate::functions::intervals::OfTwoIntervals;
use ocellus_kernels::intervals::IntervalIndex;

/// Bytes that an index may take, about, where memory has no limit: sorting costs some five times the CPU.
const LARGEST_INDEX: usize = 1 << 30;

/// The rule; see the file's head. It must run before DataFusion chooses between kinds of joins.
#[derive(Debug, Default)]
pub(crate) struct IntervalJoins {
    /// Bytes that queries may hold, if there is a limit.
    pub(crate) memory_limit: Option<usize>,
}

impl PhysicalOptimizerRule for IntervalJoins {
    fn name(&self) -> &str {
        "interval_joins"
    }

    fn schema_check(&self) -> bool {
        true
    }

    fn optimize(&self, plan: Arc<dyn ExecutionPlan>, config: &ConfigOptions) -> Result<Arc<dyn ExecutionPlan>> {
        // As with joins on equal keys: prefer one side in memory, or both sorted.
        let index_limit = match config.optimizer.prefer_hash_join {
            true => self.memory_limit.map_or(LARGEST_INDEX, |limit| LARGEST_INDEX.min(limit / 2)),
            false => 0,
        };
        plan.transform_up(|node| match StockJoin::of(&node).and_then(|join| join.overlap()) {
            Some(overlap) => Ok(Transformed::yes(overlap.plan(index_limit)?)),
            None => Ok(Transformed::no(node)),
        })
        .data()
    }
}

/// A join of DataFusion.
struct StockJoin<'a> {
    left: &'a Arc<dyn ExecutionPlan>,
    right: &'a Arc<dyn ExecutionPlan>,
    on: JoinOnRef<'a>,
    filter: &'a JoinFilter,
    join_type: JoinType,
    projection: Option<Vec<usize>>,
}

impl<'a> StockJoin<'a> {
    fn of(plan: &'a Arc<dyn ExecutionPlan>) -> Option<StockJoin<'a>> {
        if let Some(join) = plan.downcast_ref::<HashJoinExec>() {
            let is_plain = join.null_equality() == NullEquality::NullEqualsNothing && !join.null_aware;
            return is_plain.then_some(StockJoin {
                left: join.left(),
                right: join.right(),
                on: join.on(),
                filter: join.filter()?,
                join_type: *join.join_type(),
                projection: join.projection.as_ref().map(|places| places.to_vec()),
            });
        }
        if let Some(join) = plan.downcast_ref::<SortMergeJoinExec>() {
            let is_plain = join.null_equality() == NullEquality::NullEqualsNothing;
            return is_plain.then_some(StockJoin {
                left: join.left(),
                right: join.right(),
                on: join.on(),
                filter: join.filter().as_ref()?,
                join_type: join.join_type(),
                projection: None,
            });
        }
        let join = plan.downcast_ref::<NestedLoopJoinExec>()?;
        Some(StockJoin {
            left: join.left(),
            right: join.right(),
            on: &[],
            filter: join.filter()?,
            join_type: *join.join_type(),
            projection: join.projection().as_ref().map(|places| places.to_vec()),
        })
    }

    /// The join of intervals that it is, if it is one.
    fn overlap(self) -> Option<OverlapJoin<'a>> {
        let mut test = None;
        let mut others = vec![];
        for condition in split_conjunction(self.filter.expression()) {
            match bounds(condition, self.filter) {
                Some(bounds) if test.is_none() => test = Some(bounds),
                _ => others.push(Arc::clone(condition)),
            }
        }
        let [left_bounds, right_bounds] = test?;
        let is_known = match self.join_type {
            JoinType::Inner => true,
            JoinType::Full | JoinType::LeftMark | JoinType::RightMark => false,
            _ => others.is_empty(),
        };
        let is_endless = self.left.boundedness().is_unbounded() || self.right.boundedness().is_unbounded();
        if is_endless || !is_known || (self.projection.is_some() && !others.is_empty()) {
            return None;
        }
        let (mut left_keys, mut right_keys) = (vec![], vec![]);
        for (left, right) in self.on {
            left_keys.push(place(left, &self.left.schema())?);
            right_keys.push(place(right, &self.right.schema())?);
        }
        let same_types = left_keys.iter().zip(&right_keys).all(|(left, right)| {
            self.left.schema().field(*left).data_type() == self.right.schema().field(*right).data_type()
        });
        let shape = JoinSpec {
            join_type: self.join_type,
            left: SideColumns { keys: left_keys, start: left_bounds.0, end: left_bounds.1 },
            right: SideColumns { keys: right_keys, start: right_bounds.0, end: right_bounds.1 },
            projection: self.projection.clone(),
        };
        same_types.then_some(OverlapJoin { stock: self, shape, others })
    }
}

/// A join of DataFusion that is one of intervals.
struct OverlapJoin<'a> {
    stock: StockJoin<'a>,
    shape: JoinSpec,
    /// What it asks beyond the overlap.
    others: Vec<Arc<dyn PhysicalExpr>>,
}

impl OverlapJoin<'_> {
    /// The operator of ours: an index of one side if that seems to take no more bytes than the limit.
    fn plan(self, index_limit: usize) -> Result<Arc<dyn ExecutionPlan>> {
        let StockJoin { left, right, filter, .. } = self.stock;
        let indexed = match self.shape.kept_side()? {
            Some(kept) => kept.negate(),
            None => smaller(left, right),
        };
        let left_width = left.schema().fields().len();
        let is_small = index_size(if indexed == JoinSide::Left { left } else { right }) <= index_limit;
        let (left, right) = (Arc::clone(left), Arc::clone(right));
        let join: Arc<dyn ExecutionPlan> = match is_small {
            true => Arc::new(IntervalJoinExec::new(left, right, self.shape, indexed)?),
            false => Arc::new(IntervalSweepExec::new(left, right, self.shape)?),
        };
        if self.others.is_empty() {
            return Ok(join);
        }
        // The filter numbers its columns as it likes; above the join, left comes before right.
        let condition = conjunction(self.others).transform_up(|expression| {
            let Some(column) = expression.downcast_ref::<Column>() else {
                return Ok(Transformed::no(expression));
            };
            let origin = &filter.column_indices()[column.index()];
            let place = if origin.side == JoinSide::Left { origin.index } else { left_width + origin.index };
            Ok(Transformed::yes(Arc::new(Column::new(column.name(), place)) as Arc<dyn PhysicalExpr>))
        });
        Ok(Arc::new(FilterExec::try_new(condition.data()?, join)?))
    }
}

/// The side that seems to have fewer rows; the right one in doubt.
fn smaller(left: &Arc<dyn ExecutionPlan>, right: &Arc<dyn ExecutionPlan>) -> JoinSide {
    match (rows(left), rows(right)) {
        (Some(left), Some(right)) if left < right => JoinSide::Left,
        _ => JoinSide::Right,
    }
}

fn rows(plan: &Arc<dyn ExecutionPlan>) -> Option<usize> {
    let statistics = StatisticsContext::new().compute(plan.as_ref(), &StatisticsArgs::new()).ok()?;
    statistics.num_rows.get_value().copied()
}

/// Bytes that an index of a side takes, about; one when nobody knows how many rows it has.
fn index_size(plan: &Arc<dyn ExecutionPlan>) -> usize {
    const TEXT: usize = 24;
    let schema = plan.schema();
    let widths = schema.fields().iter().map(|field| field.data_type().primitive_width().unwrap_or(TEXT));
    // While it is made, rows are held twice.
    let row = 2 * widths.sum::<usize>() + 2 * IntervalIndex::BYTES_PER_ROW;
    rows(plan).map_or(1, |rows| rows.saturating_mul(row))
}

/// The bounds of left and of right that a condition tests for an overlap.
fn bounds(condition: &Arc<dyn PhysicalExpr>, filter: &JoinFilter) -> Option<[(usize, usize); 2]> {
    let call = condition.downcast_ref::<ScalarFunctionExpr>()?;
    call.fun().inner().downcast_ref::<OfTwoIntervals>().filter(|function| function.is_test())?;
    let mut places = vec![];
    for argument in call.args() {
        let column = argument.downcast_ref::<Column>()?;
        places.push(filter.column_indices().get(column.index())?);
    }
    let sides: Vec<JoinSide> = places.iter().map(|place| place.side).collect();
    let [a, b, c, d] = places.as_slice() else {
        return None;
    };
    let (one, other) = ((a.index, b.index), (c.index, d.index));
    match sides.as_slice() {
        [JoinSide::Left, JoinSide::Left, JoinSide::Right, JoinSide::Right] => Some([one, other]),
        [JoinSide::Right, JoinSide::Right, JoinSide::Left, JoinSide::Left] => Some([other, one]),
        _ => None,
    }
}

/// The place of a key that is a column.
fn place(key: &Arc<dyn PhysicalExpr>, schema: &Schema) -> Option<usize> {
    let place = key.downcast_ref::<Column>()?.index();
    (place < schema.fields().len()).then_some(place)
}
