//! `USE lu`: the trace that unqualified names mean from now on.

use datafusion::common::{DataFusionError, Result, not_impl_err, plan_datafusion_err};
use datafusion::logical_expr::{LogicalPlan, SetVariable, Statement as PlanStatement};
use datafusion::sql::parser::Statement as SqlStatement;
use sqlparser::ast::{ObjectName, Statement as Ast, Use};

use super::engine::Engine;
use super::statement::Statement;
use crate::catalog::CATALOG;
use ocellus_trace::error::Error;

/// The setting of DataFusion that holds the current schema.
const DEFAULT_SCHEMA: &str = "datafusion.catalog.default_schema";

impl Statement {
    /// Whether it is `USE name`.
    pub fn is_use(&self) -> bool {
        use_of(self.parsed()).is_some()
    }
}

impl Engine {
    /// Makes a trace, or `all_traces`, the one that unqualified names mean.
    pub fn use_trace(&self, name: &str) -> ocellus_trace::error::Result<()> {
        let schema = self.catalog().default_schema(Some(name))?;
        self.context().state_ref().write().config_mut().options_mut().catalog.default_schema = schema;
        Ok(())
    }

    /// The plan of `USE name`; `None` for any other statement.
    pub(super) fn plan_use(&self, statement: &Statement) -> Option<Result<LogicalPlan>> {
        use_of(statement.parsed()).map(|used| {
            let value = self.catalog().default_schema(Some(&trace_of(used)?)).map_err(as_plan_error)?;
            let variable = DEFAULT_SCHEMA.to_string();
            Ok(LogicalPlan::Statement(PlanStatement::SetVariable(SetVariable { variable, value })))
        })
    }
}

fn use_of(statement: &SqlStatement) -> Option<&Use> {
    match statement {
        SqlStatement::Statement(statement) => match statement.as_ref() {
            Ast::Use(used) => Some(used),
            _ => None,
        },
        _ => None,
    }
}

/// The trace that a statement names: `lu`, or `ocellus.lu` with the name of the catalog.
fn trace_of(used: &Use) -> Result<String> {
    let (Use::Object(name) | Use::Schema(name) | Use::Database(name)) = used else {
        return not_impl_err!("{used}; USE takes the name of a trace");
    };
    match parts(name).as_slice() {
        [trace] => Ok(trace.clone()),
        [catalog, trace] if catalog == CATALOG => Ok(trace.clone()),
        _ => Err(plan_datafusion_err!("USE takes the name of a trace, got {name}")),
    }
}

fn parts(name: &ObjectName) -> Vec<String> {
    let parts = name.0.iter().filter_map(|part| part.as_ident());
    let normal = parts.map(|part| match part.quote_style {
        Some(_) => part.value.clone(),
        None => part.value.to_lowercase(),
    });
    normal.collect()
}

fn as_plan_error(error: Error) -> DataFusionError {
    DataFusionError::Plan(error.to_string())
}
