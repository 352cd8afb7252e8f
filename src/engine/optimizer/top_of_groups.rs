//! Keeps the first rows of each group instead of sorting all rows.
//!
//! ```text
//!  filter  rank <= 10                                filter  rank <= 10
//!    window  row_number() OVER (PARTITION BY …)  ─►    window  row_number() OVER (PARTITION BY …)
//!      all rows, by group, sorted                        by group, sorted
//!                                                          the first 10 rows of each group and partition
//! ```
//! DataFusion has the operator and a rule for it, which is off by default since heaps for very many groups need more than a
//! sort. Here the rule is used where the groups are known to be few. It keeps the filter, so that any condition that bounds
//! the number will do, and leaves windows alone that compute more than the number: those may look at rows further on.

use std::fmt;
use std::sync::Arc;

use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode, TreeNodeRecursion};
use datafusion::common::{Result, ScalarValue, internal_err};
use datafusion::config::ConfigOptions;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::logical_expr::Operator;
use datafusion::physical_expr::expressions::{BinaryExpr, CastExpr, Column, Literal};
use datafusion::physical_expr::utils::split_conjunction;
use datafusion::physical_expr::window::{StandardWindowExpr, WindowExpr};
use datafusion::physical_expr::{LexOrdering, PhysicalExpr, PhysicalSortExpr};
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::execution_plan::replace_children_if_necessary;
use datafusion::physical_plan::filter::FilterExec;
use datafusion::physical_plan::projection::ProjectionExec;
use datafusion::physical_plan::sorts::partitioned_topk::{PartitionedTopKExec, WindowFnKind};
use datafusion::physical_plan::statistics::{StatisticsArgs, StatisticsContext};
use datafusion::physical_plan::windows::{BoundedWindowAggExec, WindowUDFExpr};
use datafusion::physical_plan::{DisplayAs, DisplayFormatType, ExecutionPlan, PlanProperties};

/// Groups for which heaps are kept, at most.
const MOST_GROUPS: usize = 1 << 16;

/// Rows of a group that a heap keeps, at most; and of all groups together.
const MOST_KEPT: usize = 1 << 12;
const MOST_KEPT_OF_ALL: usize = 1 << 18;

/// The rule; see the file's head. It must come before rows are sorted for windows.
#[derive(Debug, Default)]
pub(crate) struct TopOfGroups;

impl TopOfGroups {
    pub(super) const NAME: &str = "top_of_groups";
}

impl PhysicalOptimizerRule for TopOfGroups {
    fn name(&self) -> &str {
        TopOfGroups::NAME
    }

    fn schema_check(&self) -> bool {
        true
    }

    fn optimize(&self, plan: Arc<dyn ExecutionPlan>, _config: &ConfigOptions) -> Result<Arc<dyn ExecutionPlan>> {
        plan.transform_down(|node| {
            Ok(match with_heaps(&node)? {
                Some(limited) => Transformed::yes(limited),
                None => Transformed::no(node),
            })
        })
        .data()
    }
}

/// A filter over a window with heaps below it, if the filter bounds the window's number.
fn with_heaps(plan: &Arc<dyn ExecutionPlan>) -> Result<Option<Arc<dyn ExecutionPlan>>> {
    let Some(filter) = plan.downcast_ref::<FilterExec>() else {
        return Ok(None);
    };
    let projection = filter.input().downcast_ref::<ProjectionExec>();
    let below = projection.map_or(filter.input(), ProjectionExec::input);
    let Some(window) = below.downcast_ref::<BoundedWindowAggExec>() else {
        return Ok(None);
    };
    let [number] = window.window_expr() else {
        return Ok(None);
    };
    // Without an order, any rows will do, and heaps have nothing to go by.
    if !is_row_number(number) || number.order_by().is_empty() {
        return Ok(None);
    }
    let place = window.input().schema().fields().len();
    let bounds = split_conjunction(filter.predicate()).into_iter().filter_map(bound);
    let own = bounds.filter(|(column, _)| shown_by(projection, *column) == Some(place));
    let (Some(most), Some(groups)) = (own.map(|(_, most)| most).min(), groups(window, number)) else {
        return Ok(None);
    };
    let is_small = groups <= MOST_GROUPS && most <= MOST_KEPT && groups.saturating_mul(most) <= MOST_KEPT_OF_ALL;
    if most == 0 || !is_small || window.input().downcast_ref::<TopOfGroupsExec>().is_some() {
        return Ok(None);
    }
    let keys = number.partition_by();
    let order = keys.iter().map(|key| PhysicalSortExpr::new_default(Arc::clone(key)));
    let Some(order) = LexOrdering::new(order.chain(number.order_by().iter().cloned())) else {
        return Ok(None);
    };
    // A key that also orders its group is not sorted by twice; then keys and order cannot be told apart.
    if order.len() != keys.len() + number.order_by().len() {
        return Ok(None);
    }
    let kind = WindowFnKind::RowNumber;
    let heaps = PartitionedTopKExec::try_new(Arc::clone(window.input()), order, keys.len(), most, kind)?;
    let heaps = Arc::new(TopOfGroupsExec { heaps: Arc::new(heaps) });
    let mut limited = replace_children_if_necessary(Arc::clone(below), vec![heaps])?;
    if projection.is_some() {
        limited = replace_children_if_necessary(Arc::clone(filter.input()), vec![limited])?;
    }
    replace_children_if_necessary(Arc::clone(plan), vec![limited]).map(Some)
}

/// Of ranks, any number of rows can be the first.
fn is_row_number(number: &Arc<dyn WindowExpr>) -> bool {
    let function = number.as_any().downcast_ref::<StandardWindowExpr>().map(StandardWindowExpr::get_standard_func_expr);
    let function = function.and_then(|function| function.as_any().downcast_ref::<WindowUDFExpr>());
    function.is_some_and(|function| function.fun().name() == "row_number")
}

/// The column whose number a condition bounds, and by what.
fn bound(condition: &Arc<dyn PhysicalExpr>) -> Option<(usize, usize)> {
    let comparison = condition.downcast_ref::<BinaryExpr>()?;
    let (left, right) = (comparison.left(), comparison.right());
    let (column, most, operator) = match (number_column(left), integer(right)) {
        (Some(column), Some(most)) => (column, most, *comparison.op()),
        _ => (number_column(right)?, integer(left)?, comparison.op().swap()?),
    };
    let most = match operator {
        Operator::Eq | Operator::LtEq => most,
        Operator::Lt => most.checked_sub(1)?,
        _ => return None,
    };
    Some((column, usize::try_from(most).ok()?))
}

/// A column of integers, itself or as other integers.
fn number_column(expression: &Arc<dyn PhysicalExpr>) -> Option<usize> {
    match expression.downcast_ref::<CastExpr>() {
        Some(cast) if cast.cast_type().is_integer() => number_column(cast.expr()),
        Some(_) => None,
        None => expression.downcast_ref::<Column>().map(Column::index),
    }
}

fn integer(expression: &Arc<dyn PhysicalExpr>) -> Option<i64> {
    let value = expression.downcast_ref::<Literal>()?.value();
    if !value.data_type().is_integer() {
        return None;
    }
    match value.cast_to(&arrow::datatypes::DataType::Int64).ok()? {
        ScalarValue::Int64(value) => value,
        _ => None,
    }
}

/// The column of a projection's rows that one of its columns shows.
fn shown_by(projection: Option<&ProjectionExec>, column: usize) -> Option<usize> {
    match projection {
        None => Some(column),
        Some(projection) => number_column(&projection.expr().get(column)?.expr),
    }
}

/// How many groups a window has at most; `None` when that is not known, or it has none.
fn groups(window: &BoundedWindowAggExec, number: &Arc<dyn WindowExpr>) -> Option<usize> {
    let keys = number.partition_by();
    let statistics = StatisticsContext::new().compute(window.input().as_ref(), &StatisticsArgs::new()).ok()?;
    let mut values = keys.iter().map(|key| {
        let column = key.downcast_ref::<Column>()?;
        statistics.column_statistics.get(column.index())?.distinct_count.get_value().copied()
    });
    let product = values.try_fold(1_usize, |product, values| Some(product.saturating_mul(values?.saturating_add(1))));
    product.filter(|_| !keys.is_empty())
}

/// The first rows of each group in each partition, wherever the rows of a group are: few rows are moved then.
#[derive(Debug)]
struct TopOfGroupsExec {
    heaps: Arc<PartitionedTopKExec>,
}

impl DisplayAs for TopOfGroupsExec {
    fn fmt_as(&self, form: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !matches!(form, DisplayFormatType::TreeRender) {
            write!(f, "TopOfGroupsExec: ")?;
        }
        self.heaps.fmt_as(form, f)
    }
}

impl ExecutionPlan for TopOfGroupsExec {
    fn name(&self) -> &str {
        "TopOfGroupsExec"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        self.heaps.properties()
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        vec![self.heaps.input()]
    }

    fn apply_expressions(
        &self,
        f: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        self.heaps.apply_expressions(f)
    }

    fn with_new_children(self: Arc<Self>, children: Vec<Arc<dyn ExecutionPlan>>) -> Result<Arc<dyn ExecutionPlan>> {
        let [input] = children.as_slice() else {
            return internal_err!("heaps have one input, got {}", children.len());
        };
        let heaps = &self.heaps;
        let (order, keys) = (heaps.expr().clone(), heaps.partition_prefix_len());
        let heaps =
            PartitionedTopKExec::try_new(Arc::clone(input), order, keys, heaps.fetch(), WindowFnKind::RowNumber)?;
        Ok(Arc::new(TopOfGroupsExec { heaps: Arc::new(heaps) }))
    }

    fn execute(&self, partition: usize, context: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        self.heaps.execute(partition, context)
    }
}
