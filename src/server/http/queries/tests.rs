//! Queries that have a name, over real connections.

use super::super::tests::{get, post, receive, send};
use super::*;
use crate::ServiceOptions;
use crate::loopback::{Loopback, run};

/// A query that goes on until it is stopped.
const ENDLESS: &str =
    "SELECT sum(a.value * b.value) FROM generate_series(1, 1000000) AS a, generate_series(1, 1000000) AS b";

#[test]
fn a_query_with_a_name_is_watched_and_cancelled() {
    run(async {
        let server = Loopback::start(ServiceOptions::default()).await;
        let name = "Tab-1_query42";
        assert_eq!(get(&server, &format!("/queries/{name}"), "").await.status, 404);
        let running = send(server.http, &post("/sql", &format!("X-Ocellus-Query: {name}\r\n"), ENDLESS)).await;
        let progress = loop {
            let answer = get(&server, &format!("/queries/{name}"), "").await;
            if answer.status == 200 && answer.json()["rows_scanned"].as_u64() > Some(0) {
                break answer.json();
            }
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        };
        assert_eq!((&progress["id"], &progress["state"]), (&name.into(), &"running".into()), "{progress}");
        assert_eq!(progress["rows_returned"], 0);
        assert!(progress["seconds"].as_f64() > Some(0.0));
        let cancel = format!("DELETE /queries/{name} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
        assert_eq!(receive(send(server.http, &cancel).await).await.status, 204);
        let answer = receive(running).await;
        assert_eq!((answer.status, &answer.json()["kind"]), (503, &"cancelled".into()));
        server.until_idle().await;
        assert_eq!(receive(send(server.http, &cancel).await).await.status, 404);
        server.stop().await;
    });
}

#[test]
fn rows_that_were_scanned_are_counted_once() {
    run(async {
        let server = Loopback::start(ServiceOptions::default()).await;
        let session = ServerSession::open_shared(&server.service, None).expect("a session");
        let sql =
            "SELECT count(*) FROM generate_series(1, 100000) AS a JOIN generate_series(1, 5000) AS b USING (value)";
        session.run_text(sql).await.expect("started").collect().await.expect("rows");
        assert_eq!((session.progress.scanned.total(), session.progress.returned.total()), (105_000, 1));
        server.stop().await;
    });
}

#[test]
fn a_client_that_leaves_stops_its_query() {
    run(async {
        let server = Loopback::start(ServiceOptions::default()).await;
        for request in [post("/sql", "X-Ocellus-Query: leaving-1\r\n", ENDLESS), {
            let sql = serde_json::json!({ "query": format!("SELECT 'a' AS container, 'b' AS value, ({ENDLESS}) AS seconds") });
            post("/draw/pie", "X-Ocellus-Query: leaving-1\r\nContent-Type: application/json\r\n", &sql.to_string())
        }] {
            let client = send(server.http, &request).await;
            while get(&server, "/queries/leaving-1", "").await.status != 200 {
                tokio::time::sleep(std::time::Duration::from_millis(20)).await;
            }
            drop(client);
            server.until_idle().await;
            assert_eq!(get(&server, "/queries/leaving-1", "").await.status, 404);
        }
        server.stop().await;
    });
}

#[test]
fn names_of_queries_are_long_and_plain() {
    run(async {
        let server = Loopback::start(ServiceOptions::default()).await;
        for name in ["short", "with space", "semicolon;x", &"x".repeat(65)] {
            let asked = post("/sql", &format!("X-Ocellus-Query: {name}\r\n"), "SELECT 1");
            assert_eq!(receive(send(server.http, &asked).await).await.status, 400, "{name}");
        }
        server.stop().await;
    });
}
