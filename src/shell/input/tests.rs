//! Tests of `input`.

use super::*;

fn statements(text: &str) -> Vec<String> {
    split_input(text)
        .into_iter()
        .map(|input| match input {
            ShellInput::Command(text) | ShellInput::Statement(text) => text.trim().to_string(),
        })
        .collect()
}

#[test]
fn semicolons_in_quotes_and_comments_end_nothing() {
    assert_eq!(
        statements("SELECT ';', 'it''s;' -- ; no\n; SELECT \"a;b\" /* ; /* ; */ ; */; SELECT $x$ ; $$ ; $x$"),
        ["SELECT ';', 'it''s;' -- ; no", "SELECT \"a;b\" /* ; /* ; */ ; */", "SELECT $x$ ; $$ ; $x$"]
    );
    assert_eq!(statements(" ;; -- nothing\n;"), Vec::<String>::new());
}

#[test]
fn commands_are_lines_where_a_statement_could_start() {
    assert_eq!(
        split_input(".tables\nSELECT\n.5;\n  \\dt  \n-- a note\n.mode csv"),
        [
            ShellInput::Command(".tables".to_string()),
            ShellInput::Statement("SELECT\n.5".to_string()),
            ShellInput::Command("\\dt".to_string()),
            ShellInput::Command(".mode csv".to_string()),
        ]
    );
}

#[test]
fn a_statement_is_complete_at_its_semicolon() {
    for whole in ["", "  ", ".help", "\\d states", "SELECT 1;", "SELECT 1; -- done", "SELECT ';';", "-- note"] {
        assert!(is_complete(whole), "{whole:?}");
    }
    for open in ["SELECT 1", "SELECT ';", "SELECT 1; SELECT 2", "/* ;", "SELECT $$ ;", "SELECT \"a;"] {
        assert!(!is_complete(open), "{open:?}");
    }
}
