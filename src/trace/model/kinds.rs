//! The stored tables, and what types are the types of.

/// The stored tables that grow with the trace or describe it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum StoredTable {
    Containers,
    States,
    StateSegments,
    Events,
    Variables,
    Links,
    Types,
    EntityValues,
    Diagnostics,
}

impl StoredTable {
    pub const ALL: [StoredTable; 9] = [
        StoredTable::Containers,
        StoredTable::States,
        StoredTable::StateSegments,
        StoredTable::Events,
        StoredTable::Variables,
        StoredTable::Links,
        StoredTable::Types,
        StoredTable::EntityValues,
        StoredTable::Diagnostics,
    ];

    pub fn name(self) -> &'static str {
        match self {
            StoredTable::Containers => "containers",
            StoredTable::States => "states",
            StoredTable::StateSegments => "state_segments",
            StoredTable::Events => "events",
            StoredTable::Variables => "variables",
            StoredTable::Links => "links",
            StoredTable::Types => "types",
            StoredTable::EntityValues => "entity_values",
            StoredTable::Diagnostics => "diagnostics",
        }
    }
}

/// What a type is the type of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TypeKind {
    Container,
    State,
    Event,
    Variable,
    Link,
}

impl TypeKind {
    pub fn name(self) -> &'static str {
        match self {
            TypeKind::Container => "container",
            TypeKind::State => "state",
            TypeKind::Event => "event",
            TypeKind::Variable => "variable",
            TypeKind::Link => "link",
        }
    }
}
