//! The aggregates of slices that are called by hand: a list with one number per slice.
//!
//! `NAME(columns…, start, stop, slices)`, with constants in seconds. Seconds are rounded to the finest
//! ticks that count the window exactly, so that decimal fractions lie on the slice that they should.

use std::fmt::Debug;
use std::hash::Hash;
use std::marker::PhantomData;
use std::ops::Range;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, BooleanArray, LargeBinaryArray, ListArray, RecordBatch, new_empty_array};
use arrow::buffer::OffsetBuffer;
use arrow::compute::concat;
use arrow::datatypes::{DataType, Field, FieldRef};
use datafusion::common::{Result, ScalarValue, exec_err, internal_err, plan_err};
use datafusion::execution::memory_pool::MemoryReservation;
use datafusion::logical_expr::function::{AccumulatorArgs, StateFieldsArgs};
use datafusion::logical_expr::{
    Accumulator, AggregateUDF, AggregateUDFImpl, ColumnarValue, EmitTo, GroupsAccumulator, Signature, Volatility,
};

use super::slice_aggregate::OneGroup;
use super::slice_kind::{STATE_TYPE, SliceKind, keep, wanted_rows};
use super::slice_state_codec::unreadable;
use super::slice_window::SliceWindow;
use crate::functions::calls::definition::{Accepts, ConstantKind, ConstantParameter, DefaultValue, Definition};
use crate::functions::plans::query_links::MemorySlot;
use ocellus_kernels::slices::events::LastInstant;
use ocellus_kernels::slices::{MOST_SLICES, SliceStore, Slicing};

const fn argument(name: &'static str, kind: ConstantKind, accepts: Accepts, doc: &'static str) -> ConstantParameter {
    ConstantParameter { name, kind, default: DefaultValue::Required, accepts, doc }
}

/// The arguments of aggregates and functions that are called by hand.
pub(crate) const START_TIME: ConstantParameter =
    argument("start_time", ConstantKind::Double, Accepts::Anything, "When a row begins, in seconds.");
pub(crate) const END_TIME: ConstantParameter =
    argument("end_time", ConstantKind::Double, Accepts::Anything, "When it ends; the interval is half-open.");
pub(crate) const TIME: ConstantParameter =
    argument("time", ConstantKind::Double, Accepts::Anything, "An instant, in seconds.");
pub(crate) const VALUE: ConstantParameter =
    argument("value", ConstantKind::Double, Accepts::Anything, "The value from start_time to end_time.");
pub(crate) const START: ConstantParameter =
    argument("start", ConstantKind::Double, Accepts::Finite, "Start of the window in seconds; a constant.");
pub(crate) const STOP: ConstantParameter =
    argument("stop", ConstantKind::Double, Accepts::Finite, "End of the window in seconds; a constant.");
pub(crate) const SLICES: ConstantParameter = argument(
    "slices",
    ConstantKind::BigInt,
    Accepts::Between(1.0, MOST_SLICES as f64),
    "Into how many slices the window is cut; a constant.",
);

/// A window given in seconds, in the finest ticks to which its seconds can be rounded without doubt.
pub(crate) fn slicing_of_seconds(start: f64, stop: f64, slices: i64) -> Option<Slicing> {
    // A double below 2^50, and a product of it, are off by a quarter at most.
    let most = 2_f64.powi(50);
    let farthest = start.abs().max(stop.abs());
    let digits = [15, 12, 9, 6, 3].into_iter().find(|digits| farthest * 10_f64.powi(*digits) <= most)?;
    let per_second = 10_i64.pow(digits as u32);
    let tick = |seconds: f64| (seconds * per_second as f64).round() as i64;
    Slicing::new(tick(start), tick(stop), u32::try_from(slices).ok()?, per_second)
}

/// The error about a window that does not exist.
pub(crate) fn no_window<T>(name: &str, start: f64, stop: f64, slices: i64) -> Result<T> {
    exec_err!(
        "{name}: stop must be later than start, and slices between 1 and {MOST_SLICES}; \
         got start {start}, stop {stop}, slices {slices}"
    )
}

/// The aggregate function of a kind.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(crate) struct SliceList<K> {
    name: &'static str,
    signature: Signature,
    memory: MemorySlot,
    kind: PhantomData<K>,
}

/// The same function for one call, with memory of its own; `None` for other aggregates.
pub(super) fn of_one_call<K: SliceKind + PartialEq + Eq + Hash>(function: &AggregateUDF) -> Option<AggregateUDF> {
    let SliceList { name, signature, .. } = function.inner().downcast_ref::<SliceList<K>>()?;
    let (signature, memory) = (signature.clone(), MemorySlot::default());
    Some(AggregateUDF::from(SliceList::<K> { name, signature, memory, kind: PhantomData }))
}

/// Where the aggregate of a kind finds the memory of its query; `None` for other aggregates.
pub(super) fn memory_slot<K: SliceKind + PartialEq + Eq + Hash>(function: &AggregateUDF) -> Option<&MemorySlot> {
    function.inner().downcast_ref::<SliceList<K>>().map(|list| &list.memory)
}

impl<K: SliceKind + PartialEq + Eq + Hash> SliceList<K> {
    /// The function of a definition, whose last arguments are start, stop and slices.
    pub(crate) fn function(definition: &'static Definition) -> AggregateUDF {
        let types = definition.constants.iter().map(|constant| match constant.kind {
            ConstantKind::BigInt => DataType::Int64,
            _ => DataType::Float64,
        });
        let names = definition.constants.iter().map(|constant| constant.name).collect();
        let signature = Signature::exact(types.collect(), Volatility::Immutable)
            .with_parameter_names(names)
            .expect("a name for each argument");
        AggregateUDF::from(SliceList::<K> {
            name: definition.name,
            signature,
            memory: MemorySlot::default(),
            kind: PhantomData,
        })
    }

    fn groups(&self, arguments: &AccumulatorArgs<'_>) -> Result<SliceLists<K>> {
        let [.., start, stop, slices] = arguments.exprs else {
            return internal_err!("{} has no window", self.name);
        };
        let nothing = RecordBatch::new_empty(Arc::new(arguments.schema.clone()));
        let mut constants = vec![];
        for (name, argument) in [("start", start), ("stop", stop), ("slices", slices)] {
            match argument.evaluate(&nothing)? {
                ColumnarValue::Scalar(value) if !value.is_null() => constants.push(value),
                _ => return plan_err!("{}: {name} must be a constant", self.name),
            }
        }
        let [ScalarValue::Float64(Some(start)), ScalarValue::Float64(Some(stop)), ScalarValue::Int64(Some(slices))] =
            constants[..]
        else {
            return internal_err!("{} has a window of {constants:?}", self.name);
        };
        match slicing_of_seconds(start, stop, slices) {
            Some(slicing) => Ok(SliceLists::new(slicing, self.memory.clone())),
            None => no_window(self.name, start, stop, slices),
        }
    }
}

fn item<K: SliceKind>() -> FieldRef {
    let number = K::fields().first().map_or(DataType::Float64, |field| field.data_type().clone());
    Arc::new(Field::new_list_field(number, true))
}

impl<K: SliceKind + PartialEq + Eq + Hash> AggregateUDFImpl for SliceList<K> {
    fn name(&self) -> &str {
        self.name
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _arguments: &[DataType]) -> Result<DataType> {
        Ok(DataType::List(item::<K>()))
    }

    fn state_fields(&self, arguments: StateFieldsArgs<'_>) -> Result<Vec<FieldRef>> {
        Ok(vec![Arc::new(Field::new(format!("{}[cells]", arguments.name), STATE_TYPE, true))])
    }

    fn groups_accumulator_supported(&self, _arguments: AccumulatorArgs<'_>) -> bool {
        true
    }

    fn create_groups_accumulator(&self, arguments: AccumulatorArgs<'_>) -> Result<Box<dyn GroupsAccumulator>> {
        Ok(Box::new(self.groups(&arguments)?))
    }

    fn accumulator(&self, arguments: AccumulatorArgs<'_>) -> Result<Box<dyn Accumulator>> {
        Ok(Box::new(OneGroup(self.groups(&arguments)?)))
    }
}

/// The accumulator: one series per group.
#[derive(Debug)]
struct SliceLists<K: SliceKind> {
    window: SliceWindow,
    memory: MemorySlot,
    /// What the lists hold that were handed out: they are on their way as long as this is there.
    handed_out: Vec<MemoryReservation>,
    groups: usize,
    store: K::Store,
}

/// Numbers that are computed at once, unless a list has more.
const NUMBERS_AT_ONCE: usize = 1 << 16;

impl<K: SliceKind> SliceLists<K> {
    fn new(slicing: Slicing, memory: MemorySlot) -> SliceLists<K> {
        let window = SliceWindow { last_instant: LastInstant::Outside, ..SliceWindow::new(slicing) };
        SliceLists { window, memory, handed_out: vec![], groups: 0, store: K::Store::new(slicing) }
    }

    fn grow(&mut self, groups: usize) {
        (self.groups..groups).for_each(|_| _ = self.store.add_series());
        self.groups = self.groups.max(groups);
    }

    fn written(&mut self, begin: usize, end: usize) -> Result<LargeBinaryArray> {
        self.store.tidy();
        let mut bytes = vec![];
        let mut offsets = vec![0_i64];
        for group in begin..end {
            self.store.write(group as u32, &mut bytes);
            offsets.push(bytes.len() as i64);
        }
        Ok(LargeBinaryArray::try_new(OffsetBuffer::new(offsets.into()), bytes.into(), None)?)
    }

    /// Forgets the groups before `end`; the rest are counted from 0 on.
    fn forget(&mut self, end: usize) -> Result<()> {
        let rest = self.written(end, self.groups)?;
        let handed_out = std::mem::take(&mut self.handed_out);
        *self = SliceLists { handed_out, ..SliceLists::new(self.window.slicing, self.memory.clone()) };
        let groups: Vec<usize> = (0..rest.len()).collect();
        self.merge_batch(&[Arc::new(rest)], &groups, groups.len())
    }

    fn end(&self, emit_to: EmitTo) -> usize {
        match emit_to {
            EmitTo::All => self.groups,
            EmitTo::First(count) => count,
        }
    }

    fn lists(&mut self, end: usize) -> Result<ArrayRef> {
        self.store.tidy();
        let slices = self.window.slicing.slices() as usize;
        if end * slices > i32::MAX as usize {
            return exec_err!("{end} lists of {slices} slices are too many; take fewer slices, or a table function");
        }
        let lists_at_once = (NUMBERS_AT_ONCE / slices).max(1);
        let measure_bytes = 2 * lists_at_once * slices * size_of::<<K::Store as SliceStore>::Measure>();
        let list_bytes = end * slices * size_of::<f64>();
        let memory = self.memory.reservation("lists of slices");
        // Numbers are there twice: by parts, and as one column.
        memory.try_grow(2 * list_bytes + measure_bytes)?;
        let mut parts = vec![new_empty_array(item::<K>().data_type())];
        for first in (0..end).step_by(lists_at_once) {
            parts.push(self.numbers(first..end.min(first + lists_at_once), slices)?);
        }
        let parts: Vec<&dyn Array> = parts.iter().map(AsRef::as_ref).collect();
        let numbers = concat(&parts)?;
        memory.resize(list_bytes);
        self.handed_out.push(memory);
        let offsets = OffsetBuffer::from_lengths(std::iter::repeat_n(slices, end));
        Ok(Arc::new(ListArray::try_new(item::<K>(), offsets, numbers, None)?))
    }

    /// The numbers of some groups, one list after the other.
    fn numbers(&mut self, groups: Range<usize>, slices: usize) -> Result<ArrayRef> {
        let mut measures = vec![<K::Store as SliceStore>::Measure::default(); groups.len() * slices];
        for (group, list) in groups.zip(measures.chunks_exact_mut(slices)) {
            self.store.measures(group as u32, &mut |slice, measure| list[slice as usize] = measure);
        }
        match K::arrays(measures).into_iter().next() {
            Some(numbers) => Ok(numbers),
            None => internal_err!("a kind without measures"),
        }
    }
}

impl<K: SliceKind> GroupsAccumulator for SliceLists<K> {
    fn update_batch(
        &mut self,
        values: &[ArrayRef],
        group_indices: &[usize],
        opt_filter: Option<&BooleanArray>,
        total_num_groups: usize,
    ) -> Result<()> {
        self.grow(total_num_groups);
        let columns = K::columns(&self.window, &values[..values.len().saturating_sub(3)])?;
        let mut series: Vec<u32> = group_indices.iter().map(|group| *group as u32).collect();
        if let Some(wanted) = wanted_rows(opt_filter) {
            keep(&mut series, &wanted);
        }
        K::keep(&self.window, &columns, &mut series);
        K::add(&self.window, &columns, &series, &mut self.store);
        if self.store.is_crowded() {
            self.store.tidy();
        }
        Ok(())
    }

    fn merge_batch(&mut self, values: &[ArrayRef], group_indices: &[usize], total_num_groups: usize) -> Result<()> {
        self.grow(total_num_groups);
        let [written] = values else {
            return internal_err!("slices have one state, got {}", values.len());
        };
        let written = written.as_binary::<i64>();
        for (row, &group) in group_indices.iter().enumerate() {
            if written.is_valid(row) {
                self.store.read(group as u32, &mut written.value(row)).ok_or_else(unreadable)?;
            }
        }
        if self.store.is_crowded() {
            self.store.tidy();
        }
        Ok(())
    }

    fn evaluate(&mut self, emit_to: EmitTo) -> Result<ArrayRef> {
        let end = self.end(emit_to);
        self.grow(end);
        let lists = self.lists(end)?;
        self.forget(end)?;
        Ok(lists)
    }

    fn state(&mut self, emit_to: EmitTo) -> Result<Vec<ArrayRef>> {
        let end = self.end(emit_to);
        self.grow(end);
        let written = self.written(0, end)?;
        self.forget(end)?;
        Ok(vec![Arc::new(written)])
    }

    fn convert_to_state(&self, values: &[ArrayRef], opt_filter: Option<&BooleanArray>) -> Result<Vec<ArrayRef>> {
        let count = values.first().map_or(0, |array| array.len());
        let groups: Vec<usize> = (0..count).collect();
        let mut single = SliceLists::<K>::new(self.window.slicing, self.memory.clone());
        single.update_batch(values, &groups, opt_filter, count)?;
        single.state(EmitTo::All)
    }

    fn size(&self) -> usize {
        self.store.size()
    }
}
