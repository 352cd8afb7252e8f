//! Listings of tables, columns and functions, as rows to show.

#[cfg(test)]
mod tests;

use std::sync::Arc;

use arrow::array::{ArrayRef, BooleanArray, Int64Array, RecordBatch, StringArray};

use ocellus_engine::catalog::{UNDECIDED, did_you_mean};
use ocellus_engine::functions::Definition;
use ocellus_engine::{Engine, TableInfo};
use ocellus_trace::error::{Error, Result};

/// Schemas that describe the database itself.
const SYSTEM: [&str; 2] = ["information_schema", "pg_catalog"];

/// Tables and views: schema, table, what it is. The argument is a trace, a pattern, or `trace.pattern`; `%` and `_`
/// in it are those of LIKE. Without a trace it means the current one, or all when none is chosen.
pub async fn tables(engine: &Engine, wanted: Option<&str>) -> Result<RecordBatch> {
    let (chosen, pattern) = chosen_tables(engine, wanted);
    let mut found: Vec<TableInfo> = vec![];
    for schema in chosen {
        for name in engine.table_names(&schema) {
            if pattern.is_none_or(|pattern| is_like(&name, pattern)) {
                found.extend(engine.table(&schema, &name).await?);
            }
        }
    }
    if let Some(wanted) = wanted.filter(|_| found.is_empty()) {
        let known = schemas(engine);
        let suggestion = did_you_mean(wanted, known.iter().map(String::as_str));
        return Err(Error::Usage(format!("no trace and no table is called {wanted}{suggestion}")));
    }
    let text = |part: fn(&TableInfo) -> &str| text(found.iter().map(part));
    batch([
        ("schema", text(|table| &table.schema)),
        ("table", text(|table| &table.name)),
        ("kind", text(|table| table.kind)),
        ("description", text(|table| &table.doc)),
    ])
}

/// The schemas to list, and the pattern of the names in them.
fn chosen_tables<'a>(engine: &Engine, wanted: Option<&'a str>) -> (Vec<String>, Option<&'a str>) {
    let known = engine.schemas();
    let is_known = |name: &str| known.iter().any(|known| known == name);
    let current = engine.current_schema();
    let here = if current == UNDECIDED { schemas(engine) } else { vec![current] };
    match wanted {
        None => (here, None),
        Some(name) if is_known(name) => (vec![name.to_string()], None),
        Some(name) => match name.split_once('.') {
            Some((schema, pattern)) if is_known(schema) => (vec![schema.to_string()], Some(pattern)),
            _ => (here, Some(name)),
        },
    }
}

/// The traces: name, whether it is the current one, and how many states it has.
pub fn traces(engine: &Engine) -> Result<RecordBatch> {
    let current = engine.current_schema();
    let traces = engine.traces();
    let is_current = traces.iter().map(|trace| Some(trace.name == current));
    let current: ArrayRef = Arc::new(BooleanArray::from_iter(is_current));
    let states = traces.iter().map(|trace| i64::try_from(trace.rows("states")).unwrap_or(i64::MAX));
    let states: ArrayRef = Arc::new(Int64Array::from_iter_values(states));
    batch([("trace", text(traces.iter().map(|trace| trace.name.as_str()))), ("current", current), ("states", states)])
}

/// Columns of one table, or of all tables of the current schema.
pub async fn columns(engine: &Engine, wanted: Option<&str>) -> Result<RecordBatch> {
    let tables = match wanted {
        Some(wanted) => vec![table(engine, wanted).await?],
        None => engine.tables(&engine.current_schema()).await?,
    };
    let rows = || tables.iter().flat_map(|table| table.columns.iter().map(move |column| (table, column)));
    let nullable: ArrayRef = Arc::new(BooleanArray::from_iter(rows().map(|(_, column)| Some(column.nullable))));
    let columns = [
        ("table", text(rows().map(|(table, _)| table.name.as_str()))),
        ("column", text(rows().map(|(_, column)| column.name.as_str()))),
        ("type", text(rows().map(|(_, column)| column.kind.as_str()))),
        ("null", nullable),
        ("description", text(rows().map(|(_, column)| column.doc.as_str()))),
    ];
    batch(columns.into_iter().skip(usize::from(wanted.is_some())))
}

/// Functions and views made for traces, or one of them.
pub fn functions(engine: &Engine, name: Option<&str>) -> Result<RecordBatch> {
    let mut found: Vec<&Definition> = engine.functions().collect();
    if let Some(name) = name {
        let wanted = name.trim_end_matches("()").to_lowercase();
        let suggestion = did_you_mean(&wanted, found.iter().map(|definition| definition.name));
        found.retain(|definition| definition.name == wanted);
        if found.is_empty() {
            return Err(Error::Usage(format!("no function {wanted} made for traces{suggestion}")));
        }
    }
    let text = |part: fn(&Definition) -> String| -> ArrayRef {
        Arc::new(StringArray::from_iter_values(found.iter().map(|definition| part(definition))))
    };
    let brief = [
        ("name", text(|definition| definition.name.to_string())),
        ("kind", text(|definition| definition.form.name().to_string())),
        ("signature", text(|definition| definition.signature())),
        ("description", text(|definition| definition.description.to_string())),
    ];
    let full = [
        ("notes", text(|definition| definition.notes.to_string())),
        ("parameters", text(parameters)),
        ("columns", text(output_columns)),
        ("example", text(|definition| definition.examples.first().copied().unwrap_or_default().to_string())),
    ];
    match name {
        Some(_) => batch(brief.into_iter().chain(full)),
        None => batch(brief),
    }
}

fn parameters(definition: &Definition) -> String {
    let relations = definition.relations.iter().map(|relation| format!("{}: {}", relation.name, relation.doc));
    let constants = definition.constants.iter().map(|constant| format!("{}: {}", constant.name, constant.doc));
    relations.chain(constants).collect::<Vec<_>>().join("\n")
}

fn output_columns(definition: &Definition) -> String {
    let columns = definition.columns.iter().map(|column| format!("{} {}: {}", column.name, column.kind, column.doc));
    columns.collect::<Vec<_>>().join("\n")
}

async fn table(engine: &Engine, wanted: &str) -> Result<TableInfo> {
    let wanted = wanted.to_lowercase();
    let (schema, name) = match wanted.split_once('.') {
        Some((schema, name)) => (schema.to_string(), name),
        None => (engine.current_schema(), wanted.as_str()),
    };
    if let Some(found) = engine.table(&schema, name).await? {
        return Ok(found);
    }
    let schemas = engine.schemas();
    if wanted.contains('.') && !schemas.contains(&schema) {
        let suggestion = did_you_mean(&schema, schemas.iter().map(String::as_str));
        return Err(Error::Usage(format!("no schema {schema}{suggestion}")));
    }
    let suggestion = did_you_mean(name, engine.table_names(&schema).iter().map(String::as_str));
    Err(Error::Usage(format!("no table {wanted}{suggestion}")))
}

/// The schemas that hold traces, the current one first.
fn schemas(engine: &Engine) -> Vec<String> {
    let current = engine.current_schema();
    let mut names = engine.schemas();
    names.retain(|name| !SYSTEM.contains(&name.as_str()));
    names.sort_by_key(|name| *name != current);
    names
}

fn batch(columns: impl IntoIterator<Item = (&'static str, ArrayRef)>) -> Result<RecordBatch> {
    Ok(RecordBatch::try_from_iter(columns)?)
}

fn text<'a>(values: impl Iterator<Item = &'a str>) -> ArrayRef {
    Arc::new(StringArray::from(values.collect::<Vec<&str>>()))
}

/// LIKE, without regard to case.
fn is_like(text: &str, pattern: &str) -> bool {
    fn matches(text: &[char], pattern: &[char]) -> bool {
        match pattern.split_first() {
            None => text.is_empty(),
            Some(('%' | '*', rest)) => (0..=text.len()).any(|skipped| matches(&text[skipped..], rest)),
            Some((wanted, rest)) => text
                .split_first()
                .is_some_and(|(first, others)| (wanted == first || *wanted == '_') && matches(others, rest)),
        }
    }
    let characters = |text: &str| text.to_lowercase().chars().collect::<Vec<char>>();
    matches(&characters(text), &characters(pattern))
}
