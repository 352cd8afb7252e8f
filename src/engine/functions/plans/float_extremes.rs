//! `min` and `max` of floating-point numbers in groups.
//!
//! DataFusion begins each group with the largest or least finite number, which is then taken for the extreme of a
//! group of infinities, and drops NaN once it saw a number. Here a group begins with its first value, and NaN is
//! larger than all numbers, as it is in an order and without groups.

use std::fmt::Debug;
use std::sync::Arc;

use arrow::array::{ArrayRef, AsArray, BooleanArray, PrimitiveArray};
use arrow::compute::nullif;
use arrow::datatypes::{ArrowPrimitiveType, DataType, Float32Type, Float64Type};
use datafusion::common::{Result, internal_err};
use datafusion::functions_aggregate::min_max::{Max, Min};
use datafusion::logical_expr::function::AccumulatorArgs;
use datafusion::logical_expr::{AggregateUDF, EmitTo, GroupsAccumulator};

use super::accumulators::kept_rows;
use super::changed_aggregate::{AggregateChange, changed};

/// Which extreme.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FloatExtreme {
    Least,
    Largest,
}

/// The function with other groups, if it is DataFusion's `min` or `max`.
pub(crate) fn float_extreme(function: &Arc<AggregateUDF>) -> Option<Arc<AggregateUDF>> {
    let extreme = match function.inner() {
        inner if inner.is::<Min>() => FloatExtreme::Least,
        inner if inner.is::<Max>() => FloatExtreme::Largest,
        _ => return None,
    };
    Some(changed(function, extreme))
}

impl AggregateChange for FloatExtreme {
    fn groups(&self, function: &AggregateUDF, arguments: AccumulatorArgs) -> Result<Box<dyn GroupsAccumulator>> {
        match arguments.return_field.data_type() {
            DataType::Float32 => Ok(Box::new(ExtremeOfGroups::<Float32Type>::new(*self))),
            DataType::Float64 => Ok(Box::new(ExtremeOfGroups::<Float64Type>::new(*self))),
            _ => function.create_groups_accumulator(arguments),
        }
    }
}

/// The extreme of each group; `None` for a group without values.
struct ExtremeOfGroups<T: ArrowPrimitiveType> {
    extreme: FloatExtreme,
    values: Vec<Option<T::Native>>,
}

impl<T: ArrowPrimitiveType> ExtremeOfGroups<T> {
    fn new(extreme: FloatExtreme) -> ExtremeOfGroups<T> {
        ExtremeOfGroups { extreme, values: vec![] }
    }
}

impl<T: ArrowPrimitiveType> ExtremeOfGroups<T>
where
    T::Native: PartialOrd,
{
    fn is_beyond(&self, new: T::Native, current: T::Native) -> bool {
        let is_nan = |value: T::Native| value.partial_cmp(&value).is_none();
        match self.extreme {
            FloatExtreme::Least => new < current || is_nan(current),
            FloatExtreme::Largest => new > current || is_nan(new),
        }
    }
}

impl<T: ArrowPrimitiveType> GroupsAccumulator for ExtremeOfGroups<T>
where
    T::Native: PartialOrd,
{
    fn update_batch(
        &mut self,
        values: &[ArrayRef],
        group_indices: &[usize],
        opt_filter: Option<&BooleanArray>,
        total_num_groups: usize,
    ) -> Result<()> {
        self.values.resize(total_num_groups, None);
        let Some(numbers) = values.first() else { return Ok(()) };
        let numbers = numbers.as_primitive::<T>();
        for row in kept_rows(values, opt_filter) {
            let (group, new) = (group_indices[row], numbers.value(row));
            match self.values[group] {
                Some(current) if !self.is_beyond(new, current) => {}
                _ => self.values[group] = Some(new),
            }
        }
        Ok(())
    }

    fn merge_batch(&mut self, values: &[ArrayRef], group_indices: &[usize], total_num_groups: usize) -> Result<()> {
        self.update_batch(values, group_indices, None, total_num_groups)
    }

    fn evaluate(&mut self, emit_to: EmitTo) -> Result<ArrayRef> {
        Ok(Arc::new(PrimitiveArray::<T>::from_iter(emit_to.take_needed(&mut self.values))))
    }

    fn state(&mut self, emit_to: EmitTo) -> Result<Vec<ArrayRef>> {
        Ok(vec![self.evaluate(emit_to)?])
    }

    fn convert_to_state(&self, values: &[ArrayRef], opt_filter: Option<&BooleanArray>) -> Result<Vec<ArrayRef>> {
        match (values, opt_filter) {
            ([numbers], None) => Ok(vec![Arc::clone(numbers)]),
            ([numbers], Some(filter)) => {
                let dropped: BooleanArray = filter.iter().map(|kept| Some(kept != Some(true))).collect();
                Ok(vec![nullif(numbers, &dropped)?])
            }
            _ => internal_err!("min and max have one argument"),
        }
    }

    fn size(&self) -> usize {
        self.values.capacity() * size_of::<Option<T::Native>>()
    }
}
