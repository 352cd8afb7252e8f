//! The functions that clients of PostgreSQL call on its catalogues.
//!
//! All are ours: those of datafusion-pg-catalog know neither comments nor definitions, call every table
//! visible, and lack most of this list. Functions of things that are not here (indexes, triggers, sizes on
//! disk) answer as PostgreSQL does when there is nothing to tell.

#[cfg(test)]
mod tests;

use datafusion::common::{Result, plan_err};

use super::super::settings::SERVER_VERSION;
use super::function::{Entry, Frame, identifiers, quoted};
use super::texts::{any, bound, like, literal, parse_ident};
use super::types::TYPES;
use super::value::{Shape, Value};

type Run = fn(&Frame<'_>, &[Value]) -> Result<Value>;

const fn entry(name: &'static str, gives: Shape, run: Run) -> Entry {
    Entry { name, gives, run }
}

const fn text(name: &'static str, run: Run) -> Entry {
    entry(name, Shape::Text, run)
}

const fn truth(name: &'static str, run: Run) -> Entry {
    entry(name, Shape::Bool, run)
}

const fn number(name: &'static str, run: Run) -> Entry {
    entry(name, Shape::Int4, run)
}

const fn size(name: &'static str) -> Entry {
    entry(name, Shape::Int8, |_, _| Ok(Value::Int(0)))
}

const NOTHING: Run = |_, _| Ok(Value::Null);
const EMPTY: Run = |_, _| Ok(Value::of(""));
const YES: Run = |_, _| Ok(Value::Bool(true));
const NO: Run = |_, _| Ok(Value::Bool(false));
const USER: Run = |frame, _| Ok(Value::of(&frame.client.user));
const DATABASE: Run = |frame, _| Ok(Value::of(&frame.client.database));

/// All functions.
pub(super) static FUNCTIONS: &[Entry] = &[
    // Who and where.
    text("version", |_, _| Ok(Value::of(version()))),
    text("current_schema", |frame, _| Ok(Value::of(frame.schema))),
    entry("current_schemas", Shape::Texts, current_schemas),
    text("current_database", DATABASE),
    text("current_catalog", DATABASE),
    text("current_user", USER),
    text("current_role", USER),
    text("session_user", USER),
    text("user", USER),
    text("pg_get_userbyid", USER),
    text("current_setting", current_setting),
    text("set_config", set_config),
    text("getdatabaseencoding", |_, _| Ok(Value::of("UTF8"))),
    text("pg_client_encoding", |_, _| Ok(Value::of("UTF8"))),
    text("pg_encoding_to_char", |_, given| {
        Ok(if given == [Value::Int(6)] { Value::of("UTF8") } else { Value::of("") })
    }),
    number("pg_char_to_encoding", |_, _| Ok(Value::Int(6))),
    number("pg_backend_pid", |_, _| Ok(Value::Int(std::process::id().into()))),
    number("pg_my_temp_schema", |_, _| Ok(Value::Int(0))),
    truth("pg_is_other_temp_schema", NO),
    truth("pg_is_in_recovery", NO),
    entry("txid_current", Shape::Int8, |_, _| Ok(Value::Int(1))),
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
    text("pg_get_expr", |_, given| Ok(given.first().cloned().unwrap_or(Value::Null))),
    text("pg_get_viewdef", |frame, given| {
        Ok(relation(frame, given).and_then(|view| view.definition()).map_or(Value::Null, Value::of))
    }),
    text("pg_get_functiondef", |frame, given| Ok(routine(frame, given, |routine| routine.definition()))),
    text("pg_get_function_result", |frame, given| Ok(routine(frame, given, |routine| routine.result()))),
    text("pg_get_function_arguments", |frame, given| Ok(routine(frame, given, |routine| routine.arguments()))),
    text("pg_get_function_identity_arguments", |frame, given| Ok(routine(frame, given, |routine| routine.identity()))),
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
    number("to_regclass", |frame, given| {
        Ok(relation(frame, given).map_or(Value::Null, |relation| Value::Int(relation.number.into())))
    }),
    number("regtypein", regtype_in),
    text("regtypeout", regtype_out),
    number("to_regtype", |_, given| Ok(type_number(given).map_or(Value::Null, |number| Value::Int(number.into())))),
    number("regnamespacein", regnamespace_in),
    text("regnamespaceout", regnamespace_out),
    number("to_regnamespace", |frame, given| regnamespace_in(frame, given).or(Ok(Value::Null))),
    text("regprocin", |_, given| {
        Ok(given
            .first()
            .and_then(Value::text)
            .map_or(Value::Null, |name| Value::of(name.trim_start_matches("pg_catalog."))))
    }),
    text("regprocout", regproc_out),
    number("regproc_number", regproc_number),
    number("to_regproc", |frame, given| regproc_number(frame, given).or(Ok(Value::Null))),
    number("to_regprocedure", |frame, given| regproc_number(frame, given).or(Ok(Value::Null))),
    number("regrolein", |_, _| Ok(Value::Int(10))),
    number("to_regrole", |_, _| Ok(Value::Int(10))),
    text("regroleout", USER),
    // Who sees and may do what.
    truth("pg_table_is_visible", |frame, given| {
        Ok(relation(frame, given).map_or(Value::Null, |relation| Value::Bool(frame.sees(relation))))
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
    truth("has_any_column_privilege", may),
    truth("has_column_privilege", may),
    truth("has_database_privilege", may),
    truth("has_foreign_data_wrapper_privilege", may),
    truth("has_function_privilege", may),
    truth("has_language_privilege", may),
    truth("has_parameter_privilege", may),
    truth("has_schema_privilege", may),
    truth("has_sequence_privilege", may),
    truth("has_server_privilege", may),
    truth("has_table_privilege", may),
    truth("has_tablespace_privilege", may),
    truth("has_type_privilege", may),
    truth("pg_has_role", YES),
    truth("row_security_active", NO),
    truth("pg_column_is_updatable", NO),
    number("pg_relation_is_updatable", |_, _| Ok(Value::Int(0))),
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
    text("pg_size_pretty", |_, given| {
        Ok(given.first().and_then(Value::int).map_or(Value::Null, |bytes| Value::of(format!("{bytes} bytes"))))
    }),
    // Texts and arrays.
    text("quote_ident", |_, given| {
        Ok(given.first().and_then(Value::text).map_or(Value::Null, |name| Value::of(quoted(&name))))
    }),
    text("quote_literal", |_, given| {
        Ok(given.first().and_then(Value::text).map_or(Value::Null, |text| Value::of(literal(&text))))
    }),
    text("quote_nullable", |_, given| {
        Ok(Value::of(given.first().and_then(Value::text).map_or("NULL".to_string(), |text| literal(&text))))
    }),
    entry("parse_ident", Shape::Texts, parse_ident),
    entry("array_upper", Shape::Int8, |_, given| Ok(bound(given, |items| items.len() as i64))),
    entry("array_lower", Shape::Int8, |_, given| Ok(bound(given, |_| 1))),
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

fn relation<'a>(frame: &'a Frame<'_>, given: &[Value]) -> Option<&'a super::inventory::Relation> {
    frame.relation(given.first()?)
}

fn routine(frame: &Frame<'_>, given: &[Value], tell: fn(&super::routines::Routine) -> String) -> Value {
    let found = given.first().and_then(Value::number).and_then(|number| frame.inventory.routine_numbered(number));
    found.map_or(Value::Null, |routine| Value::of(tell(routine)))
}

fn current_schemas(frame: &Frame<'_>, given: &[Value]) -> Result<Value> {
    let own = Value::of(frame.schema);
    Ok(Value::List(match given.first().and_then(Value::bool) {
        Some(true) => vec![Value::of("pg_catalog"), own],
        _ => vec![own],
    }))
}

fn current_setting(frame: &Frame<'_>, given: &[Value]) -> Result<Value> {
    let Some(name) = given.first().and_then(Value::text) else { return Ok(Value::Null) };
    if name == "search_path" {
        return Ok(Value::of(frame.schema));
    }
    let may_be_missing = given.get(1).and_then(Value::bool) == Some(true);
    match frame.client.setting(&name) {
        Some(value) => Ok(Value::of(value)),
        None if may_be_missing => Ok(Value::Null),
        None => plan_err!("unrecognized configuration parameter \"{name}\""),
    }
}

/// Gives back the value. The search path is changed by SET, which opens another schema.
fn set_config(frame: &Frame<'_>, given: &[Value]) -> Result<Value> {
    let (Some(name), Some(value)) = (given.first().and_then(Value::text), given.get(1).and_then(Value::text)) else {
        return Ok(Value::Null);
    };
    if name == "search_path" {
        return Ok(Value::of(frame.schema));
    }
    match frame.client.set(&name, &value) {
        Ok(()) => Ok(Value::of(value)),
        Err(trouble) => plan_err!("{trouble}"),
    }
}

fn format_type(_: &Frame<'_>, given: &[Value]) -> Result<Value> {
    let Some(number) = given.first().and_then(Value::number) else { return Ok(Value::Null) };
    let modifier = given.get(1).and_then(Value::number).unwrap_or(-1);
    Ok(Value::of(TYPES.sql_name(number, modifier)))
}

fn col_description(frame: &Frame<'_>, given: &[Value]) -> Result<Value> {
    let place = given.get(1).and_then(Value::int).and_then(|place| usize::try_from(place - 1).ok());
    let column = relation(frame, given).zip(place).and_then(|(relation, place)| relation.columns.get(place));
    Ok(column.map_or(Value::Null, |column| Value::unless_empty(&column.doc)))
}

fn obj_description(frame: &Frame<'_>, given: &[Value]) -> Result<Value> {
    let Some(number) = given.first().and_then(Value::number) else { return Ok(Value::Null) };
    let class = given.get(1).and_then(Value::text).unwrap_or_default();
    let is = |name: &str| class.is_empty() || class == name;
    if let (true, Some(relation)) = (is("pg_class"), frame.inventory.relation_numbered(number)) {
        return Ok(Value::unless_empty(&relation.doc));
    }
    if let (true, Some(routine)) = (is("pg_proc"), frame.inventory.routine_numbered(number)) {
        return Ok(Value::of(routine.doc));
    }
    let schema = frame.inventory.schemas.iter().find(|schema| is("pg_namespace") && schema.number == number);
    Ok(schema.map_or(Value::Null, |schema| Value::unless_empty(&schema.doc)))
}

fn regclass_in(frame: &Frame<'_>, given: &[Value]) -> Result<Value> {
    let Some(value) = given.first() else { return Ok(Value::Null) };
    match (value.number(), frame.relation(value), value.text()) {
        (Some(number), _, _) => Ok(Value::Int(number.into())),
        (None, Some(relation), _) => Ok(Value::Int(relation.number.into())),
        (None, None, None) => Ok(Value::Null),
        // The words by which the failure is told apart: see `Failure`.
        (None, None, Some(name)) => plan_err!("table '{name}' not found"),
    }
}

fn regclass_out(frame: &Frame<'_>, given: &[Value]) -> Result<Value> {
    let Some(value) = given.first() else { return Ok(Value::Null) };
    Ok(match frame.relation(value) {
        Some(relation) if frame.sees(relation) => Value::of(quoted(&relation.name)),
        Some(relation) => Value::of(format!("{}.{}", quoted(&relation.schema_name), quoted(&relation.name))),
        None => match (value.number(), value.text()) {
            (Some(0), _) => Value::of("-"),
            (Some(number), _) => Value::of(number.to_string()),
            (None, Some(name)) => return plan_err!("table '{name}' not found"),
            (None, None) => Value::Null,
        },
    })
}

fn type_number(given: &[Value]) -> Option<i32> {
    let value = given.first()?;
    value.number().or_else(|| TYPES.number(&value.text()?))
}

fn regtype_in(_: &Frame<'_>, given: &[Value]) -> Result<Value> {
    match (type_number(given), given.first().and_then(Value::text)) {
        (Some(number), _) => Ok(Value::Int(number.into())),
        (None, Some(name)) => plan_err!("type \"{name}\" does not exist"),
        (None, None) => Ok(Value::Null),
    }
}

fn regtype_out(_: &Frame<'_>, given: &[Value]) -> Result<Value> {
    let name = |number: i32| match TYPES.get(number) {
        Some(_) => TYPES.sql_name(number, -1),
        None if number == 0 => "-".to_string(),
        None => number.to_string(),
    };
    Ok(type_number(given).map_or(Value::Null, |number| Value::of(name(number))))
}

fn regnamespace_in(frame: &Frame<'_>, given: &[Value]) -> Result<Value> {
    let Some(value) = given.first() else { return Ok(Value::Null) };
    let Some(name) = value.text() else { return Ok(Value::Null) };
    if let Some(number) = value.number() {
        return Ok(Value::Int(number.into()));
    }
    let wanted = identifiers(&name).concat();
    match frame.inventory.schemas.iter().find(|schema| schema.name == wanted) {
        Some(schema) => Ok(Value::Int(schema.number.into())),
        None => plan_err!("schema \"{name}\" does not exist"),
    }
}

fn regnamespace_out(frame: &Frame<'_>, given: &[Value]) -> Result<Value> {
    let Some(value) = given.first() else { return Ok(Value::Null) };
    let name = value.number().and_then(|number| frame.inventory.schema_name(number));
    Ok(name.map_or(value.clone(), |name| Value::of(quoted(name))))
}

fn regproc_number(frame: &Frame<'_>, given: &[Value]) -> Result<Value> {
    let Some(name) = given.first().and_then(Value::text) else { return Ok(Value::Null) };
    let parts = identifiers(name.split('(').next().unwrap_or_default());
    let wanted = parts.last().map_or("", String::as_str);
    match frame.inventory.routines.iter().find(|routine| routine.name == wanted) {
        Some(routine) => Ok(Value::Int(routine.number.into())),
        None => plan_err!("function \"{name}\" does not exist"),
    }
}

fn regproc_out(frame: &Frame<'_>, given: &[Value]) -> Result<Value> {
    let Some(value) = given.first() else { return Ok(Value::Null) };
    let found = value.number().and_then(|number| frame.inventory.routine_numbered(number));
    Ok(found.map_or(value.clone(), |routine| Value::of(routine.name)))
}

/// Everybody may read, and nobody write.
fn may(_: &Frame<'_>, given: &[Value]) -> Result<Value> {
    let wanted = given.last().and_then(Value::text).unwrap_or_default().to_uppercase();
    let mut wishes = wanted.split(',').map(str::trim);
    Ok(Value::Bool(wishes.any(|wish| matches!(wish, "SELECT" | "USAGE" | "CONNECT" | "EXECUTE"))))
}
