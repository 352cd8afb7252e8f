//! Tests of `credentials`.

use super::*;

fn users() -> (tempfile::TempDir, Users) {
    let folder = tempfile::tempdir().expect("a folder");
    let (names, tokens) = (folder.path().join("names"), folder.path().join("tokens"));
    std::fs::write(&names, "reader:pass:word1\n").expect("written");
    std::fs::write(&tokens, "0123456789abcdef\n").expect("written");
    let users = Users::read(Some(&names), Some(&tokens)).expect("users");
    (folder, users)
}

fn basic(text: &str) -> String {
    format!("Basic {}", BASIC.encode(text))
}

#[test]
fn headers_are_checked() {
    let (_folder, users) = users();
    let credentials = Credentials::new().expect("random numbers");
    let check = |header: &str| credentials.check(&users, Some(header)).is_ok();
    assert!(check(&basic("reader:pass:word1")) && check("bearer 0123456789abcdef"));
    assert!(check(basic("reader:pass:word1").trim_end_matches('=')));
    assert!(!check(&basic("reader:pass")) && !check(&basic("reader")) && !check("Basic !!"));
    assert!(!check("Bearer 0123456789abcde") && !check("Bearer ") && !check("Digest x") && !check(""));
    assert!(credentials.check(&users, None).is_err());
    assert!(credentials.check(&Users::default(), None).is_ok());
}

#[test]
fn a_login_gives_a_token_of_this_process() {
    let (_folder, users) = users();
    let credentials = Credentials::new().expect("random numbers");
    let token = credentials.log_in(&users, Some(&basic("reader:pass:word1"))).expect("a token");
    let bearer = format!("Bearer {token}");
    assert!(credentials.check(&users, Some(&bearer)).is_ok());
    let other = Credentials::new().expect("random numbers");
    assert!(other.check(&users, Some(&bearer)).is_err());
    let (_, signature) = token.split_once('.').expect("two parts");
    let stolen = format!("Bearer {}.{signature}", URL_SAFE_NO_PAD.encode("admin"));
    assert!(credentials.check(&users, Some(&stolen)).is_err());
    assert!(credentials.log_in(&users, Some(&basic("reader:wrong"))).is_err());
}
