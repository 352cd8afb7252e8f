//! The rows of information_schema: the same inventory, in the columns of the SQL standard.

use super::inventory::Inventory;
use super::relations::{ColumnEntry, Relation};
use super::routines::Routine;
use super::rows::is_system;
use super::types::{TYPES, oid};
use super::value::{CatalogValue, row};
use crate::pg::session_user::SessionUser;

/// The rows of a table, without its constant columns.
pub(super) fn rows(table: &str, inventory: &Inventory, client: &SessionUser) -> Vec<Vec<CatalogValue>> {
    let (database, user) = (&client.database, &client.user);
    let relations = inventory.relations.iter();
    match table {
        "information_schema_catalog_name" => vec![row![database]],
        "enabled_roles" => vec![row![user]],
        "schemata" => inventory.schemas.iter().map(|schema| row![database, &schema.name, user]).collect(),
        "tables" => {
            let kind = |relation: &Relation| if relation.letter() == "v" { "VIEW" } else { "BASE TABLE" };
            relations.map(|relation| row![database, &relation.schema_name, &relation.name, kind(relation)]).collect()
        }
        "columns" => relations.flat_map(|relation| columns(relation, database)).collect(),
        "views" => {
            let views = relations.filter(|relation| relation.letter() == "v");
            views.map(|view| row![database, &view.schema_name, &view.name, view.definition()]).collect()
        }
        "table_privileges" => {
            let tables = relations.filter(|relation| !is_system(relation));
            tables.map(|table| row![user, user, database, &table.schema_name, &table.name]).collect()
        }
        "routines" => inventory.routines.iter().map(|routine| routine_row(routine, inventory, database)).collect(),
        "parameters" => {
            inventory.routines.iter().flat_map(|routine| parameters(routine, inventory, database)).collect()
        }
        _ => vec![],
    }
}

fn columns(relation: &Relation, database: &str) -> Vec<Vec<CatalogValue>> {
    relation.columns.iter().zip(1..).map(|(column, place)| column_row(relation, column, place, database)).collect()
}

fn column_row(relation: &Relation, column: &ColumnEntry, place: i64, database: &str) -> Vec<CatalogValue> {
    let (precision, radix, scale) = numeric(column.kind);
    row![
        database,
        &relation.schema_name,
        &relation.name,
        &column.name,
        place,
        if column.is_nullable { "YES" } else { "NO" },
        data_type(column.kind),
        (column.kind == oid::TEXT).then_some(1 << 30),
        precision,
        radix,
        scale,
        (column.kind == oid::TIMESTAMPTZ).then_some(6),
        database,
        type_name(column.kind),
        place.to_string(),
    ]
}

/// The name of a type here: arrays are just that.
fn data_type(kind: i32) -> String {
    let name = TYPES.sql_name(kind, -1);
    if name.ends_with("[]") { "ARRAY".to_string() } else { name }
}

/// Digits, their base, and digits after the point.
fn numeric(kind: i32) -> (Option<i32>, Option<i32>, Option<i32>) {
    match kind {
        oid::INT2 => (Some(16), Some(2), Some(0)),
        oid::INT4 => (Some(32), Some(2), Some(0)),
        oid::INT8 => (Some(64), Some(2), Some(0)),
        oid::FLOAT8 => (Some(53), Some(2), None),
        oid::NUMERIC => (None, Some(10), None),
        _ => (None, None, None),
    }
}

fn specific_name(routine: &Routine) -> String {
    format!("{}_{}", routine.name, routine.number)
}

fn type_name(kind: i32) -> &'static str {
    TYPES.get(kind).map_or("text", |kind| &kind.name)
}

fn routine_row(routine: &Routine, inventory: &Inventory, database: &str) -> Vec<CatalogValue> {
    let schema = inventory.schema_name(routine.schema).unwrap_or_default();
    row![
        database,
        schema,
        specific_name(routine),
        database,
        schema,
        routine.name,
        data_type(routine.result),
        database,
        type_name(routine.result),
        &routine.source,
    ]
}

fn parameters(routine: &Routine, inventory: &Inventory, database: &str) -> Vec<Vec<CatalogValue>> {
    let given =
        routine.arguments.iter().map(|argument| (argument.name, argument.kind, "IN", argument.default.as_deref()));
    let shown = routine.columns.iter().map(|(name, kind)| (*name, *kind, "OUT", None));
    let schema = inventory.schema_name(routine.schema).unwrap_or_default();
    let row = |((name, kind, mode, default), place): ((&str, i32, &str, Option<&str>), i64)| {
        let (specific, shown) = (specific_name(routine), data_type(kind));
        row![database, schema, specific, place, mode, name, shown, database, type_name(kind), default]
    };
    given.chain(shown).zip(1..).map(row).collect()
}
