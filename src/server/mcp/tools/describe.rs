//! `describe`: a table, a view or a function, from the definitions that the engine works by.

use std::fmt::Write;

use rmcp::model::Tool;
use serde::Deserialize;
use serde_json::json;

use super::super::answer::{clipped, text_answer};
use super::super::assistant::Assistant;
use super::tool_schema::{reading_tool, trace_schema};
use crate::error::ServerError;
use ocellus_engine::catalog::{UNDECIDED, did_you_mean};
use ocellus_engine::functions::{function_page, registry};
use ocellus_engine::{Engine, TableInfo};
use ocellus_trace::error::{Error, Result};
use ocellus_trace::schema;

/// The name of the tool.
pub(super) const NAME: &str = "describe";

/// Bytes of a name that an error repeats.
const LONGEST_NAME: usize = 200;

/// What is asked.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct DescribeCall {
    name: Option<String>,
    trace: Option<String>,
}

pub(super) fn definition() -> Tool {
    let description = "Explains a table, a view or a function: its columns or arguments, what they mean, and examples. \
        Without a name: everything there is, a line each.";
    let properties = json!({
        "name": { "type": "string", "description": "Such as states, lu.states, flat_profile or critical_path" },
        "trace": trace_schema(),
    });
    reading_tool(NAME, "Describe", description, properties, &[])
}

pub(super) async fn call(assistant: &Assistant, asked: DescribeCall) -> Result<String, ServerError> {
    let Some(name) = asked.name else { return Ok(text_answer(&index())) };
    let session = assistant.session(asked.trace)?;
    let label = format!("describe {}", clipped(&name, LONGEST_NAME));
    // To look at a view is to plan it: that is for the threads of queries.
    let page = session.work(&label, |engine, _| async move { page(&engine, name.trim()).await }).await?;
    Ok(text_answer(&page))
}

/// The page of a name. Tables have the columns of the trace itself, which may have more than others.
async fn page(engine: &Engine, name: &str) -> Result<String> {
    let (schema_name, table) = match name.rsplit_once('.') {
        Some((schema, table)) => (schema.to_string(), table),
        None => (engine.current_schema(), name),
    };
    let table = table.to_ascii_lowercase();
    if let Some(definition) = registry::definitions().find(|definition| definition.name == table) {
        return Ok(function_page(definition));
    }
    // Of several traces, none may be chosen: a table then has the columns that it has in all of them.
    let found = match schema::table(&table) {
        Some(found) if schema_name == UNDECIDED => Some(schema::table_markdown(found)),
        None if schema_name == UNDECIDED => None,
        _ => engine.table(&schema_name, &table).await?.map(|found| table_page(&found)),
    };
    found.ok_or_else(|| {
        let tables = schema::tables().iter().map(|table| table.name.as_str());
        let known = tables.chain(registry::definitions().map(|definition| definition.name));
        let (name, hint) = (clipped(name, LONGEST_NAME), did_you_mean(&table, known));
        Error::query(format!("there is no table, view or function {name}{hint}"))
    })
}

fn table_page(table: &TableInfo) -> String {
    let mut page = format!("# {}.{} ({})\n\n{}\n\n", table.schema, table.name, table.kind, table.doc);
    page.push_str("| column | type | null | meaning |\n|---|---|---|---|\n");
    for column in &table.columns {
        let null = if column.nullable { "yes" } else { "" };
        // Writing to a string does not fail.
        let _ = writeln!(page, "| {} | {} | {null} | {} |", column.name, column.kind, column.doc);
    }
    page
}

/// All names, a line each.
fn index() -> String {
    let mut text = String::from("# Tables of every trace\n\n");
    for table in schema::tables() {
        let _ = writeln!(text, "- {}: {}", table.name, table.doc);
    }
    text.push_str(
        "\n# Functions and views\n\nFROM name(argument => value, …) for table functions, FROM name for views.\n\n",
    );
    for definition in registry::definitions() {
        let _ = writeln!(text, "- {} ({}): {}", definition.name, definition.form.name(), definition.description);
    }
    text
}
