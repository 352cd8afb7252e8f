//! Tests of `rules`.

use super::*;

#[test]
fn local_rules_are_rules_of_a_session() {
    for memory_limit in [None, Some(1 << 20)] {
        let rules = physical_optimizer_rules(memory_limit);
        for name in LOCAL_RULES {
            assert_eq!(rules.iter().filter(|rule| rule.name() == name).count(), 1, "{name}");
        }
    }
}

#[test]
fn filters_on_slices_and_times_follow_filters_that_were_pushed_down() {
    let rules = optimizer_rules();
    let names: Vec<&str> = rules.iter().map(|rule| rule.name()).collect();
    let pushed = names.iter().position(|name| *name == "push_down_filter").expect("the rule of DataFusion");
    assert_eq!(names[pushed + 1..pushed + 3], ["slice_filter", "time_filter"]);
}

#[test]
fn orders_are_restored_before_they_are_checked_and_after_all_else() {
    let rules = physical_optimizer_rules(None);
    let names: Vec<&str> = rules.iter().map(|rule| rule.name()).collect();
    assert_eq!(names[names.len() - 3..], [RestoreOrder::NAME, "SanityCheckPlan", WindowResults::NAME]);
}
