//! Tests of `credentials`.

use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use super::*;

/// A folder with the certificates of the tests and a token.
pub(crate) fn folder(token: &str, mode: u32) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let samples = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/services/credentials"));
    for name in ["ca.pem", "cert.pem", "key.pem"] {
        std::fs::copy(samples.join(name), folder.path().join(name)).expect("a copy");
    }
    std::fs::write(folder.path().join("token"), token).expect("a token");
    for secret in ["key.pem", "token"] {
        let permissions = std::fs::Permissions::from_mode(mode);
        std::fs::set_permissions(folder.path().join(secret), permissions).expect("permissions");
    }
    folder
}

pub(crate) const TOKEN: &str = "0123456789abcdef";

#[test]
fn tokens_are_compared_as_they_travel() {
    let folder = folder(&format!("{TOKEN}\n"), 0o600);
    let credentials = Credentials::read(folder.path()).expect("credentials");
    // printf 'ocellus cluster 0123456789abcdef' | sha256sum
    let travels = "ce978158a003e2f6ba83afca6f9c70a760c5fdb6db316349c55fcaac4cfc2edb";
    assert_eq!(credentials.token().text(), travels);
    assert!(credentials.token().is(travels.as_bytes()));
    for other in ["", TOKEN, &travels[1..], &format!("{travels}0")] {
        assert!(!credentials.token().is(other.as_bytes()), "{other}");
    }
    assert_eq!(format!("{credentials:?} {:?}", credentials.token()), "Credentials Token");
}

#[test]
fn secrets_that_others_can_read_are_refused() {
    let error = Credentials::read(folder(TOKEN, 0o640).path()).expect_err("refused").to_string();
    assert!(error.contains("chmod 600"), "{error}");
}

#[test]
fn what_is_short_missing_or_wrong_is_told() {
    let short = Credentials::read(folder("0123456789abcde", 0o600).path()).expect_err("refused").to_string();
    assert!(short.contains("at least 16 characters"), "{short}");
    let damaged = folder(TOKEN, 0o600);
    std::fs::write(damaged.path().join("cert.pem"), "no certificate").expect("a file");
    let error = Credentials::read(damaged.path()).expect_err("refused").to_string();
    assert!(error.contains("cannot be used"), "{error}");
    std::fs::remove_file(damaged.path().join("ca.pem")).expect("a file");
    let error = Credentials::read(damaged.path()).expect_err("refused").to_string();
    assert!(error.contains("ca.pem"), "{error}");
}
