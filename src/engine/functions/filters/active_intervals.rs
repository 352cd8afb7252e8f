//! `active_intervals(container_id, start_tick, end_tick)`: how many containers are there at once.

#[cfg(test)]
mod tests;

use std::sync::Arc;

use arrow::array::{ArrayRef, AsArray, BooleanArray, Int64Array};
use arrow::datatypes::{DataType, Field, FieldRef, Fields, Int64Type};
use datafusion::common::Result;
use datafusion::logical_expr::function::{AccumulatorArgs, StateFieldsArgs};
use datafusion::logical_expr::{
    Accumulator, AggregateUDF, AggregateUDFImpl, EmitTo, GroupsAccumulator, Signature, Volatility,
};

use crate::functions::calls::definition::{
    Accepts, ConstantKind, ConstantParameter, DefaultValue, Definition, Form, OutputColumn,
};
use crate::functions::calls::sql_function::AggregateFunction;
use crate::functions::plans::accumulators::{ListEnds, ListState, Ungrouped, kept_rows, list_of};
use ocellus_kernels::concurrency::{StateStays, Stay};

pub static FUNCTION: AggregateFunction = AggregateFunction {
    definition: Definition {
        name: "active_intervals",
        family: "filters",
        form: Form::Aggregate,
        description: "Counts how many containers are active at each instant, as a list of intervals.",
        notes: "What concurrency is made of. The intervals are half-open, in the order of time, and have at least \
                one container; two that touch differ in their number. A container that is active twice at once \
                counts once. Rows with a NULL, and rows whose end is not after their start, count nothing. \
                Without rows the list is empty. Cost: a sort of the rows.",
        relations: &[],
        constants: &[
            ConstantParameter {
                name: "container_id",
                kind: ConstantKind::BigInt,
                default: DefaultValue::Required,
                accepts: Accepts::Anything,
                doc: "Container that is active.",
            },
            ConstantParameter {
                name: "start_tick",
                kind: ConstantKind::BigInt,
                default: DefaultValue::Required,
                accepts: Accepts::Anything,
                doc: "Start of the interval, in ticks.",
            },
            ConstantParameter {
                name: "end_tick",
                kind: ConstantKind::BigInt,
                default: DefaultValue::Required,
                accepts: Accepts::Anything,
                doc: "End of the interval, in ticks.",
            },
        ],
        columns: &[OutputColumn {
            name: "intervals",
            kind: "STRUCT(active BIGINT, start_tick BIGINT, end_tick BIGINT)[]",
            doc: "Intervals, each with the number of containers.",
        }],
        examples: &[
            "SELECT active_intervals(container_id, start_tick, end_tick) AS intervals FROM states WHERE value = 'wait'",
        ],
    },
    make: || AggregateUDF::from(ActiveIntervals::new()),
};

/// The aggregate function.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct ActiveIntervals {
    signature: Signature,
}

impl ActiveIntervals {
    fn new() -> ActiveIntervals {
        let signature = Signature::exact(vec![DataType::Int64; 3], Volatility::Immutable)
            .with_parameter_names(vec!["container_id", "start_tick", "end_tick"])
            .expect("three names for three arguments");
        ActiveIntervals { signature }
    }
}

fn big_ints(names: [&str; 3]) -> Fields {
    names.into_iter().map(|name| Field::new(name, DataType::Int64, false)).collect()
}

fn interval_fields() -> Fields {
    big_ints(["active", "start_tick", "end_tick"])
}

fn stay_fields() -> Fields {
    big_ints(["container_id", "start_tick", "end_tick"])
}

impl AggregateUDFImpl for ActiveIntervals {
    fn name(&self) -> &str {
        FUNCTION.definition.name
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _arguments: &[DataType]) -> Result<DataType> {
        Ok(list_of(&interval_fields()))
    }

    fn state_fields(&self, _arguments: StateFieldsArgs) -> Result<Vec<FieldRef>> {
        Ok(vec![Arc::new(Field::new("stays", list_of(&stay_fields()), true))])
    }

    fn accumulator(&self, _arguments: AccumulatorArgs) -> Result<Box<dyn Accumulator>> {
        Ok(Box::new(Ungrouped(StaysOfGroups::default())))
    }

    fn groups_accumulator_supported(&self, _arguments: AccumulatorArgs) -> bool {
        true
    }

    fn create_groups_accumulator(&self, _arguments: AccumulatorArgs) -> Result<Box<dyn GroupsAccumulator>> {
        Ok(Box::new(StaysOfGroups::default()))
    }
}

/// The stays of every group.
#[derive(Debug, Default)]
struct StaysOfGroups {
    groups: Vec<StateStays>,
    /// What the stays take on the heap.
    bytes: usize,
}

impl StaysOfGroups {
    /// Adds stays to a group.
    fn extend(&mut self, group: usize, stays: impl ExactSizeIterator<Item = Stay>) {
        let known = &mut self.groups[group];
        let before = known.bytes();
        known.reserve(stays.len());
        stays.for_each(|stay| known.push(stay));
        self.bytes += known.bytes() - before;
    }

    fn take(&mut self, emit_to: EmitTo) -> Vec<StateStays> {
        let taken = emit_to.take_needed(&mut self.groups);
        self.bytes -= taken.iter().map(StateStays::bytes).sum::<usize>();
        taken
    }
}

/// Three columns of numbers.
#[derive(Debug, Default)]
struct Triples([Vec<i64>; 3]);

impl Triples {
    fn push(&mut self, values: [i64; 3]) {
        for (column, value) in self.0.iter_mut().zip(values) {
            column.push(value);
        }
    }

    fn len(&self) -> usize {
        self.0[0].len()
    }

    fn into_columns(self) -> Vec<ArrayRef> {
        self.0.into_iter().map(|column| Arc::new(Int64Array::from(column)) as ArrayRef).collect()
    }
}

impl GroupsAccumulator for StaysOfGroups {
    fn update_batch(
        &mut self,
        values: &[ArrayRef],
        group_indices: &[usize],
        filter: Option<&BooleanArray>,
        total_num_groups: usize,
    ) -> Result<()> {
        self.groups.resize_with(total_num_groups, StateStays::default);
        let [containers, starts, ends] = [0, 1, 2].map(|column| values[column].as_primitive::<Int64Type>().values());
        for row in kept_rows(values, filter) {
            let stay = Stay { container: containers[row], start: starts[row], end: ends[row] };
            self.extend(group_indices[row], std::iter::once(stay));
        }
        Ok(())
    }

    fn merge_batch(&mut self, values: &[ArrayRef], group_indices: &[usize], total_num_groups: usize) -> Result<()> {
        self.groups.resize_with(total_num_groups, StateStays::default);
        let Some(state) = ListState::of(values)? else {
            return Ok(());
        };
        let [containers, starts, ends] = [0, 1, 2].map(|column| state.items.column(column).as_primitive::<Int64Type>());
        for (row, group) in group_indices.iter().enumerate() {
            let stay =
                |item| Stay { container: containers.value(item), start: starts.value(item), end: ends.value(item) };
            self.extend(*group, state.items_of(row).map(stay));
        }
        Ok(())
    }

    fn state(&mut self, emit_to: EmitTo) -> Result<Vec<ArrayRef>> {
        let (mut rows, mut ends) = (Triples::default(), ListEnds::new());
        for stays in self.take(emit_to) {
            for stay in stays.stays() {
                rows.push([stay.container, stay.start, stay.end]);
            }
            ends.end(rows.len())?;
        }
        Ok(vec![ends.finish(&stay_fields(), rows.into_columns())?])
    }

    fn evaluate(&mut self, emit_to: EmitTo) -> Result<ArrayRef> {
        let (mut rows, mut ends) = (Triples::default(), ListEnds::new());
        for stays in self.take(emit_to) {
            stays.sweep(|activity| rows.push([activity.active, activity.start, activity.end]));
            ends.end(rows.len())?;
        }
        ends.finish(&interval_fields(), rows.into_columns())
    }

    fn convert_to_state(&self, values: &[ArrayRef], filter: Option<&BooleanArray>) -> Result<Vec<ArrayRef>> {
        let rows = values[0].len();
        let mut each = StaysOfGroups::default();
        each.update_batch(values, &(0..rows).collect::<Vec<_>>(), filter, rows)?;
        each.state(EmitTo::All)
    }

    fn size(&self) -> usize {
        self.bytes + self.groups.capacity() * size_of::<StateStays>()
    }
}
