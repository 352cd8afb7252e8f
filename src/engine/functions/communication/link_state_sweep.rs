//! The sweep behind states_of_links: states and links in the order of time, as numbers.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use arrow::array::{Array, ArrayRef, AsArray, Float64Array, Int32Array, Int64Array, StringViewArray, UInt32Array};
use arrow::compute::{cast, take};
use arrow::datatypes::{DataType, Int8Type, Int32Type, Int64Type};
use datafusion::common::Result;

use super::comm_waits::{number, role_of};
use crate::functions::plans::table_sweep::{RowPacker, RowSweep, SweepOrder, no_columns};
use ocellus_kernels::labels::LabelTable;
use ocellus_kernels::link_states::{LinkInStates, LinkStateSweep, TouchingLink, TouchingState};
use ocellus_kernels::waiting::StateRole;

/// By the first instant of a packed row.
pub(super) const BY_LINK_BEGIN: SweepOrder = SweepOrder { computed: &[], compute: no_columns, by: &[0] };

/// Types of packed rows: first and last instant, container, target, code, depth, key and volume.
static PACKED: [DataType; 8] = [
    DataType::Int64,
    DataType::Int64,
    DataType::Int32,
    DataType::Int32,
    DataType::Int32,
    DataType::Int32,
    DataType::Utf8,
    DataType::Float64,
];

/// Rows are handed over when there are so many.
const ROWS_AT_ONCE: usize = 8192;

/// What a packed row is: the lowest digit of its code. The rest is the number of its type and value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PackedRow {
    State,
    /// One of communication or waiting.
    CommunicationState,
    Link,
    /// By clocks that differ it arrives before it leaves.
    EarlyLink,
}

const PACKED_ROWS: [PackedRow; 4] =
    [PackedRow::State, PackedRow::CommunicationState, PackedRow::Link, PackedRow::EarlyLink];

/// The numbers of types and values.
#[derive(Debug, Default)]
struct TypedValues {
    types: LabelTable,
    values: LabelTable,
}

impl TypedValues {
    /// Packs rows of the kernel.
    fn pack(&mut self, columns: &[ArrayRef]) -> Result<Vec<ArrayRef>> {
        let [containers, targets, depths] = [0, 1, 9].map(|index| columns[index].as_primitive::<Int32Type>());
        let [starts, ends] = [2, 3].map(|index| columns[index].as_primitive::<Int64Type>().values());
        let activities = columns[5].as_primitive::<Int8Type>();
        let mut numbers = self.types.numbers(columns[8].as_string_view());
        self.values.combine_texts(&mut numbers, columns[4].as_string_view());
        let code = |(row, number): (usize, u32)| {
            let kind = match targets.is_valid(row) {
                true if starts[row] > ends[row] => PackedRow::EarlyLink,
                true => PackedRow::Link,
                false => match role_of(activities.is_valid(row).then(|| activities.value(row))) {
                    StateRole::Communicates | StateRole::Waits => PackedRow::CommunicationState,
                    _ => PackedRow::State,
                },
            };
            number as i32 * PACKED_ROWS.len() as i32 + kind as i32
        };
        let instants = || starts.iter().zip(ends);
        let depth = |row: usize| if depths.is_valid(row) { depths.value(row) } else { i32::MIN };
        // Copied: what is held until it is sorted should not keep the memory of a scan in pieces.
        let [containers, targets] = [containers, targets].map(|column| Int32Array::from(column.values().to_vec()));
        Ok(vec![
            Arc::new(Int64Array::from_iter_values(instants().map(|(start, end)| *start.min(end)))),
            Arc::new(Int64Array::from_iter_values(instants().map(|(start, end)| *start.max(end)))),
            Arc::new(containers),
            Arc::new(targets),
            Arc::new(Int32Array::from_iter_values(numbers.into_iter().enumerate().map(code))),
            Arc::new(Int32Array::from_iter_values((0..depths.len()).map(depth))),
            cast(&columns[6], &DataType::Utf8)?,
            Arc::clone(&columns[7]),
        ])
    }

    fn bytes(&self) -> usize {
        self.types.size() + self.values.size()
    }
}

/// Types and values when all rows are packed.
#[derive(Debug)]
struct TypedNames {
    types: StringViewArray,
    values: StringViewArray,
    /// The place of each number in their order; NULL is the last.
    ranks: Vec<u32>,
    /// The number at each place.
    numbers: Vec<u32>,
}

impl TypedNames {
    fn new(known: &TypedValues) -> TypedNames {
        let of = |number: u32| {
            let (kind, value) = known.values.label(number);
            (known.types.label(kind).1, value)
        };
        let mut numbers: Vec<u32> = (0..known.values.count() as u32).collect();
        numbers.sort_by_key(|number| {
            let (kind, value) = of(*number);
            (kind.is_none(), kind, value.is_none(), value)
        });
        let mut ranks = vec![0; numbers.len()];
        for (rank, number) in (0..).zip(&numbers) {
            ranks[*number as usize] = rank;
        }
        let types = (0..known.values.count() as u32).map(|number| of(number).0).collect();
        TypedNames { types, values: known.values.texts(), ranks, numbers }
    }
}

/// What rows show of a link beside its ends and times.
#[derive(Debug)]
struct LinkStateDetail {
    number: u32,
    key: Option<Box<str>>,
    volume: Option<f64>,
}

/// A sweep under way.
#[derive(Debug, Default)]
pub(super) struct LinkStateRows {
    known: Arc<Mutex<TypedValues>>,
    /// When all of them are there.
    names: Option<TypedNames>,
    sweep: LinkStateSweep<LinkStateDetail>,
    /// Rows that were not handed over yet.
    found: Vec<LinkInStates<LinkStateDetail>>,
    /// Bytes of keys on their way, at most.
    key_bytes: usize,
    is_finished: bool,
}

fn locked(known: &Mutex<TypedValues>) -> MutexGuard<'_, TypedValues> {
    known.lock().unwrap_or_else(PoisonError::into_inner)
}

impl RowSweep for LinkStateRows {
    fn passes(&self) -> usize {
        1
    }

    fn update(&mut self, _pass: usize, columns: &[ArrayRef]) -> Result<()> {
        let LinkStateRows { known, names, sweep, found, key_bytes, .. } = self;
        let names = names.get_or_insert_with(|| TypedNames::new(&locked(known)));
        let [firsts, lasts] = [0, 1].map(|index| columns[index].as_primitive::<Int64Type>().values());
        let [containers, targets, codes, depths] =
            [2, 3, 4, 5].map(|index| columns[index].as_primitive::<Int32Type>().values());
        let keys = columns[6].as_string::<i32>();
        let mut give = |link: LinkInStates<LinkStateDetail>| found.push(link);
        for row in 0..firsts.len() {
            let (first, last, container) = (firsts[row], lasts[row], containers[row] as u32);
            let (place, kind) = (codes[row] as usize / PACKED_ROWS.len(), codes[row] as usize % PACKED_ROWS.len());
            let (start, end) = match PACKED_ROWS[kind] {
                PackedRow::Link => (first, last),
                PackedRow::EarlyLink => (last, first),
                kind => {
                    let (name, communicates) = (names.ranks[place], kind == PackedRow::CommunicationState);
                    let state =
                        TouchingState { container, start: first, end: last, depth: depths[row], name, communicates };
                    sweep.add_state(state, &mut give);
                    continue;
                }
            };
            let key: Option<Box<str>> = keys.is_valid(row).then(|| keys.value(row).into());
            *key_bytes += key.as_deref().map_or(0, str::len);
            let detail = LinkStateDetail { number: place as u32, key, volume: number(&columns[7], row) };
            sweep.add_link(
                TouchingLink { source: container, target: targets[row] as u32, start, end, detail },
                &mut give,
            );
        }
        Ok(())
    }

    fn finish(&mut self, _pass: usize) -> Result<()> {
        let found = &mut self.found;
        self.sweep.finish(&mut |link| found.push(link));
        self.is_finished = true;
        Ok(())
    }

    fn take(&mut self) -> Result<Option<Vec<ArrayRef>>> {
        let is_ready = self.is_finished || self.found.len() >= ROWS_AT_ONCE;
        let Some(names) = self.names.as_ref().filter(|_| is_ready && !self.found.is_empty()) else {
            return Ok(None);
        };
        let rows = arrays(&self.found, names)?;
        let given = self.found.iter().filter_map(|row| row.link.detail.key.as_ref()).map(|key| key.len());
        self.key_bytes = self.key_bytes.saturating_sub(given.sum());
        self.found.clear();
        Ok(Some(rows))
    }

    fn size(&self) -> usize {
        // Names have the texts of what is known once more.
        size_of_val(self)
            + self.sweep.bytes()
            + 2 * locked(&self.known).bytes()
            + self.key_bytes
            + self.found.capacity() * size_of::<LinkInStates<LinkStateDetail>>()
    }

    fn packer(&self) -> Option<RowPacker> {
        let known = Arc::clone(&self.known);
        Some(RowPacker { types: &PACKED, pack: Box::new(move |columns| locked(&known).pack(columns)) })
    }
}

fn arrays(rows: &[LinkInStates<LinkStateDetail>], names: &TypedNames) -> Result<Vec<ArrayRef>> {
    type Row = LinkInStates<LinkStateDetail>;
    let numbers = |number: &dyn Fn(&Row) -> Option<u32>| rows.iter().map(number).collect::<UInt32Array>();
    let state = |rank: Option<u32>| rank.map(|rank| names.numbers[rank as usize]);
    let [links, sources, targets] = [
        numbers(&|row| Some(row.link.detail.number)),
        numbers(&|row| state(row.source_state)),
        numbers(&|row| state(row.target_state)),
    ];
    let ids = |id: &dyn Fn(&Row) -> u32| Arc::new(Int32Array::from_iter_values(rows.iter().map(|row| id(row) as i32)));
    let ticks = |tick: &dyn Fn(&Row) -> i64| Arc::new(Int64Array::from_iter_values(rows.iter().map(tick)));
    Ok(vec![
        take(&names.types, &links, None)?,
        take(&names.values, &links, None)?,
        Arc::new(rows.iter().map(|row| row.link.detail.key.as_deref()).collect::<StringViewArray>()),
        ids(&|row| row.link.source),
        ids(&|row| row.link.target),
        ticks(&|row| row.link.start),
        ticks(&|row| row.link.end),
        Arc::new(rows.iter().map(|row| row.link.detail.volume).collect::<Float64Array>()),
        take(&names.types, &sources, None)?,
        take(&names.values, &sources, None)?,
        take(&names.types, &targets, None)?,
        take(&names.values, &targets, None)?,
    ])
}
