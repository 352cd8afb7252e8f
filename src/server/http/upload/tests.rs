//! Traces that clients send, over real connections.

use std::fs;
use std::path::Path;

use super::super::tests::{ask, get, post as post_request, receive, send};
use crate::ServiceOptions;
use crate::loopback::{Loopback, run};

fn sample() -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../traces/quickstart.trace")).expect("a trace")
}

#[test]
fn a_trace_of_a_client_is_one_of_the_store() {
    run(async {
        let server = Loopback::start(ServiceOptions { uploads: Some(1 << 20), ..Default::default() }).await;
        assert_eq!(get(&server, "/server", "").await.json()["uploads"], 1 << 20);
        let dropped = receive(send(server.http, &post_request("/import?name=second", "", &sample())).await).await;
        assert_eq!(dropped.status, 201, "{}", dropped.text());
        assert_eq!((&dropped.json()["trace"], &dropped.json()["lost_lines"]), (&"second".into(), &0.into()));
        let same = "SELECT (SELECT count(*) FROM second.states) = (SELECT count(*) FROM quickstart.states) AS same, \
                    (SELECT source FROM second.trace_info) AS source";
        assert_eq!(ask(&server, "", same).await.text().trim(), r#"[{"same":true,"source":"second (uploaded)"}]"#);
        for (path, body, status) in [
            ("/import?name=second", sample(), 409),
            ("/import?name=Not%20a%20name", sample(), 400),
            ("/import", sample(), 400),
            ("/import?name=third", "no trace at all".to_string(), 400),
            ("/import?name=third", "x".repeat((1 << 20) + 1), 413),
        ] {
            let answer = receive(send(server.http, &post_request(path, "", &body)).await).await;
            assert_eq!(answer.status, status, "{path}: {}", answer.text());
        }
        assert_eq!(get(&server, "/traces", "").await.json().as_array().map(Vec::len), Some(2));
        server.stop().await;
    });
}

#[test]
fn traces_are_not_taken_unless_asked_for() {
    run(async {
        let server = Loopback::start(ServiceOptions::default()).await;
        let answer = receive(send(server.http, &post_request("/import?name=second", "", &sample())).await).await;
        assert!(answer.status == 403 && answer.text().contains("--accept-uploads"), "{}", answer.text());
        assert_eq!(get(&server, "/server", "").await.json()["uploads"], serde_json::Value::Null);
        server.stop().await;
    });
}
