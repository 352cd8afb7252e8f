//! Tests of `distinct_names`.

use super::numbered;

#[test]
fn equal_names_are_numbered_and_numbers_stay_free() {
    assert_eq!(numbered(["a", "b"].into_iter()), None);
    let names = numbered(["a", "a", "a_1", "b", "a"].into_iter()).expect("equal names");
    assert_eq!(names, ["a", "a_2", "a_1", "b", "a_3"]);
}
