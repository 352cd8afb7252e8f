//! Tests of `users`.

use super::*;

fn file(text: &str) -> tempfile::NamedTempFile {
    let file = tempfile::NamedTempFile::new().expect("a file");
    fs::write(file.path(), text).expect("written");
    file
}

#[test]
fn those_who_are_listed_may_connect() {
    let (names, tokens) = (file("# readers\nreader:correct horse:x\n\n"), file("0123456789abcdef\n"));
    let users = Users::read(Some(names.path()), Some(tokens.path())).expect("users");
    assert!(!users.is_open() && users.has_passwords());
    assert!(users.is_password("reader", "correct horse:x"));
    assert!(!users.is_password("reader", "correct horse:"));
    assert!(!users.is_password("writer", "correct horse:x") && !users.is_password("", ""));
    assert!(users.is_token("0123456789abcdef") && !users.is_token("") && !users.is_token("0123456789abcde"));
    assert!(!format!("{users:?}").contains("horse"));
}

#[test]
fn files_that_let_nobody_in_are_refused() {
    assert!(Users::read(None, None).expect("nobody").is_open());
    for wrong in ["", "reader", "reader:short", ":0123456789"] {
        let names = file(wrong);
        assert!(Users::read(Some(names.path()), None).is_err(), "{wrong}");
    }
    let tokens = file("short");
    assert!(Users::read(None, Some(tokens.path())).is_err());
}
