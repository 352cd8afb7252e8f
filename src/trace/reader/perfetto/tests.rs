//! Small traces, encoded here: order, losses, legacy events, sorting with little memory, and damage.

// size: one test per kind of packet.

use std::io::Write;

use proptest::prelude::*;

use super::*;
use crate::model::{EventBatch, EventKind};
use crate::reader::ReadFlow;

fn varint(mut number: u64) -> Vec<u8> {
    let mut bytes = vec![];
    while number > 127 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
    bytes
}

fn number(field: u64, value: u64) -> Vec<u8> {
    [varint(field << 3), varint(value)].concat()
}

fn bytes(field: u64, value: &[u8]) -> Vec<u8> {
    [varint(field << 3 | 2), varint(value.len() as u64), value.to_vec()].concat()
}

fn packet(fields: &[Vec<u8>]) -> Vec<u8> {
    bytes(1, &fields.concat())
}

/// A track event of a type (1 begin, 2 end, 3 instant) on a track.
fn event(time: u64, type_: u64, track: u64, name: &str) -> Vec<u8> {
    let mut fields = vec![number(9, type_), number(11, track)];
    if !name.is_empty() {
        fields.push(bytes(23, name.as_bytes()));
    }
    packet(&[number(8, time), bytes(11, &fields.concat())])
}

/// A trace in a file, which is there as long as it is held.
fn origin_of(trace: &[u8]) -> (tempfile::NamedTempFile, TraceOrigin) {
    let mut file = tempfile::NamedTempFile::new().expect("a temporary file");
    file.write_all(trace).expect("written");
    let origin = TraceOrigin::open(file.path()).expect("a trace");
    (file, origin)
}

/// States that were emitted (a value, or `-` for an end) with their ticks, and the codes of the faults.
fn emitted(trace: &[u8], memory: usize) -> (Vec<(String, i64)>, Vec<&'static str>) {
    let (_file, origin) = origin_of(trace);
    let (mut steps, mut faults) = (vec![], vec![]);
    let mut consume = |batch: &mut EventBatch| {
        for event in &batch.events {
            let value = match event.kind {
                EventKind::PushState | EventKind::SetState => {
                    String::from_utf8_lossy(batch.symbol(event.value)).into_owned()
                }
                EventKind::PopState => "-".to_string(),
                _ => continue,
            };
            steps.push((value, event.tick));
        }
        faults.extend(batch.faults.iter().map(|fault| fault.code.name()));
        Ok(ReadFlow::GoOn)
    };
    let mut reader = PerfettoReader::new(&ReaderOptions::default());
    reader.sorted_in_memory = memory;
    reader.read(&origin, &mut consume).expect("read");
    (steps, faults)
}

fn steps(expected: &[(&str, i64)]) -> Vec<(String, i64)> {
    expected.iter().map(|(value, tick)| (value.to_string(), *tick)).collect()
}

#[test]
fn packets_need_no_order() {
    let trace = [event(30, 2, 1, ""), event(10, 1, 1, "a"), event(20, 1, 1, "b"), event(25, 2, 1, "")].concat();
    assert!(packets::is_trace(&trace));
    let expected = steps(&[("a", 10), ("b", 20), ("-", 25), ("-", 30)]);
    assert_eq!(emitted(&trace, SORTED_IN_MEMORY), (expected, vec![]));
}

#[test]
fn an_end_without_its_begin_is_lost() {
    let trace = [event(10, 2, 1, ""), event(20, 1, 1, "a"), event(30, 2, 1, ""), event(40, 2, 1, "")].concat();
    assert_eq!(emitted(&trace, SORTED_IN_MEMORY), (steps(&[("a", 20), ("-", 30)]), vec!["empty-stack"; 2]));
}

#[test]
fn complete_events_that_do_not_nest_have_lanes() {
    let legacy = |time: u64, name: &str, microseconds: u64| {
        let complete = [number(2, u64::from(b'X')), number(3, microseconds)].concat();
        let fields = [number(11, 1), bytes(23, name.as_bytes()), bytes(6, &complete)].concat();
        packet(&[number(8, time), bytes(11, &fields)])
    };
    let trace = [legacy(1000, "a", 2), legacy(2000, "b", 2), legacy(5000, "c", 1)].concat();
    let expected = steps(&[("a", 1000), ("b", 2000), ("-", 3000), ("-", 4000), ("c", 5000), ("-", 6000)]);
    assert_eq!(emitted(&trace, SORTED_IN_MEMORY), (expected, vec!["overlapping-states"]));
}

/// An event of the older kind that a flow with an id leaves (2) or enters (1).
fn bound(time: u64, direction: u64) -> Vec<u8> {
    let legacy = [number(2, u64::from(b'X')), number(3, 1), number(8, 77), number(13, direction)].concat();
    packet(&[number(8, time), bytes(11, &[number(11, 1), bytes(23, b"a"), bytes(6, &legacy)].concat())])
}

/// The ticks at which links start and end, by their key.
fn links(trace: &[u8]) -> Vec<(i64, i64)> {
    let (_file, origin) = origin_of(trace);
    let (mut starts, mut links) = (std::collections::HashMap::new(), vec![]);
    let mut consume = |batch: &mut EventBatch| {
        for event in &batch.events {
            let key = || batch.text(event.key()).to_string();
            match event.kind {
                EventKind::StartLink => assert_eq!(starts.insert(key(), event.tick), None, "keys are unique"),
                EventKind::EndLink => links.push((starts.remove(&key()).expect("started"), event.tick)),
                _ => (),
            }
        }
        Ok(ReadFlow::GoOn)
    };
    PerfettoReader::new(&ReaderOptions::default()).read(&origin, &mut consume).expect("read");
    assert_eq!(starts.len(), 0, "all links end");
    links
}

#[test]
fn a_flow_of_the_older_kind_has_several_targets() {
    let (out, into) = (2, 1);
    let trace = [bound(5000, out), bound(10_000, into), bound(20_000, into), bound(30_000, into)].concat();
    assert_eq!(links(&trace), [(5000, 10_000), (5000, 20_000), (5000, 30_000)]);
    // A target before its source has none, and what leaves twice goes on to the next.
    assert_eq!(links(&[bound(1000, into), bound(5000, out), bound(10_000, into)].concat()), [(5000, 10_000)]);
    let twice = [bound(1000, out), bound(5000, out), bound(10_000, into), bound(20_000, into)].concat();
    assert_eq!(links(&twice), [(1000, 5000), (5000, 10_000)]);
}

/// The values of variables with their ticks and names, and the messages of the faults.
fn variables(trace: &[u8]) -> (Vec<(i64, String, f64)>, Vec<String>) {
    let (_file, origin) = origin_of(trace);
    let (mut found, mut faults) = (vec![], vec![]);
    let mut consume = |batch: &mut EventBatch| {
        for event in batch.events.iter().filter(|event| event.kind == EventKind::SetVariable) {
            let type_ = String::from_utf8_lossy(batch.symbol(event.type_)).into_owned();
            let name = type_.split('#').next().unwrap_or_default().to_string();
            found.push((event.tick, name, event.number()));
        }
        faults.extend(batch.faults.iter().map(|fault| fault.message.clone()));
        Ok(ReadFlow::GoOn)
    };
    PerfettoReader::new(&ReaderOptions::default()).read(&origin, &mut consume).expect("read");
    (found, faults)
}

#[test]
fn time_and_instructions_of_threads_are_variables() {
    let thread = [number(1, 7), number(2, 8), number(6, 100), number(7, 10), number(8, 5)].concat();
    let event = |fields: &[Vec<u8>]| packet(&[number(10, 1), bytes(11, &[number(9, 3), fields.concat()].concat())]);
    let trace = [
        packet(&[number(10, 1), bytes(44, &thread)]),
        event(&[number(1, 5), number(2, 3), number(8, 7)]),
        event(&[number(16, 200), number(17, 20), number(20, 40)]),
        event(&[number(1, 1), number(2, 2)]),
        packet(&[number(10, 2), number(8, 300_000), bytes(11, &[number(9, 3), number(17, 1)].concat())]),
    ]
    .concat();
    let (found, faults) = variables(&trace);
    let expected = [
        (105_000, "thread time", 13_000.0),
        (105_000, "thread instructions", 12.0),
        (106_000, "thread time", 15_000.0),
        (200_000, "thread time", 20_000.0),
        (200_000, "thread instructions", 40.0),
    ];
    assert_eq!(found, expected.map(|(tick, name, value)| (tick, name.to_string(), value)));
    assert_eq!(faults, ["1 values of thread time at events of no thread were left out"]);
}

#[test]
fn polled_counters_are_variables() {
    let entry = |field: u64, key: u64, value: u64| bytes(field, &[number(1, key), number(2, value)].concat());
    let times = bytes(3, &[number(1, 1), number(2, 700), number(9, 30)].concat());
    let machine =
        [entry(1, 2, 4), entry(2, 49, 9), entry(14, 5, 60), times, number(4, 3), number(11, 800), number(11, 900)];
    let process = bytes(1, &[number(1, 42), number(3, 8), number(10, u64::MAX)].concat());
    let trace = [
        packet(&[number(8, 1000), bytes(7, &[machine.concat(), bytes(18, b"")].concat())]),
        packet(&[number(8, 2000), bytes(9, &process)]),
    ]
    .concat();
    let (found, faults) = variables(&trace);
    let expected = [
        (1000, "MemFree", 4096.0),
        (1000, "pgfault", 9.0),
        (1000, "psi.memory.some", 60.0),
        (1000, "cpu.times.user_ns", 700.0),
        (1000, "cpu.times.steal_ns", 30.0),
        (1000, "num_forks", 3.0),
        (1000, "frequency", 800.0),
        (1000, "frequency", 900.0),
        (2000, "mem.rss", 8192.0),
        (2000, "oom_score_adj", -1.0),
    ];
    assert_eq!(found, expected.map(|(tick, name, value)| (tick, name.to_string(), value)));
    assert_eq!(faults, ["1 polled values of field 18 were left out"]);
}

#[test]
fn a_trace_that_was_cut_keeps_what_is_whole() {
    let mut trace = [event(10, 1, 1, "a"), event(20, 2, 1, ""), event(30, 1, 1, "b")].concat();
    trace.pop();
    assert_eq!(emitted(&trace, SORTED_IN_MEMORY), (steps(&[("a", 10), ("-", 20)]), vec!["damaged-file"]));
    // The packet is whole, its content is not.
    let bad = [event(10, 1, 1, "a"), packet(&[number(8, 20), bytes(11, &[0x0b])]), event(30, 2, 1, "")].concat();
    assert_eq!(emitted(&bad, SORTED_IN_MEMORY), (steps(&[("a", 10), ("-", 30)]), vec!["bad-record"]));
}

#[test]
fn compressed_packets_that_are_damaged_cost_themselves() {
    let mut packed = flate2::read::ZlibEncoder::new(&b"\x0a\x02\x08\x01"[..], flate2::Compression::fast());
    let mut inner = vec![];
    std::io::Read::read_to_end(&mut packed, &mut inner).expect("packed");
    inner.truncate(inner.len() - 5);
    inner[3] ^= 0xff;
    let trace = [packet(&[bytes(50, &inner)]), event(10, 1, 1, "a")].concat();
    let (states, faults) = emitted(&trace, SORTED_IN_MEMORY);
    assert_eq!((states, faults), (steps(&[("a", 10)]), vec!["damaged-file"]));
}

#[test]
fn tracks_that_contain_themselves_are_at_the_top() {
    let track = |uuid: u64, parent: u64| packet(&[bytes(60, &[number(1, uuid), number(5, parent)].concat())]);
    let trace = [track(1, 2), track(2, 1), track(3, 3), event(10, 1, 1, "a"), event(11, 1, 3, "b")].concat();
    assert_eq!(emitted(&trace, SORTED_IN_MEMORY).0, steps(&[("a", 10), ("b", 11)]));
}

/// A list of switches and wakings of CPU 0: times as differences, states of those who leave, threads.
fn scheduling(switches: &[(u64, u64, u64)], wakings: &[(u64, u64)]) -> Vec<u8> {
    let list = |values: &mut dyn Iterator<Item = u64>| values.flat_map(varint).collect::<Vec<u8>>();
    let lists = [
        bytes(1, &list(&mut switches.iter().map(|switch| switch.0))),
        bytes(2, &list(&mut switches.iter().map(|switch| switch.1))),
        bytes(3, &list(&mut switches.iter().map(|switch| switch.2))),
        bytes(7, &list(&mut wakings.iter().map(|waking| waking.0))),
        bytes(8, &list(&mut wakings.iter().map(|waking| waking.1))),
    ];
    packet(&[bytes(1, &[number(1, 0), bytes(4, &lists.concat())].concat())])
}

#[test]
fn wakings_before_the_first_switch_of_a_cpu_are_left_out() {
    // Thread 7 is woken at 5, when nobody knows who runs, and at 25; thread 8 runs from 10 on, 9 from 20 on.
    let trace = scheduling(&[(10, 1, 8), (10, 1, 9)], &[(5, 7), (20, 7)]);
    let (states, faults) = emitted(&trace, SORTED_IN_MEMORY);
    assert_eq!(states, steps(&[("Sleeping", 20), ("thread 9", 20), ("Running", 20), ("Runnable", 25)]));
    assert_eq!(faults, vec!["trace-property"; 2]);
}

#[test]
fn what_describes_the_machine_may_come_first() {
    let described = packet(&[bytes(67, b"cpus")]);
    assert!(packets::is_trace(&[described.clone(), described.clone(), event(10, 1, 1, "a")].concat()));
    assert!(!packets::is_trace(&[described, b"text".to_vec()].concat()));
}

/// Marks of one thread, each a time and its text.
fn marks(texts: &[(u64, &str)]) -> Vec<u8> {
    let event = |(time, text): &(u64, &str)| {
        bytes(2, &[number(1, *time), number(2, 7), bytes(3, &bytes(2, text.as_bytes()))].concat())
    };
    packet(&[bytes(1, &[number(1, 0), texts.iter().flat_map(event).collect()].concat())])
}

#[test]
fn an_asynchronous_mark_that_begins_again_goes_on() {
    let trace = marks(&[(10, "S|7|a|0"), (20, "S|7|a|0"), (30, "F|7|a|0"), (40, "S|7|a|0"), (50, "F|7|a|0")]);
    let (states, faults) = emitted(&trace, SORTED_IN_MEMORY);
    assert_eq!(states, steps(&[("a", 10), ("-", 30), ("a", 40), ("-", 50)]));
    assert_eq!(faults, ["ignored-event"]);
}

#[test]
fn a_waking_of_a_preempted_thread_counts_and_one_of_a_runnable_thread_does_not() {
    // Thread 8 is preempted at 20 (bit 8) and woken at 25; thread 9 leaves at 30, able to run, and is woken at 35.
    let trace = scheduling(&[(10, 1, 8), (10, 256, 9), (10, 0, 7)], &[(25, 8), (10, 9)]);
    let expected = [
        ("Runnable (preempted)", 20),
        ("thread 9", 20),
        ("Running", 20),
        ("Runnable", 25),
        ("Runnable", 30),
        ("thread 7", 30),
        ("Running", 30),
    ];
    assert_eq!(emitted(&trace, SORTED_IN_MEMORY).0, steps(&expected));
}

#[test]
fn text_is_no_trace() {
    for text in ["\n%EventDef PajeDefineContainerType 0\n% Alias string\n", "\n\n\n", "\n", "\n  {\"a\": 1}"] {
        assert!(!packets::is_trace(text.as_bytes()), "{text:?}");
    }
}

/// Everything that a trace emits, as text.
fn everything(trace: &[u8], choice: PacketChoice) -> Vec<String> {
    let (_file, origin) = origin_of(trace);
    let mut rows = vec![];
    let mut consume = |batch: &mut EventBatch| {
        let word = |symbol: crate::model::Symbol| match symbol.is_some() {
            true => String::from_utf8_lossy(batch.symbol(symbol)).into_owned(),
            false => String::new(),
        };
        for event in &batch.events {
            let extras = match event.extras {
                0 => vec![],
                row => {
                    let span = batch.extra_rows[row as usize - 1];
                    batch.extra_values[span.start as usize..][..span.len as usize]
                        .iter()
                        .map(|value| format!("{value:?}"))
                        .collect()
                }
            };
            rows.push(format!(
                "{:?} {} {} {} {} {} {extras:?}",
                event.kind,
                event.tick,
                word(event.container),
                word(event.type_),
                word(event.value),
                word(event.other)
            ));
        }
        rows.extend(batch.faults.iter().map(|fault| format!("{:?} {}", fault.code, fault.message)));
        Ok(ReadFlow::GoOn)
    };
    let mut reader = PerfettoReader::new(&ReaderOptions::default());
    reader.choice = choice;
    reader.read(&origin, &mut consume).expect("read");
    rows
}

/// A packet: fields of usual ones in any order, most of them once, and now and then another.
fn any_packet() -> impl Strategy<Value = Vec<u8>> {
    let annotation = (0_u64..4, 0_u64..3, any::<bool>()).prop_map(|(name, value, is_plain)| {
        let value = if is_plain { number(4, value) } else { bytes(6, b"text") };
        bytes(4, &[number(1, name), value].concat())
    });
    let part = prop_oneof![
        3 => (1_u64..4).prop_map(|type_| number(9, type_)),
        3 => (0_u64..4).prop_map(|track| number(11, track)),
        3 => (0_u64..4).prop_map(|name| number(10, name)),
        2 => (0_u64..3).prop_map(|category| number(3, category)),
        2 => annotation,
        1 => Just(number(47, 7)),
        1 => Just(bytes(23, b"own")),
    ];
    let event = (1_u64..3, prop::collection::vec(part, 0..5))
        .prop_map(|(type_, parts)| bytes(11, &[number(9, type_), parts.concat()].concat()));
    let texts = |kind: u64| {
        (1_u64..3)
            .prop_map(move |id| bytes(kind, &[number(1, id), bytes(2, if id == 1 { b"a\"b" } else { b"" })].concat()))
    };
    let interned = prop_oneof![texts(1), texts(2), texts(3)].prop_map(|text| bytes(12, &text));
    let field = prop_oneof![
        8 => event,
        4 => (0_u64..20).prop_map(|time| number(8, time)),
        3 => (0_u64..3).prop_map(|sequence| number(10, sequence)),
        2 => (0_u64..4).prop_map(|flags| number(13, flags)),
        2 => interned,
        1 => Just(number(58, 6)),
        1 => Just(bytes(60, &[number(1, 2), bytes(2, b"named")].concat())),
        1 => Just(bytes(59, &bytes(11, &number(11, 3)))),
    ];
    (0_u64..20, prop::collection::vec(field, 1..5))
        .prop_map(|(time, fields)| packet(&[number(8, time), fields.concat()]))
}

proptest! {
    /// Events that are decoded where packets are read give the same as all others, whatever stands in packets.
    #[test]
    fn decoding_ahead_changes_nothing(packets in prop::collection::vec(any_packet(), 0..40), damage in prop::option::of((any::<prop::sample::Index>(), any::<u8>()))) {
        let mut trace = packets.concat();
        if let (Some((place, byte)), false) = (damage, trace.is_empty()) {
            let place = place.index(trace.len());
            trace[place] = byte;
        }
        if !trace.is_empty() {
            prop_assert_eq!(everything(&trace, PacketChoice::Decoded), everything(&trace, PacketChoice::Bytes));
        }
    }

    #[test]
    fn the_order_does_not_depend_on_memory(times in prop::collection::vec(0..1000_u64, 1..60)) {
        let trace: Vec<u8> = times.iter().flat_map(|time| event(*time, 1, 1, &format!("n{time}"))).collect();
        let (all, faults) = emitted(&trace, SORTED_IN_MEMORY);
        prop_assert!(faults.is_empty());
        prop_assert!(all.is_sorted_by_key(|(_, tick)| *tick));
        prop_assert_eq!(emitted(&trace, 200).0, all);
    }
}
