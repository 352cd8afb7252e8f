//! What passes between the layers: names, events, finished entities.
//!
//! ```text
//! reader ── EventBatch, with local Symbols ──► simulator ── Rows ──► writer
//! ```

mod batch;
mod kinds;
mod names;
mod rows;

pub use batch::{
    BatchSpan, Event, EventBatch, EventKind, Extra, ExtraData, ExtraField, Extras, Fault, FieldKind, Payload, Symbol,
};
pub use kinds::{StoredTable, TypeKind};
pub use names::{NameId, NameInterner};
pub use rows::{
    ContainerId, ContainerRow, EventRow, LinkRow, OwnedData, OwnedExtra, OwnedExtras, RowSink, StateRow, TypeId,
    TypeRow, ValueId, ValueRow, VariableRow, World,
};
