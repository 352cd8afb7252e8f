//! Tests of `sql_text`.

use super::*;

#[test]
fn comments_are_no_options_and_options_are_no_comments() {
    for (given, expected) in [
        ("-- two\nSELECT 2", " -- two\nSELECT 2"),
        ("--two\nSELECT 2", " --two\nSELECT 2"),
        ("--format", "--format"),
        ("--null=no value", "--null=no value"),
        ("SELECT 1 -- one", "SELECT 1 -- one"),
        ("-c", "-c"),
    ] {
        assert_eq!(protected([OsString::from(given)]), [OsString::from(expected)], "{given}");
    }
    let after = ["--", "-- a name"].map(OsString::from);
    assert_eq!(protected(after.clone()), after);
}
