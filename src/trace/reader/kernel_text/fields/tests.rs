//! Tests of `fields`.

use proptest::prelude::*;

use super::{SwitchedThread, ThreadSwitch, fields};

#[test]
fn values_end_where_keys_begin() {
    assert_eq!(fields("comm=lto cgu.10 pid=4412 prio=-1"), [("comm", "lto cgu.10"), ("pid", "4412"), ("prio", "-1")]);
    assert_eq!(fields("vec=1 [action=TIMER]"), [("vec", "1"), ("action", "TIMER")]);
    assert_eq!(fields("hello world"), [("text", "hello world")]);
    assert_eq!(fields("NR 1 (a=b, c=0x7f)"), [("text", "NR 1"), ("a", "b"), ("c", "0x7f")]);
    assert_eq!(fields("a==b 1=2 x= y=3"), [("a", "=b 1=2"), ("y", "3")]);
    assert!(fields("").is_empty());
}

#[test]
fn switches_are_read() {
    let thread = |comm, tid, priority| SwitchedThread { comm, tid, priority: Some(priority) };
    let expected = ThreadSwitch { previous: thread("a b", 1, 120), state: "R+", next: thread("c:d", 2, 100) };
    let text = "prev_comm=a b prev_pid=1 prev_prio=120 prev_state=R+ ==> next_comm=c:d next_pid=2 next_prio=100";
    assert_eq!(ThreadSwitch::parse(text), Some(expected));
    assert_eq!(ThreadSwitch::parse("a b:1 [120] R+ ==> c:d:2 [100]"), Some(expected));
    assert_eq!(ThreadSwitch::parse("prev_pid=1 ==> next_pid=2"), None);
    assert_eq!(SwitchedThread::woken("comm=x pid=3 prio=5 target_cpu=001"), Some(thread("x", 3, 5)));
    assert_eq!(SwitchedThread::woken("x:3 [5] CPU:001"), Some(thread("x", 3, 5)));
}

proptest! {
    #[test]
    fn any_text_is_read(text in "[a_=\\[\\]():>0-9, é]*") {
        let _ = (fields(&text), ThreadSwitch::parse(&text), SwitchedThread::woken(&text));
    }
}
