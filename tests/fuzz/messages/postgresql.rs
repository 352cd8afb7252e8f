//! Conversations of clients of PostgreSQL's protocol, mutated message by message or as a whole.

use crate::mutator::{Random, mutated};
use crate::{Fuzzed, LONGEST_MESSAGE};

const VERSION_3: i32 = 0x0003_0000;
const CANCEL: i32 = 80_877_102;
const TLS: i32 = 80_877_103;
const GSS: i32 = 80_877_104;
/// Types in the catalog of PostgreSQL.
const TYPES: &[u32] = &[16, 20, 21, 23, 25, 700, 701, 1043, 1082, 1114, 1184, 1700, 17, 2950, 0];

/// A message; the first of a connection has no kind.
#[derive(Debug, Clone)]
struct Message {
    kind: Option<u8>,
    body: Vec<u8>,
}

impl Message {
    fn new(kind: u8, body: impl Into<Vec<u8>>) -> Message {
        Message { kind: Some(kind), body: body.into() }
    }

    fn first(code: i32, rest: &[u8]) -> Message {
        Message { kind: None, body: [&code.to_be_bytes(), rest].concat() }
    }

    fn put(&self, bytes: &mut Vec<u8>) {
        bytes.extend(self.kind);
        bytes.extend((self.body.len() as u32 + 4).to_be_bytes());
        bytes.extend(&self.body);
    }
}

fn start(parameters: &str) -> Message {
    Message::first(VERSION_3, format!("{parameters}\0").as_bytes())
}

fn query(text: &str) -> Message {
    Message::new(b'Q', format!("{text}\0"))
}

fn parse(name: &str, text: &str, types: &[u32]) -> Message {
    let mut body = format!("{name}\0{text}\0").into_bytes();
    body.extend((types.len() as u16).to_be_bytes());
    body.extend(types.iter().flat_map(|oid| oid.to_be_bytes()));
    Message::new(b'P', body)
}

/// Values as text or in binary form, each with its own format.
fn bind(portal: &str, statement: &str, values: &[(u16, Option<&[u8]>)], results: &[u16]) -> Message {
    let mut body = format!("{portal}\0{statement}\0").into_bytes();
    body.extend((values.len() as u16).to_be_bytes());
    body.extend(values.iter().flat_map(|(format, _)| format.to_be_bytes()));
    body.extend((values.len() as u16).to_be_bytes());
    for (_, value) in values {
        body.extend(value.map_or(-1, |value| value.len() as i32).to_be_bytes());
        body.extend(value.unwrap_or_default());
    }
    body.extend((results.len() as u16).to_be_bytes());
    body.extend(results.iter().flat_map(|format| format.to_be_bytes()));
    Message::new(b'B', body)
}

fn execute(portal: &str, rows: i32) -> Message {
    Message::new(b'E', [portal.as_bytes(), b"\0", &rows.to_be_bytes()].concat())
}

fn sync() -> Message {
    Message::new(b'S', [])
}

/// Conversations that are mutated.
pub struct Conversations {
    seed: u64,
    all: Vec<Vec<Message>>,
    plain: Vec<Message>,
    /// Kinds of messages in the answer to the plain one.
    plain_part: &'static [u8],
}

impl Conversations {
    /// Of clients that everybody may be.
    pub fn of_sessions() -> Conversations {
        let user = "user\0reader\0database\0quickstart\0";
        let mut all = vec![
            vec![start(user), query("SELECT 1")],
            vec![
                start(&format!("{user}application_name\0x\0options\0-c statement_timeout=5s --time-zone=UTC\0")),
                query("BEGIN; DECLARE c CURSOR FOR SELECT name FROM containers ORDER BY 1"),
                query("FETCH 2 FROM c; MOVE 1 IN c; FETCH ALL c; CLOSE c; COMMIT"),
                query("SHOW all; SET extra_float_digits = 3; RESET ALL; DISCARD ALL; DEALLOCATE ALL"),
            ],
            vec![
                start(&format!("{user}_pq_.option\0on\0")),
                query(
                    "COPY (SELECT * FROM states LIMIT 3) TO STDOUT WITH (FORMAT csv, HEADER, DELIMITER ';', QUOTE '''')",
                ),
                query("COPY containers TO STDOUT (FORMAT binary)"),
                query("COPY (SELECT NULL, E'a\\tb') TO STDOUT WITH NULL AS 'x' DELIMITER '|'"),
                query("COPY containers FROM STDIN"),
                Message::new(b'd', "1\t2\n"),
                Message::new(b'c', []),
                Message::new(b'f', "no\0"),
                query("SELECT 2"),
            ],
            vec![
                start(user),
                query(
                    "SELECT c.oid, relname, format_type(atttypid, atttypmod) FROM pg_catalog.pg_class c JOIN pg_attribute a ON a.attrelid = c.oid WHERE relname = 'states'",
                ),
                query("SELECT current_user, version(), current_setting('server_version'), '{1,2}'::text"),
                query(
                    "SELECT DATE '2020-01-01', TIMESTAMP '2020-01-01 00:00:00', INTERVAL '1 day', 1.5::numeric(5,2), ARRAY[1,NULL]",
                ),
            ],
            vec![Message::first(TLS, &[]), start(user), query("SELECT 3"), Message::new(b'X', [])],
            vec![Message::first(GSS, &[]), Message::first(TLS, &[]), start("user\0reader\0"), query("")],
            vec![Message::first(CANCEL, &[0, 0, 0, 1, 0, 0, 0, 2])],
            vec![start(user), Message::new(b'F', [0, 0, 0, 1, 0, 0, 0, 0, 0, 0])],
        ];
        all.extend(extended(user));
        let plain = vec![start(user), query("SELECT 1"), Message::new(b'X', [])];
        Conversations { seed: 3, all, plain, plain_part: b"SELECT 1\0Z" }
    }

    /// Of clients that must log in and cannot.
    pub fn of_logins() -> Conversations {
        let nonce = "n,,n=,r=rOprNGfwEbeRWgbNEkqO";
        let proof = "c=biws,r=rOprNGfwEbeRWgbNEkqO,p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=";
        let first = |method: &str, text: &str| {
            let length = (text.len() as i32).to_be_bytes();
            Message::new(b'p', [method.as_bytes(), b"\0", &length, text.as_bytes()].concat())
        };
        let user = "user\0reader\0database\0quickstart\0";
        let all = vec![
            vec![start(user), first("SCRAM-SHA-256", nonce), Message::new(b'p', proof), query("SELECT 1")],
            vec![
                start(user),
                first("SCRAM-SHA-256-PLUS", "p=tls-server-end-point,,n=reader,r=x"),
                Message::new(b'p', proof),
            ],
            vec![start(user), first("SCRAM-SHA-256", "y,a=other,n=a=2Cb=3D,r=x,m=ext"), Message::new(b'p', proof)],
            vec![start("user\0nobody\0"), Message::new(b'p', "password1\0")],
            vec![start(user), query("SELECT 1")],
        ];
        let plain = vec![start(user), query("SELECT 1")];
        Conversations { seed: 4, all, plain, plain_part: b"SCRAM-SHA-256\0" }
    }

    fn bytes(messages: &[Message]) -> Vec<u8> {
        let mut bytes = vec![];
        messages.iter().for_each(|message| message.put(&mut bytes));
        bytes
    }
}

/// Conversations with prepared statements.
fn extended(user: &str) -> Vec<Vec<Message>> {
    let texts: &[(u16, Option<&[u8]>)] = &[(0, Some(b"12")), (0, Some(b"1.5")), (0, Some(b"it's")), (0, None)];
    let binary: &[(u16, Option<&[u8]>)] =
        &[(1, Some(&[0, 0, 0, 12])), (1, Some(&[0x3f, 0xf8, 0, 0, 0, 0, 0, 0])), (1, Some(b"text")), (1, Some(&[1]))];
    let numeric: &[u8] = &[0, 2, 0, 0, 0, 0, 0, 1, 0, 1, 0x13, 0x88];
    let dates: &[(u16, Option<&[u8]>)] =
        &[(1, Some(&[0, 0, 0x1c, 0x89])), (1, Some(&[0, 2, 0x3e, 0, 0, 0, 0, 0])), (1, Some(numeric)), (0, Some(b"t"))];
    let four = "SELECT $1::int4 + 1, $2::float8, $3::text || 'x', $4::bool";
    let kinds = "SELECT $1::date, $2::timestamp, $3::numeric, $4::bool";
    let describe = |target: &str| Message::new(b'D', format!("{target}\0"));
    let mut all = vec![
        vec![
            start(user),
            parse("", four, &[23, 701, 25, 16]),
            bind("", "", texts, &[]),
            describe("P"),
            execute("", 0),
            bind("", "", binary, &[1, 0, 1, 0]),
            execute("", 0),
            sync(),
        ],
        vec![
            start(user),
            parse("s", kinds, &[1082, 1114, 1700, 16]),
            describe("Ss"),
            bind("p", "s", dates, &[1]),
            execute("p", 0),
            Message::new(b'C', "Pp\0"),
            Message::new(b'C', "Ss\0"),
            Message::new(b'H', []),
            sync(),
        ],
        vec![
            start(user),
            query("BEGIN"),
            parse("s", "SELECT name, depth FROM containers WHERE depth >= $1 ORDER BY preorder", &[]),
            bind("p", "s", &[(0, Some(b"0"))], &[1]),
            execute("p", 2),
            execute("p", 2),
            sync(),
            query("PREPARE q AS SELECT $1; EXECUTE q(1); DEALLOCATE q"),
            query("ROLLBACK"),
        ],
        vec![start(user), parse("", "COPY containers TO STDOUT", &[]), bind("", "", &[], &[]), execute("", 0), sync()],
    ];
    for oid in TYPES {
        let value: &[u8] = &[0, 0, 0, 1, 0, 0, 0, 0];
        all.push(vec![
            start(user),
            parse("", "SELECT $1", &[*oid]),
            bind("", "", &[(1, Some(value))], &[1]),
            execute("", 0),
            sync(),
        ]);
    }
    all
}

impl Fuzzed for Conversations {
    fn input(&self, number: u64) -> Vec<u8> {
        let mut random = Random::new(self.seed, number);
        let mut messages = self.all[random.below(self.all.len())].clone();
        match random.below(4) {
            // Lengths become wrong, too.
            0 => mutated(&[Conversations::bytes(&messages)], &mut random),
            1 => {
                let (from, to) = (random.below(messages.len()), random.below(messages.len()));
                let moved = messages[from].clone();
                messages.insert(to, moved);
                Conversations::bytes(&messages)
            }
            _ => {
                let place = random.below(messages.len());
                messages[place].body = mutated(&[messages[place].body.clone()], &mut random);
                Conversations::bytes(&messages)
            }
        }
    }

    /// Terminations: read from wherever, they end the connection.
    fn tail(&self) -> Vec<u8> {
        b"X\0\0\0\x04".repeat(LONGEST_MESSAGE / 4)
    }

    fn fault(&self, answer: &[u8]) -> Option<String> {
        // Answers to requests for encryption are single letters.
        let start = answer.iter().position(|byte| *byte != b'N').unwrap_or(answer.len());
        let mut rest = &answer[start..];
        while let [kind, length @ ..] = rest {
            if !kind.is_ascii_graphic() {
                return Some(format!("no message has the kind {kind}"));
            }
            let (length, _) = length.split_first_chunk::<4>()?;
            let length = u32::from_be_bytes(*length) as usize;
            if !(4..64 << 20).contains(&length) {
                return Some(format!("a message has the length {length}"));
            }
            // The last may be cut when the connection is reset.
            rest = rest.get(1 + length..).unwrap_or_default();
        }
        None
    }

    fn plain(&self) -> (Vec<u8>, &'static [u8], &'static [u8]) {
        let mut bytes = Conversations::bytes(&self.plain);
        bytes.extend(b"X\0\0\0\x04");
        (bytes, b"R", self.plain_part)
    }
}
