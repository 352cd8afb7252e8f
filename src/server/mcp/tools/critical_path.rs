//! `critical_path`: what determines the end of a run.

use datafusion::common::ScalarValue;
use rmcp::model::Tool;
use serde::Deserialize;
use serde_json::json;

use super::super::answer::{MOST_ROWS, USUAL_ROWS};
use super::super::assistant::Assistant;
use super::query::answer_size;
use super::tool_schema::{answering_rows, max_rows_schema, reading_tool, trace_schema};
use crate::error::ServerError;

/// The name of the tool.
pub(super) const NAME: &str = "critical_path";

const SQL: &str = include_str!("../../../../sql/assistants/critical_path.sql");

/// What is asked.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CriticalPathCall {
    trace: Option<String>,
    start: Option<f64>,
    stop: Option<f64>,
    max_rows: Option<usize>,
}

pub(super) fn definition() -> Tool {
    let description = "What determines the end of a run, or of a window of it: the chain of states and messages that leads \
        to it, summed by kind, container and state, the largest share first. kind is computation, transfer, wait (that \
        nothing explains) or other. The steps one by one: query with FROM critical_path().";
    let properties = json!({
        "trace": trace_schema(),
        "start": { "type": "number", "description": "Start of the window in seconds; that of the trace when absent" },
        "stop": { "type": "number", "description": "End of the window in seconds; that of the trace when absent" },
        "max_rows": max_rows_schema(USUAL_ROWS, MOST_ROWS),
    });
    answering_rows(reading_tool(NAME, "Critical path", description, properties, &[]))
}

pub(super) async fn call(assistant: &Assistant, asked: CriticalPathCall) -> Result<String, ServerError> {
    let size = answer_size(asked.max_rows)?;
    let window = [asked.start, asked.stop].map(|time| time.map_or(ScalarValue::Null, ScalarValue::from));
    assistant.rows(asked.trace, SQL, &window, size).await
}
