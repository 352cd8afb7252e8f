//! The stored tables, and what types are the types of.

/// The stored tables that grow with the trace or describe it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum StoredTable {
    /// Containers with their lifetimes.
    Containers,
    /// States with their nesting depth.
    States,
    /// Segments of the innermost states.
    StateSegments,
    /// Events without duration.
    Events,
    /// Variables as intervals of constant value.
    Variables,
    /// Links between containers.
    Links,
    /// The type tree.
    Types,
    /// Values of types.
    EntityValues,
    /// What was wrong with the trace.
    Diagnostics,
}

impl StoredTable {
    /// All stored tables.
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

    /// The SQL name.
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
    /// Of containers.
    Container,
    /// Of states.
    State,
    /// Of events.
    Event,
    /// Of variables.
    Variable,
    /// Of links.
    Link,
}

impl TypeKind {
    /// The name in SQL and in messages.
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
