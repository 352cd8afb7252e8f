//! `list_traces`: the traces of the store.

use rmcp::model::Tool;
use serde::Deserialize;
use serde_json::{Value, json};

use super::super::answer::{FRAME, LONGEST_ANSWER, sent_bytes};
use super::super::assistant::Assistant;
use super::tool_schema::{answering, reading_tool};
use crate::error::ServerError;
use crate::trace_summary::trace_summary;

/// The name of the tool.
pub(super) const NAME: &str = "list_traces";

/// It takes nothing.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ListTracesCall {}

pub(super) fn definition() -> Tool {
    let description = "The traces of the store: name, format, span in seconds, and how many rows each table has.";
    let properties = json!({
        "truncated": { "type": "boolean", "description": "Whether traces were left out" },
        "note": { "type": "string", "description": "How to ask for the others" },
        "trace_count": { "type": "integer" },
        "traces": { "type": "array", "items": { "type": "object" } },
    });
    let tool = reading_tool(NAME, "List traces", description, json!({}), &[]);
    answering(tool, properties, &["truncated", "trace_count", "traces"])
}

pub(super) fn call(assistant: &Assistant) -> Result<String, ServerError> {
    let snapshot = assistant.service.snapshot()?;
    let traces: Vec<Value> = snapshot.catalog.traces().iter().map(trace_summary).collect();
    let total = traces.len();
    let mut shown = vec![];
    let mut left = LONGEST_ANSWER - FRAME;
    for trace in traces {
        let taken = sent_bytes(&trace.to_string()) + 1;
        if taken > left {
            break;
        }
        left -= taken;
        shown.push(trace);
    }
    let is_cut = shown.len() < total;
    let mut answer = json!({ "truncated": is_cut, "trace_count": total, "traces": shown });
    if is_cut {
        answer["note"] =
            json!("the rest: SELECT trace, start_time, end_time FROM all_traces.trace_info ORDER BY trace");
    }
    Ok(answer.to_string())
}
