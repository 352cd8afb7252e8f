//! Tests of `commands`.

use super::*;

#[test]
fn every_spelling_finds_its_command() {
    for (line, verb, argument) in [
        (".tables", Verb::Tables, None),
        ("\\dt", Verb::Tables, None),
        (".tables lu", Verb::Tables, Some("lu")),
        (".use lu", Verb::Use, Some("lu")),
        ("\\c", Verb::Use, None),
        (".pager off", Verb::Pager, Some("off")),
        ("\\d lu.states ;", Verb::Describe, Some("lu.states")),
        (".mode csv", Verb::Mode, Some("csv")),
        ("\\timing", Verb::Timing, None),
        (".read 'a b.sql'", Verb::Read, Some("a b.sql")),
        ("\\q", Verb::Quit, None),
    ] {
        let command = parse(line).expect("a command");
        assert_eq!((command.spec.verb, command.argument), (verb, argument), "{line}");
    }
}

#[test]
fn wrong_commands_say_what_is_right() {
    for (line, words) in [
        (".tabels", "did you mean .tables?"),
        (".frobnicate", ".help shows them"),
        (".read", "needs an argument: .read FILE"),
        (".quit now", "takes no argument"),
    ] {
        let error = parse(line).expect_err("a wrong command").to_string();
        assert!(error.contains(words), "{error}");
    }
}

#[test]
fn no_two_commands_share_a_name() {
    let mut names: Vec<&str> = COMMANDS.iter().flat_map(|spec| spec.names).copied().collect();
    let count = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), count);
}

#[test]
fn a_switch_without_argument_flips() {
    assert_eq!(switch(None, Switch::Off).expect("a switch"), Switch::On);
    assert_eq!(switch(None, Switch::On).expect("a switch"), Switch::Off);
    assert_eq!(switch(Some("OFF"), Switch::Off).expect("a switch"), Switch::Off);
    assert!(switch(Some("maybe"), Switch::Off).is_err());
}
