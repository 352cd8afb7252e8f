//! HTTP as clients see it, over real connections.

use std::net::SocketAddr;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::ServiceOptions;
use crate::limits::ServerLimits;
use crate::loopback::{Loopback, import_sample, run, some_users, tight};

/// More rows than any buffer between server and client holds.
const MANY: &str =
    "SELECT a.value + 0 AS v FROM generate_series(1, 100000) AS a CROSS JOIN generate_series(1, 80) AS b";

pub(super) struct Answer {
    pub(super) status: u16,
    /// In lower case.
    pub(super) head: String,
    pub(super) exact_head: String,
    pub(super) body: Vec<u8>,
    /// Whether the last chunk came.
    is_whole: bool,
}

impl Answer {
    pub(super) fn text(&self) -> String {
        String::from_utf8(self.body.clone()).expect("text")
    }

    pub(super) fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.body).expect("JSON")
    }
}

pub(super) async fn send(address: SocketAddr, request: &str) -> TcpStream {
    let mut stream = TcpStream::connect(address).await.expect("connected");
    stream.write_all(request.as_bytes()).await.expect("sent");
    stream
}

/// Reads to the end of the connection.
pub(super) async fn receive(mut stream: TcpStream) -> Answer {
    let mut bytes = vec![];
    // A server that breaks an answer may reset the connection.
    let _ = stream.read_to_end(&mut bytes).await;
    let end = bytes.windows(4).position(|window| window == b"\r\n\r\n").expect("headers");
    let exact_head = String::from_utf8(bytes[..end].to_vec()).expect("text");
    let head = exact_head.to_ascii_lowercase();
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status");
    let (body, is_whole) = match head.contains("transfer-encoding: chunked") {
        true => unchunked(&bytes[end + 4..]),
        false => (bytes[end + 4..].to_vec(), true),
    };
    Answer { status, head, exact_head, body, is_whole }
}

fn unchunked(mut bytes: &[u8]) -> (Vec<u8>, bool) {
    let mut body = vec![];
    while let Some(line) = bytes.windows(2).position(|window| window == b"\r\n") {
        let size = std::str::from_utf8(&bytes[..line]).ok().and_then(|size| usize::from_str_radix(size, 16).ok());
        let size = size.expect("the size of a chunk");
        if size == 0 {
            return (body, true);
        }
        let end = (line + 2 + size).min(bytes.len());
        body.extend_from_slice(&bytes[line + 2..end]);
        bytes = &bytes[(end + 2).min(bytes.len())..];
    }
    (body, false)
}

pub(super) fn post(path: &str, headers: &str, body: &str) -> String {
    let length = body.len();
    format!(
        "POST {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: {length}\r\n{headers}\r\n{body}"
    )
}

pub(super) async fn ask(server: &Loopback, headers: &str, sql: &str) -> Answer {
    receive(send(server.http, &post("/sql", headers, sql)).await).await
}

pub(super) async fn get(server: &Loopback, path: &str, headers: &str) -> Answer {
    let request = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{headers}\r\n");
    receive(send(server.http, &request).await).await
}

#[test]
fn values_come_as_json_csv_and_arrow() {
    run(async {
        let server = Loopback::start(ServiceOptions::default()).await;
        let sql = "SELECT 9007199254740993 AS big, CAST('NaN' AS DOUBLE) AS nan, CAST('inf' AS DOUBLE) AS inf, 0.1 AS tenth, \
                   TIMESTAMP '2024-05-01 12:00:00.5' AS at, [1, NULL] AS list, struct('é' AS s) AS nested, NULL AS nothing";
        let answer = ask(&server, "", sql).await;
        assert_eq!((answer.status, answer.is_whole), (200, true), "{}", answer.text());
        let expected = r#"[{"big":9007199254740993,"nan":null,"inf":null,"tenth":0.1,"at":"2024-05-01T12:00:00.500","list":[1,null],"nested":{"s":"é"},"nothing":null}]"#;
        assert_eq!(answer.text().trim_end(), expected);
        let answer = ask(
            &server,
            "Accept: text/csv\r\n",
            "SELECT 9007199254740993 AS big, CAST('NaN' AS DOUBLE) AS nan, '' AS empty, NULL AS nothing",
        )
        .await;
        assert_eq!(answer.text(), "big,nan,empty,nothing\n9007199254740993,NaN,\"\",\n");
        assert!(answer.head.contains("content-type: text/csv; charset=utf-8; header=present"), "{}", answer.head);
        let answer = ask(&server, "Accept: application/vnd.apache.arrow.stream\r\n", "SELECT * FROM states").await;
        let reader = arrow::ipc::reader::StreamReader::try_new(std::io::Cursor::new(answer.body), None).expect("Arrow");
        assert!(reader.map(|batch| batch.expect("a batch").num_rows()).sum::<usize>() > 0);
        let headers = "Accept: application/vnd.apache.arrow.stream\r\nx-ocellus-text: dictionary\r\n";
        let answer = ask(&server, headers, "SELECT value FROM states").await;
        let reader = arrow::ipc::reader::StreamReader::try_new(std::io::Cursor::new(answer.body), None).expect("Arrow");
        assert!(matches!(reader.schema().field(0).data_type(), arrow::datatypes::DataType::Dictionary(..)));
        assert!(reader.map(|batch| batch.expect("a batch").num_rows()).sum::<usize>() > 0);
        let answer = ask(&server, "", "SELECT 1 AS x WHERE false").await;
        assert_eq!((answer.status, answer.text().as_str()), (200, "[]\n"));
        server.stop().await;
    });
}

#[test]
fn failures_before_the_first_row_have_a_status() {
    run(async {
        let server = Loopback::start(ServiceOptions {
            limits: ServerLimits { message: 4096, ..ServerLimits::default() },
            ..Default::default()
        })
        .await;
        for (headers, sql, status, code) in [
            ("", "SELEC 1", 400, "42601"),
            ("", "SELECT * FROM nowhere", 400, "42P01"),
            ("", "SELECT nothing FROM states", 400, "42703"),
            ("", "SELECT 1; SELECT 2", 400, "42601"),
            ("", "CREATE TABLE t (x INT)", 403, "25006"),
            ("", "COPY states TO '/tmp/x.csv'", 403, "25006"),
            ("", "SELECT 1 AS x, 2 AS y, ?", 400, "22P02"),
            ("Accept: text/html\r\n", "SELECT 1", 406, "not_acceptable"),
            ("Content-Type: text/html\r\n", "SELECT 1", 415, "unsupported_media_type"),
            ("x-ocellus-trace: nowhere\r\n", "SELECT 1", 400, "42000"),
        ] {
            let answer = ask(&server, headers, sql).await;
            assert_eq!(
                (answer.status, answer.json()["code"].as_str()),
                (status, Some(code)),
                "{sql}: {}",
                answer.text()
            );
        }
        let unknown = ask(&server, "", "SELECT\n  valeu FROM states").await.json();
        assert_eq!(
            (&unknown["kind"], &unknown["line"], &unknown["column"]),
            (&"unknown_column".into(), &2.into(), &3.into())
        );
        assert_eq!((&unknown["message"], &unknown["hint"]), (&"no column valeu".into(), &"did you mean value?".into()));
        let long = format!("SELECT '{}'", "x".repeat(5000));
        assert_eq!(ask(&server, "", &long).await.status, 413);
        assert_eq!(get(&server, "/nowhere", "").await.status, 404);
        let wrong = get(&server, "/sql", "").await;
        assert!(wrong.status == 405 && wrong.head.contains("allow: post"), "{}", wrong.head);
        server.stop().await;
    });
}

#[test]
fn a_client_that_is_refused_while_it_sends_hears_why() {
    run(async {
        let limits = ServerLimits { message: 4096, ..ServerLimits::default() };
        let server = Loopback::start(ServiceOptions { limits, ..Default::default() }).await;
        let head = |path: &str, length: usize| {
            format!("POST {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n")
        };
        for (path, status) in [("/sql", 413), ("/nowhere", 404), ("/health", 405)] {
            let mut stream = send(server.http, &head(path, 16_000)).await;
            // The answer is there before the body.
            stream.peek(&mut [0; 1]).await.expect("an answer");
            for _ in 0..4 {
                stream.write_all(&[b' '; 4000]).await.expect("the server reads on");
            }
            assert_eq!(receive(stream).await.status, status, "{path}");
        }
        // Not for ever.
        let mut stream = send(server.http, &head("/sql", 1 << 40)).await;
        let pouring = async { while stream.write_all(&[b' '; 4096]).await.is_ok() {} };
        tokio::time::timeout(Duration::from_secs(120), pouring).await.expect("the server closes");
        server.stop().await;
    });
}

#[test]
fn a_failure_within_the_rows_breaks_the_answer() {
    run(async {
        let limits = ServerLimits { query_rows: 50_000, ..ServerLimits::default() };
        let server = Loopback::start(ServiceOptions { limits, ..Default::default() }).await;
        for accept in ["application/json", "text/csv", "application/x-ndjson", "application/vnd.apache.arrow.stream"] {
            let answer = ask(&server, &format!("Accept: {accept}\r\n"), MANY).await;
            assert_eq!((answer.status, answer.is_whole), (200, false), "{accept}");
        }
        server.stop().await;
    });
}

#[test]
fn a_client_that_goes_away_stops_its_query() {
    run(async {
        let server = Loopback::start(ServiceOptions::default()).await;
        // One that reads rows, and one that waits for the first.
        let endless = "SELECT count(*) AS n FROM generate_series(1, 1000000000) AS a CROSS JOIN generate_series(1, 1000000000) AS b";
        for sql in [MANY, endless] {
            let stream = send(server.http, &post("/sql", "", sql)).await;
            while server.service.metrics.running() == 0 {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
            drop(stream);
            server.until_idle().await;
        }
        server.stop().await;
    });
}

#[test]
fn only_those_who_may_are_answered() {
    run(async {
        let folder = tempfile::tempdir().expect("a folder");
        let users = some_users(folder.path());
        let server = Loopback::start(ServiceOptions { users, ..Default::default() }).await;
        for path in ["/traces", "/functions", "/metrics", "/openapi.json", "/nowhere"] {
            let answer = get(&server, path, "").await;
            assert!(answer.status == 401 && answer.head.contains("www-authenticate: basic"), "{path}: {}", answer.head);
        }
        assert_eq!(get(&server, "/health", "").await.status, 200);
        assert_eq!(ask(&server, "", "SELECT 1").await.status, 401);
        assert_eq!(ask(&server, "Authorization: Bearer 0123456789abcdef\r\n", "SELECT 1").await.status, 200);
        assert_eq!(ask(&server, "Authorization: Basic cmVhZGVyOnBhc3N3b3JkMQ==\r\n", "SELECT 1").await.status, 200);
        assert_eq!(ask(&server, "Authorization: Basic cmVhZGVyOndyb25n\r\n", "SELECT 1").await.status, 401);
        let metrics = get(&server, "/metrics", "Authorization: Bearer 0123456789abcdef\r\n").await;
        assert!(metrics.text().contains("ocellus_logins_refused_total 7\n"), "{}", metrics.text());
        server.stop().await;
    });
}

#[test]
fn pages_of_other_sites_are_refused() {
    run(async {
        let server = Loopback::start(ServiceOptions::default()).await;
        let rebound = "GET /traces HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n";
        assert_eq!(receive(send(server.http, rebound).await).await.status, 403);
        assert_eq!(get(&server, "/traces", "Origin: https://evil.example\r\n").await.status, 403);
        assert_eq!(get(&server, "/traces", "Origin: http://localhost\r\n").await.status, 200);
        server.stop().await;
    });
}

#[test]
fn slow_clients_are_sent_away() {
    run(async {
        let server = Loopback::start(ServiceOptions { limits: tight(), ..Default::default() }).await;
        let silent = TcpStream::connect(server.http).await.expect("connected");
        let header = send(server.http, "POST /sql HTTP/1.1\r\nHost: localhost\r\nX-Slow: ").await;
        let body =
            send(server.http, "POST /sql HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\nSELECT").await;
        // All places are taken until patience ends.
        let refused = get(&server, "/health", "").await;
        assert_eq!((refused.status, refused.json()["code"].as_str()), (503, Some("53300")));
        assert_eq!(receive(body).await.status, 408);
        for mut stream in [silent, header] {
            let mut rest = vec![];
            let _ = stream.read_to_end(&mut rest).await;
        }
        assert_eq!(get(&server, "/health", "").await.status, 200);
        server.stop().await;
    });
}

#[test]
fn idle_clients_do_not_delay_the_end() {
    run(async {
        let server = Loopback::start(ServiceOptions::default()).await;
        let mut idle = send(server.http, "GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n").await;
        let mut first = [0; 12];
        idle.read_exact(&mut first).await.expect("an answer");
        assert_eq!(&first, b"HTTP/1.1 200");
        let stopped = tokio::time::timeout(Duration::from_secs(4), server.stop()).await;
        assert!(stopped.is_ok(), "the idle client kept the server");
    });
}

#[test]
fn traces_and_functions_are_listed_as_they_are_now() {
    run(async {
        let server = Loopback::start(ServiceOptions::default()).await;
        let names = |answer: Answer| {
            let list = answer.json();
            let list = list.as_array().expect("a list").iter();
            list.map(|entry| entry["name"].as_str().expect("a name").to_string()).collect::<Vec<_>>()
        };
        let listed = get(&server, "/traces", "").await;
        // Four of the 24 states are interrupted by a kernel, which cuts each in two: worked out by hand.
        let rows = &listed.json()[0]["rows"];
        assert_eq!((rows["states"].as_u64(), rows["state_segments"].as_u64()), (Some(24), Some(28)), "{rows}");
        assert_eq!(names(listed), ["quickstart"]);
        import_sample(&server.store, "again");
        assert_eq!(names(get(&server, "/traces", "").await), ["again", "quickstart"]);
        let body =
            r#"{"sql": "SELECT name FROM trace_info WHERE name = $1", "trace": "again", "parameters": ["again"]}"#;
        let answer = ask(&server, "Content-Type: application/json\r\n", body).await;
        assert_eq!(answer.text(), "[{\"name\":\"again\"}]\n");
        server.store.drop_trace("again").expect("dropped");
        assert_eq!(names(get(&server, "/traces", "").await), ["quickstart"]);
        let functions = names(get(&server, "/functions", "").await);
        assert_eq!(functions.len(), ocellus_engine::functions::registry::definitions().count());
        assert!(functions.contains(&"state_slices".to_string()));
        server.stop().await;
    });
}
