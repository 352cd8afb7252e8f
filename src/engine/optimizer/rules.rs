//! Which rules a session has, and in which order.

#[cfg(test)]
mod tests;

use std::sync::Arc;

use datafusion::optimizer::optimizer::Optimizer;
use datafusion::optimizer::{Analyzer, AnalyzerRule, OptimizerRule};
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_optimizer::optimizer::PhysicalOptimizer;

use super::aggregate_below_union::AggregateBelowUnion;
use super::bounded_functions::BoundedFunctions;
use super::bounded_windows::{BoundedWindows, WindowResults};
use super::build_sides::BuildSides;
use super::careful_floats::{CarefulComparisons, CarefulExtremes};
use super::careful_pushdown::{CarefulFilters, CarefulOperatorFilters};
use super::dense_group_by::DenseGroupByRule;
use super::dictionary_scan_rule::DictionaryScanRule;
use super::exact_sums::ExactSums;
use super::grouping_sets::GroupingSetKeys;
use super::interval_join::IntervalJoins;
use super::large_constants::LargeConstants;
use super::multiset::MultisetOperations;
use super::ordered_distinct::OrderedDistinct;
use super::restore_order::RestoreOrder;
use super::shared_columns::SharedColumns;
use super::slice_filter::SliceFilter;
use super::subqueries::Subqueries;
use super::summaries::Summaries;
use super::table_sweep::{BoundedSorts, OverlapLengths, PreviousRows, TableSweeps};
use super::time_filter::TimeFilter;
use super::top_of_groups::TopOfGroups;

/// Names of the rules whose operators stay in this process: neither readers that give texts as codes, or some row groups only,
/// nor groups by container, counted windows, heaps of groups, sweeps over tables or sorts in little memory have a codec. An executor could apply
/// them to the stages that it gets, but Ballista's engine for stages can only be replaced without its pool of connections: every
/// fetch of rows would open one.
pub const LOCAL_RULES: [&str; 9] = [
    Summaries::LOCAL_NAME,
    DictionaryScanRule::NAME,
    DenseGroupByRule::NAME,
    WindowResults::NAME,
    TableSweeps::NAME,
    PreviousRows::NAME,
    OverlapLengths::NAME,
    BoundedSorts::NAME,
    TopOfGroups::NAME,
];

/// The name of DataFusion's rule.
const PUSH_DOWN_FILTER: &str = "push_down_filter";

/// DataFusion's rules for plans as they were written, with ours before them: types are made equal afterwards. Last,
/// when all calls are there, functions get bounds.
pub(crate) fn analyzer_rules(memory_limit: Option<usize>) -> Vec<Arc<dyn AnalyzerRule + Send + Sync>> {
    let mut rules = Analyzer::new().rules;
    let own: [Arc<dyn AnalyzerRule + Send + Sync>; 3] =
        [Arc::new(SharedColumns), Arc::new(MultisetOperations), Arc::new(Subqueries)];
    rules.splice(0..0, own);
    rules.push(Arc::new(GroupingSetKeys));
    rules.push(Arc::new(CarefulComparisons));
    rules.push(Arc::new(BoundedFunctions { memory_limit }));
    rules.push(Arc::new(BoundedWindows { memory_limit }));
    rules
}

/// DataFusion's optimizer rules with ours among them.
pub(crate) fn optimizer_rules() -> Vec<Arc<dyn OptimizerRule + Send + Sync>> {
    let mut rules = Optimizer::new().rules;
    let pushed = rules.iter().position(|rule| rule.name() == PUSH_DOWN_FILTER);
    let place = pushed.map_or(rules.len(), |index| index + 1);
    rules.insert(place, Arc::new(TimeFilter));
    rules.insert(place, Arc::new(SliceFilter));
    let shared = rules.iter().position(|rule| rule.name() == "common_sub_expression_eliminate");
    rules.insert(shared.unwrap_or(rules.len()), Arc::new(ExactSums));
    rules.push(Arc::new(LargeConstants));
    rules.push(Arc::new(CarefulExtremes));
    for rule in rules.iter_mut().filter(|rule| rule.name() == PUSH_DOWN_FILTER) {
        *rule = Arc::new(CarefulFilters(Arc::clone(rule)));
    }
    rules
}

/// DataFusion's rules for physical plans with ours among them.
pub(crate) fn physical_optimizer_rules(
    memory_limit: Option<usize>,
) -> Vec<Arc<dyn PhysicalOptimizerRule + Send + Sync>> {
    let mut rules = PhysicalOptimizer::new().rules;
    for rule in rules.iter_mut().filter(|rule| rule.name().starts_with("FilterPushdown")) {
        *rule = Arc::new(CarefulOperatorFilters(Arc::clone(rule)));
    }
    // Joins are replaced before it is decided how to run them.
    let place = rules.iter().position(|rule| rule.name() == "join_selection").unwrap_or(0);
    rules.insert(place, Arc::new(IntervalJoins { memory_limit }));
    // The operators ask for their rows in one partition, or by key.
    rules.insert(place, Arc::new(TableSweeps));
    rules.insert(place, Arc::new(PreviousRows));
    rules.insert(place, Arc::new(OverlapLengths));
    let place = rules.iter().position(|rule| rule.name() == "join_selection").map_or(0, |chosen| chosen + 1);
    rules.insert(place, Arc::new(BuildSides));
    // Before rows are sorted for windows.
    let place = rules.iter().position(|rule| rule.name() == "WindowTopN").unwrap_or(place);
    rules.insert(place, Arc::new(TopOfGroups));
    // Where aggregates read from is settled when nothing is put below them any more.
    let place = rules.iter().position(|rule| rule.name() == "EnsureCooperative").unwrap_or(rules.len());
    let own: [Arc<dyn PhysicalOptimizerRule + Send + Sync>; 5] = [
        Arc::new(AggregateBelowUnion),
        Arc::new(Summaries::LOCAL),
        Arc::new(Summaries::ANYWHERE),
        Arc::new(DictionaryScanRule),
        Arc::new(DenseGroupByRule { memory_limit }),
    ];
    rules.splice(place..place, own);
    // Nothing changes plans after it, and then they are checked.
    let place = rules.iter().position(|rule| rule.name() == "SanityCheckPlan").unwrap_or(rules.len());
    rules.insert(place, Arc::new(RestoreOrder));
    rules.insert(place, Arc::new(BoundedSorts));
    rules.insert(place, Arc::new(OrderedDistinct));
    rules.push(Arc::new(WindowResults));
    rules
}
