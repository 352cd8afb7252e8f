//! Tests of `listings`.

use super::is_like;

#[test]
fn patterns_are_those_of_like() {
    for (text, pattern, expected) in [
        ("states", "states", true),
        ("states", "STA%", true),
        ("state_segments", "%seg%", true),
        ("links", "link_", true),
        ("links", "link", false),
        ("events", "%x%", false),
    ] {
        assert_eq!(is_like(text, pattern), expected, "{text} like {pattern}");
    }
}
