//! Requests of HTTP, mutated in their head, in their body, or as a whole.

use crate::mutator::{Random, mutated};
use crate::{Fuzzed, LONGEST_MESSAGE};

/// The head of a request without its length, and its body.
#[derive(Debug, Clone)]
struct Request {
    head: String,
    body: Vec<u8>,
}

fn get(path: &str, headers: &str) -> Request {
    Request { head: format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n{headers}"), body: vec![] }
}

fn post(path: &str, media_type: &str, body: &str) -> Request {
    let head = format!("POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: {media_type}\r\n");
    Request { head, body: body.as_bytes().to_vec() }
}

/// Requests that are mutated.
pub struct Requests {
    seed: u64,
    all: Vec<Request>,
    plain: Request,
    plain_start: &'static [u8],
    plain_part: &'static [u8],
}

impl Requests {
    /// That everybody may send.
    pub fn of_everybody() -> Requests {
        let json = "application/json";
        let mut all: Vec<Request> = [
            "/",
            "/health",
            "/metrics",
            "/traces",
            "/functions",
            "/server",
            "/openapi.json",
            "/queries/a",
            "/login?next=%2F",
        ]
        .iter()
        .map(|path| get(path, ""))
        .collect();
        all.extend([
            get("/complete?sql=SELECT+na&position=9&trace=quickstart", "Accept-Encoding: gzip;q=0.5, *;q=0\r\n"),
            get("/draw/timeline?format=svg&start=0&stop=1.5&width=80&height=60&slices=3", "If-None-Match: \"x\"\r\n"),
            get("/draw/treemap?type=STATE&depth=1&p=0.5&palette=dark&mode=true", "Range: bytes=0-9\r\n"),
            get("/assets/0123456789abcdef/page.js", "Origin: http://localhost\r\nSec-Fetch-Site: same-origin\r\n"),
            post("/sql?trace=quickstart", "text/plain", "SELECT name, depth FROM containers ORDER BY 1"),
            post(
                "/sql",
                json,
                r#"{"sql": "SELECT $1 + 1, $2, $3", "trace": "quickstart", "parameters": [1, null, "x\u00e4"]}"#,
            ),
            post(
                "/sql",
                "text/plain; charset=utf-8\r\nAccept: text/csv;q=0.9, application/*;q=0.1",
                "SELECT 1.5, NULL",
            ),
            post(
                "/sql",
                "application/sql\r\nAccept: application/vnd.apache.arrow.stream",
                "SELECT * FROM states LIMIT 2",
            ),
            post("/sql", "application/sql\r\nX-Ocellus-Query: a\r\nX-Ocellus-Trace: quickstart", "SHOW TABLES"),
            post("/complete", json, r#"{"sql": "SELECT na FROM containers", "position": 9, "trace": "quickstart"}"#),
            post("/draw/overview", json, r#"{"format": "svg", "slices": 5, "p": 0.5, "width": 100, "height": 60}"#),
            post("/import?name=x", "application/octet-stream", "%EventDef PajeDefineContainerType 0\n%EndEventDef\n"),
            post("/logout", "application/x-www-form-urlencoded", ""),
        ]);
        let mut chunked = post(
            "/sql",
            "text/plain\r\nTransfer-Encoding: chunked",
            "9\r\nSELECT 1 \r\n8;a=b\r\n+ 1 -- x\r\n0\r\nA: b\r\n\r\n",
        );
        chunked.head.push_str("Expect: 100-continue\r\n");
        all.push(chunked);
        let plain = post("/sql", "text/plain", "SELECT 41 + 1 AS answer");
        Requests { seed: 5, all, plain, plain_start: b"HTTP/1.1 200 ", plain_part: b"42" }
    }

    /// Of clients that must log in.
    pub fn with_credentials() -> Requests {
        let form = "application/x-www-form-urlencoded";
        let mut all: Vec<Request> = [
            "Authorization: Basic cmVhZGVyOnBhc3N3b3JkMg==\r\n",
            "Authorization: Bearer 0123456789abcdee\r\n",
            "Authorization: basic eDp5Og\r\nAuthorization: Bearer x\r\n",
            "Cookie: a=b; ocellus-session=eyJhIjoxfQ.AAAA; c=\"d\"\r\nSec-Fetch-Mode: cors\r\n",
            "Cookie: ocellus=..; \r\nSec-Fetch-Dest: document\r\nSec-Fetch-Mode: navigate\r\n",
        ]
        .iter()
        .map(|headers| get("/traces", headers))
        .collect();
        all.push(post("/login", form, "name=reader&password=password2&next=%2Fsql%3Fa"));
        all.push(post("/login", form, "token=0123456789abcdee&next=//elsewhere"));
        all.push(post("/login", "multipart/form-data; boundary=x", "--x\r\n\r\n--x--"));
        let plain = get("/traces", "Authorization: Bearer 0123456789abcdef\r\n");
        Requests { seed: 6, all, plain, plain_start: b"HTTP/1.1 200 ", plain_part: b"quickstart" }
    }
}

/// The request with the length of its body, as the last of its connection.
fn bytes(head: &[u8], body: &[u8]) -> Vec<u8> {
    let end = match head.windows(8).any(|window| window.eq_ignore_ascii_case(b"chunked\r")) {
        true => "Connection: close\r\n\r\n".to_string(),
        false => format!("Connection: close\r\nContent-Length: {}\r\n\r\n", body.len()),
    };
    [head, end.as_bytes(), body].concat()
}

impl Fuzzed for Requests {
    fn input(&self, number: u64) -> Vec<u8> {
        let mut random = Random::new(self.seed, number);
        let Request { head, body } = self.all[random.below(self.all.len())].clone();
        match random.below(4) {
            // The length becomes wrong, too.
            0 => mutated(&[bytes(head.as_bytes(), &body)], &mut random),
            1 if !body.is_empty() => bytes(head.as_bytes(), &mutated(&[body], &mut random)),
            _ => bytes(&mutated(&[head.into_bytes()], &mut random), &body),
        }
    }

    /// More than any head or body that the server waits for, then the end of a head.
    fn tail(&self) -> Vec<u8> {
        [b"x".repeat(3 * LONGEST_MESSAGE).as_slice(), b"\r\n\r\n"].concat()
    }

    fn fault(&self, answer: &[u8]) -> Option<String> {
        let status = answer.strip_prefix(b"HTTP/1.1 ").or_else(|| answer.strip_prefix(b"HTTP/1.0 "));
        let is_answer = status
            .is_some_and(|status| status.first_chunk::<3>().is_some_and(|code| code.iter().all(u8::is_ascii_digit)));
        // A connection that was reset may have lost its answer.
        (!is_answer && !answer.is_empty()).then(|| "this is no answer".to_string())
    }

    fn plain(&self) -> (Vec<u8>, &'static [u8], &'static [u8]) {
        (bytes(self.plain.head.as_bytes(), &self.plain.body), self.plain_start, self.plain_part)
    }
}
