//! Archives made by a small encoder: several chunks, both orders of bytes, whole and damaged.

use std::fs;

use proptest::prelude::*;

use super::*;
use crate::model::{EventBatch, EventKind};
use crate::reader::ReadFlow;

const CHUNK: usize = 256 << 10;

/// Numbers as a writer of one order of bytes writes them.
#[derive(Clone, Copy, PartialEq)]
enum Writer {
    Big,
    Little,
}

impl Writer {
    fn full(self, number: u64) -> [u8; 8] {
        if self == Writer::Big { number.to_be_bytes() } else { number.to_le_bytes() }
    }

    /// A number and how many bytes it takes.
    fn short(self, number: u64) -> Vec<u8> {
        let size = 8 - number.leading_zeros() as usize / 8;
        let mut bytes = vec![size as u8];
        match self {
            Writer::Big => bytes.extend(&number.to_be_bytes()[8 - size..]),
            Writer::Little => bytes.extend(&number.to_le_bytes()[..size]),
        }
        bytes
    }

    fn header(self, first: u64, last: u64) -> Vec<u8> {
        let mark = if self == Writer::Big { 0x23 } else { 0x42 };
        [&[3, mark][..], &self.full(first), &self.full(last)].concat()
    }

    /// A file of definitions: code and body of each.
    fn definitions(self, records: &[(u8, Vec<u8>)]) -> Vec<u8> {
        let mut file = self.header(1, records.len() as u64);
        for (code, body) in records {
            file.extend([*code, body.len() as u8]);
            file.extend(body);
        }
        file.push(2);
        file
    }

    fn time(self, time: u64) -> Vec<u8> {
        [&[5][..], &self.full(time)].concat()
    }

    /// Enter (12) or leave (13) a region.
    fn step(self, code: u8, time: u64, region: u64) -> Vec<u8> {
        [self.time(time), vec![code], self.short(region)].concat()
    }

    fn anchor(self, definitions: u64) -> Vec<u8> {
        let mark = if self == Writer::Big { 0x23 } else { 0x42 };
        let mut file = vec![3, mark];
        file.extend(b"OTF2\0\x01\x03\x02\x00\x00");
        file.extend(self.full(CHUNK as u64));
        file.extend(self.full(CHUNK as u64));
        file.extend([1, 1]);
        file.extend(self.full(1));
        file.extend(self.full(definitions));
        file.extend(b"machine\0creator\0\0\x02");
        file
    }

    /// An archive of one location with regions 0 to 3, and the chunks of its events.
    fn archive(self, events: u64, chunks: &[Vec<u8>]) -> tempfile::TempDir {
        let named = |id: u64, name: &str| (10, [self.short(id), name.as_bytes().to_vec(), vec![0]].concat());
        let mut records = vec![(5, [1_000_000_000, 0, 0].map(|number| self.short(number)).concat())];
        records.extend(
            [(0, "root"), (1, "process"), (2, "thread"), (10, "a"), (11, "b"), (12, "c")]
                .map(|(id, name)| named(id, name)),
        );
        records.push((12, [self.short(0), self.short(0), self.short(0), vec![0xff]].concat()));
        records.push((13, [self.short(0), self.short(1), vec![1], self.short(0)].concat()));
        records.push((14, [self.short(0), self.short(2), vec![1], self.short(events), self.short(0)].concat()));
        for region in 0..3 {
            let region = [self.short(region), self.short(10 + region), vec![0xff, 0, 0xff, 0, 0]].concat();
            records.push((15, region));
        }
        let folder = tempfile::tempdir().expect("a folder");
        fs::create_dir(folder.path().join("a")).expect("a folder");
        let mut file = vec![];
        for (place, chunk) in chunks.iter().enumerate() {
            file.extend(chunk);
            if place + 1 < chunks.len() {
                file.resize((place + 1) * CHUNK, 0);
            }
        }
        fs::write(folder.path().join("a.otf2"), self.anchor(records.len() as u64)).expect("written");
        fs::write(folder.path().join("a.def"), self.definitions(&records)).expect("written");
        fs::write(folder.path().join("a/0.evt"), file).expect("written");
        folder
    }
}

/// States that were emitted (a value, or `-` for an end) with their ticks, and the codes of the faults.
fn emitted(folder: &Path) -> (Vec<(String, i64)>, Vec<&'static str>) {
    let (mut steps, mut faults) = (vec![], vec![]);
    let mut consume = |batch: &mut EventBatch| {
        for event in &batch.events {
            let value = match event.kind {
                EventKind::PushState => String::from_utf8_lossy(batch.symbol(event.value)).into_owned(),
                EventKind::PopState => "-".to_string(),
                _ => continue,
            };
            steps.push((value, event.tick));
        }
        faults.extend(batch.faults.iter().map(|fault| fault.code.name()));
        Ok(ReadFlow::GoOn)
    };
    let origin = TraceOrigin::open(folder).expect("an archive");
    Otf2Reader::new(&ReaderOptions::default()).read(&origin, &mut consume).expect("read");
    (steps, faults)
}

fn steps(expected: &[(&str, i64)]) -> Vec<(String, i64)> {
    expected.iter().map(|(value, tick)| (value.to_string(), *tick)).collect()
}

#[test]
fn chunks_of_both_orders_are_read() {
    for writer in [Writer::Big, Writer::Little] {
        let first = [writer.header(1, 2), writer.step(12, 5, 0), writer.step(12, 7, 1), vec![0]].concat();
        let second = [writer.header(3, 4), writer.step(13, 9, 1), writer.step(13, 300_000, 0), vec![2]].concat();
        let folder = writer.archive(4, &[first, second]);
        let expected = steps(&[("a", 5), ("b", 7), ("-", 9), ("-", 300_000)]);
        assert_eq!(emitted(folder.path()), (expected, vec![]));
    }
}

#[test]
fn unknown_records_are_skipped_by_their_length() {
    let writer = Writer::Little;
    let unknown = [vec![200, 3, 9, 9, 9], vec![201, 0xff], writer.full(300).to_vec(), vec![7; 300]].concat();
    let chunk = [writer.header(1, 4), writer.step(12, 5, 0), unknown, writer.step(13, 9, 0), vec![2]].concat();
    let folder = writer.archive(4, &[chunk]);
    assert_eq!(emitted(folder.path()), (steps(&[("a", 5), ("-", 9)]), vec!["unknown-record"; 2]));
}

#[test]
fn damage_costs_the_rest_of_its_chunk() {
    let writer = Writer::Little;
    // A record that is longer than its chunk; two events of three are lost.
    let broken = [vec![46, 0xff], writer.full(1 << 40).to_vec()].concat();
    let first = [writer.header(1, 3), writer.step(12, 5, 0), broken, vec![0]].concat();
    let second = [writer.header(4, 4), writer.step(13, 20, 0), vec![2]].concat();
    let folder = writer.archive(4, &[first, second]);
    assert_eq!(emitted(folder.path()), (steps(&[("a", 5), ("-", 20)]), vec!["damaged-file"]));
}

#[test]
fn a_cut_file_keeps_what_came_before() {
    let writer = Writer::Little;
    let chunk = [writer.header(1, 2), writer.step(12, 5, 0), writer.step(13, 9, 0)].concat();
    let folder = writer.archive(2, &[chunk[..chunk.len() - 3].to_vec()]);
    assert_eq!(emitted(folder.path()), (steps(&[("a", 5)]), vec!["damaged-file"]));
}

#[test]
fn regions_that_do_not_match_are_told_of() {
    let writer = Writer::Little;
    let events = [(12, 1, 0), (12, 2, 1), (13, 3, 0), (13, 4, 2), (12, 5, 77)];
    let events: Vec<u8> = events.into_iter().flat_map(|(code, time, region)| writer.step(code, time, region)).collect();
    let folder = writer.archive(9, &[[writer.header(1, 5), events, vec![2]].concat()]);
    let (states, faults) = emitted(folder.path());
    assert_eq!(states, steps(&[("a", 1), ("b", 2), ("-", 3), ("-", 3), ("region 77", 5)]));
    assert_eq!(faults, ["unbalanced-end", "empty-stack", "undefined-reference", "count-mismatch"]);
}

#[test]
fn what_cannot_be_read_is_refused_in_words() {
    let writer = Writer::Little;
    let refusal = |change: &dyn Fn(&Path)| {
        let folder = writer.archive(0, &[[writer.header(1, 0), vec![2]].concat()]);
        change(folder.path());
        let origin = TraceOrigin::open(folder.path()).expect("a folder");
        let mut consume = |_: &mut EventBatch| Ok(ReadFlow::GoOn);
        let read = Otf2Reader::new(&ReaderOptions::default()).read(&origin, &mut consume);
        read.expect_err("refused").to_string()
    };
    let anchor_with = |place: usize, byte: u8| {
        move |folder: &Path| {
            let mut anchor = Writer::Little.anchor(0);
            anchor[place] = byte;
            fs::write(folder.join("a.otf2"), anchor).expect("written");
        }
    };
    assert!(refusal(&anchor_with(28, 2)).contains("SION"));
    assert!(refusal(&anchor_with(29, 2)).contains("compressed"));
    assert!(refusal(&anchor_with(19, 9)).contains("damaged"));
    assert!(refusal(&|folder| fs::remove_file(folder.join("a.def")).expect("removed")).contains("a.def"));
    assert!(refusal(&|folder| fs::remove_file(folder.join("a.otf2")).expect("removed")).contains("anchor"));
    assert!(
        refusal(&|folder| drop(fs::copy(folder.join("a.otf2"), folder.join("b.otf2")))).contains("2 OTF2 archives")
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Any bytes in the place of any file end in faults or a refusal.
    #[test]
    fn no_bytes_make_it_fail(file in 0_usize..3, place in 0_usize..400, bytes in prop::collection::vec(any::<u8>(), 1..12), keep in 0_usize..600) {
        let writer = Writer::Little;
        let events: Vec<u8> = (0..40).flat_map(|time| writer.step(12 + (time % 2) as u8, time, time / 2 % 3)).collect();
        let folder = writer.archive(40, &[[writer.header(1, 40), events, vec![2]].concat()]);
        let path = folder.path().join(["a.otf2", "a.def", "a/0.evt"][file]);
        let mut content = fs::read(&path).expect("a file");
        for (at, byte) in content.iter_mut().skip(place).zip(&bytes) {
            *at = *byte;
        }
        content.truncate(keep);
        fs::write(&path, content).expect("written");
        let mut consume = |_: &mut EventBatch| Ok(ReadFlow::GoOn);
        if let Ok(origin) = TraceOrigin::open(folder.path()) {
            let _ = Otf2Reader::new(&ReaderOptions::default()).read(&origin, &mut consume);
        }
    }
}
