//! Small dumps: rows in any order, containers without rows, what is wrong.

use std::io::Write;

use super::*;
use crate::model::{EventBatch, EventKind};
use crate::reader::ReadFlow;

/// What was emitted, as `kind container value tick`, and the codes of the faults.
fn read(text: &str, memory: usize) -> (Vec<String>, Vec<&'static str>) {
    let mut file = tempfile::NamedTempFile::new().expect("a temporary file");
    file.write_all(text.as_bytes()).expect("written");
    let origin = TraceOrigin::open(file.path()).expect("a trace");
    let (mut steps, mut faults) = (vec![], vec![]);
    let mut consume = |batch: &mut EventBatch| {
        for event in batch.events.iter().filter(|event| event.kind.has_time()) {
            let word = |symbol| String::from_utf8_lossy(batch.symbol(symbol)).into_owned();
            let value = match event.kind {
                EventKind::PopState | EventKind::ResetVariable | EventKind::DestroyContainer => "-".to_string(),
                EventKind::MeasureVariable => event.number().to_string(),
                EventKind::StartLink | EventKind::EndLink => word(event.other),
                EventKind::CreateContainer => format!("{} {}", word(event.value), word(event.other)),
                _ => word(event.value),
            };
            steps.push(format!("{:?} {} {value} {}", event.kind, word(event.container), event.tick));
        }
        faults.extend(batch.faults.iter().map(|fault| fault.code.name()));
        Ok(ReadFlow::GoOn)
    };
    let mut reader = PjDumpReader::new(&ReaderOptions::default());
    reader.sorted_in_memory = memory;
    reader.read(&origin, &mut consume).expect("read");
    (steps, faults)
}

const DUMP: &str = "Container, 0, HOST, 1, 9, 8, a\nContainer, 0, 0, 0, 9, 9, 0\n\
    Link, 0, L, 0.000000003, 0.000000005, 0.000000002, v, a, b, k\n\
    State, b, S, 0.000000001, 0.000000004, 0.000000003, 0.000000, outer\n\
    State, b, S, 0.000000002, 0.000000002, 0, 1.000000, none\n\
    State, b, S, 0.000000002, 0.000000004, 0.000000002, 1.000000, inner\n\
    Event, b, mark, 0.000000002, here\n\
    Variable, b, power, 0.000000002, 0.000000003, 0.000000001, 7\n\
    Container, a, CORE, 0, 9, 9, b\n";

#[test]
fn rows_become_events_in_time_order() {
    let (steps, faults) = read(DUMP, SORTED_IN_MEMORY);
    let expected = [
        // The parent of b is there when b begins, whatever its own row says.
        "CreateContainer 0 a c0 0",
        "CreateContainer c0 b c1 0",
        "PushState c1 outer 1",
        "PushState c1 none 2",
        "PopState c1 - 2",
        "PushState c1 inner 2",
        "NewEvent c1 here 2",
        "ResetVariable c1 - 2",
        "MeasureVariable c1 7 3",
        "StartLink 0 c0 3",
        "PopState c1 - 4",
        "PopState c1 - 4",
        "EndLink 0 c1 5",
        "DestroyContainer c0 - 9000000000",
    ];
    assert_eq!(steps, expected);
    assert!(faults.is_empty(), "{faults:?}");
    let mut lines: Vec<&str> = DUMP.lines().collect();
    lines.sort_unstable();
    let sorted = format!("{}\n", lines.join("\n"));
    // Containers are numbered by their rows, which come in the same order.
    assert_eq!(read(&sorted, 0), (expected.map(str::to_string).to_vec(), vec![]));
}

#[test]
fn rows_alone_make_their_containers() {
    let (steps, faults) = read("State, x, S, 1, 2, 1, 0, v\nState, x, S, 1.5, 3, 1.5, 0, w\n", SORTED_IN_MEMORY);
    let expected = [
        "CreateContainer 0 x c0 1000000000",
        "PushState c0 v 1000000000",
        "CreateContainer c0 x lane 1 l0.1 1500000000",
        "PushState l0.1 w 1500000000",
        "PopState c0 - 2000000000",
        "PopState l0.1 - 3000000000",
    ];
    assert_eq!(steps, expected);
    assert_eq!(faults, ["undefined-reference", "overlapping-states"]);
}

#[test]
fn links_of_one_key_find_their_ends() {
    let rows = "Link, 0, L, 1, 5, 4, v, a, b, k\nLink, 0, L, 2, 3, 1, v, c, d, k\nLink, 0, L, 6, 4, -2, v, a, b, k\n";
    let (steps, _) = read(rows, SORTED_IN_MEMORY);
    let links: Vec<&String> = steps.iter().filter(|step| step.contains("Link")).collect();
    let second = 1_000_000_000_i64;
    let expected = [("Start", 0, 1), ("Start", 2, 2), ("End", 3, 3), ("End", 1, 4), ("End", 1, 5), ("Start", 0, 6)];
    let expected = expected.map(|(end, place, time)| format!("{end}Link 0 c{place} {}", time * second));
    assert_eq!(links, expected.iter().collect::<Vec<_>>());
}

#[test]
fn circles_of_parents_are_cut_and_faults_are_told() {
    let (steps, faults) = read(
        "Container, b, T, 0, 1, 1, a\nContainer, a, T, 0, 1, 1, b\nnothing\nState, a, S, 0, x, 1, 0, v\n\
         State, a, S, 0, 99999999999999, 1, 0, v\nVariable, a, V, 0, 1, 1, x\nEvent, a, E, 0.5, v",
        SORTED_IN_MEMORY,
    );
    assert_eq!(steps.iter().filter(|step| step.starts_with("CreateContainer")).count(), 2);
    assert!(steps.contains(&"NewEvent c0 v 500000000".to_string()), "{steps:?}");
    let expected = [
        "unreadable-line",
        "unreadable-line",
        "time-out-of-range",
        "bad-number",
        "truncated-line",
        "undefined-reference",
    ];
    assert_eq!(faults, expected);
}

#[test]
fn dumps_are_recognized() {
    assert!(is_dump(b"\n# x\nState, a, S, 0, 1, 1, 0, v\n"));
    assert!(is_dump(b"Container, 0, 0, 0, 4.3498, 4.3498, 0\n"));
    assert!(!is_dump(b"State, a\n"));
    assert!(!is_dump(b"%EventDef PajeDefineContainerType 0\n"));
    assert!(!is_dump(b""));
}
