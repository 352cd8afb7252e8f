//! Tests of `line`.

use proptest::prelude::*;

use super::{KernelLine, KernelSyntax, frame};

const FTRACE: KernelSyntax = KernelSyntax::Ftrace;
const PERF: KernelSyntax = KernelSyntax::Perf;

#[test]
fn lines_of_ftrace_are_read() {
    let line = "      lto cgu.10-4412    [000] d....  1407.552022: sched_switch: prev_comm=lto cgu.10 prev_pid=4412";
    let found = KernelLine::parse(line, FTRACE).expect("a line");
    assert_eq!((found.comm, found.tid, found.tgid, found.cpu), ("lto cgu.10", 4412, None, Some(0)));
    assert_eq!((found.seconds, found.event), ("1407.552022", "sched_switch"));
    assert_eq!(found.rest, "prev_comm=lto cgu.10 prev_pid=4412");
    let line = "a-b [1]-7 ( 5) [012]  1.000000001: irq_handler_entry: irq=1 name=x";
    let found = KernelLine::parse(line, FTRACE).expect("a line");
    assert_eq!((found.comm, found.tid, found.tgid, found.cpu), ("a-b [1]", 7, Some(5), Some(12)));
    assert_eq!((found.seconds, found.rest), ("1.000000001", "irq=1 name=x"));
    let line = "<idle>-0     (-----) [001] d.h1. 10.5: hrtimer_run <-tick::x";
    let found = KernelLine::parse(line, FTRACE).expect("a line");
    assert_eq!((found.comm, found.tid, found.tgid, found.event), ("<idle>", 0, None, "function"));
    assert_eq!(found.rest, "hrtimer_run <-tick::x");
}

#[test]
fn lines_of_perf_are_read() {
    let line = "opt cgu.06  4405 [001]  1408.022253: sched:sched_waking: comm=mpiexec pid=4475 prio=120 target_cpu=001";
    let found = KernelLine::parse(line, PERF).expect("a line");
    assert_eq!((found.comm, found.tid, found.tgid, found.cpu), ("opt cgu.06", 4405, None, Some(1)));
    assert_eq!((found.event, found.short_event(), found.period), ("sched:sched_waking", "sched_waking", None));
    let found = KernelLine::parse("prog  45/46  9.467610:    2004008 cpu-clock:pppH: ", PERF).expect("a line");
    assert_eq!((found.comm, found.tid, found.tgid, found.cpu), ("prog", 46, Some(45), None));
    assert_eq!((found.event, found.period, found.rest), ("cpu-clock:pppH", Some(2004008), ""));
}

#[test]
fn frames_have_functions() {
    assert_eq!(frame("\tffffffff821c50a6 do_syscall_64+0x46 ([kernel.kallsyms])"), Some("do_syscall_64"));
    assert_eq!(frame("\t  afb78 [unknown] ([unknown])"), Some("[unknown]"));
    assert_eq!(frame("\t  7f operator+0x(int, int)+0x12 (/lib/a b (deleted))"), Some("operator+0x(int, int)"));
    assert_eq!(frame("\t nothing"), None);
}

#[test]
fn other_lines_are_none() {
    for line in
        ["", "# tracer: nop", "CPU:0 [LOST 3 EVENTS]", "a-b [0] x y z", "%EventDef PajeSetState 1", "10 1.5 S a b"]
    {
        assert_eq!(KernelLine::parse(line, FTRACE), None, "{line}");
        assert_eq!(KernelLine::parse(line, PERF), None, "{line}");
    }
}

proptest! {
    #[test]
    fn any_line_is_read(line in "[a\\-\\[\\]()0-9.:/ é]*") {
        for syntax in [FTRACE, PERF] {
            let _ = KernelLine::parse(&line, syntax);
        }
        let _ = frame(&line);
    }
}
