//! The arguments of events become columns.
//!
//! A column has one type for the whole trace, so all arguments are looked at before the first is emitted:
//! whole numbers, else numbers, else text. Lists and objects are kept as JSON.

#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::fmt::Write;

use hashbrown::HashMap;

use super::json::{JsonWalker, text, unescape};
use crate::model::{FieldKind, StoredTable};
use crate::reader::paje::column_name;
use crate::reader::{EventWriter, ExtraFieldId, ExtraRole, ExtraValue};

/// How many arguments of a table have a column of their own; the rest shares `args`.
const MOST_COLUMNS: usize = 200;

struct ArgumentColumn {
    table: StoredTable,
    name: String,
    kind: FieldKind,
    field: Option<ExtraFieldId>,
}

/// The columns of a trace.
#[derive(Default)]
pub(super) struct Arguments {
    columns: Vec<ArgumentColumn>,
    /// By table and key as it stands in the file.
    keys: HashMap<StoredTable, HashMap<Vec<u8>, usize>>,
    /// By table and column.
    names: HashMap<(StoredTable, String), usize>,
    /// How many columns a table has.
    counts: HashMap<StoredTable, usize>,
}

/// A value of a column.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ColumnValue<'a> {
    field: ExtraFieldId,
    value: ArgumentValue<'a>,
}

#[derive(Debug, Clone, PartialEq)]
enum ArgumentValue<'a> {
    Int(i64),
    Double(f64),
    Text(Cow<'a, str>),
}

impl<'a> ColumnValue<'a> {
    pub fn text(field: ExtraFieldId, text: &'a str) -> ColumnValue<'a> {
        ColumnValue { field, value: ArgumentValue::Text(Cow::Borrowed(text)) }
    }

    pub fn data(&self) -> (ExtraFieldId, ExtraValue<'_>) {
        let data = match &self.value {
            ArgumentValue::Int(value) => ExtraValue::Int(*value),
            ArgumentValue::Double(value) => ExtraValue::Double(*value),
            ArgumentValue::Text(text) => ExtraValue::Text(text),
        };
        (self.field, data)
    }
}

impl Arguments {
    /// Looks at the arguments of an event.
    pub fn observe(&mut self, table: StoredTable, arguments: &[u8]) {
        members(arguments, |key, value| {
            let Some(kind) = kind_of(value) else { return };
            let place = match self.place(table, key) {
                Some(place) => place,
                None => {
                    let place = self.column(table, &unescape(key), kind);
                    self.keys.entry(table).or_default().insert(key.to_vec(), place);
                    place
                }
            };
            let column = &mut self.columns[place];
            column.kind = common(column.kind, kind);
        });
    }

    fn place(&self, table: StoredTable, key: &[u8]) -> Option<usize> {
        self.keys.get(&table)?.get(key).copied()
    }

    fn column(&mut self, table: StoredTable, key: &str, kind: FieldKind) -> usize {
        let count = self.counts.entry(table).or_default();
        let (name, kind) = match *count {
            0..MOST_COLUMNS => (column_name(table, key), kind),
            _ => ("args".to_string(), FieldKind::Text),
        };
        if let Some(place) = self.names.get(&(table, name.clone())) {
            return *place;
        }
        *count += 1;
        self.names.insert((table, name.clone()), self.columns.len());
        self.columns.push(ArgumentColumn { table, name, kind, field: None });
        self.columns.len() - 1
    }

    /// Declares the columns, when all arguments were looked at.
    pub fn declare(&mut self, writer: &mut EventWriter<'_>) {
        for column in &mut self.columns {
            column.field = Some(writer.field(column.table, &column.name, column.kind, ExtraRole::Column));
        }
    }

    /// The values of an event.
    pub fn values<'a>(&self, table: StoredTable, arguments: &'a [u8], into: &mut Vec<ColumnValue<'a>>) {
        let mut shared = String::new();
        let mut shared_field = None;
        members(arguments, |key, value| {
            let Some(place) = self.place(table, key) else { return };
            let column = &self.columns[place];
            let Some(field) = column.field else { return };
            if column.name == "args" {
                let separator = if shared.is_empty() { "" } else { "," };
                let (key, value) = (String::from_utf8_lossy(key), String::from_utf8_lossy(value));
                // Writing to a string does not fail.
                let _ = write!(shared, "{separator}\"{key}\":{value}");
                shared_field = Some(field);
            } else if let Some(value) = value_of(column.kind, value) {
                into.push(ColumnValue { field, value });
            }
        });
        if let Some(field) = shared_field {
            into.push(ColumnValue { field, value: ArgumentValue::Text(Cow::Owned(format!("{{{shared}}}"))) });
        }
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

fn value_of(kind: FieldKind, value: &[u8]) -> Option<ArgumentValue<'_>> {
    kind_of(value)?;
    match kind {
        FieldKind::Int => whole(value).map(ArgumentValue::Int),
        FieldKind::Double => std::str::from_utf8(value).ok()?.parse().ok().map(ArgumentValue::Double),
        _ => Some(ArgumentValue::Text(text(value))),
    }
}
