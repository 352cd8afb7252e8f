//! Sums and means of times that are added up as ticks, and rounded once.
//!
//! `sum_seconds(ticks, ticks_per_second)` and `avg_seconds(ticks, ticks_per_second)` give the double that is nearest to the
//! exact result, `sum_ticks(ticks)` the ticks themselves. They are parts of plans, not functions to be called by hand: a rule
//! puts them where a query adds up seconds. NULL is left out, and nothing gives NULL. Ticks are BIGINT or DECIMAL(38, 0), the
//! other arguments constants but for a third one of `avg_seconds`: how many values a row stands for.

#[cfg(test)]
mod tests;

use std::sync::Arc;

use arrow::array::{
    Array, ArrayRef, AsArray, BooleanArray, Decimal128Array, Float64Array, PrimitiveArray, UInt64Array,
};
use arrow::datatypes::{DataType, Decimal128Type, Field, FieldRef, Int64Type, UInt64Type};
use datafusion::common::{Result, ScalarValue, exec_datafusion_err, internal_datafusion_err, internal_err};
use datafusion::logical_expr::function::{AccumulatorArgs, StateFieldsArgs};
use datafusion::logical_expr::utils::{AggregateOrderSensitivity, format_state_name};
use datafusion::logical_expr::{
    Accumulator, AggregateUDF, AggregateUDFImpl, EmitTo, GroupsAccumulator, ReversedUDAF, Signature, TypeSignature,
    Volatility,
};
use datafusion::physical_expr::expressions::Literal;

use crate::functions::plans::accumulators::kept_rows;
use ocellus_kernels::quotient::nearest_quotient;

/// The type of ticks that may be more than a BIGINT holds.
pub(crate) const WIDE_TICKS: DataType = DataType::Decimal128(38, 0);

/// What is made of added ticks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum TickTotal {
    /// `sum_seconds`.
    Sum,
    /// `avg_seconds`.
    Mean,
    /// `sum_ticks`.
    Ticks,
}

impl TickTotal {
    /// The aggregate function.
    pub(crate) fn function(self) -> AggregateUDF {
        AggregateUDF::from(TickTotalFunction { total: self, signature: self.signature() })
    }

    /// Which of the functions one is, if any.
    pub(crate) fn of(function: &AggregateUDF) -> Option<TickTotal> {
        function.inner().downcast_ref::<TickTotalFunction>().map(|function| function.total)
    }

    fn signature(self) -> Signature {
        let constants: &[usize] = match self {
            TickTotal::Sum => &[1],
            TickTotal::Mean => &[1, 2],
            TickTotal::Ticks => &[0],
        };
        let mut accepted = vec![];
        for ticks in [DataType::Int64, WIDE_TICKS] {
            for count in constants {
                let others = std::iter::repeat_n(DataType::Int64, *count);
                accepted.push(TypeSignature::Exact(std::iter::once(ticks.clone()).chain(others).collect()));
            }
        }
        Signature::one_of(accepted, Volatility::Immutable)
    }

    /// What the second argument says.
    fn ticks_per_second(self, arguments: &AccumulatorArgs<'_>) -> Result<u128> {
        if self == TickTotal::Ticks {
            return Ok(1);
        }
        let rate = arguments.exprs.get(1).and_then(|rate| rate.downcast_ref::<Literal>()).map(Literal::value);
        match rate {
            Some(ScalarValue::Int64(Some(rate))) if *rate > 0 => Ok(u128::from(rate.unsigned_abs())),
            _ => internal_err!("{}: ticks_per_second must be a constant of at least 1", arguments.name),
        }
    }
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct TickTotalFunction {
    total: TickTotal,
    signature: Signature,
}

impl AggregateUDFImpl for TickTotalFunction {
    fn name(&self) -> &str {
        match self.total {
            TickTotal::Sum => "sum_seconds",
            TickTotal::Mean => "avg_seconds",
            TickTotal::Ticks => "sum_ticks",
        }
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _arguments: &[DataType]) -> Result<DataType> {
        Ok(match self.total {
            TickTotal::Sum | TickTotal::Mean => DataType::Float64,
            TickTotal::Ticks => WIDE_TICKS,
        })
    }

    fn state_fields(&self, arguments: StateFieldsArgs<'_>) -> Result<Vec<FieldRef>> {
        let field = |name: &str, kind| Arc::new(Field::new(format_state_name(arguments.name, name), kind, false));
        Ok(vec![field("count", DataType::UInt64), field("ticks", WIDE_TICKS)])
    }

    fn accumulator(&self, arguments: AccumulatorArgs<'_>) -> Result<Box<dyn Accumulator>> {
        let per_second = self.total.ticks_per_second(&arguments)?;
        Ok(Box::new(UngroupedTicks { total: self.total, per_second, added: AddedTicks::default() }))
    }

    fn groups_accumulator_supported(&self, _arguments: AccumulatorArgs<'_>) -> bool {
        true
    }

    fn create_groups_accumulator(&self, arguments: AccumulatorArgs<'_>) -> Result<Box<dyn GroupsAccumulator>> {
        let per_second = self.total.ticks_per_second(&arguments)?;
        Ok(Box::new(GroupedTicks { total: self.total, per_second, groups: vec![] }))
    }

    fn order_sensitivity(&self) -> AggregateOrderSensitivity {
        AggregateOrderSensitivity::Insensitive
    }

    fn reverse_expr(&self) -> ReversedUDAF {
        ReversedUDAF::Identical
    }
}

/// The ticks of a group.
#[derive(Debug, Clone, Copy, Default)]
struct AddedTicks {
    ticks: i128,
    count: u64,
}

impl AddedTicks {
    /// Adds so many values of so many ticks together.
    fn add(&mut self, ticks: i128, count: u64) -> Result<()> {
        let sum = self.ticks.checked_add(ticks);
        self.ticks = sum.ok_or_else(|| exec_datafusion_err!("a sum of times has more than 38 digits"))?;
        self.count = self.count.saturating_add(count);
        Ok(())
    }

    /// The same for one BIGINT: 2^64 of them fit.
    #[inline]
    fn add_one(&mut self, ticks: i64) {
        self.ticks += i128::from(ticks);
        self.count += 1;
    }

    fn seconds(self, total: TickTotal, per_second: u128) -> Option<f64> {
        let count = if total == TickTotal::Mean { u128::from(self.count) } else { 1 };
        (self.count > 0).then(|| nearest_quotient(self.ticks, per_second * count))
    }

    fn ticks(self) -> Option<i128> {
        (self.count > 0).then_some(self.ticks)
    }
}

/// The arguments of some rows.
enum TickRows<'a> {
    Narrow(&'a PrimitiveArray<Int64Type>),
    Wide(&'a PrimitiveArray<Decimal128Type>),
}

impl<'a> TickRows<'a> {
    fn of(values: &'a [ArrayRef]) -> Result<TickRows<'a>> {
        let ticks = values.first().ok_or_else(|| internal_datafusion_err!("ticks are the first argument"))?;
        match ticks.data_type() {
            DataType::Int64 => Ok(TickRows::Narrow(ticks.as_primitive())),
            DataType::Decimal128(_, 0) => Ok(TickRows::Wide(ticks.as_primitive())),
            other => internal_err!("ticks of type {other}"),
        }
    }

    fn ticks(&self, row: usize) -> i128 {
        match self {
            TickRows::Narrow(ticks) => i128::from(ticks.value(row)),
            TickRows::Wide(ticks) => ticks.value(row),
        }
    }
}

/// How many values a row stands for.
fn counts(values: &[ArrayRef]) -> impl Fn(usize) -> u64 {
    let counts = values.get(2).map(|counts| counts.as_primitive::<Int64Type>());
    move |row| counts.map_or(1, |counts| u64::try_from(counts.value(row)).unwrap_or(0))
}

/// The rows of a state: counts and ticks.
fn states(values: &[ArrayRef]) -> Result<(&PrimitiveArray<UInt64Type>, &PrimitiveArray<Decimal128Type>)> {
    match values {
        [counts, ticks] => Ok((counts.as_primitive(), ticks.as_primitive())),
        _ => internal_err!("a state of added ticks has two columns, not {}", values.len()),
    }
}

fn wide(ticks: impl Iterator<Item = Option<i128>>) -> Decimal128Array {
    Decimal128Array::from_iter(ticks).with_data_type(WIDE_TICKS)
}

/// For queries without GROUP BY, and for windows.
#[derive(Debug)]
struct UngroupedTicks {
    total: TickTotal,
    per_second: u128,
    added: AddedTicks,
}

impl Accumulator for UngroupedTicks {
    fn update_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        let rows = TickRows::of(values)?;
        match rows {
            TickRows::Narrow(ticks) if ticks.null_count() == 0 && values.len() < 3 => {
                ticks.values().iter().for_each(|ticks| self.added.add_one(*ticks));
            }
            _ => {
                let count = counts(values);
                for row in kept_rows(values, None) {
                    self.added.add(rows.ticks(row), count(row))?;
                }
            }
        }
        Ok(())
    }

    fn retract_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        let rows = TickRows::of(values)?;
        let count = counts(values);
        for row in kept_rows(values, None) {
            // What is left was there before, so it fits.
            self.added.ticks = self.added.ticks.wrapping_sub(rows.ticks(row));
            self.added.count = self.added.count.saturating_sub(count(row));
        }
        Ok(())
    }

    fn supports_retract_batch(&self) -> bool {
        true
    }

    fn merge_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        let (counts, ticks) = states(values)?;
        counts.values().iter().zip(ticks.values()).try_for_each(|(count, ticks)| self.added.add(*ticks, *count))
    }

    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        let AddedTicks { ticks, count } = self.added;
        Ok(vec![ScalarValue::UInt64(Some(count)), ScalarValue::Decimal128(Some(ticks), 38, 0)])
    }

    fn evaluate(&mut self) -> Result<ScalarValue> {
        Ok(match self.total {
            TickTotal::Sum | TickTotal::Mean => ScalarValue::Float64(self.added.seconds(self.total, self.per_second)),
            TickTotal::Ticks => ScalarValue::Decimal128(self.added.ticks(), 38, 0),
        })
    }

    fn size(&self) -> usize {
        size_of_val(self)
    }
}

/// For queries with GROUP BY.
#[derive(Debug)]
struct GroupedTicks {
    total: TickTotal,
    per_second: u128,
    groups: Vec<AddedTicks>,
}

impl GroupsAccumulator for GroupedTicks {
    fn update_batch(
        &mut self,
        values: &[ArrayRef],
        group_indices: &[usize],
        filter: Option<&BooleanArray>,
        group_count: usize,
    ) -> Result<()> {
        self.groups.resize(group_count, AddedTicks::default());
        let rows = TickRows::of(values)?;
        match rows {
            TickRows::Narrow(ticks) if ticks.null_count() == 0 && values.len() < 3 && filter.is_none() => {
                for (group, ticks) in group_indices.iter().zip(ticks.values()) {
                    self.groups[*group].add_one(*ticks);
                }
            }
            _ => {
                let count = counts(values);
                for row in kept_rows(values, filter) {
                    self.groups[group_indices[row]].add(rows.ticks(row), count(row))?;
                }
            }
        }
        Ok(())
    }

    fn merge_batch(&mut self, values: &[ArrayRef], group_indices: &[usize], group_count: usize) -> Result<()> {
        self.groups.resize(group_count, AddedTicks::default());
        if values.is_empty() {
            return Ok(());
        }
        let (counts, ticks) = states(values)?;
        for (row, group) in group_indices.iter().enumerate() {
            self.groups[*group].add(ticks.value(row), counts.value(row))?;
        }
        Ok(())
    }

    fn state(&mut self, emit_to: EmitTo) -> Result<Vec<ArrayRef>> {
        let groups = emit_to.take_needed(&mut self.groups);
        let counts = UInt64Array::from_iter_values(groups.iter().map(|group| group.count));
        let ticks = wide(groups.iter().map(|group| Some(group.ticks)));
        Ok(vec![Arc::new(counts), Arc::new(ticks)])
    }

    fn convert_to_state(&self, values: &[ArrayRef], filter: Option<&BooleanArray>) -> Result<Vec<ArrayRef>> {
        let count = values.first().map_or(0, |array| array.len());
        let each: Vec<usize> = (0..count).collect();
        let mut rows = GroupedTicks { groups: vec![], ..*self };
        rows.update_batch(values, &each, filter, count)?;
        rows.state(EmitTo::All)
    }

    fn evaluate(&mut self, emit_to: EmitTo) -> Result<ArrayRef> {
        let groups = emit_to.take_needed(&mut self.groups);
        Ok(match self.total {
            TickTotal::Sum | TickTotal::Mean => {
                let seconds = groups.iter().map(|group| group.seconds(self.total, self.per_second));
                Arc::new(seconds.collect::<Float64Array>())
            }
            TickTotal::Ticks => Arc::new(wide(groups.iter().map(|group| group.ticks()))),
        })
    }

    fn size(&self) -> usize {
        self.groups.capacity() * size_of::<AddedTicks>()
    }
}
