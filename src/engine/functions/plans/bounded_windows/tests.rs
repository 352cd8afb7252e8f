//! Tests of `bounded_windows`.

use std::sync::Arc;

use arrow::array::{ArrayRef, StringArray};
use datafusion::common::ScalarValue;
use datafusion::execution::memory_pool::{GreedyMemoryPool, MemoryPool};
use ocellus_planning::{CancelFlag, QueryControl};

use super::{BudgetUser, WindowBudget};

fn text(bytes: usize) -> ScalarValue {
    ScalarValue::from("a".repeat(bytes).as_str())
}

#[test]
fn a_value_counts_with_its_copy_until_its_row_is_emitted() {
    let budget = Arc::new(WindowBudget::new(Some(10_000), None));
    let memory: Arc<dyn MemoryPool> = Arc::new(GreedyMemoryPool::new(1_000_000));
    let user = BudgetUser::start(&budget, &memory);
    // (872 + 128) · 2 bytes each.
    for _ in 0..5 {
        budget.take_value("f", &text(872), 1).expect("room");
    }
    assert_eq!(memory.reserved(), 10_000);
    let error = budget.take_value("f", &text(872), 1).expect_err("no room").to_string();
    assert!(error.contains("f OVER (…) would hold 12000 bytes") && error.contains("at most 10000"), "{error}");
    let emitted: ArrayRef = Arc::new(StringArray::from(vec!["a".repeat(872), "b".repeat(872)]));
    user.emitted(&emitted);
    assert_eq!(memory.reserved(), 6_000);
    budget.take_value("f", &text(872), 2).expect("room again");
    assert!(budget.take_value("f", &text(872), 1).is_err());
    drop(user);
    assert_eq!(memory.reserved(), 0);
    budget.take_value("f", &text(872), 5).expect("nothing is held any more");
}

#[test]
fn small_values_count_in_the_memory_of_the_query_only() {
    let budget = Arc::new(WindowBudget::new(Some(10_000), None));
    budget.take_value("f", &text(256), 1_000_000).expect("small values");
    let memory: Arc<dyn MemoryPool> = Arc::new(GreedyMemoryPool::new(1_000_000));
    let user = BudgetUser::start(&budget, &memory);
    budget.take_value("f", &text(100), 2_000).expect("(100 + 128) · 2 bytes each");
    assert_eq!(memory.reserved(), 912_000);
    assert!(budget.take_value("f", &text(100), 2_000).is_err(), "the query has no more memory");
    drop(user);
}

#[test]
fn nothing_is_computed_for_a_query_that_has_ended() {
    let cancel = CancelFlag::default();
    let budget = WindowBudget::new(None, Some(&QueryControl::cancelled_by(&cancel)));
    assert!(budget.check().is_ok());
    cancel.cancel();
    assert!(budget.check().expect_err("cancelled").to_string().contains("the query was cancelled"));
}
