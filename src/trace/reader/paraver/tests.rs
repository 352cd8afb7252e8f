//! Small traces: lines in another order, states that overlap, what is wrong.

use std::fs;

use super::*;
use crate::model::{EventBatch, EventKind};
use crate::reader::ReadFlow;

const HEADER: &str = "#Paraver (17/11/2026 at 09:30):100_ns:0:1:2(2:1,1:1),0\n";
const PCF: &str = "STATES\n1 Running\n2 Waiting\n\nEVENT_TYPE\n0 7 Phase\nVALUES\n0 End\n1 a\n2 b\n";

/// What was emitted, as `kind container value tick`, and the codes of the faults.
fn read(records: &str, memory: usize) -> (Vec<String>, Vec<&'static str>) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("a.prv");
    fs::write(&path, format!("{HEADER}{records}")).expect("written");
    fs::write(folder.path().join("a.pcf"), PCF).expect("written");
    let origin = TraceOrigin::open(&path).expect("a trace");
    let (mut steps, mut faults) = (vec![], vec![]);
    let mut consume = |batch: &mut EventBatch| {
        for event in batch.events.iter().filter(|event| event.kind.type_kind().is_some()) {
            let word = |symbol| String::from_utf8_lossy(batch.symbol(symbol)).into_owned();
            let value = match event.kind {
                EventKind::PopState => "-".to_string(),
                EventKind::SetVariable | EventKind::MeasureVariable => event.number().to_string(),
                EventKind::StartLink | EventKind::EndLink => word(event.other),
                _ => word(event.value),
            };
            steps.push(format!("{:?} {} {value} {}", event.kind, word(event.container), event.tick));
        }
        faults.extend(batch.faults.iter().map(|fault| fault.code.name()));
        Ok(ReadFlow::GoOn)
    };
    let mut reader = ParaverReader::new(&ReaderOptions::default());
    reader.sorted_in_memory = memory;
    reader.read(&origin, &mut consume).expect("read");
    (steps, faults)
}

#[test]
fn states_that_touch_do_not_overlap() {
    let (steps, faults) = read("1:1:1:1:1:0:5:1\n1:1:1:1:1:5:5:2\n1:1:1:1:1:5:9:1\n", SORTED_IN_MEMORY);
    let expected = [
        "PushState 1.1.1 Running 0",
        "PopState 1.1.1 - 5",
        "PushState 1.1.1 Waiting 5",
        "PopState 1.1.1 - 5",
        "PushState 1.1.1 Running 5",
        "PopState 1.1.1 - 9",
    ];
    assert_eq!(steps, expected);
    // The date, and an end of the header that comes later.
    assert_eq!(faults, ["trace-property", "trace-property"]);
}

#[test]
fn states_that_overlap_have_lanes() {
    let (steps, faults) = read("1:1:1:1:1:0:5:1\n1:1:1:1:1:3:9:2\n", SORTED_IN_MEMORY);
    let expected = ["PushState 1.1.1 Running 0", "PushState l0.1 Waiting 3", "PopState 1.1.1 - 5", "PopState l0.1 - 9"];
    assert_eq!(steps, expected);
    assert!(faults.contains(&"overlapping-states"), "{faults:?}");
}

#[test]
fn lines_in_any_order_give_the_same_trace() {
    let lines = [
        "1:1:1:1:1:0:5:1",
        "2:1:1:2:1:1:7:1:8:3",
        "2:1:1:2:1:3:7:2",
        "3:1:1:1:1:4:4:2:1:2:1:0:8:64:1",
        "1:1:1:1:1:5:9:2",
        "2:1:1:2:1:6:7:0",
        "2:1:1:2:1:7:7:0",
    ];
    let sorted = read(&lines.map(|line| format!("{line}\n")).concat(), SORTED_IN_MEMORY);
    assert_eq!(sorted.0.len(), 11, "{:?}", sorted.0);
    assert!(sorted.0.contains(&"EndLink w 1.2.1 8".to_string()), "{:?}", sorted.0);
    let mut shuffled = lines;
    shuffled.reverse();
    for memory in [0, SORTED_IN_MEMORY] {
        let (steps, faults) = read(&shuffled.map(|line| format!("{line}\n")).concat(), memory);
        assert_eq!(steps, sorted.0);
        assert!(faults.contains(&"out-of-order"), "{faults:?}");
    }
}

#[test]
fn values_that_follow_each_other_replace_each_other() {
    let (steps, _) = read("2:1:1:1:1:1:7:1\n2:1:1:1:1:2:7:2\n2:1:1:1:1:3:7:0\n2:1:1:1:1:4:7:0\n", SORTED_IN_MEMORY);
    assert_eq!(
        steps,
        ["PushState 1.1.1 a 1", "PushState 1.1.1 b 2", "PopState 1.1.1 - 3", "PopState 1.1.1 - 4"],
        "as many zeros: states nest"
    );
    let (steps, _) = read("2:1:1:1:1:1:7:1\n2:1:1:1:1:2:7:2\n2:1:1:1:1:3:7:0\n", SORTED_IN_MEMORY);
    assert_eq!(steps, ["SetState 1.1.1 a 1", "SetState 1.1.1 b 2", "PopState 1.1.1 - 3"]);
}

#[test]
fn what_is_wrong_is_reported_and_the_rest_is_kept() {
    let lines = "1:1:1:1:1:0:5\n9:1\n1:1:1:1:7:1:4:1\n1:1:1:1:1:8:2:1\n2:1:1:1:1:8:8:99999999999999999999:9\n\
        1:1:1:1:1:9223372036854775807:-1:1";
    let (steps, faults) = read(lines, SORTED_IN_MEMORY);
    let expected = [
        "PushState 1.1.7 Running 1",
        "PopState 1.1.7 - 4",
        "PushState 1.1.1 Running 8",
        "PopState 1.1.1 - 8",
        "SetVariable 1.1.1 9223372036854776000 8",
        "PushState 1.1.1 Running 9223372036854775807",
    ];
    assert_eq!(steps, expected);
    for code in ["bad-record", "unknown-record", "undefined-reference", "time-backwards", "bad-field", "truncated-line"]
    {
        assert!(faults.contains(&code), "{code}: {faults:?}");
    }
}

#[test]
fn the_second_version_is_refused() {
    let file = tempfile::NamedTempFile::new().expect("a temporary file");
    fs::write(file.path(), "new format\n#Paraver (1/1/01 at 1:1):1:0:1:1(1:1)\n").expect("written");
    let origin = TraceOrigin::open(file.path()).expect("a file");
    let mut reader = ParaverReader::new(&ReaderOptions::default());
    let refusal = reader.read(&origin, &mut |_| Ok(ReadFlow::GoOn)).expect_err("refused").to_string();
    assert!(refusal.contains("version 2"), "{refusal}");
}
