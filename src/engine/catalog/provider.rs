//! SQL schemas: one per trace, and `all_traces`.
//!
//! Tables are planned when first asked for, so that opening a store of many traces costs nothing.
//! Views that a user creates live beside them for the length of the session. One that has the name of a view of ours
//! replaces it: our other views are planned anew and read it.

use std::sync::Arc;

use async_trait::async_trait;
use datafusion::catalog::{MemorySchemaProvider, SchemaProvider, TableProvider};
use datafusion::common::{Result, plan_err};
use datafusion::datasource::ViewTable;

use super::recent_plans::RecentPlans;
use super::tables::Tables;
use ocellus_trace::schema;

/// Views that every trace has, planned when first asked for.
pub trait Views: std::fmt::Debug + Send + Sync {
    /// Their names.
    fn names(&self) -> Vec<&'static str>;

    /// The columns that whatever replaces a view must have; none when anything may.
    fn columns(&self, view: &str) -> Vec<&'static str>;

    /// Plans a view over the tables of one trace.
    fn plan(&self, trace: &str, view: &str) -> Result<Arc<dyn TableProvider>>;
}

/// What a schema shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum SchemaScope {
    /// The trace of that name.
    Trace(String),
    /// The union of all traces.
    AllTraces,
    /// No trace: where unqualified names end when several traces are there and none was chosen.
    Undecided,
}

/// One SQL schema of a store.
#[derive(Debug)]
pub(super) struct StoreSchema {
    /// Its name.
    name: Arc<str>,
    scope: SchemaScope,
    tables: Arc<Tables>,
    views: Arc<dyn Views>,
    /// Tables and views of all schemas that were asked for before.
    planned: Arc<RecentPlans>,
    /// What the session added.
    added: MemorySchemaProvider,
}

impl StoreSchema {
    pub(super) fn new(
        name: &str,
        scope: SchemaScope,
        tables: Arc<Tables>,
        views: Arc<dyn Views>,
        planned: Arc<RecentPlans>,
    ) -> StoreSchema {
        StoreSchema { name: Arc::from(name), scope, tables, views, planned, added: MemorySchemaProvider::new() }
    }

    fn owns(&self, name: &str) -> bool {
        self.scope != SchemaScope::Undecided && schema::table(name).is_some()
    }

    /// The trace whose views this schema shows, when it has a view of that name.
    fn trace_with_view(&self, name: &str) -> Option<&str> {
        match &self.scope {
            SchemaScope::Trace(trace) if self.views.names().contains(&name) => Some(trace),
            _ => None,
        }
    }

    /// Forgets how views were planned when one that others may read is replaced.
    fn replan(&self, name: &str) {
        if self.views.names().contains(&name) {
            self.planned.forget(&self.name);
        }
    }

    /// Refuses what cannot stand for a view of ours: our other views would fail in places that the user never saw.
    fn check_replacement(&self, name: &str, table: &dyn TableProvider) -> Result<()> {
        if !self.views.names().contains(&name) {
            return Ok(());
        }
        if !matches!(self.scope, SchemaScope::Trace(_)) {
            return self.refuse_view(name);
        }
        let columns = self.views.columns(name);
        let schema = table.schema();
        match columns.iter().find(|column| schema.field_with_name(column).is_err()) {
            Some(missing) => {
                plan_err!("{name} needs the columns {}; there is no column {missing}", columns.join(", "))
            }
            None => Ok(()),
        }
    }

    fn make(&self, name: &str) -> Result<Option<Arc<dyn TableProvider>>> {
        match (schema::table(name), self.trace_with_view(name)) {
            (Some(table), _) => self.plan(table).map(Some),
            (None, Some(trace)) => self.views.plan(trace, name).map(Some),
            (None, None) if self.views.names().contains(&name) => self.refuse_view(name),
            (None, None) => Ok(None),
        }
    }

    fn plan(&self, table: &schema::Table) -> Result<Arc<dyn TableProvider>> {
        let plan = match &self.scope {
            SchemaScope::AllTraces => self.tables.of_all_traces(table)?,
            SchemaScope::Trace(name) => match self.tables.traces.iter().find(|trace| &trace.name == name) {
                Some(trace) => self.tables.of_trace(trace, table)?,
                None => return plan_err!("no trace {name} in the store"),
            },
            SchemaScope::Undecided => return self.refuse(&table.name),
        };
        Ok(Arc::new(ViewTable::new(plan, None)))
    }

    fn refuse_view<T>(&self, view: &str) -> Result<T> {
        let names: Vec<&str> = self.tables.traces.iter().map(|trace| trace.name.as_str()).collect();
        match names.first() {
            None => plan_err!("the store holds no trace, so there is no view {view}"),
            Some(first) => plan_err!(
                "{view} is a view of one trace, and the store has {}; write {first}.{view}, or choose a trace: --trace NAME or USE NAME",
                names.join(", ")
            ),
        }
    }

    fn refuse<T>(&self, table: &str) -> Result<T> {
        let names: Vec<&str> = self.tables.traces.iter().map(|trace| trace.name.as_str()).collect();
        match names.first() {
            None => plan_err!("the store holds no trace, so there is no table {table}"),
            Some(first) => plan_err!(
                "which trace? the store has {}; write {first}.{table} or all_traces.{table}, or choose a trace: --trace NAME or USE NAME",
                names.join(", ")
            ),
        }
    }
}

#[async_trait]
impl SchemaProvider for StoreSchema {
    fn table_names(&self) -> Vec<String> {
        let mut names = vec![];
        if self.scope != SchemaScope::Undecided {
            names.extend(schema::tables().iter().map(|table| table.name.clone()));
        }
        let mut views = self.added.table_names();
        if let SchemaScope::Trace(_) = self.scope {
            views.extend(self.views.names().iter().map(|name| name.to_string()));
        }
        views.sort();
        views.dedup();
        names.extend(views);
        names
    }

    async fn table(&self, name: &str) -> Result<Option<Arc<dyn TableProvider>>> {
        if let Some(table) = self.added.table(name).await? {
            return Ok(Some(table));
        }
        if let Some(table) = self.planned.find(&self.name, name) {
            return Ok(Some(table));
        }
        let made = self.make(name)?;
        if let Some(made) = &made {
            self.planned.keep(&self.name, name, made);
        }
        Ok(made)
    }

    fn register_table(&self, name: String, table: Arc<dyn TableProvider>) -> Result<Option<Arc<dyn TableProvider>>> {
        if self.owns(&name) {
            return plan_err!("{name} is a table of the store and cannot be replaced; choose another name");
        }
        self.check_replacement(&name, table.as_ref())?;
        self.replan(&name);
        self.added.register_table(name, table)
    }

    fn deregister_table(&self, name: &str) -> Result<Option<Arc<dyn TableProvider>>> {
        if self.owns(name) {
            return plan_err!("{name} is a table of the store and cannot be dropped");
        }
        self.replan(name);
        self.added.deregister_table(name)
    }

    fn table_exist(&self, name: &str) -> bool {
        self.owns(name) || self.added.table_exist(name) || self.trace_with_view(name).is_some()
    }
}
