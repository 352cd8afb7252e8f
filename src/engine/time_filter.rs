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
//! DataFusion could do this by itself (`ScalarUDFImpl::preimage`), but only for one comparison:
//! with two bounds, common subexpressions are pulled out before it looks. So this rule runs right
//! after filters were pushed to the scans, and before common subexpressions are eliminated.

use std::sync::Arc;

use arrow::datatypes::DataType;
use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::common::{Result, ScalarValue};
use datafusion::logical_expr::expr::{Between, BinaryExpr, InList, ScalarFunction};
use datafusion::logical_expr::{Expr, LogicalPlan, Operator, lit};
use datafusion::optimizer::optimizer::{ApplyOrder, Optimizer};
use datafusion::optimizer::{OptimizerConfig, OptimizerRule};

use super::slice_filter::SliceFilter;
use crate::functions::argument_of_unkeyed;
use crate::functions::time::tick_seconds::TickSeconds;
use crate::time::Resolution;

/// The rule; see the file's head.
#[derive(Debug, Default)]
pub(super) struct TimeFilter;

/// DataFusion's optimizer rules with ours among them.
pub(super) fn optimizer_rules() -> Vec<Arc<dyn OptimizerRule + Send + Sync>> {
    let mut rules = Optimizer::new().rules;
    let pushed = rules.iter().position(|rule| rule.name() == "push_down_filter");
    let place = pushed.map_or(rules.len(), |index| index + 1);
    rules.insert(place, Arc::new(TimeFilter));
    rules.insert(place, Arc::new(SliceFilter));
    rules
}

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
        other => argument_of_unkeyed(other).cloned(),
    };
    Ok(match translated {
        Some(translated) => Transformed::yes(translated),
        None => Transformed::no(expression),
    })
}

fn translate_comparison(left: &Expr, operator: Operator, right: &Expr) -> Option<Expr> {
    if let (Some(seconds), Some(bound)) = (Seconds::of(left), constant(right)) {
        return seconds.compare(operator, bound);
    }
    let (seconds, bound) = (Seconds::of(right)?, constant(left)?);
    seconds.compare(operator.swap()?, bound)
}

fn translate_between(between: &Between) -> Option<Expr> {
    let seconds = Seconds::of(&between.expr)?;
    let (low, high) = (constant(&between.low)?, constant(&between.high)?);
    if between.negated {
        return Some(seconds.compare(Operator::Lt, low)?.or(seconds.compare(Operator::Gt, high)?));
    }
    Some(seconds.compare(Operator::GtEq, low)?.and(seconds.compare(Operator::LtEq, high)?))
}

fn translate_list(list: &InList) -> Option<Expr> {
    let seconds = Seconds::of(&list.expr)?;
    let (operator, join): (Operator, fn(Expr, Expr) -> Expr) =
        if list.negated { (Operator::NotEq, Expr::and) } else { (Operator::Eq, Expr::or) };
    let mut translated: Option<Expr> = None;
    for item in &list.list {
        let item = seconds.compare(operator, constant(item)?)?;
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

/// `tick_seconds(ticks, ticks_per_second)` in an expression.
struct Seconds<'a> {
    ticks: &'a Expr,
    resolution: Resolution,
}

impl<'a> Seconds<'a> {
    fn of(expression: &'a Expr) -> Option<Seconds<'a>> {
        let Expr::ScalarFunction(ScalarFunction { func, args }) = expression else {
            return None;
        };
        func.inner().downcast_ref::<TickSeconds>()?;
        let [ticks, Expr::Literal(ScalarValue::Int64(Some(rate)), _)] = args.as_slice() else {
            return None;
        };
        let digits = u8::try_from(rate.checked_ilog10()?).ok()?;
        let resolution = Resolution::from_digits(digits)?;
        (resolution.ticks_per_second() == *rate).then_some(Seconds { ticks, resolution })
    }

    /// The comparison on ticks that is true, false or NULL where that on seconds is.
    fn compare(&self, operator: Operator, seconds: f64) -> Option<Expr> {
        // What lies before `first` is less than `seconds`, what lies from `after` on is more.
        let first = Border::at(self.resolution, seconds);
        let after = Border::after(self.resolution, seconds);
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

    /// The first tick beyond some seconds.
    fn after(resolution: Resolution, seconds: f64) -> Border {
        match seconds == f64::INFINITY {
            true => Border::Beyond,
            false => Border::at(resolution, seconds.next_up()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow::array::{AsArray, Int64Array, RecordBatch};
    use arrow::datatypes::{Field, Schema};
    use datafusion::common::DFSchema;
    use datafusion::logical_expr::ScalarUDF;
    use datafusion::prelude::{SessionContext, col};
    use proptest::prelude::*;
    use std::sync::LazyLock;

    use crate::functions::time::tick_seconds;

    static SESSION: LazyLock<SessionContext> = LazyLock::new(SessionContext::new);

    const OPERATORS: [Operator; 6] =
        [Operator::Eq, Operator::NotEq, Operator::Lt, Operator::LtEq, Operator::Gt, Operator::GtEq];

    fn seconds_of(resolution: Resolution) -> Expr {
        let function: ScalarUDF = (tick_seconds::FUNCTION.make)();
        function.call(vec![col("tick"), lit(resolution.ticks_per_second())])
    }

    /// What a filter says about each tick: true, false or NULL.
    fn evaluate(filter: &Expr, ticks: &[Option<i64>]) -> Vec<Option<bool>> {
        let schema = Arc::new(Schema::new(vec![Field::new("tick", DataType::Int64, true)]));
        let batch = RecordBatch::try_new(Arc::clone(&schema), vec![Arc::new(Int64Array::from(ticks.to_vec()))])
            .expect("a batch");
        let schema = DFSchema::try_from(schema).expect("a schema");
        let physical = SESSION.create_physical_expr(filter.clone(), &schema).expect("an expression");
        let answer = physical.evaluate(&batch).expect("an answer").into_array(ticks.len()).expect("an array");
        answer.as_boolean().iter().collect()
    }

    fn agree(filter: Expr, ticks: &[Option<i64>]) {
        let translated = translate(filter.clone()).expect("no error");
        assert!(translated.transformed, "{filter} is not translated");
        let mentions_seconds = translated.data.to_string().contains("tick_seconds");
        assert!(!mentions_seconds, "{}", translated.data);
        assert_eq!(evaluate(&translated.data, ticks), evaluate(&filter, ticks), "{filter} against {}", translated.data);
    }

    /// Seconds near ticks, odd ones and extreme ones.
    fn bounds() -> impl Strategy<Value = f64> {
        prop_oneof![
            -5.0..5.0_f64,
            any::<f64>().prop_filter("NaN is left alone", |value| !value.is_nan()),
            (-5000_i64..5000).prop_map(|tick| tick as f64 / 1e3),
            (-5000_i64..5000).prop_map(|tick| (tick as f64 / 1e3).next_up()),
            (-5000_i64..5000).prop_map(|tick| (tick as f64 / 1e3).next_down()),
            any::<i64>().prop_map(|tick| tick as f64 / 1e9),
            Just(0.0),
            Just(-0.0),
            Just(f64::INFINITY),
            Just(f64::NEG_INFINITY),
            Just(f64::MAX),
        ]
    }

    fn ticks(bound: f64, resolution: Resolution) -> Vec<Option<i64>> {
        let near = resolution.first_tick_at(bound).unwrap_or(i64::MAX);
        let mut ticks: Vec<Option<i64>> = (-3..=3).map(|step| Some(near.saturating_add(step))).collect();
        ticks.extend([None, Some(0), Some(-1), Some(1), Some(i64::MIN), Some(i64::MAX), Some(1_700_000_000_123_456_789)]);
        ticks
    }

    proptest! {
        #[test]
        fn both_forms_agree_on_every_comparison(
            bound in bounds(), more in any::<Vec<i64>>(), digits in 0_u8..5, operator in 0_usize..6
        ) {
            let resolution = Resolution::from_digits(3 + 3 * digits).expect("a resolution");
            let mut ticks = ticks(bound, resolution);
            ticks.extend(more.into_iter().map(Some));
            let operator = OPERATORS[operator];
            let seconds = seconds_of(resolution);
            let binary = |left: &Expr, right: &Expr| {
                Expr::BinaryExpr(BinaryExpr::new(Box::new(left.clone()), operator, Box::new(right.clone())))
            };
            agree(binary(&seconds, &lit(bound)), &ticks);
            agree(binary(&lit(bound), &seconds), &ticks);
        }

        #[test]
        fn both_forms_agree_on_ranges_and_lists(low in bounds(), high in bounds(), digits in 0_u8..5) {
            let resolution = Resolution::from_digits(3 + 3 * digits).expect("a resolution");
            let mut ticks = ticks(low, resolution);
            ticks.extend(self::ticks(high, resolution));
            let seconds = || seconds_of(resolution);
            agree(seconds().between(lit(low), lit(high)), &ticks);
            agree(seconds().not_between(lit(low), lit(high)), &ticks);
            // DataFusion's IN tells -0.0 from 0.0, its = does not; we follow the latter. 0.0 + -0.0 is 0.0.
            let list = || vec![lit(0.0 + low), lit(0.0 + high)];
            agree(seconds().in_list(list(), false), &ticks);
            agree(seconds().in_list(list(), true), &ticks);
        }
    }

    #[test]
    fn what_is_no_time_filter_is_left_alone() {
        let seconds = || seconds_of(Resolution::NANOSECONDS);
        let null = lit(ScalarValue::Float64(None));
        let odd_rate = (tick_seconds::FUNCTION.make)().call(vec![col("tick"), lit(7_i64)]);
        for filter in [
            seconds().gt(lit(f64::NAN)),
            seconds().gt(null.clone()),
            seconds().in_list(vec![lit(1.0), null], false),
            seconds().gt(seconds()),
            odd_rate.gt(lit(1.0)),
            col("tick").gt(lit(1.0)),
        ] {
            assert!(!translate(filter.clone()).expect("no error").transformed, "{filter}");
        }
    }

    #[test]
    fn exact_bounds_stay_readable() {
        let filter = seconds_of(Resolution::NANOSECONDS).gt_eq(lit(12.5));
        let translated = translate(filter).expect("no error").data;
        assert_eq!(translated, col("tick").gt_eq(lit(12_500_000_000_i64)));
        let filter = seconds_of(Resolution::MILLISECONDS).eq(lit(0.25));
        assert_eq!(translate(filter).expect("no error").data, col("tick").eq(lit(250_i64)));
        let filter = lit(1_i64).lt(seconds_of(Resolution::MILLISECONDS));
        assert_eq!(translate(filter).expect("no error").data, col("tick").gt_eq(lit(1001_i64)));
    }
}
