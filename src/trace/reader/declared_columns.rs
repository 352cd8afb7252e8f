//! The extra columns that the records of a trace declare, as many as tables have room for.

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::sync::Arc;

use hashbrown::HashMap;

use super::event_fields::{ExtraFieldId, ExtraRole};
use crate::model::{ExtraField, Extras, FieldKind, MOST_EXTRA_COLUMNS, StoredTable};

/// The extra columns of all tables.
#[derive(Debug, Default)]
pub(super) struct DeclaredColumns {
    fields: Extras,
    /// The places of fields, by table and column.
    places: HashMap<StoredTable, HashMap<String, u32>>,
    /// Tables that have no room for what was declared.
    full: BTreeSet<&'static str>,
}

impl DeclaredColumns {
    /// The field of a column; the first declaration decides its kind.
    pub fn field(&mut self, table: StoredTable, column: &str, kind: FieldKind, role: ExtraRole) -> ExtraFieldId {
        let places = self.places.entry(table).or_default();
        if let Some(place) = places.get(column) {
            return ExtraFieldId(*place);
        }
        if places.len() >= MOST_EXTRA_COLUMNS {
            self.full.insert(table.name());
            return ExtraFieldId::LEFT_OUT;
        }
        let place = self.fields.len() as u32;
        places.insert(column.to_string(), place);
        let is_volume = role == ExtraRole::Volume;
        let (column, field) = (column.to_string(), column.to_string());
        Arc::make_mut(&mut self.fields).push(ExtraField { table, column, field, kind, is_volume });
        ExtraFieldId(place)
    }

    /// All fields, by their place.
    pub fn fields(&self) -> Extras {
        Arc::clone(&self.fields)
    }

    /// One sentence for each table that had no room; each is given once.
    pub fn take_warnings(&mut self) -> Vec<String> {
        let warn = |table| {
            format!(
                "further extra fields of {table} are not kept: a table has at most {MOST_EXTRA_COLUMNS} extra columns"
            )
        };
        std::mem::take(&mut self.full).into_iter().map(warn).collect()
    }
}
