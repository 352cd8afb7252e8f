//! Rows of states and links for a replay: numbers, as critical_path packs them, and what rows show beside.
//!
//! ```text
//!  columns of a path, key, volume, type, part  ─►  packed columns of a path, code of type and part, volume, key
//! ```

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, Int32Array};
use arrow::datatypes::{DataType, Float64Type, Int8Type, Int32Type};
use datafusion::common::Result;
use hashbrown::HashMap;

use super::comm_waits::{COLUMNS, text};
use super::path_rows::{PACKED, PathCodes, PathNames, UnpackedRow};
use ocellus_kernels::replay::ReplayPart;
use ocellus_kernels::waiting::{TimedState, WaitMessage};

/// Types of the columns of [`states_and_links`](super::comm_waits::states_and_links) with all details, and the part that
/// a state has in a replay; NULL for a change.
pub(crate) const REPLAY_COLUMNS: [DataType; 11] = [
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
    DataType::Int8,
];

/// Types of packed rows.
pub(crate) const REPLAY_PACKED: [DataType; 8] = [
    DataType::Int64,
    DataType::Int64,
    DataType::Int32,
    DataType::Int32,
    DataType::Int32,
    DataType::Int32,
    DataType::Float64,
    DataType::Utf8View,
];

/// When rows of changes begin: before everything else.
pub(crate) const CHANGE_TICK: i64 = i64::MIN;

/// Stands for a change, beside the numbers of parts.
const CHANGE_PART: i32 = 3;

const PARTS: [ReplayPart; 3] = [ReplayPart::Whole, ReplayPart::Piece, ReplayPart::Carried];

/// The number of a part, in rows.
pub(crate) fn part_number(part: ReplayPart) -> i8 {
    PARTS.iter().position(|known| *known == part).map_or(0, |place| place as i8)
}

/// What a row shows beside its ends, times and value.
#[derive(Debug)]
pub(crate) struct ReplayDetail {
    pub(crate) kind: Option<u32>,
    pub(crate) key: Option<Box<str>>,
}

/// The codes so far.
#[derive(Debug, Default)]
pub(crate) struct ReplayCodes {
    pub(crate) path: PathCodes,
    types: HashMap<Box<str>, i32>,
}

impl ReplayCodes {
    /// Packs rows of [`REPLAY_COLUMNS`].
    pub(crate) fn pack(&mut self, columns: &[ArrayRef]) -> Result<Vec<ArrayRef>> {
        let (path, details) = columns.split_at(COLUMNS.len());
        let mut packed = self.path.pack(path)?;
        let parts = details[3].as_primitive::<Int8Type>();
        let types = (0..parts.len()).map(|row| {
            let kind = text(&details[2], row).map_or(0, |name| 1 + self.type_code(name));
            let part = if parts.is_valid(row) { i32::from(parts.value(row)) } else { CHANGE_PART };
            kind * (CHANGE_PART + 1) + part
        });
        packed.push(Arc::new(Int32Array::from_iter_values(types)));
        packed.push(Arc::clone(&details[1]));
        packed.push(Arc::clone(&details[0]));
        Ok(packed)
    }

    fn type_code(&mut self, name: &str) -> i32 {
        if let Some(code) = self.types.get(name) {
            return *code;
        }
        let code = self.types.len() as i32;
        self.types.insert(name.into(), code);
        code
    }

    /// The names of types, by code.
    pub(crate) fn types(&self) -> Vec<Box<str>> {
        let mut types: Vec<(&i32, &Box<str>)> = self.types.iter().map(|(name, code)| (code, name)).collect();
        types.sort_unstable();
        types.into_iter().map(|(_, name)| name.clone()).collect()
    }

    /// Bytes on the heap, about.
    pub(crate) fn bytes(&self) -> usize {
        self.path.bytes() + 2 * self.types.allocation_size()
    }
}

/// A row that was packed.
pub(crate) enum ReplayInput<'a> {
    State(TimedState, ReplayPart, DetailRef<'a>),
    Link(WaitMessage, Option<f64>, DetailRef<'a>),
    Change(ChangeRow),
}

/// What a row of a change says: of which change, what, and the number, amount or text of it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ChangeRow {
    pub(crate) change: u32,
    /// Of the text, and number of what is said.
    pub(crate) code: u32,
    pub(crate) amount: i64,
    pub(crate) number: Option<f64>,
}

/// Details that are not copied yet.
#[derive(Clone, Copy)]
pub(crate) struct DetailRef<'a> {
    kind: Option<u32>,
    keys: &'a ArrayRef,
    row: usize,
}

impl DetailRef<'_> {
    pub(crate) fn to_detail(self) -> ReplayDetail {
        ReplayDetail { kind: self.kind, key: text(self.keys, self.row).map(Box::from) }
    }
}

/// Unpacks all rows of a batch.
pub(crate) fn for_each(names: &PathNames, columns: &[ArrayRef], mut visit: impl FnMut(ReplayInput<'_>)) {
    let (path, details) = columns.split_at(PACKED.len());
    let types = details[0].as_primitive::<Int32Type>().values();
    let volumes = details[1].as_primitive::<Float64Type>();
    let mut row = 0;
    names.for_each(path, |unpacked| {
        let (kind, part) = (types[row] / (CHANGE_PART + 1), types[row] % (CHANGE_PART + 1));
        let volume = volumes.is_valid(row).then(|| volumes.value(row));
        let detail = DetailRef { kind: u32::try_from(kind - 1).ok(), keys: &details[2], row };
        visit(match unpacked {
            UnpackedRow::State(state) => match PARTS.get(part as usize) {
                Some(part) => ReplayInput::State(state, *part, detail),
                None => ReplayInput::Change(ChangeRow {
                    change: state.container,
                    code: state.value,
                    amount: state.end,
                    number: volume,
                }),
            },
            UnpackedRow::Link(message) => ReplayInput::Link(message, volume, detail),
        });
        row += 1;
    });
}
