//! The extra columns that all Chrome traces have.

use crate::model::{FieldKind, StoredTable};
use crate::reader::{EventWriter, ExtraFieldId, ExtraRole};

/// The extra columns of events beside their arguments.
pub(super) struct ChromeColumns {
    categories: [ExtraFieldId; 3],
    pub(super) source_slice: ExtraFieldId,
    pub(super) target_slice: ExtraFieldId,
}

impl ChromeColumns {
    pub fn declare(writer: &mut EventWriter<'_>) -> ChromeColumns {
        let mut text = |table, column| writer.field(table, column, FieldKind::Text, ExtraRole::Column);
        ChromeColumns {
            categories: [StoredTable::States, StoredTable::Events, StoredTable::Links]
                .map(|table| text(table, "category")),
            source_slice: text(StoredTable::Links, "source_slice"),
            target_slice: text(StoredTable::Links, "target_slice"),
        }
    }

    pub(super) fn category(&self, table: StoredTable) -> ExtraFieldId {
        match table {
            StoredTable::Events => self.categories[1],
            StoredTable::Links => self.categories[2],
            _ => self.categories[0],
        }
    }
}
