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

#[test]
fn lines_give_what_the_whole_text_gives() {
    // The slow twin looks at all that is pending again with each line.
    let parts = ["SELECT 1", ";", "'", "''", "\"", "$$", "$x$", "--", "/*", "*/", " ", "\n", ".5", "é"];
    proptest::proptest!(|(chosen in proptest::collection::vec(0..parts.len(), 0..40))| {
        let text: String = chosen.iter().map(|part| parts[*part]).collect();
        let mut expected = vec![];
        let mut pending = String::new();
        for line in text.lines() {
            if is_blank(&pending) && is_command(line) {
                expected.push(ShellInput::Command(line.trim().to_string()));
                pending.clear();
                continue;
            }
            pending = format!("{pending}{line}\n");
            while let Some(end) = statement_end(&pending) {
                let statement = pending[..end].to_string();
                pending = pending[end + 1..].to_string();
                expected.extend((!is_blank(&statement)).then_some(ShellInput::Statement(statement)));
            }
        }
        expected.extend((!is_blank(&pending)).then(|| ShellInput::Statement(pending.trim_end().to_string())));
        proptest::prop_assert_eq!(split_input(&text), expected);
    });
}

#[test]
fn a_statement_holds_its_own_text_only() {
    let text = "SELECT 1; ".repeat(1_000);
    let held = split_input(&text).into_iter().map(|input| match input {
        ShellInput::Command(text) | ShellInput::Statement(text) => text.capacity(),
    });
    assert!(held.sum::<usize>() <= 2 * text.len());
}
