//! A store as SQL schemas and tables.
//!
//! In: a [`Store`]. Out: a DataFusion catalog with one schema per trace and `all_traces`, the union
//! over every trace. Each table is a view of stock nodes over the Parquet files of the manifest as it
//! was when the catalog was opened.

mod checked_file;
mod checked_scans;
mod checked_table;
mod columns;
mod distinct;
mod provider;
mod recent_plans;
mod suggest;
mod tables;
mod trace_info;
mod trace_names;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use datafusion::catalog::{CatalogProvider, MemoryCatalogProvider, SchemaProvider};
use datafusion::logical_expr::ScalarUDF;

pub(crate) use checked_file::{CheckedFile, TableSummary};
pub use checked_scans::{AdmitFile, CheckedScans};
pub use columns::{COMMENT, IS_CUT, documented, type_name};
pub use provider::Views;
pub use suggest::{did_you_mean, nearest};
pub(crate) use trace_names::TraceNames;

use ocellus_trace::error::{Error, Result};
use ocellus_trace::schema;
use ocellus_trace::store::{Manifest, Store, TraceEntry};
use provider::{SchemaScope, StoreSchema};
use recent_plans::RecentPlans;
use tables::Tables;

/// Name of the catalog that holds the schemas of a store.
pub const CATALOG: &str = "ocellus";
/// Name of the schema that joins all traces.
pub const ALL_TRACES: &str = "all_traces";
/// Name of the schema for unqualified names when no trace is chosen.
pub const UNDECIDED: &str = "public";

/// A store, seen as tables.
#[derive(Debug, Clone)]
pub struct Catalog {
    tables: Arc<Tables>,
    /// Read when first asked for, and shared by all sessions over the snapshot.
    names: Arc<BTreeMap<String, TraceNames>>,
    /// Tells snapshots apart.
    number: u64,
}

static OPENED: AtomicU64 = AtomicU64::new(0);

impl Catalog {
    /// Reads the manifest of a store. `tick_seconds` is the scalar function that turns ticks and
    /// ticks per second into seconds.
    pub fn open(store: &Store, tick_seconds: Arc<ScalarUDF>) -> Result<Catalog> {
        let root = store.root();
        // DataFusion reads files by URL, and URLs know no relative paths.
        let root = root.canonicalize().map_err(|e| Error::io("open the store", root, e))?;
        let (manifest, leases) = Store::open(&root)?.leased_manifest()?;
        let path = root.to_str().ok_or_else(|| Error::Store(format!("the path {} is not UTF-8", root.display())))?;
        let url = format!("file://{}", tables::url_path(path));
        Ok(Catalog::of(Tables::new(&url, manifest.traces, tick_seconds).with_leases(root, leases)))
    }

    /// The store at a URL that holds what the manifest says.
    pub fn at(url: &str, manifest: Manifest, tick_seconds: Arc<ScalarUDF>) -> Catalog {
        Catalog::of(Tables::new(url, manifest.traces, tick_seconds))
    }

    fn of(tables: Tables) -> Catalog {
        let names = |trace: &TraceEntry| TraceNames::new(tables.folder.clone(), trace.clone());
        let names = tables.traces.iter().map(|trace| (trace.name.clone(), names(trace))).collect();
        Catalog { tables: Arc::new(tables), names: Arc::new(names), number: OPENED.fetch_add(1, Ordering::Relaxed) }
    }

    /// The traces, by name.
    pub fn traces(&self) -> &[TraceEntry] {
        &self.tables.traces
    }

    /// What each trace calls its types, values and containers, by the name of the trace.
    pub(crate) fn names(&self) -> Arc<BTreeMap<String, TraceNames>> {
        Arc::clone(&self.names)
    }

    /// A number that no other snapshot has while the program runs.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// The columns of a table in the schema of a trace; of none: in `all_traces`. Plans nothing.
    pub fn columns(&self, trace: Option<&TraceEntry>, table: &schema::Table) -> Vec<schema::Column> {
        self.tables.columns(trace, table)
    }

    /// The schemas, as DataFusion sees them, each trace with its views.
    pub fn provider(&self, views: &Arc<dyn Views>) -> Result<Arc<dyn CatalogProvider>> {
        let provider = MemoryCatalogProvider::new();
        let planned = Arc::new(RecentPlans::default());
        let add = |name: &str, scope: SchemaScope| {
            let (tables, views, planned) = (Arc::clone(&self.tables), Arc::clone(views), Arc::clone(&planned));
            let schema: Arc<dyn SchemaProvider> = Arc::new(StoreSchema::new(name, scope, tables, views, planned));
            provider
                .register_schema(name, schema)
                .map_err(|e| Error::Internal(format!("the schema {name} cannot be registered: {e}")))
        };
        for trace in self.traces() {
            add(&trace.name, SchemaScope::Trace(trace.name.clone()))?;
        }
        add(ALL_TRACES, SchemaScope::AllTraces)?;
        add(UNDECIDED, SchemaScope::Undecided)?;
        Ok(Arc::new(provider))
    }

    /// The schema of unqualified names: the chosen trace, or the only one.
    pub fn default_schema(&self, chosen: Option<&str>) -> Result<String> {
        let names: Vec<&str> = self.traces().iter().map(|trace| trace.name.as_str()).collect();
        match (chosen, names.as_slice()) {
            (Some(chosen), names) if names.contains(&chosen) || [ALL_TRACES, UNDECIDED].contains(&chosen) => {
                Ok(chosen.to_string())
            }
            (Some(chosen), []) => Err(Error::Usage(format!("no trace {chosen}: the store is empty"))),
            (Some(chosen), names) => Err(Error::Usage(format!(
                "no trace {chosen} in the store; it has: {}{}",
                names.join(", "),
                did_you_mean(chosen, names.iter().copied())
            ))),
            (None, [only]) => Ok((*only).to_string()),
            (None, _) => Ok(UNDECIDED.to_string()),
        }
    }
}
