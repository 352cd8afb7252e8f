//! The rows of pg_catalog: what the inventory holds, in the columns of PostgreSQL.

use super::inventory::Inventory;
use super::numbers::{DATABASE, INFORMATION_SCHEMA, PG_CATALOG};
use super::relations::{ColumnEntry, Relation};
use super::routines::Routine;
use super::types::TYPES;
use super::value::{CatalogValue, row};
use crate::pg::session_user::SessionUser;

/// Numbers of the catalogs that comments belong to.
const OF_CLASS: i64 = 1259;
const OF_PROC: i64 = 1255;
const OF_NAMESPACE: i64 = 2615;

/// The access method of tables.
const HEAP: i64 = 2;

/// The rows of a table, without its constant columns; `None`: it is not one of these.
pub(super) fn rows(table: &str, inventory: &Inventory, client: &SessionUser) -> Option<Vec<Vec<CatalogValue>>> {
    let (relations, user) = (inventory.relations.iter(), &client.user);
    let rows = match table {
        "pg_namespace" => inventory.schemas.iter().map(|schema| row![schema.number, &schema.name]).collect(),
        "pg_class" => relations.map(class).collect(),
        "pg_attribute" => relations.flat_map(attributes).collect(),
        "pg_proc" => inventory.routines.iter().map(procedure).collect(),
        "pg_description" => descriptions(inventory),
        "pg_database" => vec![row![DATABASE, &client.database]],
        "pg_roles" | "pg_authid" | "pg_user" => vec![row![user]],
        "pg_settings" => client.settings.all().iter().map(|(name, value)| row![name, value, value, value]).collect(),
        "pg_tables" => {
            let tables = relations.filter(|relation| relation.letter() == "r");
            tables.map(|table| row![&table.schema_name, &table.name, user]).collect()
        }
        "pg_views" => {
            let views = relations.filter(|relation| relation.letter() == "v");
            views.map(|view| row![&view.schema_name, &view.name, user, view.definition()]).collect()
        }
        "pg_language" => vec![row![12, "internal"], row![14, "sql"]],
        "pg_tablespace" => vec![row![1663, "pg_default"]],
        "pg_timezone_names" => vec![row!["UTC", "UTC", "00:00:00"]],
        _ => return None,
    };
    Some(rows)
}

pub(super) fn is_system(relation: &Relation) -> bool {
    relation.schema == PG_CATALOG || relation.schema == INFORMATION_SCHEMA
}

fn class(relation: &Relation) -> Vec<CatalogValue> {
    let access_method = if relation.letter() == "r" { HEAP } else { 0 };
    let Relation { number, name, schema, rows, .. } = relation;
    row![*number, name, *schema, access_method, *rows, relation.letter(), relation.columns.len() as i64]
}

fn attributes(relation: &Relation) -> impl Iterator<Item = Vec<CatalogValue>> {
    relation.columns.iter().zip(1..).map(|(column, place)| attribute(relation, column, place))
}

fn attribute(relation: &Relation, column: &ColumnEntry, place: i64) -> Vec<CatalogValue> {
    let kind = TYPES.get(column.kind);
    let length = kind.map_or(-1, |kind| kind.length);
    row![
        relation.number,
        &column.name,
        column.kind,
        i32::from(length),
        place,
        (1..=8).contains(&length),
        if length < 0 { "x" } else { "p" },
        !column.is_nullable,
        kind.map_or(0, |kind| kind.collation),
    ]
}

fn procedure(routine: &Routine) -> Vec<CatalogValue> {
    let given = routine.arguments.iter().map(|argument| (argument.name, argument.kind, "i"));
    let shown = routine.columns.iter().map(|(name, kind)| (*name, *kind, "t"));
    let all: Vec<(&str, i32, &str)> = given.chain(shown).collect();
    let list = |item: fn(&(&str, i32, &str)) -> CatalogValue| CatalogValue::List(all.iter().map(item).collect());
    let types: Vec<String> = routine.arguments.iter().map(|argument| argument.kind.to_string()).collect();
    let defaults: Vec<&str> = routine.arguments.iter().filter_map(|argument| argument.default.as_deref()).collect();
    row![
        routine.number,
        routine.name,
        routine.schema,
        if routine.is_table { 1000 } else { 0 },
        routine.letter,
        routine.is_table,
        routine.arguments.len() as i64,
        defaults.len() as i64,
        routine.result,
        types.join(" "),
        routine.is_table.then(|| list(|(_, kind, _)| (*kind).into())),
        routine.is_table.then(|| list(|(_, _, mode)| (*mode).into())),
        (!all.is_empty()).then(|| list(|(name, _, _)| (*name).into())),
        (!defaults.is_empty()).then(|| defaults.join(", ")),
        &routine.source,
    ]
}

fn descriptions(inventory: &Inventory) -> Vec<Vec<CatalogValue>> {
    let mut rows = vec![];
    let mut add = |object: i32, class: i64, part: i64, text: &str| {
        if !text.is_empty() {
            rows.push(row![object, class, part, text]);
        }
    };
    for schema in &inventory.schemas {
        add(schema.number, OF_NAMESPACE, 0, &schema.doc);
    }
    for relation in &inventory.relations {
        add(relation.number, OF_CLASS, 0, &relation.doc);
        for (column, place) in relation.columns.iter().zip(1..) {
            add(relation.number, OF_CLASS, place, &column.doc);
        }
    }
    for routine in &inventory.routines {
        add(routine.number, OF_PROC, 0, routine.doc);
    }
    rows
}
