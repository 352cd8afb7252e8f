//! `call_paths([states])`: how often and how long containers were in states, by the states around them.
//!
//! ```text
//!  states ─► numbers for types and values ─► in the order of time ─► a stack per container and type ─► a row per path
//! ```

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use arrow::array::{Array, ArrayRef, AsArray, Int32Array, Int64Array, StringViewArray};
use arrow::datatypes::{DataType, Int32Type, Int64Type};
use datafusion::common::{Result, ScalarValue, exec_err};
use datafusion::logical_expr::{LogicalPlan, LogicalPlanBuilder, lit};
use datafusion::prelude::{cast, col};
use hashbrown::{Equivalent, HashMap};

use crate::functions::calls::call::Call;
use crate::functions::calls::definition::{Definition, Form, OutputColumn, RelationParameter};
use crate::functions::calls::sql_function::TableFunction;
use crate::functions::communication::comm_messages::{column, required, seconds, shown, ticks};
use crate::functions::plans::table_kernel::TableKernel;
use crate::functions::plans::table_sweep::{RowPacker, RowSweep, SweepOrder, TableSweep, no_columns};
use ocellus_kernels::call_totals::{CallTotals, PathTotal, TimedCall};

pub static FUNCTION: TableFunction = TableFunction {
    definition: Definition {
        name: "call_paths",
        family: "states",
        form: Form::Table,
        description: "Adds up the times of states by the states that they lie in.",
        notes: "The parent of a state is the last one of the same container and type that is less deep, so all of them must be \
                there: filter the result, not the relation. The values of a path are joined by slashes, and a slash in a value \
                is kept as it is; where values have slashes, or levels between are missing, several rows may have the same path. A state whose value or depth is NULL has no path, and is in none of others. \
                A state of no length may be given a parent of its own instant that it did not lie in, since the order of what happens at one instant is not stored. \
                What is held are paths, not states. The view call_tree shows the time without that of longer paths, too. Row order is unspecified.",
        relations: &[RelationParameter {
            name: "states",
            default: Some("states"),
            doc: "States with container_id, value, depth, start_time and end_time, and type.",
        }],
        constants: &[],
        columns: &[
            OutputColumn { name: "container_id", kind: "INTEGER", doc: "The container." },
            OutputColumn { name: "container", kind: "TEXT", doc: "Its name." },
            OutputColumn { name: "type", kind: "TEXT", doc: "Type of the states." },
            OutputColumn { name: "path", kind: "TEXT", doc: "The values from the outermost state down to it." },
            OutputColumn { name: "value", kind: "TEXT", doc: "Value of the state, last in the path." },
            OutputColumn { name: "depth", kind: "INTEGER", doc: "How deep the state is." },
            OutputColumn { name: "states", kind: "BIGINT", doc: "How many states." },
            OutputColumn {
                name: "seconds",
                kind: "DOUBLE",
                doc: "Their duration in total, with what is nested in them.",
            },
            OutputColumn { name: "ticks", kind: "BIGINT", doc: "seconds in ticks." },
        ],
        examples: &[
            "SELECT path, value, depth, states, seconds FROM call_paths() WHERE container = 'process 1' ORDER BY path",
        ],
    },
    plan,
};

/// Adds up paths.
pub static KERNEL: TableKernel = TableKernel {
    name: "path_totals",
    columns: &[
        DataType::Int32,
        DataType::Utf8View,
        DataType::Utf8View,
        DataType::Int64,
        DataType::Int64,
        DataType::Int64,
    ],
    constants: &[],
    rows: &[
        ("container_id", DataType::Int32),
        ("type", DataType::Utf8View),
        ("path", DataType::Utf8View),
        ("value", DataType::Utf8View),
        ("depth", DataType::Int32),
        ("states", DataType::Int64),
        ("ticks", DataType::Int64),
    ],
    run: |columns, constants| SWEEP.run(columns, constants),
};

/// Adds them up without holding states.
pub(crate) static SWEEP: TableSweep = TableSweep {
    kernel: &KERNEL,
    order: SweepOrder { computed: &[], compute: no_columns, by: &[0] },
    begin: |_| Ok(Box::<PathTotals>::default()),
};

fn plan(call: Call<'_>) -> Result<LogicalPlan> {
    let states = call.relation(0)?;
    let (start, end, rate) = ticks(&call, &states)?;
    let kind = column(&states, "type").unwrap_or(lit(ScalarValue::Utf8View(None)));
    let shown_states = vec![
        cast(required(&call, &states, "container_id")?, DataType::Int32).alias("container_id"),
        cast(kind, DataType::Utf8View).alias("type"),
        cast(required(&call, &states, "value")?, DataType::Utf8View).alias("value"),
        cast(required(&call, &states, "depth")?, DataType::Int64).alias("depth"),
        start.alias("start_tick"),
        end.alias("end_tick"),
    ];
    let known = ["container_id", "start_tick", "end_tick"].map(|name| col(name).is_not_null());
    let is_known = known.into_iter().reduce(|one, other| one.and(other)).unwrap_or(lit(true));
    let states = LogicalPlanBuilder::from(states).project(shown_states)?.filter(is_known)?.build()?;
    let mut columns: Vec<_> = KERNEL.rows.iter().map(|(name, _)| col(*name)).collect();
    columns.push(seconds(col("ticks"), rate).alias("seconds"));
    let totals = LogicalPlanBuilder::from(KERNEL.over(states, vec![])?).project(columns)?.build()?;
    shown(&call, totals, rate, &[("container_id", "container")])
}

/// Types of packed rows: start, end, container, depth, and the number of type and value.
static PACKED: [DataType; 5] = [DataType::Int64, DataType::Int64, DataType::Int32, DataType::Int32, DataType::Int32];

/// Type and value of states.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct CallName {
    kind: Option<Box<str>>,
    value: Option<Box<str>>,
}

#[derive(Hash)]
struct CallNameRef<'a> {
    kind: Option<&'a str>,
    value: Option<&'a str>,
}

impl Equivalent<CallName> for CallNameRef<'_> {
    fn equivalent(&self, known: &CallName) -> bool {
        self.value == known.value.as_deref() && self.kind == known.kind.as_deref()
    }
}

/// Numbers of types and values.
#[derive(Debug, Default)]
struct CallNames {
    numbers: HashMap<CallName, i32>,
    text_bytes: usize,
}

impl CallNames {
    fn pack(&mut self, columns: &[ArrayRef]) -> Result<Vec<ArrayRef>> {
        let (kinds, values) = (columns[1].as_string_view(), columns[2].as_string_view());
        let depths = columns[3].as_primitive::<Int64Type>();
        if let Some(depth) = depths.iter().flatten().find(|depth| i32::try_from(*depth).is_err() || *depth < 0) {
            return exec_err!("call_paths: depth must be between 0 and {}, got {depth}", i32::MAX);
        }
        // What has the same views in a batch has the same texts.
        let mut met: HashMap<(Option<u128>, Option<u128>), i32> = HashMap::new();
        let view = |texts: &StringViewArray, row: usize| texts.is_valid(row).then(|| texts.views()[row]);
        let number = |row: usize| {
            *met.entry((view(kinds, row), view(values, row))).or_insert_with(|| self.number(kinds, values, row))
        };
        let numbers = Int32Array::from_iter_values((0..kinds.len()).map(number));
        // Copied: what is held until it is sorted should not keep the memory of a scan in pieces.
        let [starts, ends] =
            [4, 5].map(|index| Int64Array::from(columns[index].as_primitive::<Int64Type>().values().to_vec()));
        Ok(vec![
            Arc::new(starts),
            Arc::new(ends),
            Arc::new(Int32Array::from(columns[0].as_primitive::<Int32Type>().values().to_vec())),
            Arc::new(depths.iter().map(|depth| depth.map(|depth| depth as i32)).collect::<Int32Array>()),
            Arc::new(numbers),
        ])
    }

    fn number(&mut self, kinds: &StringViewArray, values: &StringViewArray, row: usize) -> i32 {
        let [kind, value] = [kinds, values].map(|texts| texts.is_valid(row).then(|| texts.value(row)));
        if let Some(number) = self.numbers.get(&CallNameRef { kind, value }) {
            return *number;
        }
        let number = self.numbers.len() as i32;
        self.text_bytes += [kind, value].into_iter().flatten().map(str::len).sum::<usize>();
        self.numbers.insert(CallName { kind: kind.map(Box::from), value: value.map(Box::from) }, number);
        number
    }
}

/// What the numbers stand for: places of types and values in the order of the alphabet.
#[derive(Debug, Default)]
struct SortedNames {
    kinds: Vec<Option<Box<str>>>,
    values: Vec<Option<Box<str>>>,
    /// By number.
    places: Vec<(u32, u32)>,
}

impl SortedNames {
    fn new(names: &CallNames) -> SortedNames {
        let sorted = |text: fn(&CallName) -> &Option<Box<str>>| {
            let mut texts: Vec<Option<Box<str>>> = names.numbers.keys().map(text).cloned().collect();
            texts.sort_unstable();
            texts.dedup();
            texts
        };
        let (kinds, values) = (sorted(|name| &name.kind), sorted(|name| &name.value));
        let mut places = vec![(0, 0); names.numbers.len()];
        for (name, number) in &names.numbers {
            let place = |texts: &[Option<Box<str>>], text| texts.partition_point(|known| known < text) as u32;
            places[*number as usize] = (place(&kinds, &name.kind), place(&values, &name.value));
        }
        SortedNames { kinds, values, places }
    }
}

/// A sweep under way.
#[derive(Debug, Default)]
struct PathTotals {
    names: Arc<Mutex<CallNames>>,
    /// What the numbers stand for, when all of them are there.
    sorted: Option<SortedNames>,
    totals: CallTotals,
    is_finished: bool,
}

fn locked(names: &Mutex<CallNames>) -> MutexGuard<'_, CallNames> {
    names.lock().unwrap_or_else(PoisonError::into_inner)
}

impl RowSweep for PathTotals {
    fn passes(&self) -> usize {
        1
    }

    fn update(&mut self, _pass: usize, columns: &[ArrayRef]) -> Result<()> {
        let PathTotals { names, sorted, totals, .. } = self;
        let sorted = sorted.get_or_insert_with(|| SortedNames::new(&locked(names)));
        let [starts, ends] = [0, 1].map(|index| columns[index].as_primitive::<Int64Type>().values());
        let [containers, numbers] = [2, 4].map(|index| columns[index].as_primitive::<Int32Type>().values());
        let depths = columns[3].as_primitive::<Int32Type>();
        for row in 0..starts.len() {
            let (kind, value) = sorted.places[numbers[row] as usize];
            totals.add(TimedCall {
                container: containers[row] as u32,
                kind,
                name: sorted.values[value as usize].as_ref().map(|_| value),
                depth: depths.is_valid(row).then(|| depths.value(row) as u32),
                start: starts[row],
                end: ends[row],
            });
        }
        Ok(())
    }

    fn finish(&mut self, _pass: usize) -> Result<()> {
        self.totals.finish();
        self.is_finished = true;
        Ok(())
    }

    fn take(&mut self) -> Result<Option<Vec<ArrayRef>>> {
        if !self.is_finished {
            return Ok(None);
        }
        let Some(sorted) = self.sorted.take() else { return Ok(None) };
        let rows = arrays(&self.totals, &sorted);
        self.totals = CallTotals::default();
        Ok(Some(rows))
    }

    fn size(&self) -> usize {
        let names = locked(&self.names);
        // The names are there twice, and result rows are about as large as the totals.
        size_of_val(self) + 2 * (names.numbers.allocation_size() + names.text_bytes) + 2 * self.totals.bytes()
    }

    fn packer(&self) -> Option<RowPacker> {
        let names = Arc::clone(&self.names);
        Some(RowPacker { types: &PACKED, pack: Box::new(move |columns| locked(&names).pack(columns)) })
    }
}

fn arrays(totals: &CallTotals, names: &SortedNames) -> Vec<ArrayRef> {
    let value = |path: &PathTotal| path.name.and_then(|name| names.values[name as usize].as_deref());
    let text = |path: &PathTotal| {
        let mut texts: Vec<&str> =
            totals.names(path).filter_map(|name| names.values[name as usize].as_deref()).collect();
        texts.reverse();
        (!texts.is_empty()).then(|| texts.join("/"))
    };
    let kind = |path: &PathTotal| names.kinds[path.kind as usize].as_deref();
    vec![
        Arc::new(Int32Array::from_iter_values(totals.totals().map(|path| path.container as i32))),
        Arc::new(totals.totals().map(kind).collect::<StringViewArray>()),
        Arc::new(totals.totals().map(text).collect::<StringViewArray>()),
        Arc::new(totals.totals().map(value).collect::<StringViewArray>()),
        Arc::new(totals.totals().map(|path| path.depth.map(|depth| depth as i32)).collect::<Int32Array>()),
        Arc::new(Int64Array::from_iter_values(totals.totals().map(|path| path.calls))),
        Arc::new(Int64Array::from_iter_values(totals.totals().map(|path| path.ticks))),
    ]
}
