//! Tests of `login`.

use super::*;

#[test]
fn options_are_settings() {
    let expected = [("search_path", "lu,public"), ("statement_timeout", "5s"), ("a", "b c")];
    let expected: Vec<(String, String)> =
        expected.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect();
    assert_eq!(options_of("-c search_path=lu,public --statement-timeout=5s -ca=b\\ c"), expected);
    assert!(options_of("-c").is_empty());
}
