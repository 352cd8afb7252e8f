//! Reads the summary of a table where that says enough, and its rows where it does not.
//!
//! A store keeps, beside the rows of states, their time in bands; see [`ocellus_kernels::bands`]. For slices that are much
//! wider than bands, most of the time of a slice is known from these:
//!
//! ```text
//!  aggregate: state_cells      union
//!    states              ─►      aggregate: state_cells, in the bands that a slice begins in
//!                                  states, of the row groups that touch these bands
//!                                aggregate: state_cells, of the widest bands that lie in one slice
//!                                  states_bands
//! ```
//! Both are sums of whole numbers, so that the result has the same bits. What stands between the aggregate and the files
//! may only ask for what a band knows: container, type, value, depth and whether states were cut. A condition on times
//! counts when it only repeats the window of the slices.

mod known;
mod operators;
mod scans;
mod slices;
mod totals;

use std::sync::Arc;

use datafusion::common::config::ConfigExtension;
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode};
use datafusion::common::{Result, extensions_options};
use datafusion::config::ConfigOptions;
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::aggregates::AggregateExec;

extensions_options! {
    /// Settings of queries.
    pub struct SummarySettings {
        /// Whether summaries are read in place of rows, where they say enough.
        pub summaries: bool, default = true
    }
}

impl ConfigExtension for SummarySettings {
    const PREFIX: &'static str = "ocellus";
}

/// The rule; see the file's head. It must run when aggregates stand right above the files.
#[derive(Debug, Default)]
pub(crate) struct Summaries;

impl PhysicalOptimizerRule for Summaries {
    fn name(&self) -> &str {
        "summaries"
    }

    fn schema_check(&self) -> bool {
        true
    }

    fn optimize(&self, plan: Arc<dyn ExecutionPlan>, config: &ConfigOptions) -> Result<Arc<dyn ExecutionPlan>> {
        if config.extensions.get::<SummarySettings>().is_some_and(|settings| !settings.summaries) {
            return Ok(plan);
        }
        plan.transform_down(|node| {
            let summed = match node.downcast_ref::<AggregateExec>() {
                Some(aggregate) => match slices::summed(aggregate)? {
                    Some(summed) => Some(summed),
                    None => totals::summed(aggregate)?,
                },
                None => None,
            };
            Ok(summed.map_or_else(|| Transformed::no(node), Transformed::yes))
        })
        .data()
    }
}
