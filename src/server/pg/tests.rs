//! PostgreSQL as clients see it, by messages that are written and read here byte by byte.

use std::net::IpAddr;
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::login_brake::Suspect;
use crate::loopback::{Loopback, import_sample, run, some_users};
use crate::{ServerLimits, ServiceOptions};

struct RawClient(TcpStream);

impl RawClient {
    /// Sends the first message of a connection.
    async fn start(server: &Loopback, user: &str) -> RawClient {
        let mut body = 0x0003_0000_i32.to_be_bytes().to_vec();
        body.extend(format!("user\0{user}\0database\0quickstart\0\0").into_bytes());
        let mut stream = TcpStream::connect(server.pg).await.expect("connected");
        stream.write_all(&(body.len() as i32 + 4).to_be_bytes()).await.expect("sent");
        stream.write_all(&body).await.expect("sent");
        RawClient(stream)
    }

    async fn send(&mut self, kind: u8, body: &[u8]) {
        let mut message = vec![kind];
        message.extend((body.len() as i32 + 4).to_be_bytes());
        message.extend(body);
        self.0.write_all(&message).await.expect("sent");
    }

    async fn parse(&mut self, name: &str, text: &str) {
        self.send(b'P', format!("{name}\0{text}\0\0\0").as_bytes()).await;
    }

    /// Binds a statement without parameters.
    async fn bind(&mut self, portal: &str, statement: &str) {
        self.send(b'B', format!("{portal}\0{statement}\0\0\0\0\0\0\0").as_bytes()).await;
    }

    /// Binds the statement without a name, and asks for its rows.
    async fn read_portal(&mut self) {
        self.bind("", "").await;
        self.send(b'E', b"\0\0\0\0\0").await;
    }

    /// The one cell of the next row.
    async fn next_cell(&mut self) -> String {
        loop {
            let (kind, body) = self.receive().await.expect("a message");
            match kind {
                // Behind the number of columns and the length of the cell.
                b'D' => return String::from_utf8_lossy(&body[6..]).into_owned(),
                b'E' => panic!("{}", String::from_utf8_lossy(&body)),
                _ => {}
            }
        }
    }

    async fn receive(&mut self) -> Option<(u8, Vec<u8>)> {
        let kind = self.0.read_u8().await.ok()?;
        let length = self.0.read_i32().await.ok()?;
        let mut body = vec![0; length as usize - 4];
        self.0.read_exact(&mut body).await.ok()?;
        Some((kind, body))
    }

    /// The kinds of messages up to the next that says that the server is ready, or the end, with the last error.
    async fn until_ready(&mut self) -> (String, String) {
        let (mut kinds, mut error) = (String::new(), String::new());
        while let Some((kind, body)) = self.receive().await {
            kinds.push(char::from(kind));
            match kind {
                b'E' => error = String::from_utf8_lossy(&body).into_owned(),
                b'Z' => break,
                _ => {}
            }
        }
        (kinds, error)
    }
}

#[test]
fn cursors_are_limited_whatever_they_hold() {
    run(async {
        let server = Loopback::start(ServiceOptions::default()).await;
        for text in ["SET application_name = 'x'", "SELECT 1", "SHOW all", ""] {
            let mut client = RawClient::start(&server, "reader").await;
            client.until_ready().await;
            client.parse("s", text).await;
            for number in 0..64 {
                client.bind(&format!("p{number}"), "s").await;
            }
            // A name that is in use does not count twice, and one that was closed is free again.
            client.send(b'C', b"Pp0\0").await;
            client.bind("p0", "s").await;
            client.bind("one too many", "s").await;
            client.send(b'S', b"").await;
            let (kinds, error) = client.until_ready().await;
            assert_eq!(kinds, format!("1{}32EZ", "2".repeat(64)), "{text}: {error}");
            assert!(error.contains("53400") && error.contains("64 cursors"), "{error}");
            // The end of the transaction closed them.
            client.bind("p0", "s").await;
            client.send(b'S', b"").await;
            assert_eq!(client.until_ready().await.0, "2Z", "{text}");
        }
        server.stop().await;
    });
}

#[test]
fn texts_of_cursors_are_limited() {
    run(async {
        let server = Loopback::start(ServiceOptions::default()).await;
        let mut client = RawClient::start(&server, "reader").await;
        client.until_ready().await;
        // 15 MiB each; 64 MiB are allowed.
        client.parse("s", &format!("SET application_name = '{}'", "x".repeat(15 << 20))).await;
        for number in 0..5 {
            client.bind(&format!("p{number}"), "s").await;
        }
        client.send(b'S', b"").await;
        let (kinds, error) = client.until_ready().await;
        assert_eq!(kinds, "12222EZ", "{error}");
        assert!(error.contains("53400") && error.contains("close some"), "{error}");
        server.stop().await;
    });
}

/// It was executed within itself until the stack, and with it the server, came to its end.
#[test]
fn a_statement_that_executes_itself_is_refused() {
    run(async {
        let server = Loopback::start(ServiceOptions::default()).await;
        let mut client = RawClient::start(&server, "reader").await;
        client.until_ready().await;
        for statements in [
            "PREPARE a AS EXECUTE a; EXECUTE a",
            "PREPARE b AS EXECUTE c; PREPARE c AS EXECUTE b; EXECUTE b",
            "PREPARE d(int) AS EXECUTE d($1); EXECUTE d(1)",
        ] {
            client.send(b'Q', format!("{statements}\0").as_bytes()).await;
            let (kinds, error) = client.until_ready().await;
            assert!(kinds.ends_with("EZ") && error.contains("0A000"), "{statements}: {kinds} {error}");
        }
        // By the messages of the extended protocol, too.
        client.parse("e", "EXECUTE e").await;
        client.bind("", "e").await;
        client.send(b'E', b"\0\0\0\0\0").await;
        client.send(b'S', b"").await;
        let (kinds, error) = client.until_ready().await;
        assert!(kinds.ends_with("EZ") && error.contains("0A000"), "{kinds} {error}");
        // One that is executed by its name is another matter.
        client.send(b'Q', b"PREPARE f AS SELECT 1; EXECUTE f\0").await;
        assert_eq!(client.until_ready().await.0, "CTDCZ");
        server.stop().await;
    });
}

/// What was planned by Parse is what the first Bind reads; the second one, and one after the store has changed, plan anew.
#[test]
fn the_plan_of_parse_serves_the_first_bind_of_the_same_store() {
    run(async {
        let server = Loopback::start(ServiceOptions::default()).await;
        let mut client = RawClient::start(&server, "reader").await;
        client.until_ready().await;
        let traces = "SELECT count(*) FROM information_schema.tables WHERE table_name = 'states'";
        client.parse("", traces).await;
        for _ in 0..2 {
            client.read_portal().await;
        }
        client.send(b'S', b"").await;
        let (one, again) = (client.next_cell().await, client.next_cell().await);
        assert_eq!(one, again);
        client.until_ready().await;
        // Parsed before the store has another trace, bound after that.
        client.parse("", traces).await;
        client.send(b'S', b"").await;
        client.until_ready().await;
        import_sample(&server.store, "other");
        client.read_portal().await;
        client.send(b'S', b"").await;
        let more = client.next_cell().await;
        let number = |cell: &str| cell.parse::<u32>().expect("a number");
        assert_eq!(number(&more), number(&one) + 1);
        server.stop().await;
    });
}

#[test]
fn who_reads_slowly_for_too_long_is_stopped() {
    run(async {
        let limits = ServerLimits { query_time: Duration::from_secs(5), ..ServerLimits::default() };
        let server = Loopback::start(ServiceOptions { limits, ..ServiceOptions::default() }).await;
        // Some gigabytes, of which the client takes a part every now and then.
        let rows = "SELECT repeat('x', 1000) FROM range(0, 5000000)";
        for text in [rows.to_string(), format!("COPY ({rows}) TO STDOUT")] {
            let mut client = RawClient::start(&server, "reader").await;
            client.until_ready().await;
            client.send(b'Q', format!("{text}\0").as_bytes()).await;
            let mut count = 0;
            let error = loop {
                let (kind, body) = client.receive().await.expect("a message");
                match kind {
                    b'E' => break String::from_utf8_lossy(&body).into_owned(),
                    b'C' => panic!("all rows were sent"),
                    _ => count += 1,
                }
                if count % 500 == 0 {
                    tokio::time::sleep(Duration::from_millis(20)).await;
                }
            };
            assert!(error.contains("57014") && error.contains("to read the rows"), "{error}");
            // The connection is of use still.
            assert_eq!(client.until_ready().await.0, "Z");
            client.send(b'Q', b"SELECT 1\0").await;
            assert_eq!(client.until_ready().await.0, "TDCZ");
        }
        server.stop().await;
    });
}

#[test]
fn who_guessed_too_often_is_refused_unseen() {
    run(async {
        let folder = tempfile::tempdir().expect("a folder");
        let users = some_users(folder.path());
        let server = Loopback::start(ServiceOptions { users, ..ServiceOptions::default() }).await;
        let suspect = Suspect::new(Some(IpAddr::from([127, 0, 0, 1])), Some("reader"));
        for _ in 0..20 {
            server.service.login_brake.refuse(&suspect, Instant::now());
        }
        // Others of the queue that wait before this one.
        while server.service.login_brake.admit(&suspect, Instant::now()).is_ok() {}
        let (kinds, error) = RawClient::start(&server, "reader").await.until_ready().await;
        assert_eq!(kinds, "E", "{error}");
        assert!(error.contains("28000") && error.contains("too many wrong logins"), "{error}");
        // Another user is asked for a password at once.
        let mut other = RawClient::start(&server, "other").await;
        assert_eq!(other.receive().await.map(|(kind, _)| kind), Some(b'R'));
        server.stop().await;
    });
}
