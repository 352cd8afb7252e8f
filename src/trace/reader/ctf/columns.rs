//! Fields of events become columns.
//!
//! In: the layouts of all events, then fields with their values. Out: extra fields; a column has one kind for the whole
//! trace.

use hashbrown::HashMap;

use super::decoder::FieldValue;
use super::layout::EventLayout;
use crate::model::{FieldKind, StoredTable};
use crate::reader::paje::column_name;
use crate::reader::{EventWriter, ExtraFieldId, ExtraRole, ExtraValue};

/// The columns of the fields of a layout.
type LayoutColumns = Vec<(FieldKind, ExtraFieldId)>;

/// The columns of a trace.
#[derive(Debug, Default)]
pub(super) struct CtfColumns {
    kinds: HashMap<String, FieldKind>,
    /// By layout: the columns of its fields, in each table that it was seen in.
    fields: Vec<Vec<(StoredTable, LayoutColumns)>>,
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
        for ((kind, field), value) in self.of_layout(table, layout, writer).iter().zip(fields) {
            let (kind, field) = (*kind, *field);
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

    /// The columns of the fields of a layout, declared at its first event.
    fn of_layout(
        &mut self,
        table: StoredTable,
        layout: &EventLayout,
        writer: &mut EventWriter<'_>,
    ) -> &[(FieldKind, ExtraFieldId)] {
        let number = layout.number as usize;
        if self.fields.len() <= number {
            self.fields.resize_with(number + 1, Vec::new);
        }
        let tables = &mut self.fields[number];
        let place = tables.iter().position(|(known, _)| *known == table).unwrap_or_else(|| {
            let declare = |(name, _): &(String, FieldKind)| {
                let kind = self.kinds.get(name).copied().unwrap_or(FieldKind::Text);
                (kind, writer.field(table, &column_name(table, name), kind, ExtraRole::Column))
            };
            tables.push((table, layout.columns.iter().map(declare).collect()));
            tables.len() - 1
        });
        &tables[place].1
    }
}
