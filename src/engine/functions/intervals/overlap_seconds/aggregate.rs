//! The aggregate behind `overlap_seconds`: unions of the intervals of two sides, and their lengths.
//!
//! `interval_lengths(is_right, start, end)` gives a struct of three lengths. It is a part of a plan, not
//! a function to be called by hand. Its state is the bounds of the two unions, one list each.

#[cfg(test)]
mod tests;

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, BooleanArray, Float64Array, Float64Builder, ListBuilder, StructArray};
use arrow::datatypes::{DataType, Field, FieldRef, Fields, Float64Type};
use datafusion::common::{Result, internal_err};
use datafusion::logical_expr::function::{AccumulatorArgs, StateFieldsArgs};
use datafusion::logical_expr::{
    Accumulator, AggregateUDF, AggregateUDFImpl, EmitTo, GroupsAccumulator, Signature, Volatility,
};

use crate::functions::plans::accumulators::{Ungrouped, kept_rows};
use ocellus_kernels::intervals::{Union, length, shared_length};

pub(super) const LEFT: &str = "left";
pub(super) const RIGHT: &str = "right";
pub(super) const BOTH: &str = "both";

/// Name of the aggregate function.
pub(crate) const INTERVAL_LENGTHS: &str = "interval_lengths";

/// The aggregate function.
pub(crate) fn interval_lengths() -> AggregateUDF {
    let arguments = vec![DataType::Boolean, DataType::Float64, DataType::Float64];
    AggregateUDF::from(IntervalLengths { signature: Signature::exact(arguments, Volatility::Immutable) })
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct IntervalLengths {
    signature: Signature,
}

fn lengths_fields() -> Fields {
    [LEFT, RIGHT, BOTH].iter().map(|name| Field::new(*name, DataType::Float64, false)).collect()
}

impl AggregateUDFImpl for IntervalLengths {
    fn name(&self) -> &str {
        INTERVAL_LENGTHS
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _arguments: &[DataType]) -> Result<DataType> {
        Ok(DataType::Struct(lengths_fields()))
    }

    fn state_fields(&self, arguments: StateFieldsArgs<'_>) -> Result<Vec<FieldRef>> {
        let bounds = |side: &str| {
            let name = format!("{}[{side}]", arguments.name);
            Arc::new(Field::new_list(name, Field::new_list_field(DataType::Float64, true), true))
        };
        Ok(vec![bounds(LEFT), bounds(RIGHT)])
    }

    fn accumulator(&self, _arguments: AccumulatorArgs<'_>) -> Result<Box<dyn Accumulator>> {
        Ok(Box::new(Ungrouped(UnionGroups::default())))
    }

    fn groups_accumulator_supported(&self, _arguments: AccumulatorArgs<'_>) -> bool {
        true
    }

    fn create_groups_accumulator(&self, _arguments: AccumulatorArgs<'_>) -> Result<Box<dyn GroupsAccumulator>> {
        Ok(Box::new(UnionGroups::default()))
    }
}

/// The unions of both sides, of one group each.
#[derive(Debug, Default)]
struct UnionGroups {
    unions: Vec<[Union; 2]>,
    /// Bytes that the unions hold beyond themselves.
    bytes: usize,
}

impl UnionGroups {
    /// Changes one union, and the count of bytes with it.
    fn change(&mut self, group: usize, side: usize, change: impl FnOnce(&mut Union)) {
        let union = &mut self.unions[group][side];
        let before = union.size();
        change(union);
        self.bytes = self.bytes + union.size() - before;
    }

    fn emit(&mut self, emit_to: EmitTo) -> Vec<[Union; 2]> {
        let unions = emit_to.take_needed(&mut self.unions);
        let freed: usize = unions.iter().flatten().map(Union::size).sum();
        self.bytes = self.bytes.saturating_sub(freed);
        unions
    }
}

impl GroupsAccumulator for UnionGroups {
    fn update_batch(
        &mut self,
        values: &[ArrayRef],
        group_indices: &[usize],
        filter: Option<&BooleanArray>,
        group_count: usize,
    ) -> Result<()> {
        let [is_right, start, end] = values else {
            return internal_err!("interval_lengths takes three arguments");
        };
        self.unions.resize_with(group_count, Default::default);
        let (is_right, start, end) =
            (is_right.as_boolean(), start.as_primitive::<Float64Type>(), end.as_primitive::<Float64Type>());
        for row in kept_rows(values, filter) {
            self.change(group_indices[row], usize::from(is_right.value(row)), |union| {
                union.add(start.value(row), end.value(row));
            });
        }
        Ok(())
    }

    fn merge_batch(&mut self, values: &[ArrayRef], group_indices: &[usize], group_count: usize) -> Result<()> {
        self.unions.resize_with(group_count, Default::default);
        for (side, lists) in values.iter().enumerate() {
            let lists = lists.as_list::<i32>();
            for (row, group) in group_indices.iter().enumerate() {
                let bounds = lists.value(row);
                let bounds = bounds.as_primitive::<Float64Type>().values();
                let intervals = bounds.chunks_exact(2).map(|interval| (interval[0], interval[1]));
                self.change(*group, side, |union| union.merge(intervals));
            }
        }
        Ok(())
    }

    fn state(&mut self, emit_to: EmitTo) -> Result<Vec<ArrayRef>> {
        let mut sides = [ListBuilder::new(Float64Builder::new()), ListBuilder::new(Float64Builder::new())];
        for mut unions in self.emit(emit_to) {
            for (side, union) in sides.iter_mut().zip(&mut unions) {
                for (start, end) in union.intervals() {
                    side.values().append_value(*start);
                    side.values().append_value(*end);
                }
                side.append(true);
            }
        }
        Ok(sides.iter_mut().map(|side| Arc::new(side.finish()) as ArrayRef).collect())
    }

    fn convert_to_state(&self, values: &[ArrayRef], filter: Option<&BooleanArray>) -> Result<Vec<ArrayRef>> {
        let count = values.first().map_or(0, |array| array.len());
        let each: Vec<usize> = (0..count).collect();
        let mut rows = UnionGroups::default();
        rows.update_batch(values, &each, filter, count)?;
        rows.state(EmitTo::All)
    }

    fn evaluate(&mut self, emit_to: EmitTo) -> Result<ArrayRef> {
        let mut lengths = [vec![], vec![], vec![]];
        for [mut left, mut right] in self.emit(emit_to) {
            let (left, right) = (left.intervals(), right.intervals());
            lengths[0].push(length(left));
            lengths[1].push(length(right));
            lengths[2].push(shared_length(left, right));
        }
        let columns = lengths.into_iter().map(|lengths| Arc::new(Float64Array::from(lengths)) as ArrayRef);
        Ok(Arc::new(StructArray::try_new(lengths_fields(), columns.collect(), None)?))
    }

    fn size(&self) -> usize {
        self.unions.capacity() * size_of::<[Union; 2]>() + self.bytes
    }
}
