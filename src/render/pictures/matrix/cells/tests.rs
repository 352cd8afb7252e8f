//! Tests of `cells`.

use super::*;

#[test]
fn ranks_stand_in_the_order_of_their_numbers() {
    let names = |names: &[&'static str]| -> BTreeMap<i64, &'static str> { (0..).zip(names.iter().copied()).collect() };
    let ordered =
        |names: &BTreeMap<i64, &'static str>| order(names).into_iter().map(|(_, name)| name).collect::<Vec<_>>();
    assert_eq!(ordered(&names(&["rank10", "rank9", "rank-1"])), ["rank10", "rank9", "rank-1"]);
    assert_eq!(ordered(&names(&["rank10", "rank9", "rank1"])), ["rank1", "rank9", "rank10"]);
    assert_eq!(ordered(&names(&["b", "a"])), ["b", "a"]);
    assert!(ordered(&names(&[])).is_empty());
}
