//! Rows of states and links as numbers: critical_path and wait_states sort all of a trace, and texts cost most of that.
//!
//! ```text
//!  container, target, start, end, value, activity or size, collective  ─►  begin, other end, container, target, code
//! ```
//! A code stands for all that rows have in common: [`PathCodes`]. When all rows are packed, [`PathNames`] numbers values
//! in the order of the alphabet, so that nothing depends on the order in which rows came.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use arrow::array::{Array, ArrayRef, AsArray, Int32Array, Int64Array};
use arrow::datatypes::{DataType, Int8Type, Int32Type, Int64Type};
use datafusion::common::{Result, exec_err};
use hashbrown::{Equivalent, HashMap};

use super::comm_waits::role_of;
use crate::functions::plans::table_sweep::{SweepOrder, no_columns};
use ocellus_kernels::waiting::{StateRole, TimedState, WaitMessage};

/// Types of packed rows.
pub(crate) const PACKED: [DataType; 5] =
    [DataType::Int64, DataType::Int64, DataType::Int32, DataType::Int32, DataType::Int32];

/// By the instant at which a packed row begins to count.
pub(crate) const BY_PACKED_BEGIN: SweepOrder = SweepOrder { computed: &[], compute: no_columns, by: &[0] };

/// What a packed row is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum PackedKind {
    State,
    Link,
    /// By clocks that differ it is received before it is sent: it begins to count when it is received.
    EarlyLink,
}

/// What rows of a code have in common.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct CodeMeaning {
    kind: PackedKind,
    value: Option<Box<str>>,
    /// Number of the activity of a state, binary digits of the size of a link.
    number: Option<i8>,
    is_collective: bool,
}

#[derive(Hash)]
struct CodeMeaningRef<'a> {
    kind: PackedKind,
    value: Option<&'a str>,
    number: Option<i8>,
    is_collective: bool,
}

impl Equivalent<CodeMeaning> for CodeMeaningRef<'_> {
    fn equivalent(&self, known: &CodeMeaning) -> bool {
        self.value == known.value.as_deref()
            && self.kind == known.kind
            && self.number == known.number
            && self.is_collective == known.is_collective
    }
}

/// The codes so far.
#[derive(Debug, Default)]
pub(crate) struct PathCodes {
    codes: HashMap<CodeMeaning, i32>,
    text_bytes: usize,
}

impl PathCodes {
    /// Packs rows of [`COLUMNS`](super::comm_waits::COLUMNS).
    pub(crate) fn pack(&mut self, columns: &[ArrayRef]) -> Result<Vec<ArrayRef>> {
        let [containers, targets] = [0, 1].map(|index| columns[index].as_primitive::<Int32Type>());
        let [starts, ends] = [2, 3].map(|index| columns[index].as_primitive::<Int64Type>());
        let (texts, numbers) = (columns[4].as_string_view(), columns[5].as_primitive::<Int8Type>());
        let collectives = columns[6].as_boolean();
        let rows = containers.len();
        let views = texts.views();
        // What has the same view in a batch has the same text.
        let mut met: HashMap<(u128, Option<i8>, PackedKind, bool), i32> = HashMap::new();
        let (mut begins, mut others, mut codes) =
            (Vec::with_capacity(rows), Vec::with_capacity(rows), Vec::with_capacity(rows));
        for row in 0..rows {
            let (start, end) = (starts.value(row), ends.value(row));
            let kind = match targets.is_valid(row) {
                false => PackedKind::State,
                true if start > end => PackedKind::EarlyLink,
                true => PackedKind::Link,
            };
            let (begin, other) = if kind == PackedKind::EarlyLink { (end, start) } else { (start, end) };
            begins.push(begin);
            others.push(other);
            let number = numbers.is_valid(row).then(|| numbers.value(row));
            let is_collective = collectives.is_valid(row) && collectives.value(row);
            if texts.is_null(row) {
                codes.push(self.code(CodeMeaningRef { kind, value: None, number, is_collective }));
                continue;
            }
            codes.push(*met.entry((views[row], number, kind, is_collective)).or_insert_with(|| {
                self.code(CodeMeaningRef { kind, value: Some(texts.value(row)), number, is_collective })
            }));
        }
        // Copied: what is held until it is sorted should not keep the memory of a scan in pieces.
        let [containers, targets] = [containers, targets].map(|column| Int32Array::from(column.values().to_vec()));
        Ok(vec![
            Arc::new(Int64Array::from(begins)),
            Arc::new(Int64Array::from(others)),
            Arc::new(containers),
            Arc::new(targets),
            Arc::new(Int32Array::from(codes)),
        ])
    }

    fn code(&mut self, meaning: CodeMeaningRef<'_>) -> i32 {
        if let Some(code) = self.codes.get(&meaning) {
            return *code;
        }
        let CodeMeaningRef { kind, value, number, is_collective } = meaning;
        self.text_bytes += value.map_or(0, str::len);
        let code = self.codes.len() as i32;
        self.codes.insert(CodeMeaning { kind, value: value.map(Box::from), number, is_collective }, code);
        code
    }

    /// Bytes on the heap, about: codes, and names made of them.
    pub(crate) fn bytes(&self) -> usize {
        2 * (self.codes.allocation_size() + self.text_bytes)
    }
}

/// The codes of rows that are packed by one task and read by another.
pub(crate) fn locked(codes: &Mutex<PathCodes>) -> MutexGuard<'_, PathCodes> {
    codes.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What a code stands for.
#[derive(Debug, Clone, Copy)]
enum CodedRow {
    State { value: u32, role: StateRole, joins: bool },
    Link { label: u32, size: u8, is_collective: bool, is_early: bool },
}

/// A row that was packed.
pub(crate) enum UnpackedRow {
    State(TimedState),
    Link(WaitMessage),
}

/// The error of a function that cannot follow a container which is in two states at once.
pub(crate) fn states_at_once<T>(
    function: &str,
    names: Option<&PathNames>,
    one: &TimedState,
    other: &TimedState,
) -> Result<T> {
    let name = |state: &TimedState| names.and_then(|names| names.state(state.value).0).unwrap_or("NULL");
    exec_err!(
        "{function}: container_id {} is in {} and in {} at once; give it states of one type that are not nested: \
         {function}((SELECT * FROM state_segments WHERE type = '…')), with one of SELECT DISTINCT type FROM states",
        one.container,
        name(one),
        name(other)
    )
}

/// What all codes stand for.
#[derive(Debug, Default)]
pub(crate) struct PathNames {
    rows: Vec<CodedRow>,
    /// By value: text, number of the activity, and whether it is a collective.
    states: Vec<(Option<Box<str>>, Option<i8>, bool)>,
    /// By label.
    links: Vec<Option<Box<str>>>,
}

impl PathNames {
    /// The names of all codes.
    pub(crate) fn new(codes: &PathCodes) -> PathNames {
        let mut meanings: Vec<(&CodeMeaning, i32)> =
            codes.codes.iter().map(|(meaning, code)| (meaning, *code)).collect();
        meanings.sort_unstable();
        let nothing = CodedRow::State { value: 0, role: StateRole::Unknown, joins: false };
        let mut names = PathNames { rows: vec![nothing; meanings.len()], ..PathNames::default() };
        for (meaning, _) in &meanings {
            if meaning.kind != PackedKind::State {
                names.links.push(meaning.value.clone());
            }
        }
        names.links.sort_unstable();
        names.links.dedup();
        for (meaning, code) in meanings {
            let CodeMeaning { kind, value, number, is_collective } = meaning;
            let row = match kind {
                PackedKind::State => {
                    names.states.push((value.clone(), *number, *is_collective));
                    let value = names.states.len() as u32 - 1;
                    CodedRow::State { value, role: role_of(*number), joins: *is_collective }
                }
                PackedKind::Link | PackedKind::EarlyLink => CodedRow::Link {
                    label: names.links.partition_point(|known| known < value) as u32,
                    size: number.unwrap_or(0) as u8,
                    is_collective: *is_collective,
                    is_early: *kind == PackedKind::EarlyLink,
                },
            };
            names.rows[code as usize] = row;
        }
        names
    }

    /// Unpacks all rows of a batch.
    pub(crate) fn for_each(&self, columns: &[ArrayRef], mut visit: impl FnMut(UnpackedRow)) {
        let [begins, others] = [0, 1].map(|index| columns[index].as_primitive::<Int64Type>().values());
        let [containers, targets, codes] = [2, 3, 4].map(|index| columns[index].as_primitive::<Int32Type>().values());
        for row in 0..begins.len() {
            let (container, begin, other) = (containers[row] as u32, begins[row], others[row]);
            visit(match self.rows[codes[row] as usize] {
                CodedRow::State { value, role, joins } => {
                    UnpackedRow::State(TimedState { container, start: begin, end: other, value, role, joins })
                }
                CodedRow::Link { label, size, is_collective, is_early } => {
                    let (start, end) = if is_early { (other, begin) } else { (begin, other) };
                    let target = targets[row] as u32;
                    UnpackedRow::Link(WaitMessage { source: container, target, start, end, label, size, is_collective })
                }
            });
        }
    }

    /// Text of a value of states, number of its activity, and whether it is a collective.
    pub(crate) fn state(&self, value: u32) -> (Option<&str>, Option<i8>, bool) {
        let (text, number, joins) = &self.states[value as usize];
        (text.as_deref(), *number, *joins)
    }

    /// The texts of all values of states.
    pub(crate) fn state_texts(&self) -> impl Iterator<Item = Option<&str>> {
        self.states.iter().map(|(text, ..)| text.as_deref())
    }

    /// Text of a label of links.
    pub(crate) fn link(&self, label: u32) -> Option<&str> {
        self.links[label as usize].as_deref()
    }
}
