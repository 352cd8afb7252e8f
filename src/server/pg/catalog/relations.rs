//! Schemas, relations and columns as PostgreSQL's catalogs list them.

use std::sync::Arc;

use super::numbers::INFORMATION_SCHEMA;

/// A schema: a trace, or one of the catalogs.
pub(super) struct SchemaEntry {
    pub(super) number: i32,
    pub(super) name: String,
    pub(super) doc: String,
}

/// A table or view.
pub(super) struct Relation {
    pub(super) number: i32,
    /// Number of its schema.
    pub(super) schema: i32,
    pub(super) schema_name: String,
    pub(super) name: String,
    pub(super) kind: RelationKind,
    pub(super) doc: String,
    pub(super) rows: i64,
    pub(super) columns: Arc<[ColumnEntry]>,
}

/// What a relation is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RelationKind {
    Table,
    /// A view with its query.
    View(&'static str),
    /// Of the catalogs.
    System,
}

/// A column of a relation.
#[derive(Debug, Clone)]
pub(super) struct ColumnEntry {
    pub(super) name: String,
    /// Number of its type.
    pub(super) kind: i32,
    pub(super) is_nullable: bool,
    pub(super) doc: String,
}

impl Relation {
    /// The letter of pg_class.
    pub(super) fn letter(&self) -> &'static str {
        match self.kind {
            RelationKind::View(_) => "v",
            RelationKind::System if self.schema == INFORMATION_SCHEMA => "v",
            _ => "r",
        }
    }

    pub(super) fn definition(&self) -> Option<&'static str> {
        match self.kind {
            RelationKind::View(query) => Some(query),
            _ => None,
        }
    }
}
