//! Extra columns: fields of records and attributes of events.

use hashbrown::{Equivalent, HashMap};

use super::events::{Attribute, AttributeValue};
use super::names::DefinitionNames;
use crate::model::{FieldKind, StoredTable};
use crate::reader::paje::column_name;
use crate::reader::{EventWriter, ExtraFieldId, ExtraRole, ExtraValue};

/// An extra field with its value.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct OwnedField {
    field: ExtraFieldId,
    value: OwnedValue,
}

#[derive(Debug, Clone, PartialEq)]
enum OwnedValue {
    Int(i64),
    Double(f64),
    Text(String),
}

impl OwnedField {
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
struct ColumnKey<'a>(StoredTable, &'a str);

impl Equivalent<(StoredTable, String)> for ColumnKey<'_> {
    fn equivalent(&self, key: &(StoredTable, String)) -> bool {
        (self.0, self.1) == (key.0, key.1.as_str())
    }
}

/// The columns so far.
#[derive(Debug, Default)]
pub(super) struct ExtraColumns {
    /// By table and name in the trace.
    fields: HashMap<(StoredTable, String), (ExtraFieldId, FieldKind)>,
}

impl ExtraColumns {
    pub fn int(&mut self, table: StoredTable, name: &str, value: i64, writer: &mut EventWriter<'_>) -> OwnedField {
        self.owned(table, name, OwnedValue::Int(value), writer)
    }

    pub fn text(&mut self, table: StoredTable, name: &str, value: String, writer: &mut EventWriter<'_>) -> OwnedField {
        self.owned(table, name, OwnedValue::Text(value), writer)
    }

    /// The size of a link.
    pub fn bytes(&mut self, bytes: u64, writer: &mut EventWriter<'_>) -> OwnedField {
        let field = writer.field(StoredTable::Links, "bytes", FieldKind::Int, ExtraRole::Volume);
        OwnedField { field, value: OwnedValue::Int(i64::try_from(bytes).unwrap_or(i64::MAX)) }
    }

    /// The attributes of an event.
    pub fn attributes(
        &mut self,
        table: StoredTable,
        attributes: &[Attribute],
        names: &DefinitionNames<'_>,
        writer: &mut EventWriter<'_>,
    ) -> Vec<OwnedField> {
        let owned = |attribute: &Attribute| {
            let value = match attribute.value {
                AttributeValue::Int(value) => OwnedValue::Int(value),
                AttributeValue::UInt(value) => {
                    i64::try_from(value).map_or(OwnedValue::Double(value as f64), OwnedValue::Int)
                }
                AttributeValue::Double(value) => OwnedValue::Double(value),
                AttributeValue::Id(mapping, id) => OwnedValue::Text(names.of(mapping, id)),
            };
            self.owned(table, &names.attribute(attribute.attribute), value, writer)
        };
        attributes.iter().map(owned).collect()
    }

    /// A column has the kind of its first value; later ones are brought to it.
    fn owned(&mut self, table: StoredTable, name: &str, value: OwnedValue, writer: &mut EventWriter<'_>) -> OwnedField {
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
        OwnedField { field, value }
    }
}
