//! The kinds of events, and the tables and types that they belong to.

use super::kinds::{StoredTable, TypeKind};

/// The events of the Pajé format, and one more; every other format is mapped to them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum EventKind {
    /// PajeDefineContainerType.
    DefineContainerType,
    /// PajeDefineStateType.
    DefineStateType,
    /// PajeDefineEventType.
    DefineEventType,
    /// PajeDefineVariableType.
    DefineVariableType,
    /// PajeDefineLinkType.
    DefineLinkType,
    /// PajeDefineEntityValue.
    DefineEntityValue,
    /// PajeCreateContainer.
    CreateContainer,
    /// PajeDestroyContainer.
    DestroyContainer,
    /// PajeSetState.
    SetState,
    /// PajePushState.
    PushState,
    /// PajePopState.
    PopState,
    /// PajeResetState.
    ResetState,
    /// PajeNewEvent.
    NewEvent,
    /// PajeSetVariable.
    SetVariable,
    /// PajeAddVariable.
    AddVariable,
    /// PajeSubVariable.
    SubVariable,
    /// PajeResetVariable.
    ResetVariable,
    /// PajeStartLink.
    StartLink,
    /// PajeEndLink.
    EndLink,
    /// The value of a variable since its last event, or since its container exists: a count between two reads of a
    /// counter. Pajé has no such event.
    MeasureVariable,
}

impl EventKind {
    /// All kinds, in the order of their declaration.
    pub const ALL: [EventKind; 20] = [
        EventKind::DefineContainerType,
        EventKind::DefineStateType,
        EventKind::DefineEventType,
        EventKind::DefineVariableType,
        EventKind::DefineLinkType,
        EventKind::DefineEntityValue,
        EventKind::CreateContainer,
        EventKind::DestroyContainer,
        EventKind::SetState,
        EventKind::PushState,
        EventKind::PopState,
        EventKind::ResetState,
        EventKind::NewEvent,
        EventKind::SetVariable,
        EventKind::AddVariable,
        EventKind::SubVariable,
        EventKind::ResetVariable,
        EventKind::StartLink,
        EventKind::EndLink,
        EventKind::MeasureVariable,
    ];

    /// The kind whose number, as cast to `u8`, this is.
    pub fn from_code(code: u8) -> Option<EventKind> {
        EventKind::ALL.get(code as usize).copied()
    }

    /// The kind of type that the event mentions; `None` for events that change the trees.
    #[inline(always)]
    pub fn type_kind(self) -> Option<TypeKind> {
        const KINDS: [Option<TypeKind>; 20] = {
            use TypeKind::{Event, Link, State, Variable};
            let mut kinds = [None; 20];
            let mut index = EventKind::SetState as usize;
            while index < kinds.len() {
                kinds[index] = Some(match EventKind::ALL[index] {
                    EventKind::NewEvent => Event,
                    EventKind::StartLink | EventKind::EndLink => Link,
                    EventKind::SetVariable
                    | EventKind::AddVariable
                    | EventKind::SubVariable
                    | EventKind::ResetVariable
                    | EventKind::MeasureVariable => Variable,
                    _ => State,
                });
                index += 1;
            }
            kinds
        };
        KINDS[self as usize]
    }

    /// Whether the event happens at a time.
    pub fn has_time(self) -> bool {
        self as u8 >= EventKind::CreateContainer as u8
    }

    /// The table that the event feeds.
    pub fn table(self) -> StoredTable {
        use EventKind::*;
        match self {
            DefineContainerType | DefineStateType | DefineEventType | DefineVariableType | DefineLinkType => {
                StoredTable::Types
            }
            DefineEntityValue => StoredTable::EntityValues,
            CreateContainer | DestroyContainer => StoredTable::Containers,
            SetState | PushState | PopState | ResetState => StoredTable::States,
            NewEvent => StoredTable::Events,
            SetVariable | AddVariable | SubVariable | ResetVariable | MeasureVariable => StoredTable::Variables,
            StartLink | EndLink => StoredTable::Links,
        }
    }
}
