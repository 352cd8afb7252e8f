//! Names: tables of the catalogs without their schema, functions with one, functions in FROM.

use std::collections::BTreeSet;

use sqlparser::ast::{
    Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments, Ident, ObjectName, ObjectNamePart, TableFactor,
    Value,
};

use super::super::functions::FUNCTIONS;
use super::super::system;
use super::raw_sql::raw;

/// Schemas that functions are said to be in.
const SCHEMAS: &[&str] = &["pg_catalog", "information_schema", "public"];

/// Functions of DataFusion that give an array, and clients read in FROM.
const ARRAY_FUNCTIONS: &[&str] = &["string_to_array", "regexp_split_to_array"];

/// The last part of a name, in lower case unless it is quoted.
pub(super) fn last(name: &ObjectName) -> String {
    name.0.last().and_then(ObjectNamePart::as_ident).map(plain).unwrap_or_default()
}

fn plain(ident: &Ident) -> String {
    if ident.quote_style.is_some() { ident.value.clone() } else { ident.value.to_lowercase() }
}

fn parts(name: &ObjectName) -> Vec<String> {
    name.0.iter().filter_map(ObjectNamePart::as_ident).map(plain).collect()
}

/// Takes the schema off the name of a function.
fn strip(name: &mut ObjectName) {
    let parts = parts(name);
    if let [schema, function] = parts.as_slice()
        && SCHEMAS.contains(&schema.as_str())
    {
        *name = ObjectName::from(vec![Ident::new(function)]);
    }
}

/// A call of a function in an expression.
pub(super) fn call(expression: &mut Expr) {
    match expression {
        Expr::Function(function) => {
            strip(&mut function.name);
            let name = last(&function.name);
            if name == "to_timestamp" {
                formats(function);
            }
            // `current_user` and the like; with an empty list they are calls that DataFusion knows.
            if matches!(function.args, FunctionArguments::None) && FUNCTIONS.iter().any(|entry| entry.name == name) {
                *expression = raw(format!("\"{name}\"()"));
            }
        }
        Expr::Identifier(ident) if ident.quote_style.is_none() => {
            let name = ident.value.to_lowercase();
            if name == "current_schema" || name == "current_role" {
                *expression = raw(format!("\"{name}\"()"));
            }
        }
        _ => {}
    }
}

/// `to_timestamp(text, 'YYYY-MM-DD …')`: DataFusion's takes the formats of chrono.
fn formats(function: &mut Function) {
    let FunctionArguments::List(list) = &mut function.args else { return };
    let [_, FunctionArg::Unnamed(FunctionArgExpr::Expr(Expr::Value(format)))] = list.args.as_mut_slice() else {
        return;
    };
    if let Value::SingleQuotedString(format) = &mut format.value {
        for (theirs, ours) in FORMATS {
            *format = format.replace(theirs, ours);
        }
    }
}

/// Parts of formats of times, in PostgreSQL and in chrono.
const FORMATS: &[(&str, &str)] = &[
    ("YYYY", "%Y"),
    ("MM", "%m"),
    ("DD", "%d"),
    ("HH24", "%H"),
    ("MI", "%M"),
    ("SS", "%S"),
    ("US", "%6f"),
    ("MS", "%3f"),
];

/// `unnest(array) WITH ORDINALITY` in FROM: the elements with their places, counted from 1.
fn number_elements(table: &mut TableFactor) {
    let TableFactor::UNNEST { alias, array_exprs, with_ordinality: true, with_offset: false, .. } = table else {
        return;
    };
    let [array] = array_exprs.as_slice() else { return };
    let column = alias.as_ref().map_or("unnest".to_string(), |alias| alias.name.to_string());
    let elements = format!("(SELECT unnest({array}) AS {column}) AS elements");
    let query = format!("(SELECT {column}, row_number() OVER () AS ordinality FROM {elements})");
    *table = TableFactor::Table {
        name: ObjectName::from(vec![Ident::new(query)]),
        alias: alias.take(),
        args: None,
        with_hints: vec![],
        version: None,
        with_ordinality: false,
        partitions: vec![],
        json_path: None,
        sample: None,
        index_hints: vec![],
    };
}

/// A table, or a function in FROM.
pub(super) fn qualify(table: &mut TableFactor, named: &BTreeSet<String>) {
    number_elements(table);
    let TableFactor::Table { name, args, alias, with_ordinality: false, .. } = table else { return };
    let words = parts(name);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match (words.as_slice(), args.is_some()) {
        ([table], false) if system::is_known(table) && !named.contains(*table) => *name = in_catalog(table),
        ([_, schema @ ("pg_catalog" | "information_schema"), table], false) => {
            *name = ObjectName::from(vec![Ident::new(*schema), Ident::new(*table)]);
        }
        ([function] | [_, function], true) if system::is_known(function) => {
            *name = in_catalog(function);
            *args = None;
        }
        ([function] | ["pg_catalog" | "public", function], true) => {
            let function = (*function).to_string();
            strip(name);
            let column = alias.as_ref().map_or(function.clone(), |alias| alias.name.to_string());
            let has_columns = alias.as_ref().is_some_and(|alias| !alias.columns.is_empty());
            let is_scalar =
                ARRAY_FUNCTIONS.contains(&function.as_str()) || FUNCTIONS.iter().any(|entry| entry.name == function);
            let given =
                args.as_ref().map(|args| args.args.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "));
            let call = format!("{function}({})", given.unwrap_or_default());
            let query = match function.as_str() {
                // In PostgreSQL the alias of such a function is also the name of its column.
                "generate_series" if alias.is_some() && !has_columns => {
                    format!("(SELECT value AS {column} FROM {call})")
                }
                _ if is_scalar => format!("(SELECT {call} AS {column})"),
                _ => return,
            };
            *name = ObjectName::from(vec![Ident::new(query)]);
            *args = None;
        }
        _ => {}
    }
}

fn in_catalog(table: &str) -> ObjectName {
    ObjectName::from(vec![Ident::new("pg_catalog"), Ident::new(table)])
}
