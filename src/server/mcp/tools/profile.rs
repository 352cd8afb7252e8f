//! `profile`: where the time goes.

use rmcp::model::Tool;
use serde::Deserialize;
use serde_json::json;

use super::super::answer::{MOST_ROWS, USUAL_ROWS};
use super::super::assistant::Assistant;
use super::query::answer_size;
use super::tool_schema::{answering_rows, max_rows_schema, reading_tool, trace_schema};
use crate::error::ServerError;

/// The name of the tool.
pub(super) const NAME: &str = "profile";

/// What is asked.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ProfileCall {
    trace: Option<String>,
    #[serde(default)]
    by: ProfileRows,
    max_rows: Option<usize>,
}

/// What has a row of its own.
#[derive(Debug, Default, Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum ProfileRows {
    #[default]
    State,
    Container,
    Activity,
    Efficiency,
}

impl ProfileRows {
    fn sql(self) -> &'static str {
        match self {
            ProfileRows::State => include_str!("../../../../sql/assistants/profile_by_state.sql"),
            ProfileRows::Container => include_str!("../../../../sql/assistants/profile_by_container.sql"),
            ProfileRows::Activity => include_str!("../../../../sql/assistants/profile_by_activity.sql"),
            ProfileRows::Efficiency => include_str!("../../../../sql/assistants/profile_by_efficiency.sql"),
        }
    }
}

pub(super) fn definition() -> Tool {
    let description = "Where the time of a trace goes. by state: seconds in each state, nested states included or not, \
        summed over containers; by container: the same for each container, the longest first; by activity: computation, \
        communication, waiting and so on; by efficiency: the POP metrics of the run, load balance and communication \
        efficiency. Types of states are different views of the same time: do not add them up.";
    let properties = json!({
        "trace": trace_schema(),
        "by": {
            "type": "string", "enum": ["state", "container", "activity", "efficiency"], "default": "state",
            "description": "What has a row of its own",
        },
        "max_rows": max_rows_schema(USUAL_ROWS, MOST_ROWS),
    });
    answering_rows(reading_tool(NAME, "Profile", description, properties, &[]))
}

pub(super) async fn call(assistant: &Assistant, asked: ProfileCall) -> Result<String, ServerError> {
    let size = answer_size(asked.max_rows)?;
    assistant.rows(asked.trace, asked.by.sql(), &[], size).await
}
