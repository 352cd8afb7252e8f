//! Tests of `recent_plans`.

use arrow::datatypes::Schema;
use datafusion::datasource::empty::EmptyTable;

use super::*;

#[test]
fn the_latest_plans_are_kept_whatever_schema_they_are_of() {
    let plans = RecentPlans::default();
    let table = || Arc::new(EmptyTable::new(Arc::new(Schema::empty()))) as Arc<dyn TableProvider>;
    let (run, walk) = (Arc::from("run"), Arc::from("walk"));
    let first = table();
    plans.keep(&run, "first", &first);
    for number in 1..KEPT {
        plans.keep(&walk, &number.to_string(), &table());
    }
    // Whoever is asked for is the latest; so the table "1" of the other schema goes.
    assert!(plans.find("run", "first").is_some_and(|found| Arc::ptr_eq(&found, &first)));
    plans.keep(&run, "last", &table());
    assert!(plans.find("walk", "1").is_none() && plans.find("walk", "2").is_some());
    assert!(plans.find("walk", "first").is_none());
    // The same name again takes the place of the one before.
    let again = table();
    plans.keep(&run, "first", &again);
    assert!(plans.find("run", "first").is_some_and(|found| Arc::ptr_eq(&found, &again)));
    assert!(plans.find("walk", "2").is_some() && plans.find("walk", "3").is_some());
    plans.forget("walk");
    assert!(plans.find("walk", "2").is_none() && plans.find("run", "last").is_some());
}
