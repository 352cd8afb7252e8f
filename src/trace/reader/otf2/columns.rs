//! Extra columns: fields of records and attributes of events.

use hashbrown::{Equivalent, HashMap};

use super::events::{Attribute, Value};
use super::names::Names;
use crate::model::{FieldKind, Table};
use crate::reader::paje::column_name;
use crate::reader::{EventWriter, ExtraFieldId, ExtraRole, ExtraValue};

/// An extra field with its value.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Owned {
    field: ExtraFieldId,
    value: OwnedValue,
}

#[derive(Debug, Clone, PartialEq)]
enum OwnedValue {
    Int(i64),
    Double(f64),
    Text(String),
}

impl Owned {
    pub fn data(&self) -> (ExtraFieldId, ExtraValue<'_>) {
        let data = match &self.value {
            OwnedValue::Int(value) => ExtraValue::Int(*value),
            OwnedValue::Double(value) => ExtraValue::Double(*value),
            OwnedValue::Text(text) => ExtraValue::Text(text),
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
    fields: HashMap<(Table, String), (ExtraFieldId, FieldKind)>,
}

impl Columns {
    pub fn int(&mut self, table: Table, name: &str, value: i64, writer: &mut EventWriter<'_>) -> Owned {
        self.owned(table, name, OwnedValue::Int(value), writer)
    }

    pub fn text(&mut self, table: Table, name: &str, value: String, writer: &mut EventWriter<'_>) -> Owned {
        self.owned(table, name, OwnedValue::Text(value), writer)
    }

    /// The size of a link.
    pub fn bytes(&mut self, bytes: u64, writer: &mut EventWriter<'_>) -> Owned {
        let field = writer.field(Table::Links, "bytes", FieldKind::Int, ExtraRole::Volume);
        Owned { field, value: OwnedValue::Int(i64::try_from(bytes).unwrap_or(i64::MAX)) }
    }

    /// The attributes of an event.
    pub fn attributes(
        &mut self,
        table: Table,
        attributes: &[Attribute],
        names: &Names<'_>,
        writer: &mut EventWriter<'_>,
    ) -> Vec<Owned> {
        let owned = |attribute: &Attribute| {
            let value = match attribute.value {
                Value::Int(value) => OwnedValue::Int(value),
                Value::UInt(value) => i64::try_from(value).map_or(OwnedValue::Double(value as f64), OwnedValue::Int),
                Value::Double(value) => OwnedValue::Double(value),
                Value::Id(mapping, id) => OwnedValue::Text(names.of(mapping, id)),
            };
            self.owned(table, &names.attribute(attribute.attribute), value, writer)
        };
        attributes.iter().map(owned).collect()
    }

    /// A column has the kind of its first value; later ones are brought to it.
    fn owned(&mut self, table: Table, name: &str, value: OwnedValue, writer: &mut EventWriter<'_>) -> Owned {
        let known = self.fields.get(&ColumnKey(table, name)).copied();
        let (field, kind) = known.unwrap_or_else(|| {
            let kind = match value {
                OwnedValue::Int(_) => FieldKind::Int,
                OwnedValue::Double(_) => FieldKind::Double,
                OwnedValue::Text(_) => FieldKind::Text,
            };
            let field = writer.field(table, &column_name(table, name), kind, ExtraRole::Column);
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
