//! The tools: what each takes and does. All of them only read.
//!
//! A new tool is: its file, a line in [`definitions`], and one in [`call`].

mod compare_runs;
mod critical_path;
mod describe;
mod diagnostics;
mod draw;
mod list_traces;
mod profile;
mod query;
mod tool_call;
mod tool_schema;

use std::sync::Arc;

use rmcp::model::{JsonObject, Tool};

pub(super) use tool_call::ToolAnswer;

use super::assistant::Assistant;
use crate::error::ServerError;
use tool_call::{invalid, read};

/// The tools with their arguments.
pub(super) fn definitions() -> Vec<Tool> {
    vec![
        list_traces::definition(),
        describe::definition(),
        query::definition(),
        profile::definition(),
        critical_path::definition(),
        compare_runs::definition(),
        draw::definition(),
        diagnostics::definition(),
    ]
}

/// Runs a tool.
pub(super) async fn call(
    assistant: &Arc<Assistant>,
    name: &str,
    arguments: JsonObject,
) -> Result<ToolAnswer, ServerError> {
    let object = match name {
        list_traces::NAME => {
            let list_traces::ListTracesCall {} = read(name, arguments)?;
            list_traces::call(assistant)
        }
        describe::NAME => return describe::call(assistant, read(name, arguments)?).await.map(ToolAnswer::Text),
        query::NAME => query::call(assistant, read(name, arguments)?).await,
        profile::NAME => profile::call(assistant, read(name, arguments)?).await,
        critical_path::NAME => critical_path::call(assistant, read(name, arguments)?).await,
        compare_runs::NAME => compare_runs::call(assistant, read(name, arguments)?).await,
        draw::NAME => return draw::call(assistant, read(name, arguments)?).await,
        diagnostics::NAME => diagnostics::call(assistant, read(name, arguments)?).await,
        _ => Err(invalid(format!("there is no tool {name}"))),
    };
    object.map(ToolAnswer::Object)
}
