//! Tests of `call_path`.

use super::*;
use proptest::prelude::*;

/// Looks back from every call for the last one that is less deep, and so on up.
fn slow(calls: &[(usize, String)]) -> Vec<String> {
    let path = |place: usize| {
        let (mut depth, mut names) = (calls[place].0, vec![calls[place].1.as_str()]);
        for (other, name) in calls[..place].iter().rev() {
            if *other < depth {
                depth = *other;
                names.insert(0, name);
            }
        }
        names.join("/")
    };
    (0..calls.len()).map(path).collect()
}

#[test]
fn siblings_share_their_parent() {
    let mut path = CallPath::default();
    assert_eq!(path.enter(0, "main"), "main");
    assert_eq!(path.enter(1, "f"), "main/f");
    assert_eq!(path.enter(2, "g"), "main/f/g");
    assert_eq!(path.enter(1, "h"), "main/h");
    assert_eq!(path.enter(0, "exit"), "exit");
}

#[test]
fn missing_calls_are_left_out() {
    let mut path = CallPath::default();
    assert_eq!(path.enter(3, "deep"), "deep");
    assert_eq!(path.enter(5, "deeper"), "deep/deeper");
    assert_eq!(path.enter(4, "other"), "deep/other");
    assert_eq!(path.enter(1, "f"), "f");
}

proptest! {
    #[test]
    fn agrees_with_the_slow_twin(calls in prop::collection::vec((0_usize..6, "[a-c/é]{0,3}"), 0..60)) {
        let mut path = CallPath::default();
        let fast: Vec<String> = calls.iter().map(|(depth, name)| path.enter(*depth, name).to_string()).collect();
        prop_assert_eq!(fast, slow(&calls));
    }
}
