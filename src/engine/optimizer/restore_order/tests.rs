//! An order that a plan does not show is made anew; one that it shows stays.

use std::sync::Arc;

use arrow::array::{Int64Array, RecordBatch};
use arrow::datatypes::{DataType, Field, Schema};
use datafusion::datasource::memory::MemorySourceConfig;
use datafusion::physical_expr::PhysicalSortExpr;
use datafusion::physical_expr::expressions::col;
use datafusion::physical_plan::displayable;
use datafusion::physical_plan::sorts::sort_preserving_merge::SortPreservingMergeExec;

use super::*;

/// A merge by `a` and `b` over two partitions that are sorted by some columns.
fn merge_over(sorted_by: &[&str]) -> Arc<dyn ExecutionPlan> {
    let fields = ["a", "b"].map(|name| Field::new(name, DataType::Int64, false));
    let schema = Arc::new(Schema::new(fields.to_vec()));
    let numbers = || Arc::new(Int64Array::from(vec![2, 1]));
    let batch = RecordBatch::try_new(Arc::clone(&schema), vec![numbers(), numbers()]).expect("a batch");
    let rows = MemorySourceConfig::try_new_exec(&[vec![batch.clone()], vec![batch]], Arc::clone(&schema), None);
    let order = |names: &[&str]| {
        let columns = names.iter().map(|name| PhysicalSortExpr::new_default(col(name, &schema).expect("a column")));
        LexOrdering::new(columns).expect("an order")
    };
    let sort = SortExec::new(order(sorted_by), rows.expect("rows")).with_preserve_partitioning(true);
    Arc::new(SortPreservingMergeExec::new(order(&["a", "b"]), Arc::new(sort)))
}

fn optimized(plan: Arc<dyn ExecutionPlan>) -> String {
    let plan = RestoreOrder.optimize(plan, &ConfigOptions::default()).expect("a plan");
    displayable(plan.as_ref()).indent(false).to_string()
}

#[test]
fn an_order_that_does_not_show_is_made_and_the_sort_below_goes() {
    let plan = optimized(merge_over(&["b"]));
    assert_eq!(plan.matches("SortExec").count(), 1, "{plan}");
    assert!(plan.contains("SortExec: expr=[a@0 ASC, b@1 ASC], preserve_partitioning=[true]"), "{plan}");
}

#[test]
fn an_order_that_shows_stays() {
    let plan = merge_over(&["a", "b"]);
    let before = displayable(plan.as_ref()).indent(false).to_string();
    assert_eq!(optimized(plan), before);
}
