//! How many containers are in each state at once, while states come in the order of their starts.
//!
//! What is held is what is open: of each trace, stand-in, type and value the containers that are in the state.

use std::hash::Hash;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, Int32Array, Int64Array, StringViewArray, StringViewBuilder};
use arrow::datatypes::{DataType, Int32Type, Int64Type};
use datafusion::common::{Result, ScalarValue};
use hashbrown::{Equivalent, HashMap};

use crate::functions::plans::table_kernel::TableKernel;
use crate::functions::plans::table_sweep::{RowSweep, SweepOrder, TableSweep, no_columns};
use ocellus_kernels::concurrency::{Activity, ActivitySweep, Stay};

/// Intervals of equal numbers of containers; its columns are trace, stand-in, type, value, container, start and end.
pub static KERNEL: TableKernel = TableKernel {
    name: "state_activity",
    columns: &[
        DataType::Utf8View,
        DataType::Int32,
        DataType::Utf8View,
        DataType::Utf8View,
        DataType::Int64,
        DataType::Int64,
        DataType::Int64,
    ],
    constants: &[],
    rows: &[
        ("trace", DataType::Utf8View),
        ("stand_in", DataType::Int32),
        ("type", DataType::Utf8View),
        ("value", DataType::Utf8View),
        ("active", DataType::Int64),
        ("start_tick", DataType::Int64),
        ("end_tick", DataType::Int64),
    ],
    run,
};

const START: usize = 5;

/// Counts who is there.
pub(crate) static SWEEP: TableSweep = TableSweep {
    kernel: &KERNEL,
    order: SweepOrder { computed: &[], compute: no_columns, by: &[START] },
    begin: |_| Ok(Box::new(ActivityRows::default())),
};

fn run(columns: &[ArrayRef], constants: &[ScalarValue]) -> Result<Vec<ArrayRef>> {
    SWEEP.run(columns, constants)
}

/// Rows are handed over when there are so many.
const ROWS_AT_ONCE: usize = 8192;

/// What is counted by itself.
#[derive(Debug, PartialEq, Eq, Hash)]
struct CountedState {
    trace: Option<String>,
    stand_in: Option<i32>,
    kind: Option<String>,
    value: Option<String>,
}

/// The same, in the columns of a batch.
#[derive(Hash)]
struct CountedStateRef<'a> {
    trace: Option<&'a str>,
    stand_in: Option<i32>,
    kind: Option<&'a str>,
    value: Option<&'a str>,
}

impl Equivalent<CountedState> for CountedStateRef<'_> {
    fn equivalent(&self, known: &CountedState) -> bool {
        self.value == known.value.as_deref()
            && self.kind == known.kind.as_deref()
            && self.stand_in == known.stand_in
            && self.trace == known.trace.as_deref()
    }
}

impl CountedStateRef<'_> {
    fn to_owned(&self) -> CountedState {
        CountedState {
            trace: self.trace.map(str::to_string),
            stand_in: self.stand_in,
            kind: self.kind.map(str::to_string),
            value: self.value.map(str::to_string),
        }
    }
}

/// Everything that is open, and the intervals that were not handed over yet.
#[derive(Debug, Default)]
struct ActivityRows {
    numbers: HashMap<CountedState, usize>,
    sweeps: Vec<ActivitySweep>,
    /// What the sweeps hold on the heap.
    bytes: usize,
    rows: Vec<(usize, Activity)>,
    is_finished: bool,
}

impl RowSweep for ActivityRows {
    fn passes(&self) -> usize {
        1
    }

    fn update(&mut self, _pass: usize, columns: &[ArrayRef]) -> Result<()> {
        let [traces, kinds, values] = [0, 2, 3].map(|index| columns[index].as_string_view());
        let stand_ins = columns[1].as_primitive::<Int32Type>();
        let [containers, starts, ends] = [4, START, 6].map(|index| columns[index].as_primitive::<Int64Type>());
        for row in 0..starts.len() {
            if containers.is_null(row) || starts.is_null(row) || ends.is_null(row) {
                continue;
            }
            let key = CountedStateRef {
                trace: text(traces, row),
                stand_in: stand_ins.is_valid(row).then(|| stand_ins.value(row)),
                kind: text(kinds, row),
                value: text(values, row),
            };
            let number = match self.numbers.get(&key) {
                Some(number) => *number,
                None => {
                    self.numbers.insert(key.to_owned(), self.sweeps.len());
                    self.sweeps.push(ActivitySweep::default());
                    self.sweeps.len() - 1
                }
            };
            let (sweep, found) = (&mut self.sweeps[number], &mut self.rows);
            let before = sweep.bytes();
            let stay = Stay { container: containers.value(row), start: starts.value(row), end: ends.value(row) };
            sweep.add(stay, |activity| found.push((number, activity)));
            self.bytes = self.bytes + sweep.bytes() - before;
        }
        Ok(())
    }

    fn finish(&mut self, _pass: usize) -> Result<()> {
        for (number, sweep) in self.sweeps.iter_mut().enumerate() {
            sweep.finish(|activity| self.rows.push((number, activity)));
        }
        self.is_finished = true;
        Ok(())
    }

    fn take(&mut self) -> Result<Option<Vec<ArrayRef>>> {
        if self.rows.is_empty() || (!self.is_finished && self.rows.len() < ROWS_AT_ONCE) {
            return Ok(None);
        }
        let rows = std::mem::take(&mut self.rows);
        let mut states: Vec<Option<&CountedState>> = vec![None; self.sweeps.len()];
        for (state, number) in &self.numbers {
            states[*number] = Some(state);
        }
        let texts = |of: fn(&CountedState) -> Option<&str>| -> ArrayRef {
            let mut column = StringViewBuilder::with_capacity(rows.len()).with_deduplicate_strings();
            rows.iter().for_each(|(number, _)| column.append_option(states[*number].and_then(of)));
            Arc::new(column.finish())
        };
        let big_ints = |of: fn(&Activity) -> i64| -> ArrayRef {
            Arc::new(Int64Array::from_iter_values(rows.iter().map(|(_, activity)| of(activity))))
        };
        let stand_ins = rows.iter().map(|(number, _)| states[*number].and_then(|state| state.stand_in));
        Ok(Some(vec![
            texts(|state| state.trace.as_deref()),
            Arc::new(stand_ins.collect::<Int32Array>()),
            texts(|state| state.kind.as_deref()),
            texts(|state| state.value.as_deref()),
            big_ints(|activity| activity.active),
            big_ints(|activity| activity.start),
            big_ints(|activity| activity.end),
        ]))
    }

    fn size(&self) -> usize {
        let texts = |state: &CountedState| {
            let texts = [&state.trace, &state.kind, &state.value];
            texts.into_iter().flatten().map(String::capacity).sum::<usize>()
        };
        self.bytes
            + self.sweeps.capacity() * size_of::<ActivitySweep>()
            + self.numbers.allocation_size()
            + self.numbers.keys().map(texts).sum::<usize>()
            + self.rows.capacity() * size_of::<(usize, Activity)>()
    }
}

fn text(texts: &StringViewArray, row: usize) -> Option<&str> {
    texts.is_valid(row).then(|| texts.value(row))
}
