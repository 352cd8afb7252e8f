//! Tests of `variables`.

use super::choice::{ContainerSpread, LineRole, TypeVariation, VariableChoice, strip_of};

fn spreads(deviations: impl Iterator<Item = f64>) -> Vec<ContainerSpread> {
    let spread = |(id, deviation): (usize, f64)| ContainerSpread { id: id as i64, deviation, swing: 1.0, size: 100.0 };
    deviations.enumerate().map(spread).collect()
}

#[test]
fn few_containers_have_a_color_each() {
    let strip = strip_of(&spreads((0..8).map(f64::from)));
    assert!(strip.lines.len() == 8 && strip.lines.values().all(|role| *role == LineRole::Colored) && !strip.has_range);
}

#[test]
fn of_many_those_that_differ_most_stand_out() {
    // Twenty that differ by 1 or 2 from the median, one by 9 and one by 40.
    let many = spreads((0..20).map(|index| f64::from(index % 2 + 1)).chain([9.0, 40.0]));
    let strip = strip_of(&many);
    let outliers: Vec<i64> =
        strip.lines.iter().filter(|(_, role)| **role == LineRole::Outlier).map(|(id, _)| *id).collect();
    assert_eq!((strip.lines.len(), outliers, strip.has_range), (22, vec![20, 21], false));
}

#[test]
fn of_very_many_only_those_that_stand_out_have_a_line() {
    let strip = strip_of(&spreads((0..1000).map(|index| if index % 100 == 7 { f64::from(index) } else { 0.0 })));
    let ids: Vec<i64> = strip.lines.keys().copied().collect();
    assert_eq!((ids, strip.has_range, strip.containers), (vec![507, 607, 707, 807, 907], true, 1000));
    // All alike: nobody stands out.
    assert!(strip_of(&spreads(std::iter::repeat_n(0.0, 100))).lines.is_empty());
}

#[test]
fn what_changes_in_time_comes_first() {
    let variation =
        |swing: f64, deviation: f64| TypeVariation::of(&[ContainerSpread { id: 0, deviation, swing, size: 1e9 }]);
    assert_eq!(variation(5.0, 0.0), TypeVariation::InTime);
    assert_eq!(variation(0.0, 5.0), TypeVariation::BetweenContainers);
    // A millionth of a part of a billion is rounding.
    assert_eq!(variation(1e-6, 1e-6), TypeVariation::None);
    assert!(TypeVariation::InTime < TypeVariation::BetweenContainers);
}

/// Those that were chosen come in the order of the choice, which is not that of names; others by name behind them.
#[test]
fn strips_come_in_the_order_of_the_choice() {
    let order = vec!["speed_used".to_string(), "bandwidth".to_string()];
    let choice = VariableChoice { order, ..VariableChoice::default() };
    let types = ["bandwidth", "z", "a", "speed_used"].map(str::to_string);
    assert_eq!(choice.in_order(types.iter()), ["speed_used", "bandwidth", "a", "z"]);
}
