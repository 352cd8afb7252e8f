//! A checked call of a table function: what its plan is made from.

use std::collections::BTreeMap;
use std::sync::Arc;

use datafusion::catalog::CatalogProviderList;
use datafusion::common::{DataFusionError, Result, TableReference, internal_datafusion_err, plan_datafusion_err};
use datafusion::datasource::provider_as_source;
use datafusion::logical_expr::planner::ContextProvider;
use datafusion::logical_expr::{AggregateUDF, LogicalPlan, LogicalPlanBuilder};
use futures::FutureExt;

use super::definition::Definition;
use super::text_planner::TextPlanner;
use super::trace_span::TraceSpan;
use crate::catalog::{TraceNames, did_you_mean};

/// A constant that was given, or a default.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Constant {
    Double(f64),
    BigInt(i64),
    Text(String),
    Boolean(bool),
    /// Nanoseconds since 1970. A checked call has none: they became seconds of the trace.
    Timestamp(i64),
}

impl Constant {
    /// The value of a DOUBLE.
    pub(crate) fn as_double(&self) -> Option<f64> {
        match self {
            Constant::Double(value) => Some(*value),
            _ => None,
        }
    }
}

/// A call whose arguments fit the definition.
#[derive(Debug)]
pub(crate) struct Call<'a> {
    pub(crate) definition: &'static Definition,
    /// One plan per relation parameter.
    pub(crate) relations: Vec<LogicalPlan>,
    /// One value per constant parameter; `None` for one that is absent.
    pub(crate) constants: Vec<Option<Constant>>,
    pub(crate) tables: SchemaTables<'a>,
    pub(crate) aggregates: Aggregates<'a>,
    pub(crate) limits: QueryLimits,
    /// Of every function and view, by name.
    pub(crate) definitions: &'a [&'static Definition],
}

/// What a query may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct QueryLimits {
    /// Bytes; `None` when there is no limit.
    pub(crate) memory: Option<usize>,
    pub(crate) threads: usize,
    pub(crate) files: Files,
}

/// Whether a query may read files beside the store, as in `SELECT * FROM 'other.parquet'`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Files {
    /// It may.
    #[default]
    Readable,
    /// The tables of the store are all there is: for servers.
    Hidden,
}

impl Call<'_> {
    /// A constant by name; `None` when it is absent.
    pub(crate) fn constant(&self, name: &str) -> Option<&Constant> {
        let index = self.definition.constants.iter().position(|constant| constant.name == name)?;
        self.constants.get(index)?.as_ref()
    }

    /// A required constant of type DOUBLE.
    pub(crate) fn double(&self, name: &str) -> Result<f64> {
        match self.constant(name) {
            Some(Constant::Double(value)) => Ok(*value),
            _ => Err(internal_datafusion_err!("{} has no DOUBLE {name}", self.definition.name)),
        }
    }

    /// A constant of type BIGINT; `None` when it is absent.
    pub(crate) fn big_int(&self, name: &str) -> Option<i64> {
        match self.constant(name) {
            Some(Constant::BigInt(value)) => Some(*value),
            _ => None,
        }
    }

    /// A constant of type TEXT; `None` when it is absent.
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        match self.constant(name) {
            Some(Constant::Text(value)) => Some(value),
            _ => None,
        }
    }

    /// The relation at a place of the signature.
    pub(crate) fn relation(&self, index: usize) -> Result<LogicalPlan> {
        let plan = self.relations.get(index).cloned();
        plan.ok_or_else(|| internal_datafusion_err!("{} has no relation {index}", self.definition.name))
    }

    /// A table of the current trace.
    pub(crate) fn table(&self, name: &str) -> Result<LogicalPlan> {
        self.tables.find(&TableReference::bare(name))
    }
}

/// Finds tables by name, outside the statement that DataFusion has resolved.
#[derive(Debug, Clone)]
pub(crate) struct SchemaTables<'a> {
    pub(crate) catalogs: &'a Arc<dyn CatalogProviderList>,
    /// When each trace starts and ends, by the name of the trace.
    pub(crate) spans: &'a BTreeMap<String, TraceSpan>,
    /// What each trace calls its types, values and containers, by the name of the trace.
    pub(crate) names: &'a BTreeMap<String, TraceNames>,
    pub(crate) catalog: String,
    /// The schema of unqualified names.
    pub(crate) schema: String,
    /// Where that schema comes from.
    pub(crate) choice: SchemaChoice,
    /// Plans SQL; `None` where there is no session.
    pub(crate) texts: Option<&'a Arc<dyn TextPlanner>>,
}

/// Who chose the schema that a call reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SchemaChoice {
    /// The call: `lu.events_at(1.5)`.
    Named,
    /// The session: it is the current one.
    Current,
}

impl SchemaTables<'_> {
    /// The plan of a query about one trace, which reads the given plans as `given.plans.NAME`.
    pub(crate) fn plan_text(
        &self,
        trace: &str,
        text: &str,
        given: Vec<(&'static str, LogicalPlan)>,
    ) -> Result<LogicalPlan> {
        let texts = self.texts.ok_or_else(|| internal_datafusion_err!("no session plans SQL"))?;
        texts.plan_text(trace, text, given)
    }

    /// A scan of a table; an error that suggests another name when there is none.
    pub(crate) fn find(&self, reference: &TableReference) -> Result<LogicalPlan> {
        let resolved = reference.clone().resolve(&self.catalog, &self.schema);
        let catalog = self.catalogs.catalog(&resolved.catalog);
        let catalog = catalog.ok_or_else(|| plan_datafusion_err!("no catalog {}", resolved.catalog))?;
        let schema = catalog.schema(&resolved.schema).ok_or_else(|| {
            let mut names = catalog.schema_names();
            names.sort();
            let mut suggestion = did_you_mean(&resolved.schema, names.iter().map(String::as_str));
            if suggestion.is_empty() {
                suggestion = format!("; there are: {}", names.join(", "));
            }
            plan_datafusion_err!("no schema {}{suggestion}", resolved.schema)
        })?;
        // Tables of a store are made without I/O; what must be waited for is a file at best.
        let table = schema.table(&resolved.table).now_or_never().transpose()?.flatten();
        let table = table.ok_or_else(|| missing_table(&resolved.table, &schema.table_names()))?;
        LogicalPlanBuilder::scan(reference.clone(), provider_as_source(table), None)?.build()
    }
}

/// Finds aggregate functions by name: those of DataFusion, ours, and those that the user registered.
#[derive(Clone, Copy)]
pub(crate) struct Aggregates<'a>(pub(crate) &'a dyn ContextProvider);

impl Aggregates<'_> {
    /// The function of that name or alias; `Err` holds the name that was perhaps meant.
    pub(crate) fn find(&self, name: &str) -> std::result::Result<Arc<AggregateUDF>, String> {
        let found = self.0.get_aggregate_meta(name).or_else(|| self.0.get_aggregate_meta(&name.to_lowercase()));
        found.ok_or_else(|| {
            let mut names = self.0.udaf_names();
            names.sort();
            did_you_mean(name, names.iter().map(String::as_str))
        })
    }
}

impl std::fmt::Debug for Aggregates<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Aggregates")
    }
}

fn missing_table(name: &str, known: &[String]) -> DataFusionError {
    if name.contains(['.', '/']) {
        return plan_datafusion_err!("a file is given to a function as a query: (SELECT * FROM '{name}')");
    }
    let suggestion = did_you_mean(name, known.iter().map(String::as_str));
    plan_datafusion_err!("no table {name}{suggestion}")
}
