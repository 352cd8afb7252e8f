//! Tests of `names`.

use super::*;

#[test]
fn equal_words_get_equal_numbers() {
    let mut names = NameInterner::default();
    let ids: Vec<NameId> = ["a", "bc", "", "a", "bc"].iter().map(|w| names.intern(w)).collect();
    assert_eq!(ids[0], ids[3]);
    assert_eq!(ids[1], ids[4]);
    assert_eq!(names.len(), 3);
    assert_eq!(names.text(ids[1]), "bc");
    assert_eq!(names.text(ids[2]), "");
    assert_eq!(names.get("zz"), None);
}
