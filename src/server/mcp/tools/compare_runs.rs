//! `compare_runs`: what differs between two traces of the store.

use datafusion::common::ScalarValue;
use rmcp::model::Tool;
use serde::Deserialize;
use serde_json::json;

use super::super::answer::{AnswerSize, LONGEST_ANSWER, MOST_ROWS, USUAL_ROWS};
use super::super::assistant::Assistant;
use super::query::answer_size;
use super::tool_schema::{answering, max_rows_schema, reading_tool, rows_schema};
use crate::error::ServerError;

/// The name of the tool.
pub(super) const NAME: &str = "compare_runs";

const RUNS: &str = include_str!("../../../../sql/assistants/compared_runs.sql");
const DIFFERENCES: &str = include_str!("../../../../sql/assistants/compare_runs.sql");

/// Bytes of the part that describes the runs.
const RUNS_BYTES: usize = 8 << 10;

/// What is asked.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CompareCall {
    baseline: String,
    run: String,
    by: Option<String>,
    depth: Option<u32>,
    max_rows: Option<usize>,
}

pub(super) fn definition() -> Tool {
    let description = "Compares two traces of the store: the length of both, and for each state its seconds and its mean \
        share of the time in both, the largest difference first. difference is the share in the run minus that in the \
        baseline, over containers that were matched; matched says how many were.";
    let properties = json!({
        "baseline": { "type": "string", "description": "Name of the trace that is compared with" },
        "run": { "type": "string", "description": "Name of the other trace" },
        "by": {
            "type": "string", "enum": ["path", "name", "position"], "default": "path",
            "description": "How containers are matched; by position where names differ",
        },
        "depth": {
            "type": "integer", "minimum": 0,
            "description": "Depth of the containers that are compared, for runs with different numbers of processes",
        },
        "max_rows": max_rows_schema(USUAL_ROWS, MOST_ROWS),
    });
    let tool = reading_tool(NAME, "Compare two runs", description, properties, &["baseline", "run"]);
    answering(tool, json!({ "runs": rows_schema(), "differences": rows_schema() }), &["runs", "differences"])
}

pub(super) async fn call(assistant: &Assistant, asked: CompareCall) -> Result<String, ServerError> {
    let size = answer_size(asked.max_rows)?;
    let size = AnswerSize { bytes: LONGEST_ANSWER - RUNS_BYTES - 64, ..size };
    let names = [&asked.baseline, &asked.run].map(|name| ScalarValue::from(name.as_str()));
    let trace = Some(asked.run.clone());
    let runs_size = AnswerSize { rows: 2, bytes: RUNS_BYTES };
    let runs = assistant.rows(trace.clone(), RUNS, &names, runs_size).await?;
    let [baseline, run] = names;
    let depth = asked.depth.map_or(ScalarValue::Null, |depth| ScalarValue::from(i64::from(depth)));
    let by = ScalarValue::from(asked.by.as_deref().unwrap_or("path"));
    let differences = assistant.rows(trace, DIFFERENCES, &[baseline, run, depth, by], size).await?;
    Ok(format!("{{\"runs\":{runs},\n\"differences\":{differences}}}"))
}
