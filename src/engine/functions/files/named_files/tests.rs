//! Tests of `named_files`.

use super::*;

#[test]
fn patterns_are_those_of_a_shell() {
    for (name, pattern, expected) in [
        ("a.csv", "a.csv", true),
        ("a.csv", "*.csv", true),
        ("part-10.csv", "part-?.csv", false),
        ("part-1.csv", "part-?.csv", true),
        ("a.csv.bak", "*.csv", false),
        (".a.csv", "*.csv", false),
        (".a.csv", ".*.csv", true),
    ] {
        assert_eq!(is_match(name, pattern), expected, "{name} and {pattern}");
    }
}

#[test]
fn a_path_names_files_or_says_why_not() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name);
    for name in ["b.csv", "a.csv", "c.txt", "old.csv.gz"] {
        fs::write(path(name), "x\n1\n").expect("a file");
    }
    assert_eq!(named(&path("*.csv")), Ok(vec![path("a.csv"), path("b.csv")]));
    assert_eq!(named(&path("c.txt")), Ok(vec![path("c.txt")]));
    for (name, words) in [
        ("*.tsv", "no file matches"),
        ("d.csv", "cannot open"),
        ("", "is a folder"),
        ("old.csv.gz", "is compressed"),
        ("*/a.csv", "not of folders"),
    ] {
        let reason = named(&path(name)).expect_err(name);
        assert!(reason.contains(words), "{name}: {reason}");
    }
}
