//! The rows of pg_catalog: what the inventory holds, in the columns of PostgreSQL.

use super::client::Client;
use super::inventory::{ColumnEntry, Inventory, Relation};
use super::routines::Routine;
use super::types::TYPES;
use super::value::Value;
use super::{INFORMATION_SCHEMA, PG_CATALOG};

/// Numbers of the catalogues that comments belong to.
const OF_CLASS: i64 = 1259;
const OF_PROC: i64 = 1255;
const OF_NAMESPACE: i64 = 2615;

/// The access method of tables.
const HEAP: i64 = 2;

/// The rows of a table, without its constant columns; `None`: it is not one of these.
pub(super) fn rows(table: &str, inventory: &Inventory, client: &Client) -> Option<Vec<Vec<Value>>> {
    let rows = match table {
        "pg_namespace" => {
            inventory.schemas.iter().map(|schema| vec![int(schema.number), Value::of(&schema.name)]).collect()
        }
        "pg_class" => inventory.relations.iter().map(class).collect(),
        "pg_attribute" => inventory.relations.iter().flat_map(attributes).collect(),
        "pg_proc" => inventory.routines.iter().map(procedure).collect(),
        "pg_description" => descriptions(inventory),
        "pg_database" => vec![vec![int(super::DATABASE), Value::of(&client.database)]],
        "pg_roles" | "pg_authid" | "pg_user" => vec![vec![Value::of(&client.user)]],
        "pg_settings" => settings(client),
        "pg_tables" => {
            let tables = inventory.relations.iter().filter(|relation| relation.letter() == "r");
            tables
                .map(|table| vec![Value::of(&table.schema_name), Value::of(&table.name), Value::of(&client.user)])
                .collect()
        }
        "pg_views" => {
            let view = |view: &Relation| {
                let definition = view.definition().map_or(Value::Null, Value::of);
                vec![Value::of(&view.schema_name), Value::of(&view.name), Value::of(&client.user), definition]
            };
            inventory.relations.iter().filter(|relation| relation.letter() == "v").map(view).collect()
        }
        "pg_language" => vec![vec![int(12), Value::of("internal")], vec![int(14), Value::of("sql")]],
        "pg_tablespace" => vec![vec![int(1663), Value::of("pg_default")]],
        "pg_timezone_names" => vec![vec![Value::of("UTC"), Value::of("UTC"), Value::of("00:00:00")]],
        _ => return None,
    };
    Some(rows)
}

pub(super) fn int(number: i32) -> Value {
    Value::Int(number.into())
}

pub(super) fn is_system(relation: &Relation) -> bool {
    relation.schema == PG_CATALOG || relation.schema == INFORMATION_SCHEMA
}

fn class(relation: &Relation) -> Vec<Value> {
    let is_table = relation.letter() == "r";
    vec![
        int(relation.number),
        Value::of(&relation.name),
        int(relation.schema),
        Value::Int(if is_table { HEAP } else { 0 }),
        Value::Int(relation.rows),
        Value::of(relation.letter()),
        Value::Int(relation.columns.len() as i64),
    ]
}

fn attributes(relation: &Relation) -> impl Iterator<Item = Vec<Value>> {
    relation.columns.iter().zip(1..).map(|(column, place)| attribute(relation, column, place))
}

fn attribute(relation: &Relation, column: &ColumnEntry, place: i64) -> Vec<Value> {
    let kind = TYPES.get(column.kind);
    let length = kind.map_or(-1, |kind| kind.length);
    vec![
        int(relation.number),
        Value::of(&column.name),
        int(column.kind),
        Value::Int(length.into()),
        Value::Int(place),
        Value::Bool((1..=8).contains(&length)),
        Value::of(if length < 0 { "x" } else { "p" }),
        Value::Bool(!column.is_nullable),
        int(kind.map_or(0, |kind| kind.collation)),
    ]
}

fn procedure(routine: &Routine) -> Vec<Value> {
    let given = routine.arguments.iter().map(|argument| (argument.name, argument.kind, "i"));
    let shown = routine.columns.iter().map(|(name, kind)| (*name, *kind, "t"));
    let all: Vec<(&str, i32, &str)> = given.chain(shown).collect();
    let list = |item: fn(&(&str, i32, &str)) -> Value| Value::List(all.iter().map(item).collect());
    let types: Vec<String> = routine.arguments.iter().map(|argument| argument.kind.to_string()).collect();
    let defaults: Vec<&str> = routine.arguments.iter().filter_map(|argument| argument.default.as_deref()).collect();
    vec![
        int(routine.number),
        Value::of(routine.name),
        int(routine.schema),
        Value::Int(if routine.is_table { 1000 } else { 0 }),
        Value::of(routine.letter),
        Value::Bool(routine.is_table),
        Value::Int(routine.arguments.len() as i64),
        Value::Int(defaults.len() as i64),
        int(routine.result),
        Value::of(types.join(" ")),
        if routine.is_table { list(|(_, kind, _)| int(*kind)) } else { Value::Null },
        if routine.is_table { list(|(_, _, mode)| Value::of(*mode)) } else { Value::Null },
        if all.is_empty() { Value::Null } else { list(|(name, _, _)| Value::of(*name)) },
        if defaults.is_empty() { Value::Null } else { Value::of(defaults.join(", ")) },
        Value::of(&routine.source),
    ]
}

fn descriptions(inventory: &Inventory) -> Vec<Vec<Value>> {
    let mut rows = vec![];
    let mut add = |object: i32, class: i64, part: i64, text: &str| {
        if !text.is_empty() {
            rows.push(vec![int(object), Value::Int(class), Value::Int(part), Value::of(text)]);
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

fn settings(client: &Client) -> Vec<Vec<Value>> {
    let row = |(name, setting): (String, String)| {
        vec![Value::of(name), Value::of(setting.clone()), Value::of(setting.clone()), Value::of(setting)]
    };
    client.settings().into_iter().map(row).collect()
}
