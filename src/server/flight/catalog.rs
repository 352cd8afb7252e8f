//! Catalogs, schemas and tables: a trace is a schema, and all of them are in one catalog.

use std::collections::HashMap;
use std::sync::Arc;

use arrow::array::{Array, AsArray, RecordBatch, UInt32Array};
use arrow::compute::take_record_batch;
use arrow::datatypes::{Field, Schema};
use arrow_flight::error::FlightError;
use arrow_flight::sql::metadata::GetTablesBuilder;
use arrow_flight::sql::{CommandGetCatalogs, CommandGetDbSchemas, CommandGetTableTypes, CommandGetTables};
use tonic::Status;

use super::status::{internal, status};
use crate::error::ServerError;
use ocellus_engine::Engine;
use ocellus_engine::catalog::{CATALOG, COMMENT, type_name};
use ocellus_engine::functions::registry;
use ocellus_render::formats::plain_schema;

const TABLE: &str = "TABLE";
const VIEW: &str = "VIEW";

/// Keys of the metadata of columns, by which clients find comments and types.
const REMARKS: &str = "ARROW:FLIGHT:SQL:REMARKS";
const TYPE_NAME: &str = "ARROW:FLIGHT:SQL:TYPE_NAME";

pub(super) fn catalogs(command: CommandGetCatalogs) -> Result<RecordBatch, FlightError> {
    let mut builder = command.into_builder();
    builder.append(CATALOG);
    builder.build()
}

pub(super) fn schemas(command: CommandGetDbSchemas, engine: &Engine) -> Result<RecordBatch, FlightError> {
    let mut builder = command.into_builder();
    for schema in engine.schemas() {
        builder.append(CATALOG, schema);
    }
    builder.build()
}

pub(super) fn table_types(command: CommandGetTableTypes) -> Result<RecordBatch, FlightError> {
    let mut builder = command.into_builder();
    builder.append(TABLE);
    builder.append(VIEW);
    builder.build()
}

/// The tables and views that fit, with their columns if these are asked for.
pub(super) async fn tables(command: CommandGetTables, engine: Arc<Engine>) -> Result<RecordBatch, Status> {
    let with_columns = command.include_schema;
    let is_lookup = is_lookup(&command);
    let names = names(command, &engine)?;
    if !with_columns {
        return Ok(names);
    }
    let all = None::<String>;
    let mut builder = GetTablesBuilder::new(all.clone(), all.clone(), all, Vec::<String>::new(), true);
    for row in 0..names.num_rows() {
        let text = |column: usize| names.column(column).as_string::<i32>().value(row);
        let columns = columns(&engine, text(1), text(2)).await?;
        builder.append(text(0), text(1), text(2), text(3), &columns)?;
    }
    let tables = builder.build()?;
    match is_lookup {
        true => current_first(&tables, &engine.current_schema()),
        false => Ok(tables),
    }
}

/// Whether the client looks for one table by its bare name.
fn is_lookup(command: &CommandGetTables) -> bool {
    let is_name = |pattern: &String| !pattern.contains('%');
    command.db_schema_filter_pattern.is_none() && command.table_name_filter_pattern.as_ref().is_some_and(is_name)
}

/// The tables that fit, without columns: these cost the planning of every view.
fn names(mut command: CommandGetTables, engine: &Engine) -> Result<RecordBatch, FlightError> {
    command.include_schema = false;
    let mut builder = command.into_builder();
    for schema in engine.schemas() {
        for table in engine.table_names(&schema) {
            let is_view = registry::VIEWS.iter().any(|view| view.definition.name == table);
            builder.append(CATALOG, &schema, &table, if is_view { VIEW } else { TABLE }, &Schema::empty())?;
        }
    }
    builder.build()
}

/// The columns of a table, with comments.
async fn columns(engine: &Engine, schema: &str, table: &str) -> Result<Schema, Status> {
    let provider = engine.context().catalog(CATALOG).and_then(|catalog| catalog.schema(schema));
    let Some(provider) = provider else { return Ok(Schema::empty()) };
    let found = provider.table(table).await;
    let found = found.map_err(|error| status(ServerError::of_engine(engine, &error, table)))?;
    let Some(found) = found else { return Ok(Schema::empty()) };
    let (given, plain) = (found.schema(), plain_schema(&found.schema()));
    let fields = given.fields().iter().zip(plain.fields());
    Ok(Schema::new(fields.map(|(given, plain)| described(given, plain, table)).collect::<Vec<Field>>()))
}

fn described(given: &Field, plain: &Field, table: &str) -> Field {
    let view = registry::VIEWS.iter().find(|view| view.definition.name == table);
    let column = view.and_then(|view| view.definition.columns.iter().find(|column| column.name == given.name()));
    let comment = column.map(|column| column.doc.to_string()).or_else(|| given.metadata().get(COMMENT).cloned());
    let mut metadata = HashMap::from([(TYPE_NAME.to_string(), type_name(given.data_type()))]);
    metadata.extend(comment.map(|comment| (REMARKS.to_string(), comment)));
    plain.clone().with_metadata(metadata)
}

/// The same rows with those of a schema first: a client that looks for a bare name takes the first row,
/// and should find the table that SQL would find.
fn current_first(tables: &RecordBatch, schema: &str) -> Result<RecordBatch, Status> {
    let schemas = tables.column(1).as_string::<i32>();
    let is_current = |row: &u32| schemas.value(*row as usize) == schema;
    let rows: Vec<u32> = (0..schemas.len() as u32).collect();
    let (mut first, rest): (Vec<u32>, Vec<u32>) = rows.into_iter().partition(is_current);
    first.extend(rest);
    take_record_batch(tables, &UInt32Array::from(first)).map_err(internal)
}
