//! Tests of `identity`.

use super::*;

fn call(agent: Option<&'static str>) -> Request<()> {
    let mut call = Request::new(());
    if let Some(agent) = agent {
        call.metadata_mut().insert(USER_AGENT, agent.parse().expect("a header"));
    }
    call
}

#[test]
fn only_the_same_build_is_admitted() {
    let identity = Identity { build: "ocellus/1.2.3+0a".to_string(), credentials: None };
    assert!(identity.admit(call(Some("ocellus/1.2.3+0a tonic/0.14.9"))).is_ok());
    assert!(identity.admit(call(Some("ocellus/1.2.3+0a"))).is_ok());
    for other in ["ocellus/1.2.3+0b tonic/0.14.9", "ocellus/1.2.4+0a", "ocellus/1.2.3+0ab", "tonic/0.14.9"] {
        let refusal = identity.admit(call(Some(other))).expect_err(other);
        assert_eq!(refusal.code(), Code::FailedPrecondition);
        assert!(refusal.message().contains("ocellus/1.2.3+0a,"), "{}", refusal.message());
        assert!(refusal.message().contains(other.split(' ').next().unwrap_or(other)), "{}", refusal.message());
    }
    assert!(identity.admit(call(None)).is_err());
}

#[test]
fn a_cluster_with_a_token_admits_only_who_has_it() {
    let folder = crate::credentials::tests::folder(crate::credentials::tests::TOKEN, 0o600);
    let credentials = ClusterCredentials::read(folder.path()).expect("credentials");
    let travels = credentials.token().text().to_string();
    let identity = Identity { build: "ocellus/1.2.3+0a".to_string(), credentials: None };
    let identity = identity.with_credentials(Some(credentials));
    let right = format!("ocellus/1.2.3+0a token/{travels} tonic/0.14.9").leak();
    assert!(identity.admit(call(Some(right))).is_ok());
    let wrong = format!("ocellus/1.2.3+0a token/{}", &travels[1..]).leak();
    for other in [wrong, "ocellus/1.2.3+0a token/", "ocellus/1.2.3+0a"] {
        assert_eq!(identity.admit(call(Some(other))).expect_err(other).code(), Code::Unauthenticated);
    }
}

/// Takes as many connections as are told and ends each of them at once; then nobody listens.
async fn breaks(connections: usize) -> String {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address").to_string();
    tokio::spawn(async move {
        for _ in 0..connections {
            drop(listener.accept().await);
        }
    });
    address
}

#[tokio::test]
async fn a_scheduler_that_goes_before_its_answer_is_waited_for() {
    let identity = Identity { build: "ocellus/1.2.3+0a".to_string(), credentials: None };
    for (connections, expected) in [(1, "no scheduler answers"), (1000, "every connection")] {
        let scheduler = breaks(connections).await;
        let checked = check_same_build(&scheduler, &identity, 3 * PAUSE, PATIENCE).await;
        let error = checked.expect_err("there is none").to_string();
        assert!(error.contains(expected), "{connections}: {error}");
    }
}
