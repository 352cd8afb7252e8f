//! Severity by replay: what the run would be without the cause of a finding.
//!
//! ```text
//!  findings ─► changes that take their causes away ─► replay_savings ─► severity, ranked anew
//! ```
//! A replay reads all states and links, so it is for traces that have links and not too many rows.

use datafusion::common::Result;
use datafusion::logical_expr::LogicalPlan;

use crate::functions::calls::call::Call;
use crate::functions::calls::definition::{Accepts, ConstantKind, ConstantParameter, DefaultValue};

/// How severity is found.
pub(crate) const SEVERITY: ConstantParameter = ConstantParameter {
    name: "severity",
    kind: ConstantKind::Text,
    default: DefaultValue::Text("estimated"),
    accepts: Accepts::OneOf(&["estimated", REPLAYED]),
    doc: "How severity is found: from the time of the cause and of those who wait for it, or by a replay without the cause.",
};
/// By a replay.
pub(crate) const REPLAYED: &str = "replayed";

/// States and links together at most.
const MOST_ROWS: u64 = 1_000_000;

/// Whether the trace of a call can be replayed for its findings.
pub(crate) fn is_replayable(call: &Call<'_>) -> bool {
    let Some(trace) = call.tables.names.get(&call.tables.schema) else { return false };
    let [states, links] = ["state_segments", "links"].map(|table| trace.rows(table));
    links > 0 && states.saturating_add(links) <= MOST_ROWS
}

/// Findings with the severity that a replay gives them, of a window of some seconds.
pub(crate) fn replayed(call: &Call<'_>, found: LogicalPlan, length: f64) -> Result<LogicalPlan> {
    let text = include_str!("finding_replay.sql")
        .replace("$length", &format!("{length:?}"))
        .replace("$least", &format!("{:?}", call.double("least_severity")?));
    let given = vec![("found", found), ("states", call.relation(0)?), ("links", call.relation(1)?)];
    call.tables.plan_text(&call.tables.schema, &text, given)
}
