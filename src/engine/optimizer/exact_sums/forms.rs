//! Expressions of seconds as expressions of ticks.
//!
//! In: an expression of type DOUBLE. Out: whole numbers and a scale, whose product it is; `None` if it is anything else.
//!
//! ```text
//!  tick_seconds(t, 1000)                        t                            × 1 / 1000
//!  end_time - start_time                        end_tick - start_tick        × 1 / 1000
//!  CASE WHEN c THEN duration ELSE 0 END * 1e6   CASE WHEN c THEN t ELSE 0 END × 1000 / 1
//! ```

use datafusion::common::{Column, Result, ScalarValue};
use datafusion::logical_expr::expr::{BinaryExpr, Case, ScalarFunction};
use datafusion::logical_expr::{Expr, LogicalPlan, Operator, cast, lit};

use arrow::datatypes::DataType;

use crate::functions::time::tick_seconds::TickSeconds;
use crate::functions::time::tick_totals::WIDE_TICKS;

/// Constants beyond it are left alone: ticks times a constant must fit in 38 digits.
const LARGEST_FACTOR: i64 = 1_000_000_000_000_000;

/// Functions that give one of their arguments, whatever the unit.
const CHOOSING: [&str; 3] = ["coalesce", "greatest", "least"];

/// Seconds, as far as they are known.
#[derive(Debug, Clone)]
pub(super) enum Seconds {
    /// A constant, or NULL.
    Constant(Option<f64>),
    Ticks(TickForm),
}

/// Seconds that are ticks times a scale.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct TickForm {
    pub(super) ticks: Expr,
    pub(super) width: TickWidth,
    pub(super) scale: Scale,
}

/// The type of ticks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TickWidth {
    /// BIGINT.
    Narrow,
    /// DECIMAL(38, 0).
    Wide,
}

/// A fraction of two numbers above zero that share no divisor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Scale {
    times: i64,
    per: i64,
}

impl Scale {
    /// `None` if that is out of bounds.
    fn new(times: i128, per: i128) -> Option<Scale> {
        let shared = greatest_divisor(times, per);
        let (times, per) = (i64::try_from(times / shared).ok()?, i64::try_from(per / shared).ok()?);
        (times > 0 && per > 0 && times <= LARGEST_FACTOR).then_some(Scale { times, per })
    }

    /// So many times more, or a part of it.
    fn scaled(self, times: i64, per: i64) -> Option<Scale> {
        Scale::new(i128::from(self.times) * i128::from(times), i128::from(self.per) * i128::from(per))
    }

    /// The largest scale of which all are multiples.
    fn common(scales: &[Scale]) -> Option<Scale> {
        let mut common = *scales.first()?;
        for other in scales {
            let (times, per) = (i128::from(common.times), i128::from(common.per));
            let (other_times, other_per) = (i128::from(other.times), i128::from(other.per));
            let multiple = per / greatest_divisor(per, other_per) * other_per;
            let times = greatest_divisor(times * (multiple / per), other_times * (multiple / other_per));
            common = Scale::new(times, multiple)?;
        }
        Some(common)
    }

    /// How many times another scale, of which it is a multiple.
    fn of(self, unit: Scale) -> Option<i64> {
        let times = i128::from(self.times) * i128::from(unit.per);
        let factor = times / (i128::from(self.per) * i128::from(unit.times));
        i64::try_from(factor).ok().filter(|factor| *factor <= LARGEST_FACTOR)
    }
}

fn greatest_divisor(mut one: i128, mut other: i128) -> i128 {
    while other != 0 {
        (one, other) = (other, one % other);
    }
    one.abs().max(1)
}

impl TickForm {
    /// BIGINT ticks of which a second has so many.
    pub(super) fn new(ticks: Expr, per_second: i64) -> Option<TickForm> {
        Some(TickForm { ticks, width: TickWidth::Narrow, scale: Scale::new(1, i128::from(per_second))? })
    }

    /// Ticks in another unit, of which theirs is a multiple.
    fn in_units(self, unit: Scale, width: TickWidth) -> Option<Expr> {
        let factor = self.scale.of(unit)?;
        let ticks = match (self.width, width) {
            (TickWidth::Narrow, TickWidth::Wide) => cast(self.ticks, WIDE_TICKS),
            _ => self.ticks,
        };
        Some(if factor == 1 { ticks } else { ticks * width.number(i128::from(factor))? })
    }

    /// The ticks, and how many of them a second has: what an aggregate can divide by.
    pub(super) fn per_second(self) -> Option<(Expr, i64)> {
        let unit = Scale { times: 1, per: self.scale.per };
        let width = if self.scale.times == 1 { self.width } else { TickWidth::Wide };
        Some((self.in_units(unit, width)?, unit.per))
    }

    /// So many times as long, or a part of it.
    fn scaled(self, times: f64, per: f64) -> Option<TickForm> {
        let (times, per) = (whole(times)?, whole(per)?);
        let scale = self.scale.scaled(times.checked_abs()?, per.checked_abs()?)?;
        let form = TickForm { scale, ..self };
        Some(if (times < 0) == (per < 0) { form } else { form.negated() })
    }

    fn negated(self) -> TickForm {
        let ticks = Expr::Negative(Box::new(self.ticks));
        TickForm { ticks, ..self }
    }
}

/// A constant that is a whole number, not zero, and not too large.
fn whole(constant: f64) -> Option<i64> {
    let is_whole = constant != 0.0 && constant.fract() == 0.0 && constant.abs() <= LARGEST_FACTOR as f64;
    is_whole.then_some(constant as i64)
}

impl TickWidth {
    /// A constant of the type.
    fn number(self, number: i128) -> Option<Expr> {
        Some(match self {
            TickWidth::Narrow => lit(i64::try_from(number).ok()?),
            TickWidth::Wide => lit(ScalarValue::Decimal128(Some(number), 38, 0)),
        })
    }

    fn null(self) -> Expr {
        match self {
            TickWidth::Narrow => lit(ScalarValue::Int64(None)),
            TickWidth::Wide => lit(ScalarValue::Decimal128(None, 38, 0)),
        }
    }
}

/// Some seconds in one unit.
pub(super) struct Aligned {
    pub(super) ticks: Vec<Expr>,
    pub(super) width: TickWidth,
    pub(super) scale: Scale,
}

impl Aligned {
    /// `None` if there is no common unit, or nothing but constants. The result has at least that width.
    pub(super) fn new(seconds: Vec<Seconds>, least: TickWidth) -> Option<Aligned> {
        let forms = || {
            seconds.iter().filter_map(|seconds| match seconds {
                Seconds::Ticks(form) => Some(form),
                Seconds::Constant(_) => None,
            })
        };
        let scale = Scale::common(&forms().map(|form| form.scale).collect::<Vec<_>>())?;
        let is_narrow = forms().all(|form| form.width == TickWidth::Narrow && form.scale == scale);
        let width = if is_narrow { least } else { TickWidth::Wide };
        let ticks = seconds.into_iter().map(|seconds| match seconds {
            Seconds::Ticks(form) => form.in_units(scale, width),
            Seconds::Constant(None) => Some(width.null()),
            Seconds::Constant(Some(constant)) => width.number(units(constant, scale)?),
        });
        Some(Aligned { ticks: ticks.collect::<Option<_>>()?, width, scale })
    }

    fn form(self, make: impl FnOnce(Vec<Expr>) -> Option<Expr>) -> Option<Seconds> {
        Some(Seconds::Ticks(TickForm { ticks: make(self.ticks)?, width: self.width, scale: self.scale }))
    }
}

/// How many units a constant is; `None` if it lies between two.
fn units(constant: f64, scale: Scale) -> Option<i128> {
    let (times, per) = (scale.times as f64, scale.per as f64);
    let units = (constant * per / times).round();
    let is_exact = units.abs() < 9e15 && (units * times).abs() < 9e15 && units * times / per == constant;
    is_exact.then_some(units as i128)
}

/// An expression as ticks. `of_column` knows the columns.
pub(super) fn seconds_of(
    expression: &Expr,
    of_column: &mut dyn FnMut(&Column) -> Result<Option<Seconds>>,
) -> Result<Option<Seconds>> {
    match expression {
        Expr::Column(column) => of_column(column),
        Expr::Alias(alias) => seconds_of(&alias.expr, of_column),
        Expr::Literal(value, _) => Ok(constant(value)),
        Expr::Cast(to) if to.field.data_type() == &DataType::Float64 => seconds_of(&to.expr, of_column),
        Expr::Negative(inner) => Ok(match seconds_of(inner, of_column)? {
            Some(Seconds::Ticks(form)) => Some(Seconds::Ticks(form.negated())),
            Some(Seconds::Constant(constant)) => Some(Seconds::Constant(constant.map(|constant| -constant))),
            None => None,
        }),
        Expr::BinaryExpr(BinaryExpr { left, op, right }) if is_arithmetic(*op) => {
            let (Some(left), Some(right)) = (seconds_of(left, of_column)?, seconds_of(right, of_column)?) else {
                return Ok(None);
            };
            Ok(computed(left, *op, right))
        }
        Expr::Case(case) => of_case(case, of_column),
        Expr::ScalarFunction(call) => of_call(call, of_column),
        _ => Ok(None),
    }
}

fn constant(value: &ScalarValue) -> Option<Seconds> {
    if value.is_null() {
        return Some(Seconds::Constant(None));
    }
    let is_number = value.data_type().is_numeric();
    match is_number.then(|| value.cast_to(&DataType::Float64).ok()).flatten()? {
        ScalarValue::Float64(Some(number)) => number.is_finite().then_some(Seconds::Constant(Some(number))),
        _ => None,
    }
}

fn is_arithmetic(operator: Operator) -> bool {
    matches!(operator, Operator::Plus | Operator::Minus | Operator::Multiply | Operator::Divide)
}

fn computed(left: Seconds, operator: Operator, right: Seconds) -> Option<Seconds> {
    match (operator, left, right) {
        (Operator::Multiply, Seconds::Ticks(form), Seconds::Constant(Some(factor)))
        | (Operator::Multiply, Seconds::Constant(Some(factor)), Seconds::Ticks(form)) => {
            form.scaled(factor, 1.0).map(Seconds::Ticks)
        }
        (Operator::Divide, Seconds::Ticks(form), Seconds::Constant(Some(divisor))) => {
            form.scaled(1.0, divisor).map(Seconds::Ticks)
        }
        (Operator::Plus | Operator::Minus, left, right) => {
            let is_column =
                |seconds: &Seconds| matches!(seconds, Seconds::Ticks(TickForm { ticks: Expr::Column(_), .. }));
            // The distance of two instants is a BIGINT, as `duration` is. Whatever else is computed may be longer.
            let is_distance = operator == Operator::Minus && is_column(&left) && is_column(&right);
            let least = if is_distance { TickWidth::Narrow } else { TickWidth::Wide };
            Aligned::new(vec![left, right], least)?.form(|ticks| {
                let [left, right] = <[Expr; 2]>::try_from(ticks).ok()?;
                let (left, right) = (Box::new(left), Box::new(right));
                Some(Expr::BinaryExpr(BinaryExpr::new(left, operator, right)))
            })
        }
        _ => None,
    }
}

/// Conditions stay as they are.
fn of_case(case: &Case, of_column: &mut dyn FnMut(&Column) -> Result<Option<Seconds>>) -> Result<Option<Seconds>> {
    let mut branches = vec![];
    let results = case.when_then_expr.iter().map(|(_, then)| then).chain(&case.else_expr);
    for result in results {
        match seconds_of(result, of_column)? {
            Some(seconds) => branches.push(seconds),
            None => return Ok(None),
        }
    }
    let Some(aligned) = Aligned::new(branches, TickWidth::Narrow) else {
        return Ok(None);
    };
    Ok(aligned.form(|ticks| {
        let mut ticks = ticks.into_iter().map(Box::new);
        let conditions = case.when_then_expr.iter().map(|(when, _)| when.clone());
        let when_then_expr = conditions.zip(ticks.by_ref()).collect();
        Some(Expr::Case(Case { expr: case.expr.clone(), when_then_expr, else_expr: ticks.next() }))
    }))
}

fn of_call(
    call: &ScalarFunction,
    of_column: &mut dyn FnMut(&Column) -> Result<Option<Seconds>>,
) -> Result<Option<Seconds>> {
    if call.func.inner().downcast_ref::<TickSeconds>().is_some() {
        let [ticks, rate] = call.args.as_slice() else {
            return Ok(None);
        };
        let form = constant_rate(rate).and_then(|rate| TickForm::new(ticks.clone(), rate));
        return Ok(form.map(Seconds::Ticks));
    }
    if !CHOOSING.contains(&call.func.name()) {
        return Ok(None);
    }
    let mut arguments = vec![];
    for argument in &call.args {
        match seconds_of(argument, of_column)? {
            Some(seconds) => arguments.push(seconds),
            None => return Ok(None),
        }
    }
    let aligned = Aligned::new(arguments, TickWidth::Narrow);
    Ok(aligned.and_then(|aligned| aligned.form(|ticks| Some(call.func.call(ticks)))))
}

/// A constant, also one that views ask of `trace_info`.
fn constant_rate(expression: &Expr) -> Option<i64> {
    match expression {
        Expr::Literal(ScalarValue::Int64(Some(rate)), _) => (*rate > 0).then_some(*rate),
        Expr::Alias(alias) => constant_rate(&alias.expr),
        Expr::ScalarSubquery(subquery) => of_only_row(&subquery.subquery, 0),
        _ => None,
    }
}

/// A constant of the only row of a plan.
fn of_only_row(plan: &LogicalPlan, place: usize) -> Option<i64> {
    match plan {
        LogicalPlan::SubqueryAlias(alias) => of_only_row(&alias.input, place),
        LogicalPlan::Projection(projection) => {
            let mut expression = projection.expr.get(place)?;
            while let Expr::Alias(alias) = expression {
                expression = &alias.expr;
            }
            match expression {
                Expr::Column(column) => {
                    of_only_row(&projection.input, projection.input.schema().maybe_index_of_column(column)?)
                }
                constant => has_one_row(&projection.input).then(|| constant_rate(constant)).flatten(),
            }
        }
        _ => None,
    }
}

fn has_one_row(plan: &LogicalPlan) -> bool {
    match plan {
        LogicalPlan::SubqueryAlias(alias) => has_one_row(&alias.input),
        LogicalPlan::Projection(projection) => has_one_row(&projection.input),
        LogicalPlan::EmptyRelation(relation) => relation.produce_one_row,
        _ => false,
    }
}
