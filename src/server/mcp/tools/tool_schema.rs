//! How a tool is described to clients: JSON schemas of its arguments and of its answer, and that it changes nothing.

use std::sync::Arc;

use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::{Value, json};

/// A tool that reads. Properties are schemas by name; those that are needed are named besides.
pub(super) fn reading_tool(
    name: &'static str,
    title: &str,
    description: &'static str,
    properties: Value,
    required: &[&str],
) -> Tool {
    let mut schema = JsonObject::new();
    schema.insert("type".to_string(), json!("object"));
    schema.insert("properties".to_string(), properties);
    schema.insert("required".to_string(), json!(required));
    schema.insert("additionalProperties".to_string(), json!(false));
    let annotations =
        ToolAnnotations::with_title(title).read_only(true).destructive(false).idempotent(true).open_world(false);
    Tool::new(name, description, schema).with_title(title).with_annotations(annotations)
}

/// The argument that most tools have.
pub(super) fn trace_schema() -> Value {
    json!({ "type": "string", "description": "Name of the trace; the only one, or that of the server, when absent" })
}

/// How many rows are wanted.
pub(super) fn max_rows_schema(usual: usize, most: usize) -> Value {
    json!({
        "type": "integer", "minimum": 1, "maximum": most, "default": usual,
        "description": "Rows of the answer; `truncated` says when there are more",
    })
}

/// The same tool, whose answers are objects with these properties.
pub(super) fn answering(tool: Tool, properties: Value, required: &[&str]) -> Tool {
    let mut schema = JsonObject::new();
    schema.insert("type".to_string(), json!("object"));
    schema.insert("properties".to_string(), properties);
    schema.insert("required".to_string(), json!(required));
    tool.with_raw_output_schema(Arc::new(schema))
}

/// The same tool, whose answers are rows.
pub(super) fn answering_rows(tool: Tool) -> Tool {
    answering(tool, rows_properties(), &ROWS_REQUIRED)
}

/// Rows within an answer.
pub(super) fn rows_schema() -> Value {
    json!({ "type": "object", "properties": rows_properties(), "required": ROWS_REQUIRED })
}

/// What an answer of rows always has.
const ROWS_REQUIRED: [&str; 4] = ["truncated", "columns", "row_count", "rows"];

fn rows_properties() -> Value {
    json!({
        "truncated": { "type": "boolean", "description": "Whether anything was left out" },
        "note": { "type": "string", "description": "What was left out" },
        "columns": { "type": "array", "items": { "type": "string" } },
        "row_count": { "type": "integer" },
        "rows": { "type": "array", "items": { "type": "array" }, "description": "A list of values for each row, in the order of the columns" },
    })
}
