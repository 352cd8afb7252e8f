//! Turns filters on seconds into filters on ticks, so that row groups are pruned by time.
//!
//! In: `tick_seconds(X, ticks_per_second) >= 12.5`. Out: `X >= 12500000000`. The two agree for every
//! tick: the bound is the first tick whose seconds reach the constant
//! ([`Resolution::first_tick_at`]).
//!
//! ```text
//!  tick     … 4    5    6    7 …
//!  seconds    0.4  0.5  0.6  0.7        x >= 0.55  ⇔  tick >= 6 = first_tick_at(0.55)
//!                     ^0.55             x >  0.6   ⇔  tick >= 7 = first_tick_at(next double)
//! ```
//! A date is seconds once more: `timestamp_of(tick_seconds(X, …), origin) >= TIMESTAMP '…'` becomes a filter
//! on ticks in the same way.
//!
//! DataFusion could do this by itself (`ScalarUDFImpl::preimage`), but only for one comparison:
//! with two bounds, common subexpressions are pulled out before it looks. So this rule runs right
//! after filters were pushed to the scans, and before common subexpressions are eliminated.

use std::sync::Arc;

use arrow::datatypes::{DataType, TimeUnit};
use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::common::{Result, ScalarValue};
use datafusion::logical_expr::expr::{Between, BinaryExpr, InList, ScalarFunction};
use datafusion::logical_expr::{Expr, LogicalPlan, Operator, lit};
use datafusion::optimizer::optimizer::ApplyOrder;
use datafusion::optimizer::{OptimizerConfig, OptimizerRule};

use crate::functions::plans::hide_unique_key::argument_of_hide_unique_key;
use crate::functions::time::tick_seconds::TickSeconds;
use crate::functions::time::timestamp_of::{TimestampOf, nanoseconds};
use ocellus_trace::time::Resolution;

/// The rule; see the file's head.
#[derive(Debug, Default)]
pub(super) struct TimeFilter;

impl OptimizerRule for TimeFilter {
    fn name(&self) -> &str {
        "time_filter"
    }

    fn apply_order(&self) -> Option<ApplyOrder> {
        Some(ApplyOrder::TopDown)
    }

    fn rewrite(&self, plan: LogicalPlan, _config: &dyn OptimizerConfig) -> Result<Transformed<LogicalPlan>> {
        match plan {
            LogicalPlan::Filter(_) | LogicalPlan::TableScan(_) | LogicalPlan::Join(_) => {
                plan.map_expressions(|expression| expression.transform_up(translate))
            }
            other => Ok(Transformed::no(other)),
        }
    }
}

/// Translates one comparison, if it is one of seconds with a constant.
fn translate(expression: Expr) -> Result<Transformed<Expr>> {
    let translated = match &expression {
        Expr::BinaryExpr(BinaryExpr { left, op, right }) => translate_comparison(left, *op, right),
        Expr::Between(between) => translate_between(between),
        Expr::InList(list) => translate_list(list),
        // Keys of a function that makes rows from lists reach the scan as what they are.
        other => argument_of_hide_unique_key(other).cloned(),
    };
    Ok(match translated {
        Some(translated) => Transformed::yes(translated),
        None => Transformed::no(expression),
    })
}

fn translate_comparison(left: &Expr, operator: Operator, right: &Expr) -> Option<Expr> {
    if let Some(time) = ComputedTime::of(left) {
        return time.compare(operator, right);
    }
    ComputedTime::of(right)?.compare(operator.swap()?, left)
}

fn translate_between(between: &Between) -> Option<Expr> {
    let time = ComputedTime::of(&between.expr)?;
    let (low, high) = (&between.low, &between.high);
    if between.negated {
        return Some(time.compare(Operator::Lt, low)?.or(time.compare(Operator::Gt, high)?));
    }
    Some(time.compare(Operator::GtEq, low)?.and(time.compare(Operator::LtEq, high)?))
}

fn translate_list(list: &InList) -> Option<Expr> {
    let time = ComputedTime::of(&list.expr)?;
    let (operator, join): (Operator, fn(Expr, Expr) -> Expr) =
        if list.negated { (Operator::NotEq, Expr::and) } else { (Operator::Eq, Expr::or) };
    let mut translated: Option<Expr> = None;
    for item in &list.list {
        let item = time.compare(operator, item)?;
        translated = Some(match translated {
            Some(before) => join(before, item),
            None => item,
        });
    }
    translated
}

/// The value of a literal number, also of one that is cast to DOUBLE. NaN is left to DataFusion.
fn constant(expression: &Expr) -> Option<f64> {
    match expression {
        Expr::Literal(value, _) => {
            if !value.data_type().is_numeric() {
                return None;
            }
            match value.cast_to(&DataType::Float64).ok()? {
                ScalarValue::Float64(Some(seconds)) if !seconds.is_nan() => Some(seconds),
                _ => None,
            }
        }
        Expr::Cast(cast) if cast.field.data_type() == &DataType::Float64 => constant(&cast.expr),
        _ => None,
    }
}

/// The value of a literal date, in nanoseconds since 1970.
fn constant_date(expression: &Expr) -> Option<i64> {
    let Expr::Literal(value, _) = expression else {
        return None;
    };
    if !matches!(value.data_type(), DataType::Timestamp(_, _)) {
        return None;
    }
    match value.cast_to(&DataType::Timestamp(TimeUnit::Nanosecond, Some(Arc::from("UTC")))).ok()? {
        ScalarValue::TimestampNanosecond(date, _) => date,
        _ => None,
    }
}

/// A time that is computed from ticks, in an expression.
struct ComputedTime<'a> {
    ticks: &'a Expr,
    resolution: Resolution,
    shown: Shown,
}

/// How ticks are shown.
enum Shown {
    /// `tick_seconds(ticks, ticks_per_second)`.
    Seconds,
    /// `timestamp_of(tick_seconds(ticks, ticks_per_second), origin)`.
    Date { origin: i64 },
}

impl<'a> ComputedTime<'a> {
    fn of(expression: &'a Expr) -> Option<ComputedTime<'a>> {
        let Expr::ScalarFunction(ScalarFunction { func, args }) = expression else {
            return None;
        };
        if func.inner().downcast_ref::<TimestampOf>().is_some() {
            let [seconds, Expr::Literal(ScalarValue::TimestampNanosecond(Some(origin), _), _)] = args.as_slice() else {
                return None;
            };
            let time = ComputedTime::of(seconds)?;
            return matches!(time.shown, Shown::Seconds)
                .then_some(ComputedTime { shown: Shown::Date { origin: *origin }, ..time });
        }
        func.inner().downcast_ref::<TickSeconds>()?;
        let [ticks, Expr::Literal(ScalarValue::Int64(Some(rate)), _)] = args.as_slice() else {
            return None;
        };
        let digits = u8::try_from(rate.checked_ilog10()?).ok()?;
        let resolution = Resolution::from_digits(digits)?;
        (resolution.ticks_per_second() == *rate).then_some(ComputedTime { ticks, resolution, shown: Shown::Seconds })
    }

    /// The comparison on ticks that is true, false or NULL where that of the time with a constant is.
    fn compare(&self, operator: Operator, bound: &Expr) -> Option<Expr> {
        // What lies before `first` is less than the bound, what lies from `after` on is more.
        let (first, after) = match self.shown {
            Shown::Seconds => {
                let seconds = constant(bound)?;
                (Border::at(self.resolution, seconds), Border::after(self.resolution, seconds))
            }
            Shown::Date { origin } => {
                let date = constant_date(bound)?;
                let reaches = |date: i64| Border::at_date(self.resolution, origin, date);
                (reaches(date), date.checked_add(1).map_or(Border::Beyond, reaches))
            }
        };
        Some(match operator {
            Operator::GtEq => self.from(first),
            Operator::Lt => self.before(first),
            Operator::Gt => self.from(after),
            Operator::LtEq => self.before(after),
            Operator::Eq => match (first, after) {
                (Border::Tick(first), Border::Tick(after)) if first.checked_add(1) == Some(after) => {
                    self.ticks.clone().eq(lit(first))
                }
                _ => self.from(first).and(self.before(after)),
            },
            Operator::NotEq => match (first, after) {
                (Border::Tick(first), Border::Tick(after)) if first.checked_add(1) == Some(after) => {
                    self.ticks.clone().not_eq(lit(first))
                }
                _ => self.before(first).or(self.from(after)),
            },
            _ => return None,
        })
    }

    fn from(&self, border: Border) -> Expr {
        match border {
            Border::Tick(tick) => self.ticks.clone().gt_eq(lit(tick)),
            // False for every tick, and NULL for none.
            Border::Beyond => self.ticks.clone().lt(lit(i64::MIN)),
        }
    }

    fn before(&self, border: Border) -> Expr {
        match border {
            Border::Tick(tick) => self.ticks.clone().lt(lit(tick)),
            // True for every tick, and NULL for none.
            Border::Beyond => self.ticks.clone().gt_eq(lit(i64::MIN)),
        }
    }
}

/// The first tick that reaches some seconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Border {
    Tick(i64),
    /// No tick does.
    Beyond,
}

impl Border {
    fn at(resolution: Resolution, seconds: f64) -> Border {
        resolution.first_tick_at(seconds).map_or(Border::Beyond, Border::Tick)
    }

    /// The first tick whose date is at least `date`. Dates of later ticks are never earlier, so a binary search
    /// finds it.
    fn at_date(resolution: Resolution, origin: i64, date: i64) -> Border {
        let reaches = |tick: i64| nanoseconds(resolution.seconds(tick), origin).is_some_and(|of_tick| of_tick >= date);
        if !reaches(i64::MAX) {
            return Border::Beyond;
        }
        let (mut below, mut at) = (i128::from(i64::MIN) - 1, i64::MAX);
        while i128::from(at) - below > 1 {
            let middle = (below + i128::from(at)).div_euclid(2) as i64;
            if reaches(middle) {
                at = middle;
            } else {
                below = i128::from(middle);
            }
        }
        Border::Tick(at)
    }

    /// The first tick beyond some seconds.
    fn after(resolution: Resolution, seconds: f64) -> Border {
        match seconds == f64::INFINITY {
            true => Border::Beyond,
            false => Border::at(resolution, seconds.next_up()),
        }
    }
}

#[cfg(test)]
mod tests;
