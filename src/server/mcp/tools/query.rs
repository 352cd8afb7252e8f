//! `query`: one statement of SQL that reads.

use rmcp::model::Tool;
use serde::Deserialize;
use serde_json::json;

use super::super::answer::{AnswerSize, MOST_ROWS, USUAL_ROWS, rows_answer};
use super::super::assistant::Assistant;
use super::tool_call::invalid;
use super::tool_schema::{answering_rows, max_rows_schema, reading_tool, trace_schema};
use crate::error::ServerError;

/// The name of the tool.
pub(super) const NAME: &str = "query";

/// What is asked.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct QueryCall {
    sql: String,
    trace: Option<String>,
    max_rows: Option<usize>,
}

pub(super) fn definition() -> Tool {
    let description = "Runs one SQL statement that reads, and returns rows as JSON. Tables: containers, states, \
        state_segments, events, variables, links and others; describe lists them with all functions. Table functions take \
        named arguments: SELECT * FROM state_slices(slices => 30). Aggregate and use LIMIT rather than fetch many rows.";
    let properties = json!({
        "sql": { "type": "string", "description": "One statement: SELECT, WITH, EXPLAIN, SHOW or DESCRIBE" },
        "trace": trace_schema(),
        "max_rows": max_rows_schema(USUAL_ROWS, MOST_ROWS),
    });
    answering_rows(reading_tool(NAME, "Query in SQL", description, properties, &["sql"]))
}

pub(super) async fn call(assistant: &Assistant, asked: QueryCall) -> Result<String, ServerError> {
    let size = answer_size(asked.max_rows)?;
    let session = assistant.session(asked.trace)?;
    rows_answer(session.run_text(&asked.sql).await?, size).await
}

/// The size of an answer with so many rows.
pub(super) fn answer_size(max_rows: Option<usize>) -> Result<AnswerSize, ServerError> {
    let rows = max_rows.unwrap_or(USUAL_ROWS);
    match (1..=MOST_ROWS).contains(&rows) {
        true => Ok(AnswerSize::of_rows(rows)),
        false => Err(invalid(format!("max_rows must be between 1 and {MOST_ROWS}, got {rows}"))),
    }
}
