//! How a tool is described to clients: a JSON schema of its arguments, and that it changes nothing.

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
