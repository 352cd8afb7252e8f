//! Tests of `track_names`.

use super::*;

fn named(id: &str, name: &str) -> Process {
    Process { id: id.to_string(), name: Some(name.to_string()), ..Process::default() }
}

fn thread(process: usize, id: &str, name: Option<&str>) -> Thread {
    Thread { process, id: id.to_string(), name: name.map(str::to_string), ..Thread::default() }
}

#[test]
fn processes_of_one_name_have_their_pid() {
    let names = TrackNames::of(&[named("12", "python"), named("13", "python"), named("14", "server")], &[]);
    assert_eq!(names.processes, ["python 12", "python 13", "server"]);
}

#[test]
fn threads_of_one_name_have_their_process_or_their_tid() {
    let processes = [named("1", "python"), named("2", "python"), named("3", "server")];
    let threads = [
        thread(0, "1", Some("main")),
        thread(1, "2", Some("main")),
        thread(2, "7", Some("pool")),
        thread(2, "8", Some("pool")),
        thread(0, "20", None),
        thread(2, "20", None),
        thread(2, "21", None),
    ];
    let names = TrackNames::of(&processes, &threads);
    let expected =
        ["python 1 main", "python 2 main", "pool 7", "pool 8", "python 1 thread 20", "server thread 20", "thread 21"];
    assert_eq!(names.threads, expected);
}

#[test]
fn names_that_do_not_repeat_stay() {
    let names = TrackNames::of(&[named("1", "python")], &[thread(0, "1", Some("main")), thread(0, "2", None)]);
    assert_eq!(names.processes, ["python"]);
    assert_eq!(names.threads, ["main", "thread 2"]);
}
