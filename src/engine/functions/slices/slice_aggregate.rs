//! The aggregate functions that the table functions of slices build their plans from.
//!
//! `NAME(window, labels…, columns…)` gives the series of a group as a list; see
//! [`SliceGroups`]. They are not meant to be called by hand: `slice_seconds` and its siblings are.

use std::fmt::Debug;
use std::hash::Hash;
use std::marker::PhantomData;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, Int64Array};
use arrow::buffer::{BooleanBuffer, NullBuffer, ScalarBuffer};
use arrow::datatypes::{DataType, Field, FieldRef, Float64Type, Int32Type, Int64Type};
use datafusion::common::{Result, ScalarValue, exec_err};
use datafusion::logical_expr::function::{AccumulatorArgs, StateFieldsArgs};
use datafusion::logical_expr::{
    Accumulator, AggregateUDF, AggregateUDFImpl, EmitTo, GroupsAccumulator, Signature, TypeSignature, Volatility,
};

use super::slice_cells::series_type;
use super::slice_groups::SliceGroups;
use super::slice_kind::{STATE_TYPE, SliceKind, keep};
use super::slice_window::{SliceWindow, SlicedRows};
use crate::functions::plans::query_links::MemorySlot;
use ocellus_kernels::pairs::NO_NUMBER;
use ocellus_kernels::slices::{nearest_tick, takes_band};

/// The aggregate of a kind.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(crate) struct SliceCells<K> {
    name: &'static str,
    signature: Signature,
    memory: MemorySlot,
    kind: PhantomData<K>,
}

/// Where the aggregate of a kind finds the memory of its query; `None` for other aggregates.
pub(super) fn memory_slot<K: SliceKind + PartialEq + Eq + Hash + Sync>(function: &AggregateUDF) -> Option<&MemorySlot> {
    function.inner().downcast_ref::<SliceCells<K>>().map(|cells| &cells.memory)
}

impl<K: SliceKind + PartialEq + Eq + Hash + Sync> SliceCells<K> {
    /// The function of that name, with so many arguments, or more where rows are sums of bands.
    pub(crate) fn function(name: &'static str, arguments: usize) -> AggregateUDF {
        let counts = [arguments, arguments + K::SUM_COLUMNS].map(TypeSignature::Any);
        let signature = Signature::one_of(counts.to_vec(), Volatility::Immutable);
        AggregateUDF::from(SliceCells::<K> { name, signature, memory: MemorySlot::default(), kind: PhantomData })
    }
}

impl<K: SliceKind + PartialEq + Eq + Hash + Sync> AggregateUDFImpl for SliceCells<K> {
    fn name(&self) -> &str {
        self.name
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _arguments: &[DataType]) -> Result<DataType> {
        Ok(series_type::<K>())
    }

    fn state_fields(&self, arguments: StateFieldsArgs<'_>) -> Result<Vec<FieldRef>> {
        Ok(vec![Arc::new(Field::new(format!("{}[cells]", arguments.name), STATE_TYPE, true))])
    }

    fn groups_accumulator_supported(&self, _arguments: AccumulatorArgs<'_>) -> bool {
        true
    }

    fn create_groups_accumulator(&self, arguments: AccumulatorArgs<'_>) -> Result<Box<dyn GroupsAccumulator>> {
        Ok(Box::new(SliceGroups::<K>::new(SliceWindow::of_arguments(&arguments)?, self.memory.clone())))
    }

    fn accumulator(&self, arguments: AccumulatorArgs<'_>) -> Result<Box<dyn Accumulator>> {
        Ok(Box::new(OneGroup(SliceGroups::<K>::new(SliceWindow::of_arguments(&arguments)?, self.memory.clone()))))
    }
}

/// The accumulator of an aggregate without GROUP BY: that of all groups, with one.
#[derive(Debug)]
pub(crate) struct OneGroup<G>(pub(crate) G);

fn indices(values: &[ArrayRef]) -> Vec<usize> {
    vec![0; values.first().map_or(0, |array| array.len())]
}

impl<G: GroupsAccumulator + Debug + Sync> Accumulator for OneGroup<G> {
    fn update_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        self.0.update_batch(values, &indices(values), None, 1)
    }

    fn merge_batch(&mut self, states: &[ArrayRef]) -> Result<()> {
        self.0.merge_batch(states, &indices(states), 1)
    }

    fn evaluate(&mut self) -> Result<ScalarValue> {
        ScalarValue::try_from_array(&self.0.evaluate(EmitTo::First(1))?, 0)
    }

    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        let states = self.0.state(EmitTo::First(1))?;
        states.iter().map(|state| ScalarValue::try_from_array(state, 0)).collect()
    }

    fn size(&self) -> usize {
        self.0.size()
    }
}

/// A column of times as ticks: stored ones, or seconds rounded to ticks. NaN is NULL.
pub(crate) fn ticks(times: &ArrayRef, per_second: i64) -> Result<Int64Array> {
    match times.data_type() {
        DataType::Int64 => Ok(times.as_primitive::<Int64Type>().clone()),
        DataType::Float64 => {
            Ok(times.as_primitive::<Float64Type>().unary_opt(|seconds| nearest_tick(seconds, per_second)))
        }
        other => exec_err!("times are ticks or seconds, got {other}"),
    }
}

/// Which sums of bands count, by the begin and the width of the band, a power of two.
pub(crate) fn taken_bands(window: &SliceWindow, begins: &[i64], widths: &ArrayRef) -> Result<NullBuffer> {
    let (SlicedRows::BandSums { coarsest }, DataType::Int32) = (window.rows, widths.data_type()) else {
        return exec_err!("sums of bands have a width, and nothing else has");
    };
    let widths = widths.as_primitive::<Int32Type>();
    let is_taken = |row: usize| {
        let shift = u32::try_from(widths.value(row)).ok().filter(|shift| widths.is_valid(row) && *shift <= coarsest);
        shift.is_some_and(|shift| takes_band(&window.slicing, begins[row], shift, coarsest))
    };
    Ok(NullBuffer::new(BooleanBuffer::collect_bool(begins.len(), is_taken)))
}

/// When the rows of a batch begin and end, in ticks.
pub(crate) struct Intervals {
    starts: ScalarBuffer<i64>,
    ends: ScalarBuffer<i64>,
    /// Where one of them is missing.
    nulls: Option<NullBuffer>,
}

impl Intervals {
    pub(crate) fn of(window: &SliceWindow, starts: &ArrayRef, ends: &ArrayRef) -> Result<Intervals> {
        let per_second = window.slicing.per_second();
        let (starts, ends) = (ticks(starts, per_second)?, ticks(ends, per_second)?);
        let nulls = NullBuffer::union(starts.nulls(), ends.nulls()).filter(|nulls| nulls.null_count() > 0);
        Ok(Intervals { starts: starts.values().clone(), ends: ends.values().clone(), nulls })
    }

    /// Sums of bands: where each begins, that plus its time, and the width of the band as a power of two. Those that do not
    /// count have no times.
    pub(crate) fn of_bands(
        window: &SliceWindow,
        starts: &ArrayRef,
        ends: &ArrayRef,
        widths: &ArrayRef,
    ) -> Result<Intervals> {
        let mut intervals = Intervals::of(window, starts, ends)?;
        let taken = taken_bands(window, &intervals.starts, widths)?;
        intervals.nulls =
            NullBuffer::union(intervals.nulls.as_ref(), Some(&taken)).filter(|nulls| nulls.null_count() > 0);
        Ok(intervals)
    }

    /// When each row begins and ends; what a row without both has here means nothing.
    pub(crate) fn all(&self) -> (&[i64], &[i64]) {
        (&self.starts, &self.ends)
    }

    /// Takes their numbers from rows that have no part in the slices that are asked for.
    pub(crate) fn keep(&self, window: &SliceWindow, numbers: &mut [u32]) {
        if let Some(nulls) = &self.nulls {
            keep(numbers, nulls.inner());
        }
        let reach = window.slicing.reach();
        for ((number, &start), &end) in numbers.iter_mut().zip(&*self.starts).zip(&*self.ends) {
            if !reach.touches(start, end) {
                *number = NO_NUMBER;
            }
        }
    }

    /// Start and end of a row, if it has both.
    #[inline(always)]
    pub(crate) fn get(&self, row: usize) -> Option<(i64, i64)> {
        let is_known = self.nulls.as_ref().is_none_or(|nulls| nulls.is_valid(row));
        is_known.then(|| (self.starts[row], self.ends[row]))
    }
}
