//! Turns filters on slices into filters on the times of what is sliced, so that row groups are pruned.
//!
//! In: `slice >= 3`, `slice_start < 4.5` and the like above the cells of an aggregate of slices. Out: the
//! same filter, an aggregate that is asked for those slices only, and a filter on times below it:
//!
//! ```text
//!  Filter: slice_time(cells.slice, …) >= 4        Filter: the same
//!    Unnest: cells, of Unnest: series               Unnest: cells, of Unnest: series
//!      Aggregate: state_cells({slices 0..9}, …)       Aggregate: state_cells({slices 4..9}, …)
//!        Scan                                           Filter: end_tick > …
//!                                                         Scan
//! ```
//! A row counts in the slices that it shares time with, and in no other: leaving out rows that share none
//! with the slices that are asked for changes nothing in those. With `fill` it would: a row makes its container
//! and value appear in every slice. Such an aggregate is left alone.

use std::sync::Arc;

use arrow::datatypes::DataType;
use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::common::{Result, ScalarValue};
use datafusion::logical_expr::expr::{AggregateFunction, Alias, Between, BinaryExpr, InList, ScalarFunction};
use datafusion::logical_expr::{Aggregate, Expr, ExprSchemable, Filter, LogicalPlan, Operator, Unnest};
use datafusion::optimizer::optimizer::ApplyOrder;
use datafusion::optimizer::{OptimizerConfig, OptimizerRule};

use crate::functions::slices::slice_cells::{CELLS, SERIES};
use crate::functions::slices::slice_time::SliceTime;
use crate::functions::slices::slice_times::{TimeColumn, from_first, time_arguments, until_last};
use crate::functions::slices::slice_window::SliceWindow;
use ocellus_kernels::slices::Slicing;

/// The rule; see the file's head.
#[derive(Debug, Default)]
pub(super) struct SliceFilter;

impl OptimizerRule for SliceFilter {
    fn name(&self) -> &str {
        "slice_filter"
    }

    fn apply_order(&self) -> Option<ApplyOrder> {
        Some(ApplyOrder::TopDown)
    }

    fn rewrite(&self, plan: LogicalPlan, _config: &dyn OptimizerConfig) -> Result<Transformed<LogicalPlan>> {
        let LogicalPlan::Filter(filter) = &plan else {
            return Ok(Transformed::no(plan));
        };
        let Some(predicate) = over_cells(&filter.input, filter.predicate.clone())? else {
            return Ok(Transformed::no(plan));
        };
        match slices_of(&predicate) {
            Some(slices) => plan.map_children(|child| restrict(child, slices)),
            None => Ok(Transformed::no(plan)),
        }
    }
}

/// A predicate over the cells that were taken apart below; `None` when there are none.
fn over_cells(plan: &LogicalPlan, predicate: Expr) -> Result<Option<Expr>> {
    match plan {
        LogicalPlan::Unnest(unnest) => Ok(takes_cells_apart(unnest).then_some(predicate)),
        LogicalPlan::Filter(filter) => over_cells(&filter.input, predicate),
        LogicalPlan::Projection(projection) => {
            let below = predicate.transform_up(|expression| {
                let Expr::Column(column) = &expression else {
                    return Ok(Transformed::no(expression));
                };
                let place = plan.schema().maybe_index_of_column(column);
                Ok(match place.and_then(|place| projection.expr.get(place)) {
                    Some(source) => Transformed::yes(source.clone().unalias()),
                    None => Transformed::no(expression),
                })
            })?;
            over_cells(&projection.input, below.data)
        }
        _ => Ok(None),
    }
}

fn takes_cells_apart(unnest: &Unnest) -> bool {
    matches!(unnest.list_type_columns.as_slice(), [(_, list)] if list.output_column.name == CELLS && list.depth == 1)
}

/// Slices from the first to the last, both included; none when the last lies before the first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct SliceRange {
    first: i64,
    last: i64,
}

impl SliceRange {
    fn from(first: i64) -> SliceRange {
        SliceRange { first, last: i64::MAX }
    }

    fn until(last: i64) -> SliceRange {
        SliceRange { first: 0, last }
    }

    fn both(self, other: SliceRange) -> SliceRange {
        SliceRange { first: self.first.max(other.first), last: self.last.min(other.last) }
    }

    /// What holds both and what lies between them.
    fn either(self, other: SliceRange) -> SliceRange {
        SliceRange { first: self.first.min(other.first), last: self.last.max(other.last) }
    }
}

/// The slices for which a predicate can be true; `None` when it says nothing about them.
fn slices_of(predicate: &Expr) -> Option<SliceRange> {
    match predicate {
        Expr::BinaryExpr(BinaryExpr { left, op: Operator::And, right }) => match (slices_of(left), slices_of(right)) {
            (Some(left), Some(right)) => Some(left.both(right)),
            (left, right) => left.or(right),
        },
        Expr::BinaryExpr(BinaryExpr { left, op: Operator::Or, right }) => {
            Some(slices_of(left)?.either(slices_of(right)?))
        }
        Expr::BinaryExpr(BinaryExpr { left, op, right }) => match (Quantity::of(left), number(right)) {
            (Some(quantity), Some(bound)) => quantity.compare(*op, bound),
            _ => Quantity::of(right)?.compare(op.swap()?, number(left)?),
        },
        Expr::Between(Between { expr, negated: false, low, high }) => {
            let quantity = Quantity::of(expr)?;
            let (low, high) = (number(low)?, number(high)?);
            Some(quantity.compare(Operator::GtEq, low)?.both(quantity.compare(Operator::LtEq, high)?))
        }
        Expr::InList(InList { expr, list, negated: false }) => {
            let quantity = Quantity::of(expr)?;
            let items = list.iter().map(|item| quantity.compare(Operator::Eq, number(item)?));
            items.reduce(|one, other| Some(one?.either(other?)))?
        }
        _ => None,
    }
}

/// The value of a literal number that is not NaN, also of one that is cast.
fn number(expression: &Expr) -> Option<f64> {
    match expression {
        Expr::Literal(value, _) if value.data_type().is_numeric() => match value.cast_to(&DataType::Float64).ok()? {
            ScalarValue::Float64(value) => value.filter(|value| !value.is_nan()),
            _ => None,
        },
        Expr::Cast(cast) => number(&cast.expr),
        _ => None,
    }
}

/// What grows with the number of the slice: the number plus `ahead`, or when that slice begins.
#[derive(Debug, Clone, Copy)]
struct Quantity {
    ahead: i64,
    slicing: Option<Slicing>,
}

impl Quantity {
    fn of(expression: &Expr) -> Option<Quantity> {
        match expression {
            Expr::Cast(cast) if cast.field.data_type().is_numeric() => Quantity::of(&cast.expr),
            Expr::BinaryExpr(BinaryExpr { left, op: Operator::Plus, right }) if is_slice(left) => match &**right {
                Expr::Literal(ScalarValue::Int64(Some(ahead @ 0..=1)), _) => {
                    Some(Quantity { ahead: *ahead, slicing: None })
                }
                _ => None,
            },
            Expr::ScalarFunction(ScalarFunction { func, args })
                if func.inner().downcast_ref::<SliceTime>().is_some() =>
            {
                let [slice, constants @ ..] = args.as_slice() else {
                    return None;
                };
                let constant = |index: usize| match constants.get(index)? {
                    Expr::Literal(ScalarValue::Int64(value), _) => *value,
                    _ => None,
                };
                let slicing = SliceTime::slicing(constant(0)?, constant(1)?, constant(2)?, constant(3)?)?;
                Some(Quantity {
                    slicing: Some(slicing),
                    ..Quantity::of(slice).filter(|slice| slice.slicing.is_none())?
                })
            }
            slice => is_slice(slice).then_some(Quantity { ahead: 0, slicing: None }),
        }
    }

    /// The slices where the comparison holds.
    fn compare(&self, operator: Operator, bound: f64) -> Option<SliceRange> {
        // The first number that reaches the bound, and the first beyond it.
        let at = self.first(|value| value >= bound);
        let after = self.first(|value| value > bound);
        let slices = match operator {
            Operator::GtEq => SliceRange::from(at),
            Operator::Gt => SliceRange::from(after),
            Operator::Lt => SliceRange::until(at - 1),
            Operator::LtEq => SliceRange::until(after - 1),
            Operator::Eq => SliceRange { first: at, last: after - 1 },
            _ => return None,
        };
        let lower = |number: i64| if number == i64::MAX { number } else { number - self.ahead };
        Some(SliceRange { first: lower(slices.first), last: lower(slices.last) })
    }

    /// The first number from 0 on whose value is such; values grow with numbers.
    fn first(&self, is_such: impl Fn(f64) -> bool) -> i64 {
        let value = |number: i64| match &self.slicing {
            Some(slicing) => slicing.boundary(number),
            None => number as f64,
        };
        // One more than a window can have slices.
        let (mut low, mut high) = (0, i64::from(u32::MAX));
        while low < high {
            let middle = (low + high) / 2;
            if is_such(value(middle)) { high = middle } else { low = middle + 1 }
        }
        low
    }
}

/// `cells.slice`.
fn is_slice(expression: &Expr) -> bool {
    let Expr::ScalarFunction(ScalarFunction { func, args }) = expression else {
        return false;
    };
    let [Expr::Column(cells), Expr::Literal(field, _)] = args.as_slice() else {
        return false;
    };
    func.name() == "get_field" && cells.name == CELLS && field.try_as_str().flatten() == Some("slice")
}

/// Asks the aggregate below for some slices only.
fn restrict(plan: LogicalPlan, slices: SliceRange) -> Result<Transformed<LogicalPlan>> {
    match plan {
        LogicalPlan::Filter(_) | LogicalPlan::Projection(_) | LogicalPlan::Unnest(_) => {
            plan.map_children(|child| restrict(child, slices))
        }
        LogicalPlan::Aggregate(aggregate) => restrict_aggregate(aggregate, slices),
        other => Ok(Transformed::no(other)),
    }
}

fn restrict_aggregate(aggregate: Aggregate, slices: SliceRange) -> Result<Transformed<LogicalPlan>> {
    let Some(SeriesCall { place, alias, function, window }) = SeriesCall::of(&aggregate) else {
        return Ok(Transformed::no(LogicalPlan::Aggregate(aggregate)));
    };
    let (first, last) = window.slicing.asked();
    // Without any slice left, the first one is asked for, and the filter above drops it.
    let wanted = |slice: i64| u32::try_from(slice.clamp(i64::from(first), i64::from(last.max(first)))).unwrap_or(first);
    let narrow = SliceWindow { slicing: window.slicing.only(wanted(slices.first), wanted(slices.last)), ..window };
    if window.fill || narrow == window || narrow.slicing.asked().0 > narrow.slicing.asked().1 {
        return Ok(Transformed::no(LogicalPlan::Aggregate(aggregate)));
    }
    let Some(arguments) = time_arguments(function.func.name()) else {
        return Ok(Transformed::no(LogicalPlan::Aggregate(aggregate)));
    };
    let time = |place: usize| -> Result<TimeColumn> {
        let column = function.params.args[place].clone();
        Ok(TimeColumn { kind: column.get_type(aggregate.input.schema())?, column })
    };
    let (begins, ends) = (time(arguments.begins)?, time(arguments.ends)?);
    let mut input = Arc::clone(&aggregate.input);
    let mut keep = |condition: Expr| -> Result<()> {
        input = Arc::new(LogicalPlan::Filter(Filter::try_new(condition, Arc::clone(&input))?));
        Ok(())
    };
    if narrow.slicing.asked().0 > first {
        keep(from_first(&narrow, arguments.times, &begins, &ends))?;
    }
    if narrow.slicing.asked().1 < last {
        keep(until_last(&narrow, arguments.times, &begins, &ends))?;
    }
    let mut call = function.clone();
    call.params.args[0] = narrow.literal();
    let mut expressions = aggregate.aggr_expr.clone();
    expressions[place] = Expr::Alias(Alias { expr: Box::new(Expr::AggregateFunction(call)), ..alias.clone() });
    let narrowed = Aggregate::try_new(input, aggregate.group_expr.clone(), expressions)?;
    Ok(Transformed::yes(LogicalPlan::Aggregate(narrowed)))
}

/// The expression of an aggregate that gives series.
struct SeriesCall<'a> {
    place: usize,
    alias: &'a Alias,
    function: &'a AggregateFunction,
    window: SliceWindow,
}

impl<'a> SeriesCall<'a> {
    fn of(aggregate: &'a Aggregate) -> Option<SeriesCall<'a>> {
        let is_series = |expression: &Expr| matches!(expression, Expr::Alias(alias) if alias.name == SERIES);
        let place = aggregate.aggr_expr.iter().position(is_series)?;
        let Expr::Alias(alias) = &aggregate.aggr_expr[place] else {
            return None;
        };
        let Expr::AggregateFunction(function) = &*alias.expr else {
            return None;
        };
        let Some(Expr::Literal(window, _)) = function.params.args.first() else {
            return None;
        };
        let window = SliceWindow::from_scalar(window)?;
        Some(SeriesCall { place, alias, function, window })
    }
}
