//! A small trace in a folder, whole, cut, and with rules of a user.

use std::fs;

use super::*;
use crate::model::{EventBatch, EventKind};
use crate::reader::ReadFlow;

const METADATA_TEXT: &str = "/* CTF 1.8 */
    typealias integer { size = 8; } := u8;
    typealias integer { size = 32; } := u32;
    trace { byte_order = le; packet.header := struct { u32 magic; }; };
    clock { name = c; freq = 1000000000; };
    stream {
        packet.context := struct { u32 packet_size; u32 content_size; };
        event.header := struct { u8 id; integer { size = 8; map = clock.c.value; } timestamp; };
    };
    event { id = 0; name = a_begin; fields := struct { u8 x; }; };
    event { id = 1; name = a_end; };
    event { id = 2; name = other; };";

fn packet(events: &[u8]) -> Vec<u8> {
    let bits = (12 + events.len() as u32) * 8;
    [&0xc1fc_1fc1_u32.to_le_bytes()[..], &bits.to_le_bytes(), &bits.to_le_bytes(), events].concat()
}

/// Kinds and ticks of what was emitted, and the codes of the faults.
fn emitted(files: &[(&str, &[u8])]) -> (Vec<(EventKind, i64)>, Vec<&'static str>) {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, bytes) in files {
        fs::write(folder.path().join(name), bytes).expect("written");
    }
    let (mut steps, mut faults) = (vec![], vec![]);
    let mut consume = |batch: &mut EventBatch| {
        let timed =
            batch.events.iter().filter(|event| event.kind.has_time() && event.kind != EventKind::CreateContainer);
        steps.extend(timed.map(|event| (event.kind, event.tick)));
        faults.extend(batch.faults.iter().map(|fault| fault.code.name()));
        Ok(ReadFlow::GoOn)
    };
    let origin = TraceOrigin::open(folder.path()).expect("a trace");
    CtfReader::new(&ReaderOptions::default()).read(&origin, &mut consume).expect("read");
    (steps, faults)
}

#[test]
fn timestamps_wrap_and_pairs_are_states() {
    let stream = [packet(&[0, 250, 7, 2, 255]), packet(&[1, 3])].concat();
    let (steps, faults) = emitted(&[("metadata", METADATA_TEXT.as_bytes()), ("s", &stream)]);
    // 3 comes after 255, so it is 259.
    let expected = [(EventKind::PushState, 250), (EventKind::NewEvent, 255), (EventKind::PopState, 259)];
    assert_eq!((steps, faults), (expected.to_vec(), vec![]));
}

#[test]
fn streams_are_merged_by_time() {
    let (one, two) = (packet(&[2, 1, 2, 9]), packet(&[2, 4]));
    let (steps, _) = emitted(&[("metadata", METADATA_TEXT.as_bytes()), ("one", &one), ("two", &two)]);
    assert_eq!(steps.iter().map(|(_, tick)| *tick).collect::<Vec<_>>(), [1, 4, 9]);
}

#[test]
fn damage_costs_the_rest_of_its_packet() {
    // Event 9 is not described.
    let stream = [packet(&[2, 1, 9, 2, 2, 3]), packet(&[2, 8])].concat();
    let (steps, faults) = emitted(&[("metadata", METADATA_TEXT.as_bytes()), ("s", &stream)]);
    assert_eq!(steps, [(EventKind::NewEvent, 1), (EventKind::NewEvent, 8)]);
    assert!(faults.contains(&"damaged-file"), "{faults:?}");
    let (steps, faults) = emitted(&[("metadata", METADATA_TEXT.as_bytes()), ("s", &stream[..stream.len() - 1])]);
    assert_eq!((steps.len(), faults), (1, vec!["damaged-file", "damaged-file", "damaged-file"]));
}

#[test]
fn a_number_that_is_told_is_that_of_its_event() {
    let one_event =
        METADATA_TEXT.replace("event { id = 1; name = a_end; };", "").replace("event { id = 2; name = other; };", "");
    let (steps, faults) = emitted(&[("metadata", one_event.as_bytes()), ("s", &packet(&[0, 1, 7, 9, 2, 7]))]);
    assert_eq!((steps, faults), (vec![(EventKind::NewEvent, 1)], vec!["damaged-file"]));
}

#[test]
fn an_only_event_needs_no_number() {
    let one_event = "/* CTF 1.8 */ typealias integer { size = 8; } := u8; trace { byte_order = le; };
        stream { event.header := struct { integer { size = 8; } timestamp; }; };
        event { id = 5; name = other; fields := struct { u8 x; }; };";
    let (steps, faults) = emitted(&[("metadata", one_event.as_bytes()), ("s", &[1, 7, 2, 7])]);
    assert_eq!((steps.len(), faults), (2, vec![]));
}

#[test]
fn what_is_no_packet_ends_the_file() {
    let stream = [packet(&[2, 1]), b"something else entirely".to_vec()].concat();
    let (steps, faults) = emitted(&[("metadata", METADATA_TEXT.as_bytes()), ("s", &stream)]);
    assert_eq!((steps.len(), faults), (1, vec!["damaged-file"]));
}

#[test]
fn a_user_adds_rules() {
    let stream = packet(&[2, 1, 1, 5]);
    let files: [(&str, &[u8]); 3] =
        [("metadata", METADATA_TEXT.as_bytes()), ("s", &stream), (OWN_PAIRS, b"other a_end phase * auto")];
    assert_eq!(emitted(&files).0, [(EventKind::PushState, 1), (EventKind::PopState, 5)]);
}

#[test]
fn a_thread_whose_leave_is_missing_stops_with_its_cpu() {
    let switches = "/* CTF 1.8 */ typealias integer { size = 8; } := u8; trace { byte_order = le; };
        stream { packet.context := struct { u8 cpu_id; }; event.header := struct { integer { size = 8; } timestamp; }; };
        event { name = sched_switch; fields := struct { u8 prev_tid; u8 next_tid; }; };";
    // From 1 to 2, from 3 to 4, from 4 to 1: how 2 left is missing.
    let (steps, faults) = emitted(&[("metadata", switches.as_bytes()), ("s", &[0, 1, 1, 2, 2, 3, 4, 3, 4, 1])]);
    let one = |tick: i64| [(EventKind::SetState, tick); 3];
    let expected = [&one(1)[..], &[(EventKind::PopState, 2)], &one(2), &one(3)].concat();
    assert_eq!((steps, faults), (expected, vec!["missed-switch"]));
}

/// Packets of 500 events, two ticks apart; there are more than two pieces of them.
fn long_stream(first: u8) -> Vec<u8> {
    let events =
        |packet: u64| (0..500).flat_map(move |event| [2, first.wrapping_add((2 * (500 * packet + event)) as u8)]);
    (0..20).flat_map(|number| packet(&events(number).collect::<Vec<u8>>())).collect()
}

#[test]
fn streams_of_many_pieces_are_merged_by_time() {
    let files: [(&str, &[u8]); 3] =
        [("metadata", METADATA_TEXT.as_bytes()), ("one", &long_stream(0)), ("two", &long_stream(1))];
    let (steps, faults) = emitted(&files);
    assert_eq!(steps, (0..20_000).map(|tick| (EventKind::NewEvent, tick)).collect::<Vec<_>>());
    assert!(faults.is_empty(), "{faults:?}");
}

#[test]
fn damage_within_many_pieces_costs_its_packet_only() {
    let (one, mut two) = (long_stream(0), long_stream(1));
    // Event 9 of the tenth packet is not described: 491 events are lost, of which the next packet knows nothing.
    two[10 * 1012 + 12 + 2 * 9] = 77;
    let (steps, faults) = emitted(&[("metadata", METADATA_TEXT.as_bytes()), ("one", &one), ("two", &two)]);
    assert_eq!((steps.len(), faults), (20_000 - 491, vec!["damaged-file"]));
    let ticks: Vec<i64> = steps.iter().map(|(_, tick)| *tick).collect();
    assert!(ticks[..10_019] == (0..10_019).collect::<Vec<i64>>()[..], "before the damage");
}

#[test]
fn a_consumer_that_stops_ends_a_long_trace() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("metadata"), METADATA_TEXT).expect("written");
    let stream: Vec<u8> = (0..50).flat_map(|_| long_stream(0)).collect();
    fs::write(folder.path().join("one"), stream).expect("written");
    let mut batches = 0;
    let mut consume = |_: &mut EventBatch| {
        batches += 1;
        Ok(ReadFlow::Stop)
    };
    let origin = TraceOrigin::open(folder.path()).expect("a trace");
    CtfReader::new(&ReaderOptions::default()).read(&origin, &mut consume).expect("read");
    assert_eq!(batches, 1);
}

#[test]
fn an_end_without_its_begin_stays_an_event() {
    let (steps, faults) = emitted(&[("metadata", METADATA_TEXT.as_bytes()), ("s", &packet(&[1, 5]))]);
    assert_eq!((steps, faults), (vec![(EventKind::NewEvent, 5)], vec![]));
}

#[test]
fn fields_without_length_do_not_make_a_small_file_endless() {
    let lists: String = (0..3000).map(|number| format!("u8 a{number}[0];")).collect();
    let text = format!(
        "/* CTF 1.8 */ typealias integer {{ size = 8; }} := u8; event {{ name = e; fields := struct {{ u8 x; {lists} }}; }};"
    );
    // An event has 3,001 fields in 8 bits, of which 1,024 are free, and 524,288 once: the 266th is too much.
    let (steps, faults) = emitted(&[("metadata", text.as_bytes()), ("s", &[7; 2000])]);
    assert!((250..=265).contains(&steps.len()), "{}", steps.len());
    assert!(faults.contains(&"damaged-file"), "{faults:?}");
    let (steps, faults) = emitted(&[("metadata", text.as_bytes()), ("s", &[7; 200])]);
    assert!(steps.len() == 200 && !faults.contains(&"damaged-file"), "{faults:?}");
}
