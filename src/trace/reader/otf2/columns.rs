//! Further columns: fields of records and attributes of events.

use hashbrown::{Equivalent, HashMap};

use super::events::{Attribute, Value};
use super::names::Names;
use crate::model::{FieldKind, Table};
use crate::reader::paje::column_name;
use crate::reader::{Data, Field, Further, Story};

/// A further field with its value.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Owned {
    field: Field,
    value: OwnedValue,
}

#[derive(Debug, Clone, PartialEq)]
enum OwnedValue {
    Int(i64),
    Double(f64),
    Text(String),
}

impl Owned {
    pub fn data(&self) -> (Field, Data<'_>) {
        let data = match &self.value {
            OwnedValue::Int(value) => Data::Int(*value),
            OwnedValue::Double(value) => Data::Double(*value),
            OwnedValue::Text(text) => Data::Text(text),
        };
        (self.field, data)
    }
}

/// Looks a column up without a copy of its name.
#[derive(Hash)]
struct ColumnKey<'a>(Table, &'a str);

impl Equivalent<(Table, String)> for ColumnKey<'_> {
    fn equivalent(&self, key: &(Table, String)) -> bool {
        (self.0, self.1) == (key.0, key.1.as_str())
    }
}

/// The columns so far.
#[derive(Debug, Default)]
pub(super) struct Columns {
    /// By table and name in the trace.
    fields: HashMap<(Table, String), (Field, FieldKind)>,
}

impl Columns {
    pub fn int(&mut self, table: Table, name: &str, value: i64, story: &mut Story<'_>) -> Owned {
        self.owned(table, name, OwnedValue::Int(value), story)
    }

    pub fn text(&mut self, table: Table, name: &str, value: String, story: &mut Story<'_>) -> Owned {
        self.owned(table, name, OwnedValue::Text(value), story)
    }

    /// The size of a link.
    pub fn bytes(&mut self, bytes: u64, story: &mut Story<'_>) -> Owned {
        let field = story.field(Table::Links, "bytes", FieldKind::Int, Further::Volume);
        Owned { field, value: OwnedValue::Int(i64::try_from(bytes).unwrap_or(i64::MAX)) }
    }

    /// The attributes of an event.
    pub fn attributes(
        &mut self,
        table: Table,
        attributes: &[Attribute],
        names: &Names<'_>,
        story: &mut Story<'_>,
    ) -> Vec<Owned> {
        let owned = |attribute: &Attribute| {
            let value = match attribute.value {
                Value::Int(value) => OwnedValue::Int(value),
                Value::UInt(value) => i64::try_from(value).map_or(OwnedValue::Double(value as f64), OwnedValue::Int),
                Value::Double(value) => OwnedValue::Double(value),
                Value::Id(mapping, id) => OwnedValue::Text(names.of(mapping, id)),
            };
            self.owned(table, &names.attribute(attribute.attribute), value, story)
        };
        attributes.iter().map(owned).collect()
    }

    /// A column has the kind of its first value; later ones are brought to it.
    fn owned(&mut self, table: Table, name: &str, value: OwnedValue, story: &mut Story<'_>) -> Owned {
        let known = self.fields.get(&ColumnKey(table, name)).copied();
        let (field, kind) = known.unwrap_or_else(|| {
            let kind = match value {
                OwnedValue::Int(_) => FieldKind::Int,
                OwnedValue::Double(_) => FieldKind::Double,
                OwnedValue::Text(_) => FieldKind::Text,
            };
            let field = story.field(table, &column_name(table, name), kind, Further::Column);
            self.fields.insert((table, name.to_string()), (field, kind));
            (field, kind)
        });
        let value = match (kind, value) {
            (FieldKind::Text, OwnedValue::Int(value)) => OwnedValue::Text(value.to_string()),
            (FieldKind::Text, OwnedValue::Double(value)) => OwnedValue::Text(value.to_string()),
            (FieldKind::Double, OwnedValue::Int(value)) => OwnedValue::Double(value as f64),
            (_, value) => value,
        };
        Owned { field, value }
    }
}
