//! What clients of PostgreSQL ask before they ask for rows: pg_catalog, information_schema and their functions.
//!
//! ```text
//! snapshot ──► inventory ──► rows ──► tables in memory        shared by all sessions of a snapshot
//! client ────► functions, settings, roles                     of one session
//! text ──────► rewrite ──► text that DataFusion plans
//! ```
//! From datafusion-pg-catalog come the types, the access methods, the key words, and the columns of tables
//! that hold nothing here. Its other tables are replaced: they plan every table and view at each query, give
//! out new numbers as they go, show neither comments nor definitions, and name Arrow's types.

mod function;
mod functions;
mod information_schema;
mod inventory;
mod numbers;
mod relations;
mod rewrite;
mod routines;
mod rows;
mod system;
mod table;
mod texts;
mod types;
mod value;

#[cfg(test)]
mod tests;

use std::sync::Arc;

use arrow::array::RecordBatch;
use async_trait::async_trait;
use datafusion::catalog::{SchemaProvider, TableProvider};
use datafusion::common::{DataFusionError, Result};
use datafusion::logical_expr::ScalarUDF;
use datafusion::prelude::SessionContext;

use crate::ServerError;
use crate::pg::session_user::SessionUser;
use function::CatalogFunction;
use inventory::Inventory;
use ocellus_engine::catalog::{CATALOG, Catalog};

pub(in crate::pg) use function::quoted;
pub(in crate::pg) use rewrite::{parameter_types, rewrite, type_number};

/// Gives a session the catalogs and their functions.
pub(in crate::pg) fn install(context: &SessionContext) -> Result<(), ServerError> {
    let internal = |error: DataFusionError| ServerError::internal(error.to_string());
    let snapshot = context.state().config().get_extension::<Catalog>();
    let snapshot = snapshot.ok_or_else(|| ServerError::internal("the session has no snapshot"))?;
    let (inventory, client) = (Inventory::of(&snapshot), SessionUser::of(context));
    // DataFusion's own would hide ours.
    context.state_ref().write().config_mut().options_mut().catalog.information_schema = false;
    let catalog = context.catalog(CATALOG).ok_or_else(|| ServerError::internal("the session has no catalog"))?;
    for schema in ["pg_catalog", "information_schema"] {
        let tables = SystemSchema { schema, inventory: Arc::clone(&inventory), client: Arc::clone(&client) };
        catalog.register_schema(schema, Arc::new(tables)).map_err(internal)?;
    }
    for entry in functions::FUNCTIONS {
        let function = CatalogFunction::new(entry, Arc::clone(&inventory), Arc::clone(&client));
        context.register_udf(ScalarUDF::new_from_impl(function));
    }
    context.register_udtf("pg_get_keywords", Arc::clone(&types::STATIC.pg_get_keywords) as _);
    Ok(())
}

/// pg_catalog or information_schema.
struct SystemSchema {
    schema: &'static str,
    inventory: Arc<Inventory>,
    client: Arc<SessionUser>,
}

impl std::fmt::Debug for SystemSchema {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.schema)
    }
}

impl SystemSchema {
    fn is_known(&self, name: &str) -> bool {
        match self.schema {
            "pg_catalog" => system::is_known(name),
            _ => system::is_listed(system::INFORMATION, name),
        }
    }

    fn rows(&self, name: &str) -> Result<Vec<RecordBatch>> {
        if self.schema == "pg_catalog"
            && let Some(fixed) = system::fixed_rows(name)
        {
            return fixed;
        }
        let (lines, rows) = match self.schema {
            "pg_catalog" => (system::FILLED, rows::rows(name, &self.inventory, &self.client).unwrap_or_default()),
            _ => (system::INFORMATION, information_schema::rows(name, &self.inventory, &self.client)),
        };
        let columns = lines.iter().find(|(known, _)| *known == name).map_or("", |(_, columns)| columns);
        Ok(vec![table::build(columns, &rows)?])
    }

    /// The database that a table names; none is in pg_catalog's.
    fn database(&self) -> &str {
        if self.schema == "pg_catalog" { "" } else { &self.client.database }
    }
}

/// Tables that name the user, or settings that change.
const OF_CLIENT: &[&str] = &[
    "enabled_roles",
    "pg_authid",
    "pg_database",
    "pg_roles",
    "pg_settings",
    "pg_tables",
    "pg_user",
    "pg_views",
    "schemata",
    "table_privileges",
];

#[async_trait]
impl SchemaProvider for SystemSchema {
    fn table_names(&self) -> Vec<String> {
        let relations = self.inventory.relations.iter().filter(|relation| relation.schema_name == self.schema);
        relations.map(|relation| relation.name.clone()).collect()
    }

    async fn table(&self, name: &str) -> Result<Option<Arc<dyn TableProvider>>> {
        if !self.is_known(name) {
            return Ok(None);
        }
        if OF_CLIENT.contains(&name) {
            return Ok(Some(inventory::in_memory(self.rows(name)?)?));
        }
        let key = format!("{}.{name}", self.schema);
        self.inventory.table(&key, self.database(), || self.rows(name)).map(Some)
    }

    fn table_exist(&self, name: &str) -> bool {
        self.is_known(name)
    }
}
