//! The rows of information_schema: the same inventory, in the columns of the SQL standard.

use super::client::CatalogClient;
use super::inventory::Inventory;
use super::relations::{ColumnEntry, Relation};
use super::routines::Routine;
use super::rows::is_system;
use super::types::{TYPES, oid};
use super::value::CatalogValue;

/// The rows of a table, without its constant columns.
pub(super) fn rows(table: &str, inventory: &Inventory, client: &CatalogClient) -> Vec<Vec<CatalogValue>> {
    let database = || CatalogValue::of(&client.database);
    let user = || CatalogValue::of(&client.user);
    match table {
        "information_schema_catalog_name" => vec![vec![database()]],
        "enabled_roles" => vec![vec![user()]],
        "schemata" => {
            inventory.schemas.iter().map(|schema| vec![database(), CatalogValue::of(&schema.name), user()]).collect()
        }
        "tables" => inventory.relations.iter().map(|relation| table_row(relation, database())).collect(),
        "columns" => inventory.relations.iter().flat_map(|relation| columns(relation, &client.database)).collect(),
        "views" => {
            let views = inventory.relations.iter().filter(|relation| relation.letter() == "v");
            views
                .map(|view| {
                    vec![
                        database(),
                        CatalogValue::of(&view.schema_name),
                        CatalogValue::of(&view.name),
                        view.definition().map_or(CatalogValue::Null, CatalogValue::of),
                    ]
                })
                .collect()
        }
        "table_privileges" => {
            let tables = inventory.relations.iter().filter(|relation| !is_system(relation));
            tables
                .map(|table| {
                    vec![
                        user(),
                        user(),
                        database(),
                        CatalogValue::of(&table.schema_name),
                        CatalogValue::of(&table.name),
                    ]
                })
                .collect()
        }
        "routines" => {
            inventory.routines.iter().map(|routine| routine_row(routine, inventory, &client.database)).collect()
        }
        "parameters" => {
            inventory.routines.iter().flat_map(|routine| parameters(routine, inventory, &client.database)).collect()
        }
        _ => vec![],
    }
}

fn table_row(relation: &Relation, database: CatalogValue) -> Vec<CatalogValue> {
    let kind = if relation.letter() == "v" { "VIEW" } else { "BASE TABLE" };
    vec![database, CatalogValue::of(&relation.schema_name), CatalogValue::of(&relation.name), CatalogValue::of(kind)]
}

fn columns(relation: &Relation, database: &str) -> Vec<Vec<CatalogValue>> {
    relation.columns.iter().zip(1..).map(|(column, place)| column_row(relation, column, place, database)).collect()
}

fn column_row(relation: &Relation, column: &ColumnEntry, place: i64, database: &str) -> Vec<CatalogValue> {
    let optional = |value: Option<i64>| value.map_or(CatalogValue::Null, CatalogValue::Int);
    let (precision, radix, scale) = numeric(column.kind);
    vec![
        CatalogValue::of(database),
        CatalogValue::of(&relation.schema_name),
        CatalogValue::of(&relation.name),
        CatalogValue::of(&column.name),
        CatalogValue::Int(place),
        CatalogValue::of(if column.is_nullable { "YES" } else { "NO" }),
        CatalogValue::of(data_type(column.kind)),
        optional((column.kind == oid::TEXT).then_some(1 << 30)),
        optional(precision),
        optional(radix),
        optional(scale),
        optional((column.kind == oid::TIMESTAMPTZ).then_some(6)),
        CatalogValue::of(database),
        CatalogValue::of(TYPES.get(column.kind).map_or("text", |kind| &kind.name)),
        CatalogValue::of(place.to_string()),
    ]
}

/// The name of a type here: arrays are just that.
fn data_type(kind: i32) -> String {
    let name = TYPES.sql_name(kind, -1);
    if name.ends_with("[]") { "ARRAY".to_string() } else { name }
}

/// Digits, their base, and digits after the point.
fn numeric(kind: i32) -> (Option<i64>, Option<i64>, Option<i64>) {
    match kind {
        oid::INT2 => (Some(16), Some(2), Some(0)),
        oid::INT4 => (Some(32), Some(2), Some(0)),
        oid::INT8 => (Some(64), Some(2), Some(0)),
        oid::FLOAT8 => (Some(53), Some(2), None),
        oid::NUMERIC => (None, Some(10), None),
        _ => (None, None, None),
    }
}

fn specific_name(routine: &Routine) -> CatalogValue {
    CatalogValue::of(format!("{}_{}", routine.name, routine.number))
}

fn type_name(kind: i32) -> CatalogValue {
    CatalogValue::of(TYPES.get(kind).map_or("text", |kind| &kind.name))
}

fn routine_row(routine: &Routine, inventory: &Inventory, database: &str) -> Vec<CatalogValue> {
    let schema = || CatalogValue::of(inventory.schema_name(routine.schema).unwrap_or_default());
    vec![
        CatalogValue::of(database),
        schema(),
        specific_name(routine),
        CatalogValue::of(database),
        schema(),
        CatalogValue::of(routine.name),
        CatalogValue::of(data_type(routine.result)),
        CatalogValue::of(database),
        type_name(routine.result),
        CatalogValue::of(&routine.source),
    ]
}

fn parameters(routine: &Routine, inventory: &Inventory, database: &str) -> Vec<Vec<CatalogValue>> {
    let given =
        routine.arguments.iter().map(|argument| (argument.name, argument.kind, "IN", argument.default.as_deref()));
    let shown = routine.columns.iter().map(|(name, kind)| (*name, *kind, "OUT", None));
    let row = |((name, kind, mode, default), place): ((&str, i32, &str, Option<&str>), i64)| {
        vec![
            CatalogValue::of(database),
            CatalogValue::of(inventory.schema_name(routine.schema).unwrap_or_default()),
            specific_name(routine),
            CatalogValue::Int(place),
            CatalogValue::of(mode),
            CatalogValue::of(name),
            CatalogValue::of(data_type(kind)),
            CatalogValue::of(database),
            type_name(kind),
            default.map_or(CatalogValue::Null, CatalogValue::of),
        ]
    };
    given.chain(shown).zip(1..).map(row).collect()
}
