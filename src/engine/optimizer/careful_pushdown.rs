//! Filters of DataFusion go down only where they mean the same below.
//!
//! Two of its rules are too eager:
//!
//! ```text
//!  σ 1 > 3  (Aggregate)             ─/─►   Aggregate (σ 1 > 3)       an aggregate without groups has a row of nothing
//!  σ value@0 = 'a' (π t1.value, t2.value (join))  ─/─►  by name       two columns are called value
//! ```
//! So a filter without columns stays above an aggregate, and filters of operators pass none whose columns share a name;
//! what can go below a join went there before, in the logical plan.

#[cfg(test)]
mod tests;

use std::collections::HashSet;
use std::sync::Arc;

use datafusion::common::Result;
use datafusion::common::tree_node::Transformed;
use datafusion::config::ConfigOptions;
use datafusion::logical_expr::LogicalPlan;
use datafusion::logical_expr::utils::split_conjunction;
use datafusion::optimizer::optimizer::ApplyOrder;
use datafusion::optimizer::{OptimizerConfig, OptimizerRule};
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::{ExecutionPlan, replace_children_if_necessary};

/// DataFusion's rule for logical plans, which leaves filters without columns above aggregates.
#[derive(Debug)]
pub(crate) struct CarefulFilters(pub(crate) Arc<dyn OptimizerRule + Send + Sync>);

impl OptimizerRule for CarefulFilters {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn apply_order(&self) -> Option<ApplyOrder> {
        self.0.apply_order()
    }

    fn rewrite(&self, plan: LogicalPlan, config: &dyn OptimizerConfig) -> Result<Transformed<LogicalPlan>> {
        if let LogicalPlan::Filter(filter) = &plan
            && let LogicalPlan::Aggregate(_) = filter.input.as_ref()
            && split_conjunction(&filter.predicate).iter().any(|part| part.column_refs().is_empty())
        {
            return Ok(Transformed::no(plan));
        }
        self.0.rewrite(plan, config)
    }
}

/// DataFusion's rule for operators, which finds columns by their names, where names are unique.
#[derive(Debug)]
pub(crate) struct CarefulOperatorFilters(pub(crate) Arc<dyn PhysicalOptimizerRule + Send + Sync>);

impl CarefulOperatorFilters {
    fn push(&self, plan: Arc<dyn ExecutionPlan>, config: &ConfigOptions) -> Result<Arc<dyn ExecutionPlan>> {
        // Nothing comes from above: only what is below is looked at by name.
        if plan.children().into_iter().all(has_unique_names) {
            return self.0.optimize(plan, config);
        }
        let children: Result<Vec<_>> =
            plan.children().into_iter().map(|child| self.push(Arc::clone(child), config)).collect();
        replace_children_if_necessary(plan, children?)
    }
}

impl PhysicalOptimizerRule for CarefulOperatorFilters {
    fn optimize(&self, plan: Arc<dyn ExecutionPlan>, config: &ConfigOptions) -> Result<Arc<dyn ExecutionPlan>> {
        self.push(plan, config)
    }

    fn name(&self) -> &str {
        self.0.name()
    }

    fn schema_check(&self) -> bool {
        self.0.schema_check()
    }
}

/// Whether no operator of a plan has two columns of one name.
fn has_unique_names(plan: &Arc<dyn ExecutionPlan>) -> bool {
    let mut names = HashSet::new();
    plan.schema().fields().iter().all(|field| names.insert(field.name().clone()))
        && plan.children().into_iter().all(has_unique_names)
}
