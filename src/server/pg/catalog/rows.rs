//! The rows of pg_catalog: what the inventory holds, in the columns of PostgreSQL.

use super::client::CatalogClient;
use super::inventory::Inventory;
use super::numbers::{DATABASE, INFORMATION_SCHEMA, PG_CATALOG};
use super::relations::{ColumnEntry, Relation};
use super::routines::Routine;
use super::types::TYPES;
use super::value::CatalogValue;

/// Numbers of the catalogs that comments belong to.
const OF_CLASS: i64 = 1259;
const OF_PROC: i64 = 1255;
const OF_NAMESPACE: i64 = 2615;

/// The access method of tables.
const HEAP: i64 = 2;

/// The rows of a table, without its constant columns; `None`: it is not one of these.
pub(super) fn rows(table: &str, inventory: &Inventory, client: &CatalogClient) -> Option<Vec<Vec<CatalogValue>>> {
    let rows = match table {
        "pg_namespace" => {
            inventory.schemas.iter().map(|schema| vec![int(schema.number), CatalogValue::of(&schema.name)]).collect()
        }
        "pg_class" => inventory.relations.iter().map(class).collect(),
        "pg_attribute" => inventory.relations.iter().flat_map(attributes).collect(),
        "pg_proc" => inventory.routines.iter().map(procedure).collect(),
        "pg_description" => descriptions(inventory),
        "pg_database" => vec![vec![int(DATABASE), CatalogValue::of(&client.database)]],
        "pg_roles" | "pg_authid" | "pg_user" => vec![vec![CatalogValue::of(&client.user)]],
        "pg_settings" => settings(client),
        "pg_tables" => {
            let tables = inventory.relations.iter().filter(|relation| relation.letter() == "r");
            tables
                .map(|table| {
                    vec![
                        CatalogValue::of(&table.schema_name),
                        CatalogValue::of(&table.name),
                        CatalogValue::of(&client.user),
                    ]
                })
                .collect()
        }
        "pg_views" => {
            let view = |view: &Relation| {
                let definition = view.definition().map_or(CatalogValue::Null, CatalogValue::of);
                vec![
                    CatalogValue::of(&view.schema_name),
                    CatalogValue::of(&view.name),
                    CatalogValue::of(&client.user),
                    definition,
                ]
            };
            inventory.relations.iter().filter(|relation| relation.letter() == "v").map(view).collect()
        }
        "pg_language" => vec![vec![int(12), CatalogValue::of("internal")], vec![int(14), CatalogValue::of("sql")]],
        "pg_tablespace" => vec![vec![int(1663), CatalogValue::of("pg_default")]],
        "pg_timezone_names" => {
            vec![vec![CatalogValue::of("UTC"), CatalogValue::of("UTC"), CatalogValue::of("00:00:00")]]
        }
        _ => return None,
    };
    Some(rows)
}

pub(super) fn int(number: i32) -> CatalogValue {
    CatalogValue::Int(number.into())
}

pub(super) fn is_system(relation: &Relation) -> bool {
    relation.schema == PG_CATALOG || relation.schema == INFORMATION_SCHEMA
}

fn class(relation: &Relation) -> Vec<CatalogValue> {
    let is_table = relation.letter() == "r";
    vec![
        int(relation.number),
        CatalogValue::of(&relation.name),
        int(relation.schema),
        CatalogValue::Int(if is_table { HEAP } else { 0 }),
        CatalogValue::Int(relation.rows),
        CatalogValue::of(relation.letter()),
        CatalogValue::Int(relation.columns.len() as i64),
    ]
}

fn attributes(relation: &Relation) -> impl Iterator<Item = Vec<CatalogValue>> {
    relation.columns.iter().zip(1..).map(|(column, place)| attribute(relation, column, place))
}

fn attribute(relation: &Relation, column: &ColumnEntry, place: i64) -> Vec<CatalogValue> {
    let kind = TYPES.get(column.kind);
    let length = kind.map_or(-1, |kind| kind.length);
    vec![
        int(relation.number),
        CatalogValue::of(&column.name),
        int(column.kind),
        CatalogValue::Int(length.into()),
        CatalogValue::Int(place),
        CatalogValue::Bool((1..=8).contains(&length)),
        CatalogValue::of(if length < 0 { "x" } else { "p" }),
        CatalogValue::Bool(!column.is_nullable),
        int(kind.map_or(0, |kind| kind.collation)),
    ]
}

fn procedure(routine: &Routine) -> Vec<CatalogValue> {
    let given = routine.arguments.iter().map(|argument| (argument.name, argument.kind, "i"));
    let shown = routine.columns.iter().map(|(name, kind)| (*name, *kind, "t"));
    let all: Vec<(&str, i32, &str)> = given.chain(shown).collect();
    let list = |item: fn(&(&str, i32, &str)) -> CatalogValue| CatalogValue::List(all.iter().map(item).collect());
    let types: Vec<String> = routine.arguments.iter().map(|argument| argument.kind.to_string()).collect();
    let defaults: Vec<&str> = routine.arguments.iter().filter_map(|argument| argument.default.as_deref()).collect();
    vec![
        int(routine.number),
        CatalogValue::of(routine.name),
        int(routine.schema),
        CatalogValue::Int(if routine.is_table { 1000 } else { 0 }),
        CatalogValue::of(routine.letter),
        CatalogValue::Bool(routine.is_table),
        CatalogValue::Int(routine.arguments.len() as i64),
        CatalogValue::Int(defaults.len() as i64),
        int(routine.result),
        CatalogValue::of(types.join(" ")),
        if routine.is_table { list(|(_, kind, _)| int(*kind)) } else { CatalogValue::Null },
        if routine.is_table { list(|(_, _, mode)| CatalogValue::of(*mode)) } else { CatalogValue::Null },
        if all.is_empty() { CatalogValue::Null } else { list(|(name, _, _)| CatalogValue::of(*name)) },
        if defaults.is_empty() { CatalogValue::Null } else { CatalogValue::of(defaults.join(", ")) },
        CatalogValue::of(&routine.source),
    ]
}

fn descriptions(inventory: &Inventory) -> Vec<Vec<CatalogValue>> {
    let mut rows = vec![];
    let mut add = |object: i32, class: i64, part: i64, text: &str| {
        if !text.is_empty() {
            rows.push(vec![int(object), CatalogValue::Int(class), CatalogValue::Int(part), CatalogValue::of(text)]);
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

fn settings(client: &CatalogClient) -> Vec<Vec<CatalogValue>> {
    let row = |(name, setting): (String, String)| {
        vec![
            CatalogValue::of(name),
            CatalogValue::of(setting.clone()),
            CatalogValue::of(setting.clone()),
            CatalogValue::of(setting),
        ]
    };
    client.settings().into_iter().map(row).collect()
}
