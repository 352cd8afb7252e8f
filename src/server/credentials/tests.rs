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

/// Checks a header of a client that was never wrong before.
async fn check(credentials: &Credentials, users: &Users, header: Option<&str>) -> Result<(), ServerError> {
    let brake = LoginBrake::default();
    credentials.check(LoginContext { users, brake: &brake, metrics: &Metrics::default(), address: None }, header).await
}

#[tokio::test]
async fn headers_are_checked() {
    let (_folder, users) = users();
    let credentials = Credentials::new().expect("random numbers");
    let right = basic("reader:pass:word1");
    for header in [&right, "bearer 0123456789abcdef", right.trim_end_matches('=')] {
        check(&credentials, &users, Some(header)).await.expect("known");
    }
    let (short, name) = (basic("reader:pass"), basic("reader"));
    for header in [&short, &name, "Basic !!", "Bearer 0123456789abcde", "Bearer ", "Digest x", ""] {
        assert!(check(&credentials, &users, Some(header)).await.is_err(), "{header}");
    }
    assert!(check(&credentials, &users, None).await.is_err());
    assert!(check(&credentials, &Users::default(), None).await.is_ok());
}

#[tokio::test]
async fn a_login_gives_a_token_of_this_process() {
    let (_folder, users) = users();
    let brake = LoginBrake::default();
    let metrics = Metrics::default();
    let context = LoginContext { users: &users, brake: &brake, metrics: &metrics, address: None };
    let credentials = Credentials::new().expect("random numbers");
    let token = credentials.log_in(context, Some(&basic("reader:pass:word1"))).await.expect("a token");
    let bearer = format!("Bearer {token}");
    assert!(check(&credentials, &users, Some(&bearer)).await.is_ok());
    let other = Credentials::new().expect("random numbers");
    assert!(check(&other, &users, Some(&bearer)).await.is_err());
    let (_, signature) = token.split_once('.').expect("two parts");
    let stolen = format!("Bearer {}.{signature}", URL_SAFE_NO_PAD.encode("admin"));
    assert!(check(&credentials, &users, Some(&stolen)).await.is_err());
    assert!(credentials.log_in(context, Some(&basic("reader:wrong"))).await.is_err());
}

/// How long clients would wait is asked of the brake; no time is measured.
#[tokio::test]
async fn who_guesses_waits_and_others_do_not() {
    let (_folder, users) = users();
    let brake = LoginBrake::default();
    let credentials = Credentials::new().expect("random numbers");
    let address = |last| Some(IpAddr::from([10, 0, 0, last]));
    let has_to_wait = |address, name| {
        let wait = brake.admit(&Suspect::new(address, name), Instant::now()).expect("admitted");
        !wait.is_zero()
    };
    let metrics = Metrics::default();
    let context = LoginContext { users: &users, brake: &brake, metrics: &metrics, address: address(1) };
    for _ in 0..6 {
        assert!(!has_to_wait(address(1), Some("reader")));
        credentials.check(context, Some(&basic("reader:guess"))).await.expect_err("wrong");
    }
    assert!(has_to_wait(address(1), Some("reader")));
    for (address, name) in [(address(2), Some("reader")), (address(1), Some("other")), (address(1), None)] {
        assert!(!has_to_wait(address, name), "{address:?} {name:?}");
    }
    // The right password has to wait too, and ends it.
    credentials.check(context, Some(&basic("reader:pass:word1"))).await.expect("known");
    assert!(!has_to_wait(address(1), Some("reader")));
    for _ in 0..6 {
        credentials.check(context, Some("Bearer guess")).await.expect_err("wrong");
    }
    assert!(has_to_wait(address(1), None) && !has_to_wait(address(1), Some("reader")));
}
