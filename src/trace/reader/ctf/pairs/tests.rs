//! Which events belong together.

use super::*;

fn pairs(own: &str, names: &[&str]) -> Vec<(String, PairSide, String, String)> {
    let (rules, faults) = PairRules::new(own);
    assert!(faults.is_empty(), "{faults:?}");
    let found = rules.pairs(&names.iter().copied().collect());
    let mut all: Vec<_> = found.into_iter().map(|(name, pair)| (name, pair.side, pair.type_, pair.value)).collect();
    all.sort_by(|a, b| a.0.cmp(&b.0));
    all
}

#[test]
fn both_ends_must_be_there() {
    let found =
        pairs("", &["syscall_entry_read", "syscall_exit_read", "syscall_entry_write", "cuda:f_entry", "cuda:f_exit"]);
    let row =
        |name: &str, side, type_: &str, value: &str| (name.to_string(), side, type_.to_string(), value.to_string());
    let expected = vec![
        row("cuda:f_entry", PairSide::Begin, "call", "cuda:f"),
        row("cuda:f_exit", PairSide::End, "call", "cuda:f"),
        row("syscall_entry_read", PairSide::Begin, "syscall", "read"),
        row("syscall_exit_read", PairSide::End, "syscall", "read"),
    ];
    assert_eq!(found, expected);
}

#[test]
fn rules_of_a_user_come_first() {
    let found = pairs("go_* stop_* phase * thread\n# a comment", &["go_x", "stop_x"]);
    assert_eq!(found[0].2, "phase");
    let (_, faults) = PairRules::new("only two");
    assert_eq!(faults, ["only two"]);
}
