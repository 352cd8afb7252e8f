//! SQL of ours, planned by the session that runs it: views, and functions that are written in SQL.

use std::sync::Arc;

use datafusion::catalog::{
    CatalogProvider, CatalogProviderList, MemoryCatalogProvider, MemorySchemaProvider, SchemaProvider, TableProvider,
};
use datafusion::common::{Result, internal_datafusion_err, internal_err};
use datafusion::datasource::ViewTable;
use datafusion::execution::SessionState;
use datafusion::logical_expr::LogicalPlan;
use futures::FutureExt;

use crate::catalog::Views;
use crate::functions::{GIVEN_CATALOG, GIVEN_SCHEMA, TextPlanner, registry};

/// Plans texts as a session would.
pub(super) struct SessionTexts {
    /// The state of the session as it is now; `None` once it is gone.
    pub(super) state: Box<dyn Fn() -> Option<SessionState> + Send + Sync>,
}

impl std::fmt::Debug for SessionTexts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("SessionTexts")
    }
}

impl TextPlanner for SessionTexts {
    fn plan_text(&self, trace: &str, text: &str, given: Vec<(&'static str, LogicalPlan)>) -> Result<LogicalPlan> {
        let Some(mut state) = (self.state)() else {
            return internal_err!("the session is gone");
        };
        state.config_mut().options_mut().catalog.default_schema = trace.to_string();
        if !given.is_empty() {
            let plans = MemorySchemaProvider::new();
            for (name, plan) in given {
                plans.register_table(name.to_string(), Arc::new(ViewTable::new(plan, None)))?;
            }
            let catalog = MemoryCatalogProvider::new();
            catalog.register_schema(GIVEN_SCHEMA, Arc::new(plans))?;
            let catalogs = GivenPlans { given: Arc::new(catalog), others: Arc::clone(state.catalog_list()) };
            state.register_catalog_list(Arc::new(catalogs));
        }
        let plan = ocellus_planning::plan_text(&state, text).now_or_never();
        plan.ok_or_else(|| internal_datafusion_err!("a text of ours waits for something"))?
    }
}

/// The catalogs of a session, and one of plans that a text was given.
#[derive(Debug)]
struct GivenPlans {
    given: Arc<dyn CatalogProvider>,
    others: Arc<dyn CatalogProviderList>,
}

impl CatalogProviderList for GivenPlans {
    fn register_catalog(&self, name: String, catalog: Arc<dyn CatalogProvider>) -> Option<Arc<dyn CatalogProvider>> {
        self.others.register_catalog(name, catalog)
    }

    fn catalog_names(&self) -> Vec<String> {
        let mut names = self.others.catalog_names();
        names.push(GIVEN_CATALOG.to_string());
        names
    }

    fn catalog(&self, name: &str) -> Option<Arc<dyn CatalogProvider>> {
        if name == GIVEN_CATALOG { Some(Arc::clone(&self.given)) } else { self.others.catalog(name) }
    }
}

impl Views for SessionTexts {
    fn names(&self) -> Vec<&'static str> {
        registry::VIEWS.iter().map(|view| view.definition.name).collect()
    }

    fn columns(&self, view: &str) -> Vec<&'static str> {
        let known = registry::VIEWS.iter().find(|known| known.definition.name == view);
        let is_replaceable = registry::REPLACEABLE_VIEWS.contains(&view);
        let columns = known.filter(|_| is_replaceable).map_or(&[][..], |view| view.definition.columns);
        columns.iter().map(|column| column.name).collect()
    }

    fn plan(&self, trace: &str, view: &str) -> Result<Arc<dyn TableProvider>> {
        let Some(view) = registry::VIEWS.iter().find(|known| known.definition.name == view) else {
            return internal_err!("there is no view {view}");
        };
        let plan = self.plan_text(trace, view.sql, vec![])?;
        Ok(Arc::new(ViewTable::new(plan, Some(view.sql.to_string()))))
    }
}
