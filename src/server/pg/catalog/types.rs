//! PostgreSQL's types: their numbers and names, and those of our columns.
//!
//! The list of types comes from datafusion-pg-catalog, less the row types of tables that are not here.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use arrow::array::{AsArray, BooleanArray, RecordBatch, StringArray};
use arrow::compute::filter_record_batch;
use arrow::datatypes::{Int32Type, SchemaRef};
use datafusion_pg_catalog::pg_catalog::{ArrowTable, PgCatalogStaticTables};

use super::table::mark;
use ocellus_trace::schema::ColumnType;

/// Numbers of types, as all PostgreSQL servers have them.
pub(super) mod oid {
    pub(in crate::pg::catalog) const BOOL: i32 = 16;
    pub(in crate::pg::catalog) const INT8: i32 = 20;
    pub(in crate::pg::catalog) const INT2: i32 = 21;
    pub(in crate::pg::catalog) const INT4: i32 = 23;
    pub(in crate::pg::catalog) const TEXT: i32 = 25;
    pub(in crate::pg::catalog) const JSON: i32 = 114;
    pub(in crate::pg::catalog) const FLOAT8: i32 = 701;
    pub(in crate::pg::catalog) const TIMESTAMPTZ: i32 = 1184;
    pub(in crate::pg::catalog) const NUMERIC: i32 = 1700;
    pub(in crate::pg::catalog) const REGCLASS: i32 = 2205;
    pub(in crate::pg::catalog) const RECORD: i32 = 2249;
}

/// The tables of PostgreSQL's catalogs that never change.
pub(super) static STATIC: LazyLock<Arc<PgCatalogStaticTables>> = LazyLock::new(|| {
    Arc::new(PgCatalogStaticTables::try_new().expect("the embedded tables are whole: a test reads them"))
});

/// All types.
pub(super) static TYPES: LazyLock<TypeTable> = LazyLock::new(TypeTable::read);

/// Types by number and by name, and the rows of pg_type.
pub(super) struct TypeTable {
    entries: BTreeMap<i32, PgTypeEntry>,
    numbers: BTreeMap<String, i32>,
    pub(super) rows: RecordBatch,
}

pub(super) struct PgTypeEntry {
    pub(super) name: String,
    /// Bytes of a value; -1: it varies.
    pub(super) length: i16,
    /// The type of elements, for arrays.
    element: i32,
    pub(super) collation: i32,
}

/// How SQL calls the types whose catalog name is another.
const SQL_NAMES: &[(&str, &str)] = &[
    ("bit", "bit"),
    ("bool", "boolean"),
    ("bpchar", "character"),
    ("char", "\"char\""),
    ("float4", "real"),
    ("float8", "double precision"),
    ("int2", "smallint"),
    ("int4", "integer"),
    ("int8", "bigint"),
    ("time", "time without time zone"),
    ("timestamp", "timestamp without time zone"),
    ("timestamptz", "timestamp with time zone"),
    ("timetz", "time with time zone"),
    ("varbit", "bit varying"),
    ("varchar", "character varying"),
];

/// Other names that SQL accepts.
const SYNONYMS: &[(&str, &str)] = &[
    ("int", "int4"),
    ("float", "float8"),
    ("double", "float8"),
    ("decimal", "numeric"),
    ("char", "bpchar"),
    ("string", "text"),
];

impl TypeTable {
    fn read() -> TypeTable {
        let rows = own_types(&STATIC.pg_type);
        let (numbers, names) = (int4(&rows, "oid"), text(&rows, "typname"));
        let (elements, collations) = (int4(&rows, "typelem"), int4(&rows, "typcollation"));
        let lengths = rows.column_by_name("typlen").map(|column| column.as_primitive::<arrow::datatypes::Int16Type>());
        let mut types = TypeTable { entries: BTreeMap::new(), numbers: BTreeMap::new(), rows: rows.clone() };
        for row in 0..rows.num_rows() {
            let name = names.value(row).to_string();
            types.numbers.insert(name.clone(), numbers[row]);
            let length = lengths.map_or(-1, |lengths| lengths.value(row));
            // Types such as name and point are made of elements, and are no arrays.
            let element = if name.starts_with('_') { elements[row] } else { 0 };
            types.entries.insert(numbers[row], PgTypeEntry { name, length, element, collation: collations[row] });
        }
        types
    }

    pub(super) fn get(&self, number: i32) -> Option<&PgTypeEntry> {
        self.entries.get(&number)
    }

    /// A type as SQL writes it.
    pub(super) fn sql_name(&self, number: i32, modifier: i32) -> String {
        let Some(entry) = self.get(number) else {
            return if number == 0 { "-".to_string() } else { "???".to_string() };
        };
        if entry.element != 0 {
            return format!("{}[]", self.sql_name(entry.element, modifier));
        }
        let known = SQL_NAMES.iter().find(|(name, _)| *name == entry.name);
        let name = known.map_or(entry.name.as_str(), |(_, name)| name);
        match entry.name.as_str() {
            "varchar" | "bpchar" if modifier > 4 => format!("{name}({})", modifier - 4),
            "numeric" if modifier > 4 => format!("{name}({},{})", (modifier - 4) >> 16, (modifier - 4) & 0xffff),
            _ => name.to_string(),
        }
    }

    /// The number of a type, by its catalog name or by its SQL name.
    pub(super) fn number(&self, name: &str) -> Option<i32> {
        let name = name.trim().trim_start_matches("pg_catalog.").to_lowercase();
        if let Some(element) = name.strip_suffix("[]") {
            let element = self.get(self.number(element)?)?;
            return self.numbers.get(&format!("_{}", element.name)).copied();
        }
        let name = name.split('(').next().unwrap_or_default().trim().to_string();
        let named = |list: &[(&'static str, &'static str)], find: fn(&(&'static str, &'static str), &str) -> bool| {
            list.iter().find(|pair| find(pair, &name)).copied()
        };
        if let Some((catalog, _)) = named(SQL_NAMES, |pair, name| pair.1 == name) {
            return self.numbers.get(catalog).copied();
        }
        if let Some((_, catalog)) = named(SYNONYMS, |pair, name| pair.0 == name) {
            return self.numbers.get(catalog).copied();
        }
        self.numbers.get(name.trim_matches('"')).copied()
    }

    /// The number of the type of arrays of a type.
    fn array_of(&self, element: i32) -> i32 {
        let name = self.get(element).map(|entry| format!("_{}", entry.name));
        name.and_then(|name| self.numbers.get(&name).copied()).unwrap_or(oid::TEXT)
    }
}

/// The type that a column of a stored table has for clients.
pub(super) fn of_column(kind: ColumnType) -> i32 {
    match kind {
        ColumnType::Integer => oid::INT4,
        ColumnType::BigInt => oid::INT8,
        ColumnType::UBigInt => oid::NUMERIC,
        ColumnType::Double => oid::FLOAT8,
        ColumnType::Text => oid::TEXT,
        ColumnType::Boolean => oid::BOOL,
        ColumnType::Timestamp => oid::TIMESTAMPTZ,
    }
}

/// The type of a documented column of a view or function.
pub(super) fn of_documentation(kind: &str) -> i32 {
    if let Some(element) = kind.strip_suffix("[]") {
        return match of_documentation(element) {
            // As the values are sent: see `pg::types`.
            oid::RECORD | oid::JSON => oid::JSON,
            element => TYPES.array_of(element),
        };
    }
    if let Some(element) = kind.strip_prefix("List(") {
        return TYPES.array_of(of_documentation(element.trim_end_matches(')')));
    }
    match kind {
        "INTEGER" | "Int32" => oid::INT4,
        "SMALLINT" | "Int16" => oid::INT2,
        "BIGINT" | "Int64" => oid::INT8,
        "BIGINT UNSIGNED" | "UInt64" => oid::NUMERIC,
        "DOUBLE" | "Float64" => oid::FLOAT8,
        "BOOLEAN" | "Boolean" => oid::BOOL,
        "TIMESTAMP" | "TIMESTAMPTZ" | "TIMESTAMP WITH TIME ZONE" => oid::TIMESTAMPTZ,
        kind if kind.starts_with("STRUCT") => oid::RECORD,
        _ => oid::TEXT,
    }
}

/// The rows of pg_type that a server without tables of its own would have: no row types, no domains.
fn own_types(table: &ArrowTable) -> RecordBatch {
    let [rows] = table.data() else { return RecordBatch::new_empty(table.schema()) };
    let of_rows = int4(rows, "typrelid");
    let (numbers, elements, spaces) = (int4(rows, "oid"), int4(rows, "typelem"), int4(rows, "typnamespace"));
    let kept: Vec<bool> =
        (0..rows.num_rows()).map(|row| of_rows[row] == 0 && spaces[row] == super::numbers::PG_CATALOG).collect();
    let is_kept = |number: i32| numbers.iter().position(|other| *other == number).is_some_and(|row| kept[row]);
    let filter: BooleanArray =
        (0..rows.num_rows()).map(|row| Some(kept[row] && (elements[row] == 0 || is_kept(elements[row])))).collect();
    let rows = filter_record_batch(rows, &filter).unwrap_or_else(|_| RecordBatch::new_empty(table.schema()));
    mark(&procedures_as_numbers(&rows))
}

/// A function that is not there is `-` as text and 0 as a number; clients compare with 0.
fn procedures_as_numbers(rows: &RecordBatch) -> RecordBatch {
    let schema: SchemaRef = rows.schema();
    let columns = schema.fields().iter().zip(rows.columns()).map(|(field, column)| {
        let is_procedure =
            ["typinput", "typoutput", "typreceive", "typsend", "typmodin", "typmodout", "typanalyze", "typsubscript"]
                .contains(&field.name().as_str());
        match column.as_string_opt::<i32>() {
            Some(names) if is_procedure => {
                let numbers = names.iter().map(|name| if name == Some("-") { Some("0") } else { name });
                Arc::new(numbers.collect::<StringArray>()) as _
            }
            _ => Arc::clone(column),
        }
    });
    let columns = columns.collect();
    RecordBatch::try_new(schema, columns).unwrap_or_else(|_| rows.clone())
}

fn int4(rows: &RecordBatch, name: &str) -> Vec<i32> {
    let column = rows.column_by_name(name).and_then(|column| column.as_primitive_opt::<Int32Type>());
    column.map(|column| column.values().to_vec()).unwrap_or_else(|| vec![0; rows.num_rows()])
}

fn text<'a>(rows: &'a RecordBatch, name: &str) -> &'a StringArray {
    rows.column_by_name(name)
        .map(|column| column.as_string::<i32>())
        .expect("pg_type has text columns: a test reads them")
}
