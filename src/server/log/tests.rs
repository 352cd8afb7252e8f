//! What lines say, and what they never say.

use std::io::{self, Write};
use std::sync::{Arc, Condvar, LazyLock, Mutex, OnceLock};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::{LogFormat, LogLevel, LogOptions, is_secretive, line_queue, query_ended, query_failed, shown, subscriber};
use crate::ServiceOptions;
use crate::error::ServerError;
use crate::loopback::{Loopback, run, some_users};

/// A file in memory that a test reads.
#[derive(Debug, Clone, Default)]
struct SharedText(Arc<Mutex<Vec<u8>>>);

impl SharedText {
    fn text(&self) -> String {
        String::from_utf8(self.0.lock().expect("whole").clone()).expect("text")
    }
}

impl Write for SharedText {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().expect("whole").extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn logged(format: LogFormat, level: LogLevel, work: impl FnOnce()) -> String {
    let text = SharedText::default();
    let lines = text.clone();
    let options = LogOptions { level, format, ..LogOptions::default() };
    tracing::subscriber::with_default(subscriber(options, move || lines.clone()), work);
    text.text()
}

#[test]
fn failed_and_slow_queries_have_a_line_each() {
    let text = logged(LogFormat::Text, LogLevel::Warn, || {
        query_failed("SELECT  valeu\nFROM states", &ServerError::syntax("no column valeu"), Duration::from_millis(250));
        query_ended("SELECT 1", Duration::from_millis(999));
        query_ended("SELECT 2", Duration::from_millis(1500));
        query_failed("SELECT 3", &ServerError::cancelled(), Duration::ZERO);
    });
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 2, "{text}");
    for part in ["WARN", "query failed", "42601", "\"no column valeu\"", "seconds=0.25", "SELECT valeu FROM states"] {
        assert!(lines[0].contains(part), "{part}: {text}");
    }
    assert!(lines[1].contains("slow query") && lines[1].contains("SELECT 2"), "{text}");
}

#[test]
fn lines_of_json_are_objects() {
    let text = logged(LogFormat::Json, LogLevel::Info, || {
        query_failed("SELECT \"a\u{1b}[2J\"", &ServerError::syntax("bad \u{7} \"name\""), Duration::ZERO);
    });
    let line: serde_json::Value = serde_json::from_str(&text).expect("one object");
    assert_eq!((&line["level"], &line["message"]), (&"WARN".into(), &"query failed".into()));
    assert_eq!((&line["code"], &line["query"]), (&"42601".into(), &"SELECT \"a[2J\"".into()));
    assert_eq!((&line["error"], &line["seconds"]), (&"bad \u{7} \"name\"".into(), &0.0.into()));
}

#[test]
fn nothing_is_written_when_it_is_off() {
    let failure = || query_failed("SELECT 1", &ServerError::syntax("x"), Duration::ZERO);
    assert_eq!(logged(LogFormat::Text, LogLevel::Off, failure), "");
    assert_eq!(logged(LogFormat::Text, LogLevel::Error, failure), "");
}

#[test]
fn queries_are_shown_on_one_line_and_not_whole() {
    assert_eq!(shown("SELECT\n\t 1"), "SELECT 1");
    let long = shown(&"é ".repeat(1000));
    assert_eq!(long.chars().count(), 501);
    assert!(long.ends_with('…'));
}

#[test]
fn statements_about_secrets_are_not_shown() {
    let sql = "ALTER ROLE reader PassWord 'hunter2'";
    assert!(is_secretive(sql));
    let text = logged(LogFormat::Text, LogLevel::Debug, || {
        query_failed(sql, &ServerError::syntax("unexpected 'hunter2'"), Duration::ZERO);
    });
    assert!(text.contains("query failed") && !text.contains("hunter2"), "{text}");
}

/// A file that takes nothing until it is opened.
#[derive(Clone, Default)]
struct BlockedFile(Arc<(Mutex<bool>, Condvar)>, SharedText);

impl Write for BlockedFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let (is_open, opened) = &*self.0;
        let _open = opened.wait_while(is_open.lock().expect("whole"), |is_open| !*is_open).expect("whole");
        self.1.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn whoever_logs_does_not_wait_for_the_reader() {
    let file = BlockedFile::default();
    let (mut queue, drain) = line_queue::start(file.clone()).expect("a thread");
    for number in 0..10_000 {
        queue.write_all(format!("line {number}\n").as_bytes()).expect("taken");
    }
    *file.0.0.lock().expect("whole") = true;
    file.0.1.notify_all();
    drop(drain);
    let text = file.1.text();
    assert!(text.starts_with("line 0\n"), "{text}");
    assert!(text.contains("lines of the log were lost"), "what is lost is counted");
    assert!(text.lines().count() < 10_000);
}

/// The log of everything that the tests of this crate do from now on: threads of servers have no log of their own.
static LOG: LazyLock<SharedText> = LazyLock::new(|| {
    static STARTED: OnceLock<()> = OnceLock::new();
    let text = SharedText::default();
    let lines = text.clone();
    STARTED.get_or_init(|| {
        let options = LogOptions { level: LogLevel::Debug, ..LogOptions::default() };
        let log = subscriber(options, move || lines.clone());
        tracing::subscriber::set_global_default(log).expect("no other log in this process");
    });
    text
});

async fn ask(server: &Loopback, authorization: &str, sql: &str) -> String {
    let mut stream = TcpStream::connect(server.http).await.expect("connected");
    let request = format!(
        "POST /sql HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAuthorization: {authorization}\r\nContent-Length: {}\r\n\r\n{sql}",
        sql.len()
    );
    stream.write_all(request.as_bytes()).await.expect("sent");
    let mut answer = vec![];
    let _ = stream.read_to_end(&mut answer).await;
    String::from_utf8_lossy(&answer).into_owned()
}

#[test]
fn passwords_and_tokens_are_never_logged() {
    let log = &*LOG;
    run(async {
        let folder = tempfile::tempdir().expect("a folder");
        let users = some_users(folder.path());
        let server = Loopback::start(ServiceOptions { users, ..ServiceOptions::default() }).await;
        let basic = |login: &str| format!("Basic {}", STANDARD.encode(login));
        let (right, wrong) = (basic("reader:password1"), basic("intruder:wrong-guess-77"));
        assert!(ask(&server, &right, "SELECT 1").await.starts_with("HTTP/1.1 200"));
        assert!(ask(&server, &wrong, "SELECT 1").await.starts_with("HTTP/1.1 401"));
        assert!(ask(&server, "Bearer 0123456789abcdef", "SELECT 1").await.starts_with("HTTP/1.1 200"));
        assert!(ask(&server, "Bearer fedcba9876543210", "SELECT 1").await.starts_with("HTTP/1.1 401"));
        ask(&server, &right, "SELECT nowhere_42 FROM states WHERE value = 'a literal'").await;
        server.stop().await;
        let text = log.text();
        for part in [
            "client connected",
            "protocol=\"http\"",
            "peer=127.0.0.1:",
            "login refused user=\"intruder\" address=127.0.0.1",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
        let failed = text.lines().find(|line| line.contains("nowhere_42")).expect("a line of the failed query");
        assert!(failed.contains("query failed") && failed.contains("protocol=\"http\""), "{failed}");
        let header = |value: &str| value.split_once(' ').map(|(_, value)| value.to_string()).expect("two words");
        for secret in
            ["password1", "wrong-guess-77", "0123456789abcdef", "fedcba9876543210", &header(&right), &header(&wrong)]
        {
            assert!(!text.contains(secret), "{secret} is in the log");
        }
    });
}
