//! What the engine knows, for the shell: schemas, tables, columns and functions with their documentation.

use std::sync::Arc;

use arrow::datatypes::SchemaRef;
use datafusion::catalog::{CatalogProvider, SchemaProvider};
use datafusion::logical_expr::TableType;

use super::engine::Engine;
use super::rewrite::SPELLINGS;
use crate::catalog::{CATALOG, COMMENT, UNDECIDED, type_name};
use crate::functions::{Definition, registry};
use ocellus_trace::error::{Error, Result};
use ocellus_trace::schema;

/// A table or view of a schema.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableInfo {
    /// The schema that it belongs to.
    pub schema: String,
    /// Its name, without the schema.
    pub name: String,
    /// `table` or `view`.
    pub kind: &'static str,
    /// Empty when nobody wrote it.
    pub doc: String,
    /// Its columns, in their order.
    pub columns: Vec<ColumnInfo>,
}

/// A column of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ColumnInfo {
    /// Its name.
    pub name: String,
    /// Name of the type in SQL.
    pub kind: String,
    /// Whether it may be NULL.
    pub nullable: bool,
    /// Empty when nobody wrote it.
    pub doc: String,
}

impl Engine {
    /// The schemas, by name; the one for undecided names only when something is in it.
    pub fn schemas(&self) -> Vec<String> {
        let Some(catalog) = self.catalog_provider() else { return vec![] };
        let mut names = catalog.schema_names();
        names.retain(|name| {
            name != UNDECIDED || catalog.schema(name).is_some_and(|schema| !schema.table_names().is_empty())
        });
        names.sort();
        names
    }

    /// The names of the tables and views of a schema: the store's own first.
    pub fn table_names(&self, schema: &str) -> Vec<String> {
        self.schema_provider(schema).map(|schema| schema.table_names()).unwrap_or_default()
    }

    /// A table or view with its columns; `None` when there is none of that name.
    pub async fn table(&self, schema: &str, name: &str) -> Result<Option<TableInfo>> {
        let Some(provider) = self.schema_provider(schema) else { return Ok(None) };
        let found = provider.table(name).await.map_err(|e| Error::query(e.message().to_string()))?;
        let Some(table) = found else { return Ok(None) };
        let own = schema::table(name);
        let view = registry::VIEWS.iter().find(|view| view.definition.name == name).map(|view| &view.definition);
        let is_table = own.is_some() || table.table_type() == TableType::Base;
        Ok(Some(TableInfo {
            schema: schema.to_string(),
            name: name.to_string(),
            kind: if is_table { "table" } else { "view" },
            doc: doc_of(own, view),
            columns: columns(&table.schema(), view),
        }))
    }

    /// Every table and view of a schema, with columns.
    pub async fn tables(&self, schema: &str) -> Result<Vec<TableInfo>> {
        let mut tables = vec![];
        for name in self.table_names(schema) {
            tables.extend(self.table(schema, &name).await?);
        }
        Ok(tables)
    }

    /// Our functions and views, by name.
    pub fn functions(&self) -> impl Iterator<Item = &'static Definition> {
        registry::definitions()
    }

    /// The names of all functions that SQL knows here, ours and DataFusion's, by name.
    pub fn function_names(&self) -> Vec<String> {
        let state = self.context().state();
        let mut names: Vec<String> = state.scalar_functions().keys().cloned().collect();
        names.extend(state.aggregate_functions().keys().cloned());
        names.extend(state.window_functions().keys().cloned());
        names.extend(self.table_function_names());
        names.extend(SPELLINGS.iter().map(|name| name.to_string()));
        names.sort();
        names.dedup();
        names
    }

    /// The names of the functions for FROM.
    pub(super) fn table_function_names(&self) -> Vec<String> {
        let mut names: Vec<String> = self.context().state().table_functions().keys().cloned().collect();
        names.extend(registry::TABLE_FUNCTIONS.iter().map(|function| function.definition.name.to_string()));
        names.sort();
        names
    }

    fn catalog_provider(&self) -> Option<Arc<dyn CatalogProvider>> {
        self.context().catalog(CATALOG)
    }

    fn schema_provider(&self, name: &str) -> Option<Arc<dyn SchemaProvider>> {
        self.catalog_provider()?.schema(name)
    }
}

fn doc_of(own: Option<&schema::Table>, view: Option<&Definition>) -> String {
    match (own, view) {
        (Some(table), _) => table.doc.clone(),
        (None, Some(view)) => view.description.to_string(),
        (None, None) => String::new(),
    }
}

fn columns(schema: &SchemaRef, view: Option<&Definition>) -> Vec<ColumnInfo> {
    let mut columns = vec![];
    for field in schema.fields() {
        let written = view.and_then(|view| view.columns.iter().find(|column| column.name == field.name()));
        let doc = match written {
            Some(column) => column.doc.to_string(),
            None => field.metadata().get(COMMENT).cloned().unwrap_or_default(),
        };
        columns.push(ColumnInfo {
            name: field.name().clone(),
            kind: type_name(field.data_type()),
            nullable: field.is_nullable(),
            doc,
        });
    }
    columns
}
