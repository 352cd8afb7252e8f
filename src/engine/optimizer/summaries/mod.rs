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
//!
//! Links count as a whole: those that cross a border of bands are in the summary by themselves, and those of the bands that
//! hold a boundary are read as rows.

mod columns;
mod cut_parquet;
mod grid;
mod known;
mod operators;
mod pages;
mod scans;
mod settings;
mod shape;
mod slices;
mod totals;

use std::sync::Arc;

use datafusion::common::Result;
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode};
use datafusion::config::ConfigOptions;
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::aggregates::AggregateExec;

use scans::RowGroupChoice;
pub(crate) use settings::SummarySettings;

/// The rule; see the file's head. It must run when aggregates stand right above the files.
#[derive(Debug)]
pub(crate) struct Summaries {
    way: RowGroupChoice,
}

impl Summaries {
    /// Name of the rule for plans that stay in this process.
    pub(super) const LOCAL_NAME: &str = "summaries";

    /// For plans that stay in this process.
    pub(super) const LOCAL: Summaries = Summaries { way: RowGroupChoice::Footers };

    /// For plans that others may run.
    pub(super) const ANYWHERE: Summaries = Summaries { way: RowGroupChoice::Condition };
}

impl PhysicalOptimizerRule for Summaries {
    fn name(&self) -> &str {
        match self.way {
            RowGroupChoice::Footers => Summaries::LOCAL_NAME,
            RowGroupChoice::Condition => "summaries_anywhere",
        }
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
                Some(aggregate) => match slices::summed(aggregate, self.way)? {
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
