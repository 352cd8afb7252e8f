//! Small texts: stacks, wakeups, marks, what is wrong.

use std::io::Write;

use super::*;
use crate::model::{EventBatch, EventKind};
use crate::reader::ReadFlow;

/// What was emitted, as `kind container value microsecond`, and the codes of the faults.
fn read(text: &str) -> (Vec<String>, Vec<&'static str>) {
    let mut file = tempfile::NamedTempFile::new().expect("a temporary file");
    file.write_all(text.as_bytes()).expect("written");
    let origin = TraceOrigin::open(file.path()).expect("a trace");
    let syntax = syntax_of(text.as_bytes()).expect("recognized");
    let (mut steps, mut faults) = (vec![], vec![]);
    let mut consume = |batch: &mut EventBatch| {
        for event in batch.events.iter().filter(|event| event.kind.type_kind().is_some()) {
            let word = |symbol| String::from_utf8_lossy(batch.symbol(symbol)).into_owned();
            let value = match event.kind {
                EventKind::PopState => "-".to_string(),
                EventKind::SetVariable => event.number().to_string(),
                _ => word(event.value),
            };
            steps.push(format!("{:?} {} {value} {}", event.kind, word(event.container), event.tick / 1000));
        }
        faults.extend(batch.faults.iter().map(|fault| fault.code.name()));
        Ok(ReadFlow::GoOn)
    };
    KernelTextReader::new(syntax, &ReaderOptions::default()).read(&origin, &mut consume).expect("read");
    (steps, faults)
}

#[test]
fn threads_switch_and_wake() {
    let (steps, faults) = read(
        "# tracer: nop\n#\n\
         a-1 [000] d.... 1.000001: sched_switch: prev_comm=a prev_pid=1 prev_prio=120 prev_state=S ==> next_comm=b next_pid=2 next_prio=120\n\
         b-2 [000] d.... 1.000002: sched_waking: comm=a pid=1 prio=120 target_cpu=001\n\
         b-2 [000] d.... 1.000003: sched_waking: comm=a pid=1 prio=120 target_cpu=001\n\
         b-2 [000] d.... 1.000004: sched_switch: prev_comm=b prev_pid=2 prev_prio=120 prev_state=R+ ==> next_comm=swapper/0 next_pid=0 next_prio=120\n",
    );
    let expected = [
        "SetState c0 b 1000001",
        "SetState t1 Sleeping 1000001",
        "SetState t2 Running 1000001",
        "SetState t1 Runnable 1000002",
        "NewEvent t2 sched_waking 1000002",
        "NewEvent t2 sched_waking 1000003",
        "SetState c0 idle 1000004",
        "SetState t2 Runnable (preempted) 1000004",
    ];
    assert_eq!(steps, expected);
    assert_eq!(faults, ["trace-property"]);
}

#[test]
fn a_thread_whose_leave_is_missing_stops_with_its_cpu() {
    let switch = |time: u32, previous: u32, state: char, next: u32| {
        format!(
            "a-{previous} [000] d.... 1.{time:06}: sched_switch: prev_comm=a prev_pid={previous} prev_prio=120 \
             prev_state={state} ==> next_comm=a next_pid={next} next_prio=120\n"
        )
    };
    let (steps, faults) = read(&format!("{}{}{}", switch(1, 1, 'S', 2), switch(2, 3, 'S', 2), switch(3, 2, 'S', 1)));
    let expected = [
        "SetState c0 a 2 1000001",
        "SetState t1 Sleeping 1000001",
        "SetState t2 Running 1000001",
        "PopState t2 - 1000002",
        "SetState c0 a 2 1000002",
        "SetState t3 Sleeping 1000002",
        "SetState t2 Running 1000002",
        "SetState c0 a 1 1000003",
        "SetState t2 Sleeping 1000003",
        "SetState t1 Running 1000003",
    ];
    assert_eq!(steps, expected);
    assert_eq!(faults, ["missed-switch"]);
}

#[test]
fn stacks_belong_to_their_sample() {
    let text = "p 1 1.000001: 7 cpu-clock: \n\tff inner+0x1 (a)\n\t0a outer (b)\n\np 1 1.000002: 7 cpu-clock: \n\np 2 1.000003: 7 cycles: ff x+0x1 (y)\n";
    let (steps, faults) = read(text);
    let expected = ["NewEvent t1 cpu-clock 1000001", "NewEvent t1 cpu-clock 1000002", "NewEvent t2 cycles 1000003"];
    assert_eq!(steps, expected);
    assert!(faults.is_empty(), "{faults:?}");
}

#[test]
fn marks_of_programs_are_slices_and_variables() {
    let (steps, faults) = read(
        "p-1 (1) [000] .... 1.000001: tracing_mark_write: B|1|draw|x\np-1 (1) [000] .... 1.000002: tracing_mark_write: B|1|draw\n\
         p-1 (1) [000] .... 1.000003: tracing_mark_write: C|1|load|42\np-1 (1) [000] .... 1.000004: tracing_mark_write: E|1\n\
         p-1 (1) [000] .... 1.000005: tracing_mark_write: E\nnothing\n",
    );
    let expected = [
        "NewEvent t1 tracing_mark_write 1000001",
        "PushState t1 draw 1000002",
        "SetVariable t1 42 1000003",
        "PopState t1 - 1000004",
    ];
    assert_eq!(steps, expected);
    assert_eq!(faults, ["empty-stack", "unreadable-line"]);
}

#[test]
fn texts_are_recognized() {
    assert_eq!(syntax_of(b"# tracer: function\n"), Some(KernelSyntax::Ftrace));
    assert_eq!(syntax_of(b"cpus=2\n  a b-12 [000] 1.000000: x: y=1\n"), Some(KernelSyntax::Ftrace));
    assert_eq!(syntax_of(b"# captured on: x\n\na b 12 [000] 1.000000: x: y=1\n"), Some(KernelSyntax::Perf));
    assert_eq!(syntax_of(b"%EventDef PajeSetState 1\n"), None);
    assert_eq!(syntax_of(b""), None);
}
