//! The states that a replay follows, where containers are in several at once: of one type, the innermost of them.
//!
//! ```text
//!  states, by container and start ─► pass 0: the type of each container ─► pass 1: whole states, carried ones, pieces
//! ```

use std::cmp::Reverse;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use arrow::array::{
    Array, ArrayRef, AsArray, BooleanArray, Float64Array, Int8Array, Int32Array, Int64Array, StringViewArray,
};
use arrow::datatypes::{DataType, Int8Type, Int32Type, Int64Type};
use datafusion::common::tree_node::{TreeNode, TreeNodeRecursion};
use datafusion::common::{Result, ScalarValue};
use datafusion::logical_expr::{Expr, LogicalPlan};
use hashbrown::{Equivalent, HashMap};

use super::comm_waits::{role_of, text};
use super::replay_rows::part_number;
use crate::catalog::IS_CUT;
use crate::functions::calls::call::Call;
use crate::functions::calls::scanned_schemas::schemas;
use crate::functions::plans::lineage::ticks_of;
use crate::functions::plans::table_kernel::TableKernel;
use crate::functions::plans::table_sweep::{RowPacker, RowSweep, SweepOrder, TableSweep, no_columns};
use ocellus_kernels::replay::{LeadingStates, LedState, ReplayPart};
use ocellus_kernels::waiting::StateRole;

/// Rows are handed over when there are so many.
const ROWS_AT_ONCE: usize = 8192;

/// Types of [`REPLAY_COLUMNS`](super::replay_rows::REPLAY_COLUMNS) without the last.
const STATE_COLUMNS: [DataType; 10] = [
    DataType::Int32,
    DataType::Int32,
    DataType::Int64,
    DataType::Int64,
    DataType::Utf8View,
    DataType::Int8,
    DataType::Boolean,
    DataType::Utf8View,
    DataType::Float64,
    DataType::Utf8View,
];

/// States go in, and come out with their part.
pub static KERNEL: TableKernel = TableKernel {
    name: "followed_states",
    columns: &STATE_COLUMNS,
    constants: &[],
    rows: &[
        ("container_id", DataType::Int32),
        ("target_id", DataType::Int32),
        ("start_tick", DataType::Int64),
        ("end_tick", DataType::Int64),
        ("value", DataType::Utf8View),
        ("activity_or_size", DataType::Int8),
        ("collective", DataType::Boolean),
        ("key", DataType::Utf8View),
        ("volume", DataType::Float64),
        ("type", DataType::Utf8View),
        ("part", DataType::Int8),
    ],
    run: |columns, constants| SWEEP.run(columns, constants),
};

/// By container and start, of equal ones the longest first.
const BY_CONTAINER: SweepOrder = SweepOrder { computed: &[], compute: no_columns, by: &[0, 1, 2] };

/// Cuts states that are not held.
pub(crate) static SWEEP: TableSweep = TableSweep { kernel: &KERNEL, order: BY_CONTAINER, begin };

/// Types of packed rows: container, start, complement of the end, code.
static PACKED: [DataType; 4] = [DataType::Int32, DataType::Int64, DataType::Int64, DataType::Int32];

/// Whether a relation has one state at a time in each container: segments of a trace with one type of states, as they are.
pub(crate) fn is_one_at_a_time(call: &Call<'_>, states: &LogicalPlan) -> Result<bool> {
    let (mut is_plain, mut whole, mut uncut, mut pieces) = (true, 0, 0, 0);
    states.apply(|node| {
        match node {
            LogicalPlan::TableScan(scan) if scan.table_name.table() == "states" => whole += 1,
            LogicalPlan::TableScan(scan) if scan.table_name.table() == "state_segments" => pieces += 1,
            LogicalPlan::Filter(filter) if is_uncut(&filter.predicate) => uncut += 1,
            LogicalPlan::Filter(_)
            | LogicalPlan::Projection(_)
            | LogicalPlan::SubqueryAlias(_)
            | LogicalPlan::Union(_)
            | LogicalPlan::EmptyRelation(_) => {}
            _ => is_plain = false,
        }
        Ok(TreeNodeRecursion::Continue)
    })?;
    let are_segments = is_plain && whole == uncut && whole <= 1 && pieces <= 1;
    let are_as_stored = ["start_time", "end_time"].iter().all(|name| ticks_of(states, name).is_some());
    let types = |trace: &String| call.tables.names.get(trace).and_then(|names| names.types());
    let is_single = |trace: &String| {
        types(trace).is_some_and(|types| types.iter().filter(|known| known.kind == "state").count() <= 1)
    };
    let traces = schemas(states)?;
    Ok(are_segments && are_as_stored && traces.len() == 1 && traces.iter().all(is_single))
}

/// Whether a condition is that of the states that were never cut.
fn is_uncut(condition: &Expr) -> bool {
    matches!(condition, Expr::Not(inner) if matches!(&**inner, Expr::Column(column) if column.name == IS_CUT))
}

/// What states of a code have in common.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct StateMeaning {
    kind: Option<Box<str>>,
    value: Option<Box<str>>,
    activity: Option<i8>,
    joins: bool,
}

#[derive(Hash)]
struct StateMeaningRef<'a> {
    kind: Option<&'a str>,
    value: Option<&'a str>,
    activity: Option<i8>,
    joins: bool,
}

impl Equivalent<StateMeaning> for StateMeaningRef<'_> {
    fn equivalent(&self, known: &StateMeaning) -> bool {
        self.value == known.value.as_deref()
            && self.kind == known.kind.as_deref()
            && self.activity == known.activity
            && self.joins == known.joins
    }
}

#[derive(Debug, Default)]
struct StateCodes {
    codes: HashMap<StateMeaning, i32>,
    text_bytes: usize,
}

impl StateCodes {
    fn pack(&mut self, columns: &[ArrayRef]) -> Vec<ArrayRef> {
        let ends = columns[3].as_primitive::<Int64Type>();
        let (numbers, collectives) = (columns[5].as_primitive::<Int8Type>(), columns[6].as_boolean());
        let code = |row: usize| {
            self.code(&StateMeaningRef {
                kind: text(&columns[9], row),
                value: text(&columns[4], row),
                activity: numbers.is_valid(row).then(|| numbers.value(row)),
                joins: collectives.is_valid(row) && collectives.value(row),
            })
        };
        let codes = Int32Array::from_iter_values((0..ends.len()).map(code));
        let ends = Int64Array::from_iter_values(ends.values().iter().map(|end| !end));
        vec![Arc::clone(&columns[0]), Arc::clone(&columns[2]), Arc::new(ends), Arc::new(codes)]
    }

    fn code(&mut self, meaning: &StateMeaningRef<'_>) -> i32 {
        if let Some(code) = self.codes.get(meaning) {
            return *code;
        }
        let code = self.codes.len() as i32;
        let (kind, value) = (meaning.kind.map(Box::from), meaning.value.map(Box::from));
        self.text_bytes += meaning.kind.map_or(0, str::len) + meaning.value.map_or(0, str::len);
        let known = StateMeaning { kind, value, activity: meaning.activity, joins: meaning.joins };
        self.codes.insert(known, code);
        code
    }

    /// What codes stand for.
    fn meanings(&self) -> Vec<StateMeaning> {
        let mut all: Vec<(&i32, &StateMeaning)> = self.codes.iter().map(|(meaning, code)| (code, meaning)).collect();
        all.sort_unstable();
        all.into_iter().map(|(_, meaning)| meaning.clone()).collect()
    }

    fn bytes(&self) -> usize {
        2 * (self.codes.allocation_size() + self.text_bytes)
    }
}

fn begin(_constants: &[ScalarValue]) -> Result<Box<dyn RowSweep>> {
    Ok(Box::new(FollowedStates::default()))
}

/// A state as it was packed: start, end, code.
type PackedState = (i64, i64, i32);

#[derive(Debug, Default)]
struct FollowedStates {
    codes: Arc<Mutex<StateCodes>>,
    /// When all codes are there.
    meanings: Vec<StateMeaning>,
    /// The number of the type of each code; numbers are in the order of the alphabet.
    types: Vec<u32>,
    /// By container and type, ticks in which it communicates or waits, and all.
    sums: HashMap<(i32, u32), (i64, i64)>,
    /// The type that each container follows.
    chosen: HashMap<i32, u32>,
    leading: LeadingStates<i32>,
    container: i32,
    /// States of the container that start and end together.
    alike: Vec<PackedState>,
    found: Vec<(i32, LedState<i32>)>,
    is_finished: bool,
}

fn locked(codes: &Mutex<StateCodes>) -> MutexGuard<'_, StateCodes> {
    codes.lock().unwrap_or_else(PoisonError::into_inner)
}

impl FollowedStates {
    /// Numbers types when all codes are there.
    fn number_types(&mut self) {
        self.meanings = locked(&self.codes).meanings();
        let mut names: Vec<&Option<Box<str>>> = self.meanings.iter().map(|meaning| &meaning.kind).collect();
        names.sort_unstable();
        names.dedup();
        let number = |meaning: &StateMeaning| names.partition_point(|name| **name < meaning.kind) as u32;
        self.types = self.meanings.iter().map(number).collect();
    }

    fn sum(&mut self, container: i32, (start, end, code): PackedState) {
        let StateMeaning { activity, joins, .. } = &self.meanings[code as usize];
        let is_blocked = *joins || matches!(role_of(*activity), StateRole::Communicates | StateRole::Waits);
        let ticks = end.saturating_sub(start);
        let (blocked, all) = self.sums.entry((container, self.types[code as usize])).or_default();
        *all = all.saturating_add(ticks);
        if is_blocked {
            *blocked = blocked.saturating_add(ticks);
        }
    }

    /// Each container follows the type in which it communicates and waits most, then the one with most time.
    fn choose(&mut self) {
        let mut all: Vec<(i32, (i64, i64), Reverse<u32>)> =
            self.sums.drain().map(|((container, kind), ticks)| (container, ticks, Reverse(kind))).collect();
        all.sort_unstable();
        // The last one of a container stays.
        self.chosen = all.into_iter().map(|(container, _, Reverse(kind))| (container, kind)).collect();
    }

    fn follow(&mut self, container: i32, state: PackedState) {
        if container != self.container {
            self.follow_alike();
            self.end_container();
            self.container = container;
        }
        if self.alike.first().is_some_and(|(start, end, _)| (*start, *end) != (state.0, state.1)) {
            self.follow_alike();
        }
        self.alike.push(state);
    }

    fn follow_alike(&mut self) {
        let FollowedStates { alike, meanings, types, chosen, leading, container, found, .. } = self;
        let (meanings, container): (&[StateMeaning], i32) = (meanings, *container);
        alike.sort_by_key(|(.., code)| &meanings[*code as usize]);
        for (start, end, code) in alike.drain(..) {
            if chosen.get(&container) == Some(&types[code as usize]) {
                leading.add(start, end, code, &mut |row| found.push((container, row)));
            } else {
                found.push((container, LedState { start, end, part: ReplayPart::Carried, detail: code }));
            }
        }
    }

    fn end_container(&mut self) {
        let FollowedStates { leading, container, found, .. } = self;
        leading.finish(&mut |row| found.push((*container, row)));
    }

    fn arrays(&self) -> Vec<ArrayRef> {
        let rows = &self.found;
        let meaning = |row: &(i32, LedState<i32>)| &self.meanings[row.1.detail as usize];
        let texts = |text: &dyn Fn(&StateMeaning) -> Option<&str>| -> ArrayRef {
            Arc::new(rows.iter().map(|row| text(meaning(row)).map(str::to_string)).collect::<StringViewArray>())
        };
        vec![
            Arc::new(Int32Array::from_iter_values(rows.iter().map(|row| row.0))),
            Arc::new(Int32Array::new_null(rows.len())),
            Arc::new(Int64Array::from_iter_values(rows.iter().map(|row| row.1.start))),
            Arc::new(Int64Array::from_iter_values(rows.iter().map(|row| row.1.end))),
            texts(&|meaning| meaning.value.as_deref()),
            Arc::new(rows.iter().map(|row| meaning(row).activity).collect::<Int8Array>()),
            Arc::new(rows.iter().map(|row| Some(meaning(row).joins)).collect::<BooleanArray>()),
            Arc::new(StringViewArray::new_null(rows.len())),
            Arc::new(Float64Array::new_null(rows.len())),
            texts(&|meaning| meaning.kind.as_deref()),
            Arc::new(Int8Array::from_iter_values(rows.iter().map(|row| part_number(row.1.part)))),
        ]
    }
}

impl RowSweep for FollowedStates {
    fn passes(&self) -> usize {
        2
    }

    fn update(&mut self, pass: usize, columns: &[ArrayRef]) -> Result<()> {
        if self.meanings.is_empty() {
            self.number_types();
        }
        let [containers, codes] = [0, 3].map(|place| columns[place].as_primitive::<Int32Type>().values());
        let [starts, ends] = [1, 2].map(|place| columns[place].as_primitive::<Int64Type>().values());
        for row in 0..containers.len() {
            let state = (starts[row], !ends[row], codes[row]);
            match pass {
                0 => self.sum(containers[row], state),
                _ => self.follow(containers[row], state),
            }
        }
        Ok(())
    }

    fn finish(&mut self, pass: usize) -> Result<()> {
        if pass == 0 {
            self.choose();
            return Ok(());
        }
        self.follow_alike();
        self.end_container();
        self.is_finished = true;
        Ok(())
    }

    fn take(&mut self) -> Result<Option<Vec<ArrayRef>>> {
        let is_ready = self.is_finished || self.found.len() >= ROWS_AT_ONCE;
        if !is_ready || self.found.is_empty() {
            return Ok(None);
        }
        let rows = self.arrays();
        self.found.clear();
        Ok(Some(rows))
    }

    fn size(&self) -> usize {
        // Codes have the texts, and so have their meanings.
        size_of_val(self)
            + 2 * locked(&self.codes).bytes()
            + self.sums.allocation_size()
            + self.chosen.allocation_size()
            + self.leading.bytes()
            + self.alike.capacity() * size_of::<PackedState>()
            + self.found.capacity() * size_of::<(i32, LedState<i32>)>()
    }

    fn packer(&self) -> Option<RowPacker> {
        let codes = Arc::clone(&self.codes);
        Some(RowPacker { types: &PACKED, pack: Box::new(move |columns| Ok(locked(&codes).pack(columns))) })
    }
}
