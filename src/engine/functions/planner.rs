//! Plans `FROM function(…)`, `TABLESAMPLE` and `PIVOT`: what DataFusion's own planner cannot.
//!
//! A call `lu.events_at(1.5)` reads the trace `lu`; without a schema it reads the current trace.

use std::collections::BTreeMap;
use std::sync::Arc;

use datafusion::catalog::CatalogProviderList;
use datafusion::common::{Result, plan_err};
use datafusion::logical_expr::LogicalPlanBuilder;
use datafusion::logical_expr::planner::{PlannedRelation, RelationPlanner, RelationPlannerContext, RelationPlanning};
use sqlparser::ast::{FunctionArg, ObjectName, Spanned, TableAlias, TableFactor};

use super::calls::argument_error::error_at;
use super::calls::arguments::{CallContext, check};
use super::calls::call::{Files, QueryLimits, SchemaChoice, SchemaTables};
use super::calls::definition::Definition;
use super::calls::pivot;
use super::calls::sample;
use super::calls::sql_function::TableFunction;
use super::calls::text_planner::TextPlanner;
use super::calls::trace_span::TraceSpan;
use super::registry;
use crate::catalog::TraceNames;

/// The planner of our table functions.
#[derive(Debug)]
pub(crate) struct FunctionPlanner {
    catalogs: Arc<dyn CatalogProviderList>,
    spans: BTreeMap<String, TraceSpan>,
    names: Arc<BTreeMap<String, TraceNames>>,
    functions: &'static [&'static TableFunction],
    /// Of every function and view, by name.
    definitions: Vec<&'static Definition>,
    /// Bytes that queries may hold; `None` when there is no limit.
    memory_limit: Option<usize>,
    files: Files,
    /// Plans functions that are written in SQL.
    texts: Option<Arc<dyn TextPlanner>>,
}

impl FunctionPlanner {
    /// A planner of every registered function, which looks tables up in `catalogs`, the times of traces in
    /// `spans`, and what they hold in `names`, both by the name of the trace.
    pub(crate) fn new(
        catalogs: Arc<dyn CatalogProviderList>,
        spans: BTreeMap<String, TraceSpan>,
        names: Arc<BTreeMap<String, TraceNames>>,
    ) -> FunctionPlanner {
        FunctionPlanner {
            catalogs,
            spans,
            names,
            functions: registry::TABLE_FUNCTIONS,
            definitions: registry::definitions().collect(),
            memory_limit: None,
            files: Files::default(),
            texts: None,
        }
    }

    /// The same planner, which can plan functions that are written in SQL.
    pub(crate) fn with_texts(self, texts: Arc<dyn TextPlanner>) -> FunctionPlanner {
        FunctionPlanner { texts: Some(texts), ..self }
    }

    /// The same planner, for queries that may hold that many bytes.
    pub(crate) fn with_memory_limit(self, memory_limit: Option<usize>) -> FunctionPlanner {
        FunctionPlanner { memory_limit, ..self }
    }

    /// The same planner, for queries that may read such files.
    pub(crate) fn with_files(self, files: Files) -> FunctionPlanner {
        FunctionPlanner { files, ..self }
    }

    /// A planner of other functions.
    #[cfg(test)]
    pub(super) fn with_functions(
        catalogs: Arc<dyn CatalogProviderList>,
        functions: &'static [&'static TableFunction],
    ) -> FunctionPlanner {
        FunctionPlanner {
            catalogs,
            spans: BTreeMap::new(),
            names: Arc::default(),
            functions,
            definitions: vec![],
            memory_limit: None,
            files: Files::default(),
            texts: None,
        }
    }

    fn function(&self, name: &ObjectName) -> Option<&'static TableFunction> {
        let name = name.0.last()?.as_ident()?.value.to_lowercase();
        self.functions.iter().copied().find(|function| function.definition.name == name)
    }

    fn call(
        &self,
        function: &'static TableFunction,
        name: &ObjectName,
        arguments: Vec<FunctionArg>,
        alias: Option<TableAlias>,
        context: &mut dyn RelationPlannerContext,
    ) -> Result<RelationPlanning> {
        let reference = context.object_name_to_table_reference(name.clone())?;
        let options = context.context_provider().options();
        let threads = options.execution.target_partitions;
        let limits = QueryLimits { memory: self.memory_limit, threads, files: self.files };
        let defaults = &options.catalog;
        let tables = SchemaTables {
            catalogs: &self.catalogs,
            spans: &self.spans,
            names: &self.names,
            catalog: reference.catalog().unwrap_or(&defaults.default_catalog).to_string(),
            schema: reference.schema().unwrap_or(&defaults.default_schema).to_string(),
            choice: if reference.schema().is_some() { SchemaChoice::Named } else { SchemaChoice::Current },
            texts: self.texts.as_ref(),
        };
        let call_context = CallContext { tables, limits, definitions: &self.definitions };
        let call = check(&function.definition, arguments, context, call_context)?;
        let plan = (function.plan)(call)?;
        // Without an alias of the user's, columns are qualified by the function's name.
        let plan = match &alias {
            Some(_) => plan,
            None => LogicalPlanBuilder::from(plan).alias(function.definition.name)?.build()?,
        };
        Ok(RelationPlanning::Planned(Box::new(PlannedRelation::new(plan, alias))))
    }
}

impl RelationPlanner for FunctionPlanner {
    fn plan_relation(
        &self,
        relation: TableFactor,
        context: &mut dyn RelationPlannerContext,
    ) -> Result<RelationPlanning> {
        if sample::is_sampled(&relation) {
            return sample::plan(relation, context);
        }
        match relation {
            TableFactor::Table { ref name, args: Some(ref arguments), ref alias, with_ordinality, .. } => {
                let Some(function) = self.function(name) else {
                    check_foreign(name, &arguments.args, context)?;
                    return Ok(RelationPlanning::Original(Box::new(relation)));
                };
                if with_ordinality {
                    return plan_err!(
                        "{}: WITH ORDINALITY is not supported; use row_number()",
                        function.definition.name
                    );
                }
                self.call(function, name, ocellus_planning::copy_arguments(&arguments.args), alias.clone(), context)
            }
            TableFactor::Function { ref name, ref args, ref alias, .. } => {
                let Some(function) = self.function(name) else {
                    check_foreign(name, args, context)?;
                    return Ok(RelationPlanning::Original(Box::new(relation)));
                };
                self.call(function, name, ocellus_planning::copy_arguments(args), alias.clone(), context)
            }
            other => pivot::plan(other, context),
        }
    }
}

/// Refuses a call of a function that nobody knows, and names of arguments where DataFusion's own functions have none.
/// DataFusion would look at the arguments first and complain of those.
fn check_foreign(name: &ObjectName, arguments: &[FunctionArg], context: &dyn RelationPlannerContext) -> Result<()> {
    let Some(function) = name.0.last().and_then(|part| part.as_ident()) else { return Ok(()) };
    let found = context.context_provider().get_table_function_source(&function.value.to_lowercase(), vec![]);
    let missing = format!("table function '{}' not found", function.value.to_lowercase());
    if found.is_err_and(|error| error.message().contains(&missing)) {
        return Err(error_at(name.span(), missing));
    }
    match arguments.iter().all(|argument| matches!(argument, FunctionArg::Unnamed(_))) {
        true => Ok(()),
        false => plan_err!("{function} takes no names of arguments; write the values alone"),
    }
}
