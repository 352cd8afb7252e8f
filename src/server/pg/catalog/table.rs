//! Tables of the catalogs, made from a line of text and rows of values.
//!
//! ```text
//! columns = column { ',' column }
//! column  = name type [ '=' constant ]        a column with a constant is not in the rows
//! type    = oid name text char bool int2 int4 int8 float4 text[] char[] oid[] …
//! ```

#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::sync::Arc;

use arrow::array::{ArrayRef, RecordBatch, RecordBatchOptions};
use arrow::datatypes::{DataType, Field, Schema};
use arrow_pg::datatypes::{PG_CHAR_KEY, PG_OID_ALIAS_KEY};
use datafusion::common::Result;

use super::value::{CatalogType, CatalogValue};

/// Makes a table.
pub(super) fn build(columns: &str, rows: &[Vec<CatalogValue>]) -> Result<RecordBatch> {
    let (mut fields, mut arrays): (Vec<Field>, Vec<ArrayRef>) = (vec![], vec![]);
    let mut place = 0;
    for column in columns.split(',') {
        let (column, constant) = match column.split_once('=') {
            Some((column, constant)) => (column, Some(constant_value(constant.trim()))),
            None => (column, None),
        };
        let (name, kind) = column.trim().split_once(' ').unwrap_or((column.trim(), "text"));
        let catalog_type = catalog_type(kind);
        fields.push(field(name, kind.trim(), catalog_type));
        arrays.push(match constant {
            Some(constant) => catalog_type.array(rows.iter().map(|_| &constant)),
            None => {
                place += 1;
                catalog_type.array(rows.iter().map(|row| row.get(place - 1).unwrap_or(&CatalogValue::Null)))
            }
        });
    }
    let options = RecordBatchOptions::new().with_row_count(Some(rows.len()));
    Ok(RecordBatch::try_new_with_options(Arc::new(Schema::new(fields)), arrays, &options)?)
}

fn constant_value(text: &str) -> CatalogValue {
    match text {
        "null" => CatalogValue::Null,
        "true" => CatalogValue::Bool(true),
        "false" => CatalogValue::Bool(false),
        text => match text.parse() {
            Ok(int) => CatalogValue::Int(int),
            Err(_) => CatalogValue::of(text.trim_matches('\'')),
        },
    }
}

fn catalog_type(kind: &str) -> CatalogType {
    match kind.trim() {
        "bool" => CatalogType::Bool,
        "int2" => CatalogType::Int2,
        "int4" | "oid" => CatalogType::Int4,
        "int8" => CatalogType::Int8,
        "float4" => CatalogType::Float4,
        "oid[]" | "int2[]" => CatalogType::Int4s,
        kind if kind.ends_with("[]") => CatalogType::Texts,
        _ => CatalogType::Text,
    }
}

fn field(name: &str, kind: &str, catalog_type: CatalogType) -> Field {
    let field = Field::new(name, catalog_type.data_type(), true);
    match kind {
        "oid" => field.with_metadata(oid_mark()),
        "char" => field.with_metadata(char_mark()),
        _ => field,
    }
}

fn oid_mark() -> HashMap<String, String> {
    HashMap::from([(PG_OID_ALIAS_KEY.to_string(), "oid".to_string())])
}

fn char_mark() -> HashMap<String, String> {
    HashMap::from([(PG_CHAR_KEY.to_string(), "char".to_string())])
}

/// Numbers in the tables of datafusion-pg-catalog that are no numbers of objects.
const PLAIN_NUMBERS: &[&str] = &["typtypmod", "typndims"];

/// Letters in them.
const LETTERS: &[&str] = &["typtype", "typcategory", "typdelim", "typalign", "typstorage", "amtype"];

/// Marks the columns of a table of datafusion-pg-catalog that hold numbers of objects, and letters. Rights and
/// options, which are text there, become the lists that they are, of nothing.
pub(super) fn mark(rows: &RecordBatch) -> RecordBatch {
    let schema = rows.schema();
    let is_list = |name: &str| name.ends_with("acl") || name.ends_with("options");
    let columns = schema.fields().iter().zip(rows.columns()).map(|(field, column)| match is_list(field.name()) {
        true => CatalogType::Texts.array((0..rows.num_rows()).map(|_| &CatalogValue::Null)),
        false => Arc::clone(column),
    });
    let columns = columns.collect();
    let fields = schema.fields().iter().map(|field| {
        let name = field.name().as_str();
        match field.data_type() {
            _ if is_list(name) => Field::new(name, CatalogType::Texts.data_type(), true),
            DataType::Int32 if !PLAIN_NUMBERS.contains(&name) => field.as_ref().clone().with_metadata(oid_mark()),
            DataType::Utf8 if LETTERS.contains(&name) => field.as_ref().clone().with_metadata(char_mark()),
            _ => field.as_ref().clone(),
        }
    });
    let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
    RecordBatch::try_new(schema, columns).unwrap_or_else(|_| rows.clone())
}
