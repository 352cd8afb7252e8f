//! Tests of `head`.

use super::*;

const HEAD: &str = "\
-- Counts things.
--
-- A note in
-- two lines.
--
-- Another note.
--
-- Columns:
--   name         TEXT             What it is called.
--   things_of_2  BIGINT UNSIGNED  How many there are, in a text
--                                 of two lines.
--
-- Example:
--   SELECT name
--   FROM things
--
-- Example:
--   SELECT 1

-- Not of the head.
SELECT name, things_of_2
";

fn column(name: &str, kind: &str, doc: &str) -> HeadColumn {
    HeadColumn { name: name.to_string(), kind: kind.to_string(), doc: doc.to_string() }
}

#[test]
fn a_head_has_description_notes_columns_and_examples() {
    let expected = Head {
        description: "Counts things.".to_string(),
        notes: "A note in two lines.\n\nAnother note.".to_string(),
        columns: vec![
            column("name", "TEXT", "What it is called."),
            column("things_of_2", "BIGINT UNSIGNED", "How many there are, in a text of two lines."),
        ],
        examples: vec!["SELECT name FROM things".to_string(), "SELECT 1".to_string()],
    };
    assert_eq!(parse("x.sql", HEAD), Ok(expected));
}

#[test]
fn an_error_names_file_and_line() {
    for (given, instead, expected) in [
        ("-- Counts things.\n", "", "x.sql:1: the first line is the description"),
        ("things.\n", "things\n", "x.sql:1: the first line is the description"),
        ("things.\n", "things.\n-- And more.\n", "x.sql:2: the description is one line"),
        ("-- two lines.\n", "--two lines.\n", "x.sql:4: a space follows the dashes"),
        ("-- two lines.\n", "--   two lines.\n", "x.sql:4: a paragraph is not indented"),
        ("TEXT    ", "text    ", "x.sql:9: no column `  name TYPE  text`:   name"),
        ("--   things_of_2", "-- things_of_2", "x.sql:10: no column"),
        ("-- Columns:\n", "-- Column:\n", "x.sql:9: a paragraph is not indented"),
        ("-- Example:\n--   SELECT 1", "-- More.", "x.sql:17: a paragraph comes before the columns"),
        ("--   SELECT 1", "-- SELECT 1", "x.sql:18: the statement of an example is indented"),
        ("-- Example:\n--   SELECT 1", "-- Example:", "x.sql:17: `Example:` without a statement"),
        ("-- Another note.", "-- Example:\n--   SELECT 1", "x.sql:6: an example comes after the columns"),
        ("--   SELECT 1\n", "--   SELECT 1\n--\n", "x.sql:20: an empty block"),
    ] {
        let text = HEAD.replacen(given, instead, 1);
        let error = parse("x.sql", &text).expect_err(&text).to_string();
        assert!(error.starts_with(expected), "{error}, not {expected}");
    }
    let error = parse("x.sql", "SELECT 1").expect_err("no head");
    assert!(error.to_string().starts_with("x.sql:1: "), "{error}");
    let error = parse("x.sql", "-- Counts things.\nSELECT 1").expect_err("no columns");
    assert_eq!(error.to_string(), "x.sql:2: the head ends without `Columns:`");
}
