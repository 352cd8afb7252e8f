//! Small traces: slices on the edge, what is wrong, and sorting with little memory.

use std::io::Write;

use proptest::prelude::*;

use super::*;
use crate::model::{EventBatch, EventKind};
use crate::reader::ReadFlow;

/// States that were emitted (a value, or `-` for an end) with container and tick, and the codes of the faults.
type Emitted = (Vec<(String, String, i64)>, Vec<&'static str>);

fn read(text: &str, memory: usize) -> Emitted {
    let mut file = tempfile::NamedTempFile::new().expect("a temporary file");
    file.write_all(text.as_bytes()).expect("written");
    let origin = TraceOrigin::open(file.path()).expect("a trace");
    let (mut steps, mut faults) = (vec![], vec![]);
    let mut consume = |batch: &mut EventBatch| {
        for event in &batch.events {
            let word = |symbol| String::from_utf8_lossy(batch.symbol(symbol)).into_owned();
            let value = match event.kind {
                EventKind::PushState => word(event.value),
                EventKind::PopState => "-".to_string(),
                _ => continue,
            };
            steps.push((word(event.container), value, event.tick));
        }
        faults.extend(batch.faults.iter().map(|fault| fault.code.name()));
        Ok(ReadFlow::GoOn)
    };
    let mut reader = ChromeReader::new(&ReaderOptions::default());
    reader.sorted_in_memory = memory;
    reader.read(&origin, &mut consume).expect("read");
    (steps, faults)
}

fn emitted(events: &[&str]) -> Emitted {
    read(&format!("[{}]", events.join(",")), SORTED_IN_MEMORY)
}

fn steps(expected: &[(&str, &str, i64)]) -> Vec<(String, String, i64)> {
    expected.iter().map(|(container, value, tick)| (container.to_string(), value.to_string(), *tick)).collect()
}

#[test]
fn slices_that_touch_do_not_overlap() {
    let (states, faults) = emitted(&[
        r#"{"ph":"X","name":"second","pid":1,"tid":1,"ts":2,"dur":1}"#,
        r#"{"ph":"X","name":"first","pid":1,"tid":1,"ts":1,"dur":1}"#,
        r#"{"ph":"X","name":"around","pid":1,"tid":1,"ts":1,"dur":2}"#,
        r#"{"ph":"X","name":"instant","pid":1,"tid":1,"ts":2,"dur":0}"#,
    ]);
    let expected = [
        ("t0", "around", 1000),
        ("t0", "first", 1000),
        ("t0", "-", 2000),
        ("t0", "second", 2000),
        ("t0", "instant", 2000),
        ("t0", "-", 2000),
        ("t0", "-", 3000),
        ("t0", "-", 3000),
    ];
    assert_eq!((states, faults), (steps(&expected), vec![]));
}

#[test]
fn begins_and_ends_of_one_time_stay_paired() {
    let (states, faults) = emitted(&[
        r#"{"ph":"B","name":"a","pid":1,"tid":1,"ts":1}"#,
        r#"{"ph":"X","name":"after","pid":1,"tid":1,"ts":2,"dur":1}"#,
        r#"{"ph":"E","pid":1,"tid":1,"ts":2}"#,
        r#"{"ph":"B","name":"empty","pid":1,"tid":1,"ts":5}"#,
        r#"{"ph":"E","pid":1,"tid":1,"ts":5}"#,
    ]);
    let expected = [
        ("t0", "a", 1000),
        ("t0", "-", 2000),
        ("t0", "after", 2000),
        ("t0", "-", 3000),
        ("t0", "empty", 5000),
        ("t0", "-", 5000),
    ];
    assert_eq!((states, faults), (steps(&expected), vec![]));
}

#[test]
fn what_is_wrong_is_told() {
    let (states, faults) = emitted(&[
        r#"{"ph":"X","name":"no time","pid":1,"tid":1,"dur":1}"#,
        r#"{"ph":"X","name":"no length","pid":1,"tid":1,"ts":1}"#,
        r#"{"ph":"X","name":"too late","pid":1,"tid":1,"ts":1e20,"dur":1}"#,
        r#"{"name":"no phase","pid":1,"tid":1,"ts":1}"#,
        r#"{"ph":"E","pid":1,"tid":1,"ts":2}"#,
        r#"{"ph":"e","name":"x","id":1,"pid":1,"tid":1,"ts":2}"#,
        r#"{"ph":"C","name":"c","pid":1,"tid":1,"ts":2,"args":{"a":"b"}}"#,
        r#"{"ph":"C","name":"c","pid":1,"tid":1,"ts":2}"#,
        r#"{"ph":"B","name":"open","pid":1,"tid":1,"ts":3}"#,
        r#"{"ph":"X","name":"longer","pid":1,"tid":1,"ts":4,"dur":9}"#,
        r#"{"ph":"E","pid":1,"tid":1,"ts":5}"#,
    ]);
    let expected = [
        ("t0", "no length", 1000),
        ("t0", "-", 1000),
        ("t0", "open", 3000),
        ("t0", "longer", 4000),
        ("t0", "-", 5000),
        ("t0", "-", 5000),
    ];
    assert_eq!(states, steps(&expected));
    let codes = [
        "bad-time",
        "bad-field",
        "time-out-of-range",
        "bad-record",
        "empty-stack",
        "empty-stack",
        "bad-number",
        "missing-field",
        "unbalanced-end",
    ];
    assert_eq!(faults, codes);
}

#[test]
fn json_without_events_is_refused() {
    let mut file = tempfile::NamedTempFile::new().expect("a temporary file");
    file.write_all(br#"{"name":"a package","files":["x"]}"#).expect("written");
    let origin = TraceOrigin::open(file.path()).expect("a file");
    let mut consume = |_: &mut EventBatch| Ok(ReadFlow::GoOn);
    let error = ChromeReader::new(&ReaderOptions::default()).read(&origin, &mut consume).expect_err("no trace");
    assert!(error.to_string().contains("traceEvents"), "{error}");
}

#[test]
fn large_times_count_from_a_whole_second() {
    let (states, faults) = emitted(&[r#"{"ph":"X","name":"a","pid":1,"tid":1,"ts":1682725898236567.25,"dur":68.5}"#]);
    assert_eq!(states, steps(&[("t0", "a", 236_567_250), ("t0", "-", 236_635_750)]));
    assert_eq!(faults, ["trace-property"]);
}

proptest! {
    /// Sorting in pieces gives what sorting at once gives, whatever the order of the file; every slice
    /// ends once, after its start.
    #[test]
    fn little_memory_gives_the_same(slices in prop::collection::vec((0_u32..3, 0_u32..40, 0_u32..20), 0..60), memory in 0_usize..4000) {
        let events: Vec<String> = slices
            .iter()
            .map(|(thread, start, length)| format!(r#"{{"ph":"X","name":"n{length}","pid":1,"tid":{thread},"ts":{start},"dur":{length}}}"#))
            .collect();
        let text = format!("[{}]", events.join(","));
        let (states, faults) = read(&text, SORTED_IN_MEMORY);
        prop_assert_eq!(&read(&text, memory), &(states.clone(), faults));
        prop_assert_eq!(states.len(), 2 * slices.len());
        prop_assert!(states.windows(2).all(|pair| pair[0].2 <= pair[1].2), "in the order of time");
        // The pops of a container end what was pushed last: lengths come out as they went in.
        let mut open: hashbrown::HashMap<String, Vec<(String, i64)>> = hashbrown::HashMap::new();
        for (container, value, tick) in states {
            let stack = open.entry(container).or_default();
            if value != "-" {
                stack.push((value, tick));
                continue;
            }
            let (name, start) = stack.pop().expect("an end has a start");
            prop_assert_eq!(name, format!("n{}", (tick - start) / 1000));
        }
    }
}
