//! Plans of functions that are written in SQL.

use std::fmt::Debug;

use datafusion::common::Result;
use datafusion::logical_expr::LogicalPlan;

/// Where SQL of a function finds the plans that it was given: `FROM given.plans.NAME`.
pub(crate) const GIVEN_CATALOG: &str = "given";
pub(crate) const GIVEN_SCHEMA: &str = "plans";

/// Plans SQL as the session does that runs the query.
pub(crate) trait TextPlanner: Debug + Send + Sync {
    /// The plan of a query in which names without a schema are those of a trace.
    fn plan_text(&self, trace: &str, text: &str, given: Vec<(&'static str, LogicalPlan)>) -> Result<LogicalPlan>;
}
