//! The functions that clients of PostgreSQL call on its catalogs.
//!
//! All are ours: those of datafusion-pg-catalog know neither comments nor definitions, call every table
//! visible, and lack most of this list. Functions of things that are not here (indexes, triggers, sizes on
//! disk) return what PostgreSQL does when there is nothing to describe.

#[cfg(test)]
mod tests;

use datafusion::common::{Result, plan_err};

use super::super::settings::SERVER_VERSION;
use super::function::{CatalogCallContext, FunctionEntry, identifiers, quoted};
use super::texts::{any, bound, like, literal, parse_ident};
use super::types::TYPES;
use super::value::{CatalogType, CatalogValue};

type FunctionBody = fn(&CatalogCallContext<'_>, &[CatalogValue]) -> Result<CatalogValue>;

const fn entry(name: &'static str, returns: CatalogType, run: FunctionBody) -> FunctionEntry {
    FunctionEntry { name, returns, run }
}

const fn text(name: &'static str, run: FunctionBody) -> FunctionEntry {
    entry(name, CatalogType::Text, run)
}

const fn truth(name: &'static str, run: FunctionBody) -> FunctionEntry {
    entry(name, CatalogType::Bool, run)
}

const fn number(name: &'static str, run: FunctionBody) -> FunctionEntry {
    entry(name, CatalogType::Int4, run)
}

const fn size(name: &'static str) -> FunctionEntry {
    entry(name, CatalogType::Int8, |_, _| Ok(CatalogValue::Int(0)))
}

const NOTHING: FunctionBody = |_, _| Ok(CatalogValue::Null);
const EMPTY: FunctionBody = |_, _| Ok(CatalogValue::of(""));
const YES: FunctionBody = |_, _| Ok(CatalogValue::Bool(true));
const NO: FunctionBody = |_, _| Ok(CatalogValue::Bool(false));
const USER: FunctionBody = |context, _| Ok(CatalogValue::of(&context.client.user));
const DATABASE: FunctionBody = |context, _| Ok(CatalogValue::of(&context.client.database));

/// All functions.
pub(super) static FUNCTIONS: &[FunctionEntry] = &[
    // The session: user, database, settings.
    text("version", |_, _| Ok(CatalogValue::of(version()))),
    text("current_schema", |context, _| Ok(CatalogValue::of(context.schema))),
    entry("current_schemas", CatalogType::Texts, current_schemas),
    text("current_database", DATABASE),
    text("current_catalog", DATABASE),
    text("current_user", USER),
    text("current_role", USER),
    text("session_user", USER),
    text("user", USER),
    text("pg_get_userbyid", USER),
    text("current_setting", current_setting),
    text("set_config", set_config),
    text("getdatabaseencoding", |_, _| Ok(CatalogValue::of("UTF8"))),
    text("pg_client_encoding", |_, _| Ok(CatalogValue::of("UTF8"))),
    text("pg_encoding_to_char", |_, arguments| {
        Ok(if arguments == [CatalogValue::Int(6)] { CatalogValue::of("UTF8") } else { CatalogValue::of("") })
    }),
    number("pg_char_to_encoding", |_, _| Ok(CatalogValue::Int(6))),
    number("pg_backend_pid", |_, _| Ok(CatalogValue::Int(std::process::id().into()))),
    number("pg_my_temp_schema", |_, _| Ok(CatalogValue::Int(0))),
    truth("pg_is_other_temp_schema", NO),
    truth("pg_is_in_recovery", NO),
    entry("txid_current", CatalogType::Int8, |_, _| Ok(CatalogValue::Int(1))),
    text("inet_client_addr", NOTHING),
    text("inet_server_addr", NOTHING),
    number("inet_client_port", NOTHING),
    number("inet_server_port", NOTHING),
    text("pg_advisory_unlock_all", EMPTY),
    truth("pg_advisory_unlock", NO),
    truth("pg_try_advisory_lock", NO),
    truth("pg_cancel_backend", NO),
    truth("pg_terminate_backend", NO),
    // Definitions.
    text("format_type", format_type),
    text("pg_get_expr", |_, arguments| Ok(arguments.first().cloned().unwrap_or(CatalogValue::Null))),
    text("pg_get_viewdef", |context, arguments| {
        Ok(relation(context, arguments).and_then(|view| view.definition()).into())
    }),
    text("pg_get_functiondef", |context, arguments| Ok(routine(context, arguments, |routine| routine.definition()))),
    text("pg_get_function_result", |context, arguments| Ok(routine(context, arguments, |routine| routine.result()))),
    text("pg_get_function_arguments", |context, arguments| {
        Ok(routine(context, arguments, |routine| routine.arguments()))
    }),
    text("pg_get_function_identity_arguments", |context, arguments| {
        Ok(routine(context, arguments, |routine| routine.identity()))
    }),
    text("pg_get_function_sqlbody", NOTHING),
    text("pg_get_function_arg_default", NOTHING),
    text("pg_get_constraintdef", NOTHING),
    text("pg_get_indexdef", NOTHING),
    text("pg_get_partkeydef", NOTHING),
    text("pg_get_partition_constraintdef", NOTHING),
    text("pg_get_ruledef", NOTHING),
    text("pg_get_serial_sequence", NOTHING),
    text("pg_get_statisticsobjdef", NOTHING),
    text("pg_get_statisticsobjdef_columns", NOTHING),
    text("pg_get_triggerdef", NOTHING),
    text("pg_tablespace_location", EMPTY),
    // Comments.
    text("col_description", col_description),
    text("obj_description", obj_description),
    text("shobj_description", NOTHING),
    // Names and numbers of objects: `regclassin` and `regclassout` stand for the casts.
    number("regclassin", regclass_in),
    text("regclassout", regclass_out),
    number("to_regclass", |context, arguments| Ok(relation(context, arguments).map(|relation| relation.number).into())),
    number("regtypein", regtype_in),
    text("regtypeout", regtype_out),
    number("to_regtype", |_, arguments| Ok(type_number(arguments).into())),
    number("regnamespacein", regnamespace_in),
    text("regnamespaceout", regnamespace_out),
    number("to_regnamespace", |context, arguments| regnamespace_in(context, arguments).or(Ok(CatalogValue::Null))),
    text("regprocin", |_, arguments| {
        Ok(given_text(arguments).map(|name| name.trim_start_matches("pg_catalog.").to_string()).into())
    }),
    text("regprocout", regproc_out),
    number("regproc_number", regproc_number),
    number("to_regproc", |context, arguments| regproc_number(context, arguments).or(Ok(CatalogValue::Null))),
    number("to_regprocedure", |context, arguments| regproc_number(context, arguments).or(Ok(CatalogValue::Null))),
    number("regrolein", |_, _| Ok(CatalogValue::Int(10))),
    number("to_regrole", |_, _| Ok(CatalogValue::Int(10))),
    text("regroleout", USER),
    // Visibility and privileges.
    truth("pg_table_is_visible", |context, arguments| {
        Ok(relation(context, arguments).map(|relation| context.sees(relation)).into())
    }),
    truth("pg_collation_is_visible", YES),
    truth("pg_conversion_is_visible", YES),
    truth("pg_function_is_visible", YES),
    truth("pg_opclass_is_visible", YES),
    truth("pg_operator_is_visible", YES),
    truth("pg_opfamily_is_visible", YES),
    truth("pg_statistics_obj_is_visible", YES),
    truth("pg_ts_config_is_visible", YES),
    truth("pg_ts_dict_is_visible", YES),
    truth("pg_ts_parser_is_visible", YES),
    truth("pg_ts_template_is_visible", YES),
    truth("pg_type_is_visible", YES),
    truth("has_any_column_privilege", has_privilege),
    truth("has_column_privilege", has_privilege),
    truth("has_database_privilege", has_privilege),
    truth("has_foreign_data_wrapper_privilege", has_privilege),
    truth("has_function_privilege", has_privilege),
    truth("has_language_privilege", has_privilege),
    truth("has_parameter_privilege", has_privilege),
    truth("has_schema_privilege", has_privilege),
    truth("has_sequence_privilege", has_privilege),
    truth("has_server_privilege", has_privilege),
    truth("has_table_privilege", has_privilege),
    truth("has_tablespace_privilege", has_privilege),
    truth("has_type_privilege", has_privilege),
    truth("pg_has_role", YES),
    truth("row_security_active", NO),
    truth("pg_column_is_updatable", NO),
    number("pg_relation_is_updatable", |_, _| Ok(CatalogValue::Int(0))),
    truth("pg_relation_is_publishable", NO),
    // Sizes: a relation of a trace shares its files with others.
    size("pg_database_size"),
    size("pg_indexes_size"),
    size("pg_relation_size"),
    size("pg_table_size"),
    size("pg_tablespace_size"),
    size("pg_total_relation_size"),
    size("pg_stat_get_numscans"),
    size("pg_stat_get_live_tuples"),
    text("pg_size_pretty", |_, arguments| {
        Ok(arguments.first().and_then(CatalogValue::int).map(|bytes| format!("{bytes} bytes")).into())
    }),
    // Texts and arrays.
    text("quote_ident", |_, arguments| Ok(given_text(arguments).map(|name| quoted(&name)).into())),
    text("quote_literal", |_, arguments| Ok(given_text(arguments).map(|text| literal(&text)).into())),
    text("quote_nullable", |_, arguments| {
        Ok(given_text(arguments).map_or("NULL".to_string(), |text| literal(&text)).into())
    }),
    entry("parse_ident", CatalogType::Texts, parse_ident),
    entry("array_upper", CatalogType::Int8, |_, arguments| Ok(bound(arguments, |items| items.len() as i64))),
    entry("array_lower", CatalogType::Int8, |_, arguments| Ok(bound(arguments, |_| 1))),
    truth("pg_any", any),
    truth("pg_like", like),
];

/// What SQLAlchemy and others read the release from.
fn version() -> String {
    format!(
        "PostgreSQL {SERVER_VERSION} (ocellus {}) on {}-{}",
        env!("CARGO_PKG_VERSION"),
        std::env::consts::ARCH,
        std::env::consts::OS
    )
}

/// The text of the first argument.
fn given_text(arguments: &[CatalogValue]) -> Option<String> {
    arguments.first()?.text()
}

fn relation<'a>(
    context: &'a CatalogCallContext<'_>,
    arguments: &[CatalogValue],
) -> Option<&'a super::relations::Relation> {
    context.relation(arguments.first()?)
}

fn routine(
    context: &CatalogCallContext<'_>,
    arguments: &[CatalogValue],
    describe: fn(&super::routines::Routine) -> String,
) -> CatalogValue {
    let found =
        arguments.first().and_then(CatalogValue::number).and_then(|number| context.inventory.routine_numbered(number));
    found.map(describe).into()
}

fn current_schemas(context: &CatalogCallContext<'_>, arguments: &[CatalogValue]) -> Result<CatalogValue> {
    let own = CatalogValue::of(context.schema);
    Ok(CatalogValue::List(match arguments.first().and_then(CatalogValue::bool) {
        Some(true) => vec![CatalogValue::of("pg_catalog"), own],
        _ => vec![own],
    }))
}

fn current_setting(context: &CatalogCallContext<'_>, arguments: &[CatalogValue]) -> Result<CatalogValue> {
    let Some(name) = given_text(arguments) else { return Ok(CatalogValue::Null) };
    if name == "search_path" {
        return Ok(CatalogValue::of(context.schema));
    }
    let may_be_missing = arguments.get(1).and_then(CatalogValue::bool) == Some(true);
    match context.client.setting(&name) {
        Some(value) => Ok(CatalogValue::of(value)),
        None if may_be_missing => Ok(CatalogValue::Null),
        None => plan_err!("unrecognized configuration parameter \"{name}\""),
    }
}

/// Gives back the value. The search path is changed by SET, which opens another schema.
fn set_config(context: &CatalogCallContext<'_>, arguments: &[CatalogValue]) -> Result<CatalogValue> {
    let (Some(name), Some(value)) = (given_text(arguments), arguments.get(1).and_then(CatalogValue::text)) else {
        return Ok(CatalogValue::Null);
    };
    if name == "search_path" {
        return Ok(CatalogValue::of(context.schema));
    }
    match context.client.settings.set(&name, &value) {
        Ok(_) => Ok(CatalogValue::of(value)),
        Err(error) => plan_err!("{}", error.message),
    }
}

fn format_type(_: &CatalogCallContext<'_>, arguments: &[CatalogValue]) -> Result<CatalogValue> {
    let Some(number) = arguments.first().and_then(CatalogValue::number) else { return Ok(CatalogValue::Null) };
    let modifier = arguments.get(1).and_then(CatalogValue::number).unwrap_or(-1);
    Ok(CatalogValue::of(TYPES.sql_name(number, modifier)))
}

fn col_description(context: &CatalogCallContext<'_>, arguments: &[CatalogValue]) -> Result<CatalogValue> {
    let place = arguments.get(1).and_then(CatalogValue::int).and_then(|place| usize::try_from(place - 1).ok());
    let column = relation(context, arguments).zip(place).and_then(|(relation, place)| relation.columns.get(place));
    Ok(column.map_or(CatalogValue::Null, |column| CatalogValue::unless_empty(&column.doc)))
}

fn obj_description(context: &CatalogCallContext<'_>, arguments: &[CatalogValue]) -> Result<CatalogValue> {
    let Some(number) = arguments.first().and_then(CatalogValue::number) else { return Ok(CatalogValue::Null) };
    let class = arguments.get(1).and_then(CatalogValue::text).unwrap_or_default();
    let is = |name: &str| class.is_empty() || class == name;
    if let (true, Some(relation)) = (is("pg_class"), context.inventory.relation_numbered(number)) {
        return Ok(CatalogValue::unless_empty(&relation.doc));
    }
    if let (true, Some(routine)) = (is("pg_proc"), context.inventory.routine_numbered(number)) {
        return Ok(CatalogValue::of(routine.doc));
    }
    let schema = context.inventory.schemas.iter().find(|schema| is("pg_namespace") && schema.number == number);
    Ok(schema.map_or(CatalogValue::Null, |schema| CatalogValue::unless_empty(&schema.doc)))
}

fn regclass_in(context: &CatalogCallContext<'_>, arguments: &[CatalogValue]) -> Result<CatalogValue> {
    let Some(value) = arguments.first() else { return Ok(CatalogValue::Null) };
    match (value.number(), context.relation(value), value.text()) {
        (Some(number), _, _) => Ok(CatalogValue::Int(number.into())),
        (None, Some(relation), _) => Ok(CatalogValue::Int(relation.number.into())),
        (None, None, None) => Ok(CatalogValue::Null),
        // In the words of DataFusion, which the engine reports as an unknown table.
        (None, None, Some(name)) => plan_err!("table '{name}' not found"),
    }
}

fn regclass_out(context: &CatalogCallContext<'_>, arguments: &[CatalogValue]) -> Result<CatalogValue> {
    let Some(value) = arguments.first() else { return Ok(CatalogValue::Null) };
    Ok(match context.relation(value) {
        Some(relation) if context.sees(relation) => CatalogValue::of(quoted(&relation.name)),
        Some(relation) => CatalogValue::of(format!("{}.{}", quoted(&relation.schema_name), quoted(&relation.name))),
        None => match (value.number(), value.text()) {
            (Some(0), _) => CatalogValue::of("-"),
            (Some(number), _) => CatalogValue::of(number.to_string()),
            (None, Some(name)) => return plan_err!("table '{name}' not found"),
            (None, None) => CatalogValue::Null,
        },
    })
}

fn type_number(arguments: &[CatalogValue]) -> Option<i32> {
    let value = arguments.first()?;
    value.number().or_else(|| TYPES.number(&value.text()?))
}

fn regtype_in(_: &CatalogCallContext<'_>, arguments: &[CatalogValue]) -> Result<CatalogValue> {
    match (type_number(arguments), given_text(arguments)) {
        (Some(number), _) => Ok(CatalogValue::Int(number.into())),
        (None, Some(name)) => plan_err!("type \"{name}\" does not exist"),
        (None, None) => Ok(CatalogValue::Null),
    }
}

fn regtype_out(_: &CatalogCallContext<'_>, arguments: &[CatalogValue]) -> Result<CatalogValue> {
    let name = |number: i32| match TYPES.get(number) {
        Some(_) => TYPES.sql_name(number, -1),
        None if number == 0 => "-".to_string(),
        None => number.to_string(),
    };
    Ok(type_number(arguments).map(name).into())
}

fn regnamespace_in(context: &CatalogCallContext<'_>, arguments: &[CatalogValue]) -> Result<CatalogValue> {
    let Some(value) = arguments.first() else { return Ok(CatalogValue::Null) };
    let Some(name) = value.text() else { return Ok(CatalogValue::Null) };
    if let Some(number) = value.number() {
        return Ok(CatalogValue::Int(number.into()));
    }
    let wanted = identifiers(&name).concat();
    match context.inventory.schemas.iter().find(|schema| schema.name == wanted) {
        Some(schema) => Ok(CatalogValue::Int(schema.number.into())),
        None => plan_err!("schema \"{name}\" does not exist"),
    }
}

fn regnamespace_out(context: &CatalogCallContext<'_>, arguments: &[CatalogValue]) -> Result<CatalogValue> {
    let Some(value) = arguments.first() else { return Ok(CatalogValue::Null) };
    let name = value.number().and_then(|number| context.inventory.schema_name(number));
    Ok(name.map_or(value.clone(), |name| CatalogValue::of(quoted(name))))
}

fn regproc_number(context: &CatalogCallContext<'_>, arguments: &[CatalogValue]) -> Result<CatalogValue> {
    let Some(name) = given_text(arguments) else { return Ok(CatalogValue::Null) };
    let parts = identifiers(name.split('(').next().unwrap_or_default());
    let wanted = parts.last().map_or("", String::as_str);
    match context.inventory.routines.iter().find(|routine| routine.name == wanted) {
        Some(routine) => Ok(CatalogValue::Int(routine.number.into())),
        None => plan_err!("function \"{name}\" does not exist"),
    }
}

fn regproc_out(context: &CatalogCallContext<'_>, arguments: &[CatalogValue]) -> Result<CatalogValue> {
    let Some(value) = arguments.first() else { return Ok(CatalogValue::Null) };
    let found = value.number().and_then(|number| context.inventory.routine_numbered(number));
    Ok(found.map_or(value.clone(), |routine| CatalogValue::of(routine.name)))
}

/// Everybody may read, and nobody write.
fn has_privilege(_: &CatalogCallContext<'_>, arguments: &[CatalogValue]) -> Result<CatalogValue> {
    let wanted = arguments.last().and_then(CatalogValue::text).unwrap_or_default().to_uppercase();
    let mut wishes = wanted.split(',').map(str::trim);
    Ok(CatalogValue::Bool(wishes.any(|wish| matches!(wish, "SELECT" | "USAGE" | "CONNECT" | "EXECUTE"))))
}
