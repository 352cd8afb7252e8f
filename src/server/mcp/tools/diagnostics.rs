//! `diagnostics`: what was wrong with a trace when it was imported.

use rmcp::model::Tool;
use serde::Deserialize;
use serde_json::json;

use super::super::answer::{MOST_ROWS, USUAL_ROWS};
use super::super::assistant::Assistant;
use super::query::answer_size;
use super::tool_schema::{answering_rows, max_rows_schema, reading_tool, trace_schema};
use crate::error::ServerError;

/// The name of the tool.
pub(super) const NAME: &str = "diagnostics";

const SQL: &str = include_str!("../../../../sql/assistants/diagnostics.sql");

/// What is asked.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct DiagnosticsCall {
    trace: Option<String>,
    max_rows: Option<usize>,
}

pub(super) fn definition() -> Tool {
    let description = "What was wrong with a trace when it was imported, the worst first: an error means that data was lost. \
        No rows: the trace is whole.";
    let properties = json!({ "trace": trace_schema(), "max_rows": max_rows_schema(USUAL_ROWS, MOST_ROWS) });
    answering_rows(reading_tool(NAME, "Diagnostics", description, properties, &[]))
}

pub(super) async fn call(assistant: &Assistant, asked: DiagnosticsCall) -> Result<String, ServerError> {
    let size = answer_size(asked.max_rows)?;
    assistant.rows(asked.trace, SQL, &[], size).await
}
