//! Checks the arguments of a call against the definition of a table function.
//!
//! In: arguments as sqlparser reads them. Out: a [`Call`], or a plan error that names the function,
//! what was given, and what is accepted, and points to the place in the text.
//!
//! ```text
//! call     = name '(' [ argument { ',' argument } ] ')'
//! argument = relation | constant | name '=>' ( relation | constant )
//! relation = table | view | CTE | '(' query ')'
//! ```
//! Relations come before constants, positional arguments before named ones.

use datafusion::common::{DataFusionError, Result, plan_datafusion_err};
use datafusion::logical_expr::planner::RelationPlannerContext;
use sqlparser::ast::{Expr, FunctionArg, FunctionArgExpr, Ident, Spanned, Value};

use super::argument_error::error_at;
use super::call::{Aggregates, Call, QueryLimits, SchemaTables};
use super::constants::evaluate;
use super::definition::{DefaultValue, Definition, RelationParameter};
use super::known_names::{GivenArguments, check_names};
use super::relations::plan_relation;
use super::window::seconds_of_dates;
use crate::catalog::did_you_mean;

/// What a call can see beside its arguments.
#[derive(Debug)]
pub(crate) struct CallContext<'a> {
    pub(crate) tables: SchemaTables<'a>,
    pub(crate) limits: QueryLimits,
    /// Of every function and view, by name.
    pub(crate) definitions: &'a [&'static Definition],
}

/// Binds the arguments of a call and plans its relations.
pub(crate) fn check<'a>(
    definition: &'static Definition,
    arguments: Vec<FunctionArg>,
    context: &'a mut dyn RelationPlannerContext,
    call_context: CallContext<'a>,
) -> Result<Call<'a>> {
    let CallContext { tables, limits, definitions } = call_context;
    let given = bind(definition, arguments)?;
    let (relation_arguments, constant_arguments) = given.split_at(definition.relations.len());
    let mut relations = vec![];
    for (parameter, argument) in definition.relations.iter().zip(relation_arguments) {
        relations.push(plan_relation(definition, parameter, argument.as_ref(), context, &tables)?);
    }
    let mut constants = vec![];
    for (parameter, argument) in definition.constants.iter().zip(constant_arguments) {
        constants.push(evaluate(definition, parameter, argument.as_ref(), context)?);
    }
    let aggregates = Aggregates(context.context_provider());
    let call = seconds_of_dates(Call { definition, relations, constants, tables, aggregates, limits, definitions })?;
    check_names(&call, &GivenArguments { relations: relation_arguments, constants: constant_arguments })?;
    Ok(call)
}

/// Sorts arguments into the places of the signature: relations, then constants.
fn bind(definition: &Definition, arguments: Vec<FunctionArg>) -> Result<Vec<Option<Expr>>> {
    let mut places: Vec<Option<Expr>> = vec![None; definition.parameter_names().count()];
    let mut next = 0;
    let mut names_began = false;
    for argument in arguments {
        let (index, expression) = match split_name(definition, argument)? {
            (Some(name), expression) => {
                names_began = true;
                (place_of(definition, &name)?, expression)
            }
            (None, expression) if names_began => {
                let message = format!(
                    "{}: {expression} has no name and comes after a named argument; write name => {expression}",
                    definition.name
                );
                return Err(error_at(expression.span(), message));
            }
            (None, expression) => {
                next = next_place(definition, next, &expression);
                next += 1;
                (next - 1, expression)
            }
        };
        match places.get_mut(index) {
            None => return Err(too_many(definition, &expression)),
            Some(place @ None) => *place = Some(expression),
            Some(Some(_)) => {
                let name = definition.parameter_names().nth(index).unwrap_or_default();
                let message = format!("{}: {name} is given twice", definition.name);
                return Err(error_at(expression.span(), message));
            }
        }
    }
    require(definition, &places)?;
    Ok(places)
}

/// The name of an argument, if it has one, and its expression.
fn split_name(definition: &Definition, argument: FunctionArg) -> Result<(Option<Ident>, Expr)> {
    let (name, argument) = match argument {
        FunctionArg::Named { name, arg, .. } => (Some(name), arg),
        FunctionArg::ExprNamed { name: Expr::Identifier(name), arg, .. } => (Some(name), arg),
        FunctionArg::ExprNamed { name, .. } => {
            let message = format!("{}: {name} is not an argument name", definition.name);
            return Err(error_at(name.span(), message));
        }
        FunctionArg::Unnamed(arg) => (None, arg),
    };
    match argument {
        FunctionArgExpr::Expr(expression) => Ok((name, expression)),
        other => Err(plan_datafusion_err!("{}: {other} is not an argument", definition.name)),
    }
}

fn place_of(definition: &Definition, name: &Ident) -> Result<usize> {
    let wanted = name.value.to_lowercase();
    definition.parameter_names().position(|known| known == wanted).ok_or_else(|| {
        let message = format!(
            "{}: unknown argument {}; accepted: {}{}",
            definition.name,
            name.value,
            accepted(definition),
            did_you_mean(&name.value, definition.parameter_names())
        );
        error_at(name.span, message)
    })
}

/// The place of a positional argument: a constant may follow where relations have defaults.
fn next_place(definition: &Definition, next: usize, expression: &Expr) -> usize {
    let relations = definition.relations;
    let skips = next < relations.len()
        && relations[next..].iter().all(|relation| relation.default.is_some())
        && !may_be_relation(expression, &relations[next]);
    if skips { relations.len() } else { next }
}

/// Whether an expression can name a relation. A string can, where no default makes it ambiguous.
fn may_be_relation(expression: &Expr, parameter: &RelationParameter) -> bool {
    match expression {
        Expr::Identifier(_) | Expr::CompoundIdentifier(_) | Expr::Subquery(_) => true,
        Expr::Nested(inner) => may_be_relation(inner, parameter),
        Expr::Value(value) => matches!(value.value, Value::SingleQuotedString(_)) && parameter.default.is_none(),
        _ => false,
    }
}

fn require(definition: &Definition, places: &[Option<Expr>]) -> Result<()> {
    let relations = definition.relations.iter().map(|relation| relation.default.is_none());
    let constants = definition.constants.iter().map(|constant| constant.default == DefaultValue::Required);
    let required = relations.chain(constants);
    let mut missing = vec![];
    for ((name, is_required), place) in definition.parameter_names().zip(required).zip(places) {
        if is_required && place.is_none() {
            missing.push(name);
        }
    }
    if missing.is_empty() {
        return Ok(());
    }
    Err(plan_datafusion_err!(
        "{}: missing {}; it is called as {}",
        definition.name,
        missing.join(", "),
        definition.signature()
    ))
}

fn too_many(definition: &Definition, expression: &Expr) -> DataFusionError {
    let message =
        format!("{}: one argument too many: {expression}; accepted: {}", definition.name, accepted(definition));
    error_at(expression.span(), message)
}

fn accepted(definition: &Definition) -> String {
    let names: Vec<&str> = definition.parameter_names().collect();
    if names.is_empty() { "none".to_string() } else { names.join(", ") }
}
