//! Writes DUMPI files: what the library of SST would write for calls that a test makes up.

use std::fs;
use std::path::{Path, PathBuf};

/// The layouts of the reader. They were held against the reference converter: it reads a file with every
/// record of this encoder to its end.
const CALLS: &str = include_str!("../../../src/trace/reader/dumpi/calls.txt");

/// The value of an argument.
#[derive(Debug, Clone)]
pub enum Arg {
    Number(i64),
    List(Vec<i32>),
    Lists(Vec<Vec<i32>>),
    /// Bytes, source, tag, cancelled.
    Statuses(Vec<[i32; 4]>),
}

pub fn n(number: i64) -> Arg {
    Arg::Number(number)
}

pub fn list(numbers: &[i32]) -> Arg {
    Arg::List(numbers.to_vec())
}

/// A status: bytes, source, tag.
pub fn status(bytes: i32, source: i32, tag: i32) -> Arg {
    Arg::Statuses(vec![[bytes, source, tag, 0]])
}

/// How a library of some version writes.
#[derive(Debug, Clone, Copy)]
pub struct Version {
    pub numbers: [u8; 3],
    /// The number that ends the stream of calls.
    pub end: u16,
}

pub const NEW: Version = Version { numbers: [13, 0, 0], end: 293 };
pub const OLD: Version = Version { numbers: [1, 1, 0], end: 285 };

/// The file of one rank.
#[derive(Debug, Clone)]
pub struct Rank {
    version: Version,
    body: Vec<u8>,
    counts: Vec<u32>,
    pub host: String,
    pub thread: u16,
    /// Of the calls that follow: values at the start and at the stop.
    pub counters: Vec<(u64, u64)>,
    pub counter_names: Vec<String>,
    pub addresses: Vec<(u64, String)>,
    pub sizes: Vec<u32>,
    /// Seconds that times count from.
    pub bias: u32,
}

pub const BASIC_SIZES: [u32; 28] =
    [0, 0, 1, 1, 1, 1, 4, 2, 2, 4, 4, 8, 8, 4, 8, 16, 0, 8, 8, 1, 0, 0, 8, 12, 12, 6, 8, 20];

impl Rank {
    pub fn new(version: Version) -> Rank {
        Rank {
            version,
            body: vec![],
            counts: vec![0; usize::from(version.end) - 2],
            host: "node".to_string(),
            thread: 0,
            counters: vec![],
            counter_names: vec![],
            addresses: vec![],
            sizes: BASIC_SIZES.to_vec(),
            bias: 1000,
        }
    }

    /// Writes a call. Times are in microseconds after the bias; arguments that are not given are 0 or empty.
    pub fn call(&mut self, name: &str, (start, stop): (u64, u64), arguments: &[(&str, Arg)]) -> &mut Rank {
        let (number, line) =
            CALLS.lines().enumerate().find(|(_, line)| line.split(' ').next() == Some(name)).expect("a call");
        self.counts[number] += 1;
        self.head(number as u16, (start, stop));
        let value = |wanted: &str| arguments.iter().find(|(name, _)| *name == wanted).map(|(_, value)| value);
        let number_of = |wanted: &str| match value(wanted) {
            Some(Arg::Number(number)) => *number,
            _ => 0,
        };
        let rank = if line.contains("oldcommrank") { "oldcommrank" } else { "commrank" };
        let is_root = number_of(rank) == number_of("root");
        for field in line.split(' ').skip(1) {
            let (name, kind) = field.split_once(':').expect("a field");
            match kind.strip_prefix('?') {
                Some(kind) if is_root => self.field(kind, value(name)),
                Some(_) => {}
                None => self.field(kind, value(name)),
            }
        }
        self
    }

    /// Writes the entry or the exit of a compiled function.
    pub fn code(&mut self, is_entry: bool, at: u64, address: u64) -> &mut Rank {
        let number = if is_entry { self.version.end - 2 } else { self.version.end - 1 };
        self.head(number, (at, at));
        self.put(address, 8);
        self
    }

    fn head(&mut self, number: u16, (start, stop): (u64, u64)) {
        self.put(u64::from(number), 2);
        let counters = if self.counters.is_empty() { 0 } else { 1 << 7 };
        self.put(0b100_1111 | counters, 1);
        self.put(u64::from(self.thread), 2);
        // The CPU takes half of the time.
        for (start, stop) in [(start / 2, stop / 2), (start, stop)] {
            for at in [start, stop] {
                self.put(at / 1_000_000, 2);
                self.put(at % 1_000_000 * 1000, 4);
            }
        }
        if counters > 0 {
            self.put(self.counters.len() as u64, 1);
            for (start, stop) in self.counters.clone() {
                self.put(start, 8);
                self.put(stop, 8);
            }
        }
    }

    fn put(&mut self, number: u64, bytes: usize) {
        self.body.extend_from_slice(&number.to_be_bytes()[8 - bytes..]);
    }

    fn field(&mut self, kind: &str, value: Option<&Arg>) {
        match (kind, value) {
            ("b" | "w" | "i" | "l", value) => {
                let number = if let Some(Arg::Number(number)) = value { *number } else { 0 };
                self.put(number as u64, bytes_of(kind));
            }
            ("B" | "W" | "I", value) => {
                let list = if let Some(Arg::List(list)) = value { list.clone() } else { vec![] };
                self.put(list.len() as u64, 4);
                list.iter().for_each(|number| self.put(*number as u64, bytes_of(kind)));
            }
            ("J", value) => {
                let lists = if let Some(Arg::Lists(lists)) = value { lists.clone() } else { vec![] };
                self.put(lists.len() as u64, 4);
                lists.into_iter().for_each(|list| self.field("I", Some(&Arg::List(list))));
            }
            ("S", _) => self.text("text"),
            ("T", _) => {
                self.put(2, 4);
                self.text("one");
                self.text("");
            }
            ("U", _) => {
                self.put(1, 4);
                self.field("T", None);
            }
            ("s", value) => {
                let statuses = if let Some(Arg::Statuses(statuses)) = value { statuses.clone() } else { vec![] };
                self.put(statuses.len() as u64, 4);
                for [bytes, source, tag, cancelled] in statuses {
                    self.put(bytes as u64, 4);
                    self.put(source as u64, 4);
                    self.put(cancelled as u64, 1);
                    self.put(0, 1);
                    self.put(tag as u64, 4);
                }
            }
            other => panic!("{other:?} is no kind of field"),
        }
    }

    fn text(&mut self, text: &str) {
        self.put(text.len() as u64, 4);
        self.body.extend_from_slice(text.as_bytes());
    }

    /// Makes the footer count a call that is not there.
    pub fn miscount(&mut self, number: usize) {
        self.counts[number] += 1;
    }

    /// The whole file.
    pub fn bytes(&self) -> Vec<u8> {
        let mut file = Out(b"\xff\xaa\xddDUMPI".to_vec());
        let body = file.place();
        file.put(0, 4);
        file.put(u64::from(self.bias), 4);
        file.0.extend_from_slice(&self.body);
        file.put(u64::from(self.version.end), 2);
        let header = file.place();
        file.0.extend_from_slice(&self.version.numbers);
        file.put(1_700_000_000, 8);
        file.string(&self.host);
        file.string("user");
        file.put(0, 8);
        let footer = file.place();
        file.put(0xf007_fee7, 8);
        self.counts.iter().for_each(|count| file.put(u64::from(*count), 4));
        self.counts.iter().for_each(|_| file.put(0, 4));
        let counters = file.place();
        file.put(self.counter_names.len() as u64, 4);
        self.counter_names.iter().for_each(|name| file.string(name));
        let sizes = file.place();
        file.put(self.sizes.len() as u64, 4);
        self.sizes.iter().for_each(|size| file.put(u64::from(*size), 4));
        let addresses = file.place();
        file.put(self.addresses.len() as u64, 4);
        for (address, name) in &self.addresses {
            file.put(*address, 8);
            file.string(name);
        }
        let keyvals = file.place();
        file.put(1, 4);
        file.string("key");
        file.string("value");
        file.0.extend_from_slice(b"\xff\xaa\xddDUMPI");
        [sizes, addresses, counters, header, body, footer, keyvals].into_iter().for_each(|place| file.put(place, 8));
        file.0
    }
}

fn bytes_of(kind: &str) -> usize {
    match kind {
        "b" | "B" => 1,
        "w" | "W" => 2,
        "i" | "I" => 4,
        _ => 8,
    }
}

struct Out(Vec<u8>);

impl Out {
    fn place(&self) -> u64 {
        self.0.len() as u64
    }

    fn put(&mut self, number: u64, bytes: usize) {
        self.0.extend_from_slice(&number.to_be_bytes()[8 - bytes..]);
    }

    fn string(&mut self, text: &str) {
        self.put(text.len() as u64, 2);
        self.0.extend_from_slice(text.as_bytes());
    }
}

/// The names of all calls that a record can be of.
pub fn names() -> Vec<&'static str> {
    CALLS.lines().filter_map(|line| line.split(' ').next()).filter(|name| !name.starts_with("IO_")).collect()
}

/// Writes the files of a trace; gives the metafile.
pub fn write(folder: &Path, ranks: &[Vec<u8>]) -> PathBuf {
    for (rank, bytes) in ranks.iter().enumerate() {
        fs::write(folder.join(format!("run-{rank:04}.bin")), bytes).expect("a file of a rank");
    }
    let meta = folder.join("run.meta");
    let text = format!(
        "hostname=node\nnumprocs={}\nusername=user\nstartime=1700000000\nfileprefix=run\nversion=13\n",
        ranks.len()
    );
    fs::write(&meta, text).expect("a metafile");
    meta
}
