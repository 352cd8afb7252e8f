//! The protocol at `/mcp`, as clients of both generations see it, over real connections.

use std::net::SocketAddr;

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::tools;
use crate::ServiceOptions;
use crate::limits::ServerLimits;
use crate::loopback::{Loopback, import_sample, run, some_users};

const NEWEST: &str = "2026-07-28";

/// Sends one request; status and text of the answer.
async fn send(address: SocketAddr, headers: &str, body: &str) -> (u16, String) {
    let length = body.len();
    let request = format!(
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: {length}\r\nContent-Type: \
         application/json\r\nAccept: application/json, text/event-stream\r\n{headers}\r\n{body}"
    );
    let mut stream = TcpStream::connect(address).await.expect("connected");
    stream.write_all(request.as_bytes()).await.expect("sent");
    let mut bytes = vec![];
    let _ = stream.read_to_end(&mut bytes).await;
    let text = String::from_utf8(bytes).expect("text");
    let status = text.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status");
    (status, text)
}

/// A request of the newest generation, which stands alone.
async fn ask(server: &Loopback, method: &str, name: Option<&str>, mut params: Value) -> Value {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": NEWEST,
        "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params }).to_string();
    let name = name.map(|name| format!("Mcp-Name: {name}\r\n")).unwrap_or_default();
    let headers = format!("MCP-Protocol-Version: {NEWEST}\r\nMcp-Method: {method}\r\n{name}");
    let (_, text) = send(server.http, &headers, &body).await;
    let (_, body) = text.split_once("\r\n\r\n").expect("a body");
    serde_json::from_str(body).unwrap_or_else(|error| panic!("{error}: {text}"))
}

async fn call(server: &Loopback, tool: &str, arguments: Value) -> (bool, String) {
    let answer = ask(server, "tools/call", Some(tool), json!({ "name": tool, "arguments": arguments })).await;
    let result = &answer["result"];
    let text = result["content"].as_array().and_then(|content| content.last()?["text"].as_str()).unwrap_or_default();
    assert!(!text.is_empty(), "{answer}");
    (result["isError"] == json!(true), text.to_string())
}

#[test]
fn every_tool_answers_alone() {
    run(async {
        let server = Loopback::start(ServiceOptions::default()).await;
        import_sample(&server.store, "again");
        let listed = ask(&server, "tools/list", None, json!({})).await;
        let listed = listed["result"]["tools"].as_array().expect("tools").len();
        assert_eq!(listed, tools::definitions().len());
        for tool in tools::definitions() {
            let arguments = match tool.name.as_ref() {
                "query" => json!({ "sql": "SELECT count(*) AS n FROM quickstart.states" }),
                "compare_runs" => json!({ "baseline": "quickstart", "run": "again" }),
                "draw" => json!({ "view": "timeline", "trace": "again" }),
                "list_traces" => json!({}),
                _ => json!({ "trace": "again" }),
            };
            let (is_error, text) = call(&server, &tool.name, arguments).await;
            assert!(!is_error, "{}: {text}", tool.name);
        }
        // Of two traces, none is chosen.
        for (name, expected) in [("states", "start_time"), ("again.states", "# again.states"), ("flat_profile", "view")]
        {
            let (is_error, text) = call(&server, "describe", json!({ "name": name })).await;
            assert!(!is_error && text.contains(expected), "{name}: {text}");
        }
        server.stop().await;
    });
}

#[test]
fn arguments_that_do_not_fit_are_said() {
    run(async {
        let server = Loopback::start(ServiceOptions::default()).await;
        for (tool, arguments, expected) in [
            ("query", json!({}), "missing field `sql`"),
            ("query", json!({ "sql": "SELECT 1", "file": "/etc/passwd" }), "unknown field `file`"),
            ("query", json!({ "sql": "SELECT 1", "max_rows": 1001 }), "max_rows must be between 1 and 1000"),
            ("query", json!({ "sql": "SELECT 1; SELECT 2" }), "one statement at a time"),
            ("query", json!({ "sql": "SELECT valeu FROM states" }), "did you mean"),
            ("query", json!({ "sql": "SELECT 1", "trace": "none" }), "no trace none"),
            ("query", json!({ "sql": "CREATE TABLE t AS SELECT 1" }), "read_only"),
            ("query", json!({ "sql": "COPY states TO '/tmp/x.csv'" }), "read_only"),
            ("query", json!({ "sql": "SELECT * FROM read_csv('/etc/passwd')" }), "files"),
            ("describe", json!({ "name": "statse" }), "did you mean states"),
            ("draw", json!({ "view": "scene" }), "view must be one of"),
            ("draw", json!({ "view": "timeline", "width": 100000 }), "at most 2000"),
            ("draw", json!({ "view": "pie", "slices": 3 }), "does not use slices"),
            ("profile", json!({ "by": "moon" }), "unknown variant `moon`"),
            ("compare_runs", json!({ "baseline": "quickstart", "run": "none" }), "no trace none"),
            ("critical_path", json!({ "start": 5, "stop": 1 }), "critical_path"),
        ] {
            let (is_error, text) = call(&server, tool, arguments).await;
            assert!(is_error && text.contains(expected), "{tool}: {expected}: {text}");
        }
        let unknown = ask(&server, "tools/call", Some("shell"), json!({ "name": "shell", "arguments": {} })).await;
        assert_eq!(unknown["error"]["message"], json!("there is no tool shell"));
        server.stop().await;
    });
}

#[test]
fn the_guards_of_http_are_those_of_the_protocol() {
    run(async {
        let folder = tempfile::tempdir().expect("a folder");
        let users = some_users(folder.path());
        let limits = ServerLimits { message: 4096, ..ServerLimits::default() };
        let server = Loopback::start(ServiceOptions { users, limits, ..ServiceOptions::default() }).await;
        let token = "Authorization: Bearer 0123456789abcdef\r\n";
        let begin = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "test", "version": "1" } } });
        let begin = begin.to_string();
        let (status, text) = send(server.http, "", &begin).await;
        assert_eq!(status, 401, "{text}");
        for foreign in ["Origin: http://evil.example\r\n", "Sec-Fetch-Site: cross-site\r\n"] {
            let (status, text) = send(server.http, &format!("{token}{foreign}"), &begin).await;
            assert_eq!(status, 403, "{text}");
        }
        let (status, text) = send(server.http, token, &"x".repeat(5000)).await;
        assert_eq!(status, 413, "{text}");
        let (status, text) = send(server.http, token, &begin).await;
        assert_eq!(status, 200, "{text}");
        assert!(text.to_ascii_lowercase().contains("mcp-session-id: "), "{text}");
        assert!(text.contains("\"protocolVersion\":\"2025-06-18\""), "{text}");
        server.stop().await;
    });
}
