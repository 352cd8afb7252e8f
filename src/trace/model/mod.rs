//! What passes between the layers: names, events, finished entities.
//!
//! ```text
//! reader ── EventBatch, with local Symbols ──► simulator ── Rows ──► store
//! ```

mod batch;
mod event_kind;
mod kinds;
mod names;
mod rows;
mod shared_text;
mod word_table;
mod world_names;

pub use batch::{
    BatchSpan, Event, EventBatch, Extra, ExtraData, ExtraField, Extras, Fault, FieldKind, MOST_EXTRA_COLUMNS, Payload,
    Symbol,
};
pub use event_kind::EventKind;
pub use kinds::{StoredTable, TypeKind};
pub use names::{NameId, NameInterner};
pub use rows::{
    ContainerId, ContainerRow, EventRow, LinkRow, OwnedData, OwnedExtra, OwnedExtras, RowSink, StateRow, TypeId,
    TypeRow, ValueId, ValueRow, VariableRow, World, add_missing,
};
pub use shared_text::{RecentTexts, SharedText, cheap_hash, is_same_text};
pub use word_table::WordTable;
pub use world_names::{CopiedNames, WorldNames};
