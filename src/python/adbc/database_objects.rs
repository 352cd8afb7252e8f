//! What a database holds, for `AdbcConnectionGetObjects`: a catalog of schemas of tables of columns, one nested row. A trace
//! is a schema.

use std::sync::Arc;

use arrow::array::{ArrayRef, BooleanArray, RecordBatch, StringArray};
use arrow::compute::kernels::comparison::like;
use arrow::datatypes::{DataType, Field, Fields, Schema};
use arrow::json::ReaderBuilder;
use ocellus::catalog::CATALOG;
use ocellus::engine::{Engine, TableInfo};
use ocellus::error::Error;
use serde::Serialize;

use super::failure::AdbcFailure;
use super::handover::on_workers;

/// The kinds of tables.
const TABLE_TYPES: [&str; 2] = ["table", "view"];

/// Depths, by the standard: 0 is everything.
const CATALOGS: i32 = 1;
const SCHEMAS: i32 = 2;
const TABLES: i32 = 3;

/// What is asked for. Texts are patterns of LIKE; those that are left out fit everything.
pub struct ObjectFilter {
    /// See above.
    pub depth: i32,
    /// Of the catalog.
    pub catalog: Option<String>,
    /// Of schemas.
    pub schema: Option<String>,
    /// Of tables.
    pub table: Option<String>,
    /// Not patterns.
    pub table_types: Option<Vec<String>>,
    /// Of columns.
    pub column: Option<String>,
}

#[derive(Serialize)]
struct CatalogObject {
    catalog_name: &'static str,
    catalog_db_schemas: Option<Vec<SchemaObject>>,
}

#[derive(Serialize)]
struct SchemaObject {
    db_schema_name: String,
    db_schema_tables: Option<Vec<TableObject>>,
}

#[derive(Serialize)]
struct TableObject {
    table_name: String,
    table_type: &'static str,
    table_columns: Option<Vec<ColumnObject>>,
    table_constraints: Option<Vec<()>>,
}

#[derive(Serialize)]
struct ColumnObject {
    column_name: String,
    ordinal_position: usize,
    remarks: Option<String>,
    xdbc_type_name: String,
    xdbc_nullable: i16,
    xdbc_is_nullable: &'static str,
}

/// The kinds of tables, one a row.
pub fn table_types() -> Result<RecordBatch, AdbcFailure> {
    let schema = Schema::new(vec![Field::new("table_type", DataType::Utf8, false)]);
    Ok(RecordBatch::try_new(Arc::new(schema), vec![Arc::new(StringArray::from(TABLE_TYPES.to_vec()))])?)
}

/// The catalog, as far as it is asked for; no row when it does not fit.
pub fn objects(engine: Arc<Engine>, filter: ObjectFilter) -> Result<RecordBatch, AdbcFailure> {
    let schema = Arc::new(Schema::new(catalog_fields()));
    if !fits(CATALOG, filter.catalog.as_deref())? {
        return Ok(RecordBatch::new_empty(schema));
    }
    let catalog_db_schemas = match filter.depth {
        CATALOGS => None,
        _ => Some(schemas(&engine, &filter)?),
    };
    let row = CatalogObject { catalog_name: CATALOG, catalog_db_schemas };
    let mut decoder = ReaderBuilder::new(Arc::clone(&schema)).build_decoder()?;
    decoder.serialize(&[row])?;
    Ok(decoder.flush()?.unwrap_or_else(|| RecordBatch::new_empty(schema)))
}

fn schemas(engine: &Arc<Engine>, filter: &ObjectFilter) -> Result<Vec<SchemaObject>, AdbcFailure> {
    let mut schemas = vec![];
    for name in fitting(engine.schemas(), filter.schema.as_deref())? {
        let db_schema_tables = match filter.depth {
            SCHEMAS => None,
            _ => Some(tables(engine, &name, filter)?),
        };
        schemas.push(SchemaObject { db_schema_name: name, db_schema_tables });
    }
    Ok(schemas)
}

fn tables(engine: &Arc<Engine>, schema: &str, filter: &ObjectFilter) -> Result<Vec<TableObject>, AdbcFailure> {
    let names = fitting(engine.table_names(schema), filter.table.as_deref())?;
    let (engine, schema) = (Arc::clone(engine), schema.to_string());
    let found: Vec<TableInfo> = on_workers(async move {
        let mut found = vec![];
        for name in names {
            found.extend(engine.table(&schema, &name).await?);
        }
        Ok::<_, Error>(found)
    })?;
    let is_wanted =
        |table: &TableInfo| filter.table_types.as_ref().is_none_or(|types| types.iter().any(|t| t == table.kind));
    let described = |table: TableInfo| {
        Ok(TableObject {
            table_name: table.name.clone(),
            table_type: table.kind,
            table_columns: if filter.depth == TABLES { None } else { Some(columns(table, filter.column.as_deref())?) },
            table_constraints: (filter.depth != TABLES).then(Vec::new),
        })
    };
    found.into_iter().filter(is_wanted).map(described).collect()
}

fn columns(table: TableInfo, pattern: Option<&str>) -> Result<Vec<ColumnObject>, AdbcFailure> {
    let mut columns = vec![];
    for (place, column) in table.columns.into_iter().enumerate() {
        if fits(&column.name, pattern)? {
            columns.push(ColumnObject {
                column_name: column.name,
                ordinal_position: place + 1,
                remarks: Some(column.doc).filter(|doc| !doc.is_empty()),
                xdbc_type_name: column.kind,
                xdbc_nullable: column.nullable.into(),
                xdbc_is_nullable: if column.nullable { "YES" } else { "NO" },
            });
        }
    }
    Ok(columns)
}

fn fits(name: &str, pattern: Option<&str>) -> Result<bool, AdbcFailure> {
    Ok(!fitting(vec![name.to_string()], pattern)?.is_empty())
}

/// The names that fit a pattern of LIKE.
fn fitting(names: Vec<String>, pattern: Option<&str>) -> Result<Vec<String>, AdbcFailure> {
    let Some(pattern) = pattern else { return Ok(names) };
    let array: ArrayRef = Arc::new(StringArray::from(names.clone()));
    let fitting: BooleanArray = like(&array, &StringArray::new_scalar(pattern))?;
    Ok(names.into_iter().zip(fitting.iter()).filter(|(_, fits)| *fits == Some(true)).map(|(name, _)| name).collect())
}

fn list(name: &str, fields: Vec<Field>) -> Field {
    let item = Field::new("item", DataType::Struct(Fields::from(fields)), true);
    Field::new(name, DataType::List(Arc::new(item)), true)
}

fn texts(names: &[&str]) -> Vec<Field> {
    names.iter().map(|name| Field::new(*name, DataType::Utf8, true)).collect()
}

/// The columns of the result, by the standard.
fn catalog_fields() -> Vec<Field> {
    let table = vec![
        Field::new("table_name", DataType::Utf8, false),
        Field::new("table_type", DataType::Utf8, false),
        list("table_columns", column_fields()),
        list("table_constraints", constraint_fields()),
    ];
    let schema = vec![Field::new("db_schema_name", DataType::Utf8, true), list("db_schema_tables", table)];
    vec![Field::new("catalog_name", DataType::Utf8, true), list("catalog_db_schemas", schema)]
}

fn column_fields() -> Vec<Field> {
    use DataType::{Boolean, Int16, Int32, Utf8};
    let nullable = [
        ("ordinal_position", Int32),
        ("remarks", Utf8),
        ("xdbc_data_type", Int16),
        ("xdbc_type_name", Utf8),
        ("xdbc_column_size", Int32),
        ("xdbc_decimal_digits", Int16),
        ("xdbc_num_prec_radix", Int16),
        ("xdbc_nullable", Int16),
        ("xdbc_column_def", Utf8),
        ("xdbc_sql_data_type", Int16),
        ("xdbc_datetime_sub", Int16),
        ("xdbc_char_octet_length", Int32),
        ("xdbc_is_nullable", Utf8),
        ("xdbc_scope_catalog", Utf8),
        ("xdbc_scope_schema", Utf8),
        ("xdbc_scope_table", Utf8),
        ("xdbc_is_autoincrement", Boolean),
        ("xdbc_is_generatedcolumn", Boolean),
    ];
    let mut fields = vec![Field::new("column_name", Utf8, false)];
    fields.extend(nullable.map(|(name, kind)| Field::new(name, kind, true)));
    fields
}

fn constraint_fields() -> Vec<Field> {
    let names = DataType::List(Arc::new(Field::new("item", DataType::Utf8, true)));
    let mut usage = texts(&["fk_catalog", "fk_db_schema"]);
    usage.push(Field::new("fk_table", DataType::Utf8, false));
    usage.push(Field::new("fk_column_name", DataType::Utf8, false));
    vec![
        Field::new("constraint_name", DataType::Utf8, true),
        Field::new("constraint_type", DataType::Utf8, false),
        Field::new("constraint_column_names", names, false),
        list("constraint_column_usage", usage),
    ]
}
