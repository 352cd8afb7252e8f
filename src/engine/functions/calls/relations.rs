//! Plans the relation arguments of table functions.

use datafusion::common::{DataFusionError, Result, TableReference};
use datafusion::logical_expr::planner::RelationPlannerContext;
use datafusion::logical_expr::{LogicalPlan, LogicalPlanBuilder};
use sqlparser::ast::{Expr, Ident, ObjectName, Spanned, TableFactor, Value, ValueWithSpan};

use super::argument_error::error_at;
use super::call::SchemaTables;
use super::definition::{Definition, NO_RELATION, RelationParameter};

/// The plan of a relation argument, or of the parameter's default table.
pub(crate) fn plan_relation(
    definition: &Definition,
    parameter: &RelationParameter,
    argument: Option<&Expr>,
    context: &mut dyn RelationPlannerContext,
    tables: &SchemaTables<'_>,
) -> Result<LogicalPlan> {
    match (argument, parameter.default) {
        (None, Some(NO_RELATION)) => LogicalPlanBuilder::empty(false).build(),
        (None, default) => tables.find(&TableReference::bare(default.unwrap_or(parameter.name))),
        (Some(Expr::Nested(inner)), _) => plan_relation(definition, parameter, Some(inner), context, tables),
        (Some(Expr::Subquery(query)), _) => context.plan(TableFactor::Derived {
            lateral: false,
            subquery: ocellus_planning::copy_query(query),
            alias: None,
            sample: None,
        }),
        (Some(argument @ Expr::Identifier(name)), _) => {
            by_name(definition, argument, vec![name.clone()], context, tables)
        }
        (Some(argument @ Expr::CompoundIdentifier(names)), _) => {
            by_name(definition, argument, names.clone(), context, tables)
        }
        (Some(argument @ Expr::Value(ValueWithSpan { value: Value::SingleQuotedString(text), .. })), _) => {
            let reference = TableReference::parse_str(text);
            tables.find(&reference).map_err(|error| locate(definition, argument, &error))
        }
        (Some(argument), _) => Err(error_at(
            argument.span(),
            format!(
                "{}: {} must be a table, a view or a query in parentheses, got {argument}",
                definition.name, parameter.name
            ),
        )),
    }
}

/// A table by name: a CTE or a table that DataFusion has resolved, else one of the catalog.
fn by_name(
    definition: &Definition,
    argument: &Expr,
    names: Vec<Ident>,
    context: &mut dyn RelationPlannerContext,
    tables: &SchemaTables<'_>,
) -> Result<LogicalPlan> {
    let name = ObjectName::from(names);
    let reference = context.object_name_to_table_reference(name.clone())?;
    if let Ok(plan) = context.plan(plain_table(name)) {
        return Ok(plan);
    }
    tables.find(&reference).map_err(|error| locate(definition, argument, &error))
}

fn locate(definition: &Definition, argument: &Expr, error: &DataFusionError) -> DataFusionError {
    error_at(argument.span(), format!("{}: {}", definition.name, error.message()))
}

/// `FROM name`, without anything else.
pub(crate) fn plain_table(name: ObjectName) -> TableFactor {
    TableFactor::Table {
        name,
        alias: None,
        args: None,
        with_hints: vec![],
        version: None,
        with_ordinality: false,
        partitions: vec![],
        json_path: None,
        sample: None,
        index_hints: vec![],
    }
}
