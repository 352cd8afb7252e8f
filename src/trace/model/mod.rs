//! What passes between the layers: names, events, finished entities.
//!
//! ```text
//! reader ── Batch of Events, with local Symbols ──► simulator ── Rows ──► writer
//! ```

mod batch;
mod names;
mod rows;

pub use batch::{
    Batch, Event, EventKind, Extra, ExtraData, ExtraField, Extras, Fault, FieldKind, Payload, Span, Symbol,
};
pub use names::{NameId, Names};
pub use rows::{
    ContainerId, ContainerRow, EventRow, LinkRow, OwnedData, OwnedExtra, OwnedExtras, RowSink, StateRow, Table, TypeId,
    TypeKind, TypeRow, ValueId, ValueRow, VariableRow, World,
};
