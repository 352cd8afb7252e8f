//! Fields of events become columns.
//!
//! In: the layouts of all events, then fields with their values. Out: extra fields; a column has one kind for the whole
//! trace.

use hashbrown::{Equivalent, HashMap};

use super::decoder::FieldValue;
use super::layout::EventLayout;
use crate::model::{FieldKind, StoredTable};
use crate::reader::paje::column_name;
use crate::reader::{EventWriter, ExtraFieldId, ExtraRole, ExtraValue};

/// Looks a column up without a copy of its name.
#[derive(Hash)]
struct CtfColumnKey<'a>(StoredTable, &'a str);

impl Equivalent<(StoredTable, String)> for CtfColumnKey<'_> {
    fn equivalent(&self, key: &(StoredTable, String)) -> bool {
        (self.0, self.1) == (key.0, key.1.as_str())
    }
}

/// The columns of a trace.
#[derive(Debug, Default)]
pub(super) struct CtfColumns {
    kinds: HashMap<String, FieldKind>,
    fields: HashMap<(StoredTable, String), ExtraFieldId>,
}

impl CtfColumns {
    /// Takes the fields of a kind of event; all are taken before the first value.
    pub fn observe(&mut self, layout: &EventLayout) {
        for (name, kind) in &layout.columns {
            match self.kinds.get_mut(name) {
                None => {
                    self.kinds.insert(name.clone(), *kind);
                }
                Some(known) if *known == *kind => (),
                Some(known) => {
                    let are_numbers = |one: FieldKind| matches!(one, FieldKind::Int | FieldKind::Double);
                    let both = are_numbers(*known) && are_numbers(*kind);
                    *known = if both { FieldKind::Double } else { FieldKind::Text };
                }
            }
        }
    }

    /// Adds the fields of an event to what is emitted next.
    pub fn add(
        &mut self,
        table: StoredTable,
        layout: &EventLayout,
        fields: &[FieldValue],
        writer: &mut EventWriter<'_>,
    ) {
        for ((name, _), value) in layout.columns.iter().zip(fields) {
            let kind = self.kinds.get(name).copied().unwrap_or(FieldKind::Text);
            let field = self.field(table, name, kind, writer);
            match (kind, value) {
                (_, FieldValue::None) => (),
                (FieldKind::Int, FieldValue::Int(number)) => writer.add_field(field, ExtraValue::Int(*number)),
                (FieldKind::Int, FieldValue::UInt(number)) => writer.add_field(field, ExtraValue::UInt(*number)),
                (FieldKind::Double, FieldValue::Int(number)) => {
                    writer.add_field(field, ExtraValue::Double(*number as f64));
                }
                (FieldKind::Double, FieldValue::UInt(number)) => {
                    writer.add_field(field, ExtraValue::Double(*number as f64));
                }
                (FieldKind::Double, FieldValue::Double(number)) => writer.add_field(field, ExtraValue::Double(*number)),
                (FieldKind::Int | FieldKind::Double, _) => (),
                (_, FieldValue::Text(text) | FieldValue::Json(text)) => writer.add_field(field, ExtraValue::Text(text)),
                (_, other) => writer.add_field(field, ExtraValue::Text(&other.text())),
            }
        }
    }

    fn field(&mut self, table: StoredTable, name: &str, kind: FieldKind, writer: &mut EventWriter<'_>) -> ExtraFieldId {
        if let Some(field) = self.fields.get(&CtfColumnKey(table, name)) {
            return *field;
        }
        let field = writer.field(table, &column_name(table, name), kind, ExtraRole::Column);
        self.fields.insert((table, name.to_string()), field);
        field
    }
}
