//! Rows of states and links for a replay: numbers, as critical_path packs them, and what rows show beside.
//!
//! ```text
//!  columns of a path, key, volume, type  ─►  packed columns of a path, code of the type, volume, key
//! ```

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, Int32Array};
use arrow::datatypes::{DataType, Float64Type, Int32Type};
use datafusion::common::Result;
use hashbrown::HashMap;

use super::comm_waits::{COLUMNS, text};
use super::path_rows::{PACKED, PathCodes, PathNames, UnpackedRow};

/// Types of the columns of [`states_and_links`](super::comm_waits::states_and_links) with all details.
pub(crate) const REPLAY_COLUMNS: [DataType; 10] = [
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

/// When the row of a container begins that changes apply to: before everything else.
pub(crate) const CHOSEN_TICK: i64 = i64::MIN;

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
        let types = (0..details[2].len()).map(|row| text(&details[2], row).map(|name| self.type_code(name)));
        packed.push(Arc::new(types.collect::<Int32Array>()));
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

/// Unpacks all rows of a batch: each with its volume and details.
pub(crate) fn for_each(
    names: &PathNames,
    columns: &[ArrayRef],
    mut visit: impl FnMut(UnpackedRow, Option<f64>, ReplayDetail),
) {
    let (path, details) = columns.split_at(PACKED.len());
    let types = details[0].as_primitive::<Int32Type>();
    let volumes = details[1].as_primitive::<Float64Type>();
    let mut row = 0;
    names.for_each(path, |unpacked| {
        let kind = types.is_valid(row).then(|| types.value(row) as u32);
        let volume = volumes.is_valid(row).then(|| volumes.value(row));
        let key = text(&details[2], row).map(Box::from);
        visit(unpacked, volume, ReplayDetail { kind, key });
        row += 1;
    });
}
