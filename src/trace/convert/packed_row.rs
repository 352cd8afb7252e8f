//! A row as bytes, until it is written in its turn.
//!
//! ```text
//! row = number (8 bytes) , source (4) , target (4) , { field (4) , kind (1) , number (8) | length (4) text }
//! ```

use crate::model::{OwnedData, OwnedExtra};

/// What a row is, and at which of its times it is met.
pub(super) mod phase {
    /// A state that ends later.
    pub const STATE: u8 = b'S';
    /// The end of such a state.
    pub const STATE_END: u8 = b'E';
    /// A state without length.
    pub const INSTANT_STATE: u8 = b'Z';
    /// A value of a variable.
    pub const VARIABLE: u8 = b'V';
    /// The end of such a value.
    pub const VARIABLE_END: u8 = b'W';
    /// An event.
    pub const EVENT: u8 = b'N';
    /// The start of a link.
    pub const LINK: u8 = b'L';
    /// The end of a link.
    pub const LINK_END: u8 = b'M';
}

/// What a row has beside its container, type, value and times.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct RowBody {
    /// Depth of a state, value of a variable, volume of a link (NaN for none).
    pub number: f64,
    /// Containers of a link.
    pub source: u32,
    pub target: u32,
}

/// An extra field of a row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct RowExtra<'a> {
    pub field: u32,
    pub data: RowData<'a>,
}

/// Its value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum RowData<'a> {
    Int(i64),
    UInt(u64),
    Double(f64),
    Text(&'a str),
}

impl<'a> RowExtra<'a> {
    pub fn of(extra: &'a OwnedExtra) -> RowExtra<'a> {
        let data = match &extra.data {
            OwnedData::Int(value) => RowData::Int(*value),
            OwnedData::UInt(value) => RowData::UInt(*value),
            OwnedData::Double(value) => RowData::Double(*value),
            OwnedData::Text(text) => RowData::Text(text),
        };
        RowExtra { field: extra.field, data }
    }
}

const HEAD: usize = 16;

/// Packs a row.
pub(super) fn pack(body: RowBody, extras: &[OwnedExtra], into: &mut Vec<u8>) {
    into.clear();
    into.extend(body.number.to_bits().to_le_bytes());
    into.extend(body.source.to_le_bytes());
    into.extend(body.target.to_le_bytes());
    for extra in extras.iter().map(RowExtra::of) {
        into.extend(extra.field.to_le_bytes());
        let (kind, bits) = match extra.data {
            RowData::Int(value) => (0, value as u64),
            RowData::UInt(value) => (1, value),
            RowData::Double(value) => (2, value.to_bits()),
            RowData::Text(text) => {
                into.push(3);
                into.extend((text.len() as u32).to_le_bytes());
                into.extend(text.as_bytes());
                continue;
            }
        };
        into.push(kind);
        into.extend(bits.to_le_bytes());
    }
}

/// The fixed part of a packed row.
pub(super) fn body(packed: &[u8]) -> RowBody {
    let short = |at: usize| packed.get(at..).and_then(|rest| rest.first_chunk()).map_or(0, |b| u32::from_le_bytes(*b));
    let bits = packed.first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes));
    RowBody { number: f64::from_bits(bits), source: short(8), target: short(12) }
}

/// The extra fields of a packed row.
pub(super) fn extras(packed: &[u8]) -> impl Iterator<Item = RowExtra<'_>> {
    let mut rest = packed.get(HEAD..).unwrap_or_default();
    std::iter::from_fn(move || {
        let (field, after) = rest.split_first_chunk()?;
        let (kind, after) = after.split_first()?;
        let data;
        (data, rest) = match kind {
            3 => {
                let (len, after) = after.split_first_chunk()?;
                let (text, after) = after.split_at_checked(u32::from_le_bytes(*len) as usize)?;
                (RowData::Text(std::str::from_utf8(text).unwrap_or_default()), after)
            }
            _ => {
                let (bits, after) = after.split_first_chunk()?;
                let bits = u64::from_le_bytes(*bits);
                let data = match kind {
                    0 => RowData::Int(bits as i64),
                    1 => RowData::UInt(bits),
                    _ => RowData::Double(f64::from_bits(bits)),
                };
                (data, after)
            }
        };
        Some(RowExtra { field: u32::from_le_bytes(*field), data })
    })
}
