//! The arguments of events become columns.
//!
//! A column has one type for the whole trace, so all arguments are looked at before the first is emitted:
//! whole numbers, else numbers, else text. Lists and objects are kept as JSON.
//!
//! Until then they are packed, so that their JSON is read once:
//!
//! ```text
//! arguments = { key number (4 bytes) , length (4 bytes) , JSON of the value
//!             | key number (4 bytes) , ff ff ff ff , whole number (8 bytes) }
//! ```

#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::fmt::Write;

use hashbrown::HashMap;

use super::event::RawEvent;
use super::json::{JsonWalker, text, unescape};
use crate::model::{FieldKind, StoredTable, WordTable};
use crate::reader::paje::column_name;
use crate::reader::{EventWriter, ExtraFieldId, ExtraRole, ExtraValue};

/// How many arguments of a table have a column of their own; the rest shares [`SHARED`].
const MOST_COLUMNS: usize = 200;
/// The column of arguments that have none of their own.
const SHARED: &str = "args";
/// The column of an argument that is called `volume`.
const VOLUME: &str = "field_volume";
/// The length that stands for a whole number.
const WHOLE: u32 = u32::MAX;

struct ArgumentColumn {
    table: StoredTable,
    name: String,
    is_shared: bool,
    kind: FieldKind,
    field: Option<ExtraFieldId>,
}

/// The keys of a table's arguments.
#[derive(Default)]
struct ArgumentKeys {
    /// As they stand in the file.
    words: WordTable,
    /// By number of the key: the column.
    columns: Vec<usize>,
}

/// The columns of a trace.
#[derive(Default)]
pub(in crate::reader) struct Arguments {
    columns: Vec<ArgumentColumn>,
    /// Of states, events and links.
    keys: [ArgumentKeys; 3],
    /// By table and column.
    names: HashMap<(StoredTable, String), usize>,
    /// How many columns a table has.
    counts: HashMap<StoredTable, usize>,
}

/// A key of arguments, by which its column is found without a look at its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::reader) struct ArgumentKey {
    table: StoredTable,
    number: u32,
}

impl ArgumentKey {
    /// The table that the column is one of.
    pub fn table(self) -> StoredTable {
        self.table
    }
}

/// A packed value.
#[derive(Debug, Clone, Copy, PartialEq)]
enum PackedValue<'a> {
    Whole(i64),
    /// As it stands in the file.
    Json(&'a [u8]),
}

impl Arguments {
    /// Looks at the arguments of an event, and packs them behind what is there.
    pub(super) fn pack(&mut self, table: StoredTable, event: &RawEvent<'_>, into: &mut Vec<u8>) {
        match event.members {
            Some(spans) => {
                for span in spans {
                    let (key, value) = (&event.arguments[span.key.clone()], &event.arguments[span.value.clone()]);
                    match span.whole {
                        Some(number) => {
                            self.pack_whole(table, key, number, into);
                        }
                        None => self.pack_json(table, key, value, into),
                    }
                }
            }
            None => members(event.arguments, |key, value| self.pack_json(table, key, value, into)),
        }
    }

    /// Looks at an argument of which key (without quotes) and value are JSON, and packs it behind what is there.
    pub fn pack_json(&mut self, table: StoredTable, key: &[u8], value: &[u8], into: &mut Vec<u8>) {
        if let Some(kind) = kind_of(value) {
            self.add(table, key, kind, PackedValue::Json(value), into);
        }
    }

    /// Looks at an argument that is a whole number, and packs it behind what is there.
    pub fn pack_whole(&mut self, table: StoredTable, key: &[u8], number: i64, into: &mut Vec<u8>) -> ArgumentKey {
        self.add(table, key, FieldKind::Int, PackedValue::Whole(number), into)
    }

    /// As [`Arguments::pack_whole`], of a key that was packed before.
    #[inline]
    pub fn pack_known(&mut self, key: ArgumentKey, number: i64, into: &mut Vec<u8>) {
        let column = &mut self.columns[self.keys[place_of(key.table)].columns[key.number as usize]];
        column.kind = common(column.kind, FieldKind::Int);
        PackedValue::Whole(number).pack(key.number, into);
    }

    #[inline]
    fn add(
        &mut self,
        table: StoredTable,
        key: &[u8],
        kind: FieldKind,
        value: PackedValue<'_>,
        into: &mut Vec<u8>,
    ) -> ArgumentKey {
        let keys = &mut self.keys[place_of(table)];
        let number = keys.words.number(key);
        let place = match keys.columns.get(number as usize) {
            Some(place) => *place,
            None => {
                let place = self.column(table, &unescape(key), kind);
                self.keys[place_of(table)].columns.push(place);
                place
            }
        };
        let column = &mut self.columns[place];
        column.kind = common(column.kind, kind);
        value.pack(number, into);
        ArgumentKey { table, number }
    }

    fn column(&mut self, table: StoredTable, key: &str, kind: FieldKind) -> usize {
        let count = self.counts.entry(table).or_default();
        let (name, kind) = match *count {
            0..MOST_COLUMNS => (column_name(table, key), kind),
            _ => (SHARED.to_string(), FieldKind::Text),
        };
        if let Some(place) = self.names.get(&(table, name.clone())) {
            return *place;
        }
        *count += 1;
        self.names.insert((table, name.clone()), self.columns.len());
        let is_shared = name == SHARED;
        self.columns.push(ArgumentColumn { table, name, is_shared, kind, field: None });
        self.columns.len() - 1
    }

    /// Declares the columns, when all arguments were looked at.
    pub fn declare(&mut self, writer: &mut EventWriter<'_>) {
        for column in &mut self.columns {
            // As in Pajé, what is called so is the size of a link.
            let is_volume = column.table == StoredTable::Links && column.name == VOLUME;
            let role = if is_volume { ExtraRole::Volume } else { ExtraRole::Column };
            column.field = Some(writer.field(column.table, &column.name, column.kind, role));
        }
    }

    /// Gives the values of an event's packed arguments.
    #[inline]
    pub fn values(&self, table: StoredTable, packed: &[u8], mut take: impl FnMut(ExtraFieldId, ExtraValue<'_>)) {
        let keys = &self.keys[place_of(table)];
        let mut shared = String::new();
        let mut shared_field = None;
        let mut rest = packed;
        while let Some((key, value, behind)) = first_packed(rest) {
            rest = behind;
            let column = &self.columns[keys.columns[key as usize]];
            let Some(field) = column.field else { continue };
            if column.is_shared {
                let separator = if shared.is_empty() { "" } else { "," };
                let key = String::from_utf8_lossy(keys.words.text(key));
                // Writing to a string does not fail.
                let _ = write!(shared, "{separator}\"{key}\":{}", value.json());
                shared_field = Some(field);
            } else {
                value.give(column.kind, |value| take(field, value));
            }
        }
        if let Some(field) = shared_field {
            take(field, ExtraValue::Text(&format!("{{{shared}}}")));
        }
    }
}

impl<'a> PackedValue<'a> {
    /// Packs the value with the number of its key.
    #[inline]
    fn pack(self, key: u32, into: &mut Vec<u8>) {
        match self {
            PackedValue::Whole(number) => {
                let mut bytes = [0; 16];
                bytes[..4].copy_from_slice(&key.to_le_bytes());
                bytes[4..8].copy_from_slice(&WHOLE.to_le_bytes());
                bytes[8..].copy_from_slice(&number.to_le_bytes());
                into.extend_from_slice(&bytes);
            }
            PackedValue::Json(json) => {
                into.extend_from_slice(&key.to_le_bytes());
                into.extend_from_slice(&(json.len() as u32).to_le_bytes());
                into.extend_from_slice(json);
            }
        }
    }

    fn json(self) -> Cow<'a, str> {
        match self {
            PackedValue::Whole(number) => number.to_string().into(),
            PackedValue::Json(json) => String::from_utf8_lossy(json),
        }
    }

    /// The value in a column of a type; nothing when it does not fit.
    #[inline]
    fn give(self, kind: FieldKind, take: impl FnOnce(ExtraValue<'_>)) {
        match (kind, self) {
            (FieldKind::Int, PackedValue::Whole(number)) => take(ExtraValue::Int(number)),
            (FieldKind::Int, PackedValue::Json(json)) => {
                if let Some(number) = whole(json) {
                    take(ExtraValue::Int(number));
                }
            }
            (FieldKind::Double, PackedValue::Whole(number)) => take(ExtraValue::Double(number as f64)),
            (FieldKind::Double, PackedValue::Json(json)) => {
                if let Some(number) = std::str::from_utf8(json).ok().and_then(|text| text.parse().ok()) {
                    take(ExtraValue::Double(number));
                }
            }
            (_, PackedValue::Whole(number)) => take(ExtraValue::Text(&number.to_string())),
            (_, PackedValue::Json(json)) => take(ExtraValue::Text(&text(json))),
        }
    }
}

/// The first of packed arguments: number of the key, value, and what follows.
#[inline(always)]
fn first_packed(packed: &[u8]) -> Option<(u32, PackedValue<'_>, &[u8])> {
    let (key, rest) = packed.split_first_chunk()?;
    let (len, rest) = rest.split_first_chunk()?;
    let key = u32::from_le_bytes(*key);
    match u32::from_le_bytes(*len) {
        WHOLE => {
            let (number, rest) = rest.split_first_chunk()?;
            Some((key, PackedValue::Whole(i64::from_le_bytes(*number)), rest))
        }
        len => {
            let (json, rest) = rest.split_at_checked(len as usize)?;
            Some((key, PackedValue::Json(json), rest))
        }
    }
}

fn place_of(table: StoredTable) -> usize {
    match table {
        StoredTable::Events => 1,
        StoredTable::Links => 2,
        _ => 0,
    }
}

/// The members of an object; nothing when it is none.
pub(super) fn members<'a>(object: &'a [u8], take: impl FnMut(&'a [u8], &'a [u8])) {
    if object.first() == Some(&b'{') {
        // What cannot be read was found when the event was read; its front part still counts.
        let _ = JsonWalker::new(object, 0).members(take);
    }
}

/// The type of a value; `None` for `null`.
fn kind_of(value: &[u8]) -> Option<FieldKind> {
    match value.first()? {
        b'n' => None,
        b'-' | b'0'..=b'9' => Some(match whole(value) {
            Some(_) => FieldKind::Int,
            None => FieldKind::Double,
        }),
        _ => Some(FieldKind::Text),
    }
}

fn whole(value: &[u8]) -> Option<i64> {
    std::str::from_utf8(value).ok()?.parse().ok()
}

fn common(first: FieldKind, second: FieldKind) -> FieldKind {
    match (first, second) {
        (a, b) if a == b => a,
        (FieldKind::Int, FieldKind::Double) | (FieldKind::Double, FieldKind::Int) => FieldKind::Double,
        _ => FieldKind::Text,
    }
}
