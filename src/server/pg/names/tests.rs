//! Tests of `names`.

use super::*;

#[test]
fn columns_get_names_of_their_own() {
    let expected = r#"SELECT 1 AS "?column?", a, 1 AS "?column? 1", 2 AS b FROM t"#;
    assert_eq!(with_names("SELECT 1, a, 1, 2 AS b FROM t").as_deref(), Some(expected));
    assert_eq!(with_names("SELECT a FROM t"), None);
    assert_eq!((shown("?column? 12"), shown("?column?"), shown("a 1")), ("?column?", "?column?", "a 1"));
}
