//! DUMPI traces, made up call by call: what becomes a state, a link, a variable; and what happens to
//! files that are damaged. Times in the expected values are microseconds, worked out by hand.
// size: one test per thing that a trace can hold, each with its calls and its answer.

mod encoder;

use std::fs;
use std::path::Path;

use arrow::util::display::array_value_to_string;
use ocellus::engine::{Engine, EngineOptions};
use ocellus::import::{ImportOptions, TraceSource, validate};
use ocellus::reader::Collectives;
use proptest::prelude::*;

use crate::support;
use encoder::{Arg, NEW, OLD, Rank, list, n, names, status, write};

const INT: i64 = 9;
const DOUBLE: i64 = 14;
const WORLD: i64 = 2;
const ANY: i64 = -1;

/// Rows of a query on a trace, as text.
fn rows_with(trace: &Path, options: &ImportOptions, sql: &str) -> Vec<String> {
    let (_folder, store) = support::empty_store();
    let options = ImportOptions { name: Some("t".to_string()), ..options.clone() };
    support::import_into(&store, trace, &options);
    let engine = Engine::open(store, EngineOptions::default()).expect("an engine");
    let batches = support::rows_of(&engine, sql);
    let mut rows = vec![];
    for batch in &batches {
        for row in 0..batch.num_rows() {
            let cells = batch.columns().iter().map(|column| array_value_to_string(column, row).expect("a value"));
            rows.push(cells.collect::<Vec<_>>().join(" "));
        }
    }
    rows
}

fn rows(trace: &Path, sql: &str) -> Vec<String> {
    rows_with(trace, &ImportOptions::default(), sql)
}

/// Links as `source target value operation start end volume`, in the order of their start.
const LINKS: &str = "SELECT source, target, value, operation, start_tick / 1000, end_tick / 1000, volume FROM links \
    ORDER BY start_tick, source, target, end_tick";

/// Codes of the diagnostics with their number.
const CODES: &str = "SELECT code, sum(occurrences) FROM diagnostics GROUP BY code ORDER BY code";

fn trace(ranks: &[Rank]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    write(folder.path(), &ranks.iter().map(Rank::bytes).collect::<Vec<_>>());
    folder
}

fn ranks(count: usize) -> Vec<Rank> {
    vec![Rank::new(NEW); count]
}

/// The arguments of a message of a number of integers.
fn to(dest: i64, count: i64, tag: i64) -> Vec<(&'static str, Arg)> {
    vec![("count", n(count)), ("datatype", n(INT)), ("dest", n(dest)), ("tag", n(tag)), ("comm", n(WORLD))]
}

fn from(source: i64, tag: i64) -> Vec<(&'static str, Arg)> {
    vec![("count", n(100)), ("datatype", n(INT)), ("source", n(source)), ("tag", n(tag)), ("comm", n(WORLD))]
}

fn with(mut arguments: Vec<(&'static str, Arg)>, name: &'static str, value: Arg) -> Vec<(&'static str, Arg)> {
    arguments.retain(|(other, _)| *other != name);
    arguments.push((name, value));
    arguments
}

#[test]
fn every_kind_of_record_is_read() {
    for version in [NEW, OLD] {
        let mut rank = Rank::new(version);
        for (place, name) in names().iter().enumerate() {
            let at = 10 * place as u64;
            // A root and another rank write different fields; numbers and lists that the reader looks at are not empty.
            let given = [
                ("count", n(2)),
                ("requests", list(&[5, 6])),
                ("ranks", list(&[0])),
                ("ranges", Arg::Lists(vec![vec![0, 0, 1], vec![0, 0, 1]])),
                ("lengths", list(&[1, 2])),
                ("oldtypes", list(&[9, 14])),
                ("dims", list(&[1, 1])),
                ("sendcounts", list(&[3])),
                ("recvcounts", list(&[3])),
                ("displs", list(&[0])),
                ("distribs", list(&[1, 2])),
                ("errcodes", list(&[0, 0])),
                ("status", status(4, 0, 1)),
                ("statuses", Arg::Statuses(vec![[4, 0, 1, 0], [8, 0, 2, 1]])),
                ("comm", n(WORLD)),
            ];
            rank.call(name, (at, at + 3), &given);
            let other: Vec<_> = given.iter().cloned().chain([("commrank", n(1)), ("oldcommrank", n(1))]).collect();
            rank.call(name, (at + 4, at + 7), &other);
        }
        let folder = trace(&[rank]);
        let counts =
            rows(folder.path(), "SELECT value, count(*), min(end_tick - start_tick) FROM states GROUP BY 1 ORDER BY 1");
        let mut expected: Vec<String> = names().iter().map(|name| format!("MPI_{name} 2 3000")).collect();
        expected.sort();
        assert_eq!(counts, expected);
        let codes = rows(folder.path(), CODES);
        assert!(!codes.iter().any(|code| code.contains("count-mismatch") || code.contains("damaged")), "{codes:?}");
    }
}

#[test]
fn a_send_and_a_receive_become_a_link() {
    let mut ranks = ranks(2);
    ranks[0].call("Init", (0, 1), &[]).call("Send", (10, 20), &to(1, 3, 7)).call("Finalize", (50, 60), &[]);
    ranks[1].call("Recv", (5, 30), &with(from(0, 7), "status", status(12, 0, 7))).call("Finalize", (50, 61), &[]);
    let folder = trace(&ranks);
    assert_eq!(rows(folder.path(), LINKS), ["rank0 rank1 message MPI_Send 10 30 12.0"]);
    assert_eq!(rows(&folder.path().join("run.meta"), LINKS), ["rank0 rank1 message MPI_Send 10 30 12.0"]);
    let states = rows(
        folder.path(),
        "SELECT container, value, start_tick / 1000, end_tick / 1000, round(cpu_time * 1e6) FROM states ORDER BY 1, 3",
    );
    assert_eq!(
        states,
        [
            "rank0 MPI_Init 0 1 0.0",
            "rank0 MPI_Send 10 20 5.0",
            "rank0 MPI_Finalize 50 60 5.0",
            "rank1 MPI_Recv 5 30 13.0",
            "rank1 MPI_Finalize 50 61 5.0",
        ]
    );
    let tree = rows(
        folder.path(),
        "SELECT c.name, c.type, p.name FROM containers c LEFT JOIN containers p ON c.parent_id = p.container_id ORDER BY c.container_id",
    );
    assert_eq!(tree, ["run Application ", "node Host run", "rank0 Rank node", "rank1 Rank node"]);
    assert_eq!(rows(folder.path(), "SELECT format, origin FROM trace_info"), ["dumpi 2023-11-14T22:13:20Z"]);
    assert_eq!(rows(folder.path(), CODES), Vec::<String>::new());
}

#[test]
fn requests_and_wildcards_are_resolved_from_statuses() {
    let mut ranks = ranks(3);
    for (rank, tag) in [(1, 4), (2, 5)] {
        ranks[rank].call(
            "Isend",
            (10 * rank as u64, 10 * rank as u64 + 1),
            &with(to(0, rank as i64, tag), "request", n(9)),
        );
        ranks[rank].call("Wait", (40, 41), &[("request", n(9)), ("status", status(0, -2, -1))]);
    }
    ranks[0]
        .call("Irecv", (0, 1), &with(from(ANY, ANY), "request", n(5)))
        .call("Irecv", (2, 3), &with(from(ANY, ANY), "request", n(6)))
        .call("Test", (4, 5), &[("request", n(5)), ("flag", n(0))])
        .call(
            "Waitany",
            (30, 35),
            &[("count", n(2)), ("requests", list(&[5, 6])), ("index", n(1)), ("status", status(4, 1, 4))],
        )
        .call(
            "Testall",
            (36, 50),
            &[("count", n(1)), ("requests", list(&[5])), ("flag", n(1)), ("statuses", status(8, 2, 5))],
        );
    let folder = trace(&ranks);
    assert_eq!(
        rows(folder.path(), LINKS),
        ["rank1 rank0 message MPI_Isend 10 35 4.0", "rank2 rank0 message MPI_Isend 20 50 8.0"]
    );
}

#[test]
fn receives_that_complete_in_another_order_keep_their_messages() {
    // Two messages of one tag; the second receive is waited for first. By the rules of MPI the first
    // message belongs to the receive that was posted first.
    let mut ranks = ranks(2);
    ranks[0].call("Send", (10, 11), &to(1, 1, 7)).call("Send", (20, 21), &to(1, 2, 7)).call(
        "Send",
        (22, 23),
        &to(1, 3, 8),
    );
    ranks[1]
        .call("Irecv", (0, 1), &with(from(ANY, 7), "request", n(5)))
        .call("Irecv", (2, 3), &with(from(0, 7), "request", n(6)))
        .call("Irecv", (4, 5), &with(from(0, 8), "request", n(7)))
        .call("Wait", (30, 40), &[("request", n(6)), ("status", status(8, 0, 7))])
        .call(
            "Waitsome",
            (50, 60),
            &[
                ("count", n(3)),
                ("requests", list(&[7, 1, 5])),
                ("outcount", n(2)),
                ("indices", list(&[2, 0])),
                ("statuses", Arg::Statuses(vec![[4, 0, 7, 0], [12, 0, 8, 0]])),
            ],
        );
    let folder = trace(&ranks);
    assert_eq!(
        rows(folder.path(), LINKS),
        [
            "rank0 rank1 message MPI_Send 10 60 4.0",
            "rank0 rank1 message MPI_Send 20 40 8.0",
            "rank0 rank1 message MPI_Send 22 60 12.0",
        ]
    );
}

#[test]
fn persistent_requests_send_whenever_they_are_started() {
    let mut ranks = ranks(2);
    ranks[0].call("Send_init", (0, 1), &with(to(1, 5, 3), "request", n(4)));
    ranks[1].call("Recv_init", (0, 1), &with(from(0, 3), "request", n(4)));
    for round in [10, 20] {
        ranks[0].call("Start", (round, round + 1), &[("request", n(4))]).call(
            "Wait",
            (round + 1, round + 2),
            &[("request", n(4))],
        );
        ranks[1].call("Startall", (round, round + 1), &[("count", n(1)), ("requests", list(&[4]))]).call(
            "Wait",
            (round + 2, round + 5),
            &[("request", n(4)), ("status", status(20, 0, 3))],
        );
    }
    let folder = trace(&ranks);
    assert_eq!(
        rows(folder.path(), LINKS),
        ["rank0 rank1 message MPI_Start 10 15 20.0", "rank0 rank1 message MPI_Start 20 25 20.0"]
    );
}

#[test]
fn exchanges_cancelled_receives_and_nobody() {
    let mut ranks = ranks(2);
    let exchange = |dest: i64, source: i64, bytes: i32| {
        vec![
            ("sendcount", n(2)),
            ("sendtype", n(DOUBLE)),
            ("dest", n(dest)),
            ("sendtag", n(1)),
            ("recvcount", n(2)),
            ("recvtype", n(DOUBLE)),
            ("source", n(source)),
            ("recvtag", n(1)),
            ("comm", n(WORLD)),
            ("status", status(bytes, source as i32, 1)),
        ]
    };
    // To nobody, as Open MPI writes it; then to each other.
    ranks[0].call("Sendrecv", (0, 5), &exchange(-2, -2, 0)).call("Sendrecv", (10, 20), &exchange(1, 1, 16));
    ranks[1].call("Sendrecv", (12, 25), &exchange(0, 0, 16));
    ranks[1].call("Irecv", (30, 31), &with(from(ANY, 9), "request", n(3)));
    ranks[1].call("Cancel", (32, 33), &[("request", n(3))]);
    ranks[1].call("Wait", (34, 35), &[("request", n(3)), ("status", Arg::Statuses(vec![[0, 0, 9, 1]]))]);
    let folder = trace(&ranks);
    assert_eq!(
        rows(folder.path(), LINKS),
        ["rank0 rank1 message MPI_Sendrecv 10 25 16.0", "rank1 rank0 message MPI_Sendrecv 12 20 16.0"]
    );
    assert_eq!(rows(folder.path(), CODES), Vec::<String>::new());
}

#[test]
fn communicators_made_at_run_time_have_their_members() {
    let mut ranks = ranks(4);
    for (rank, file) in ranks.iter_mut().enumerate() {
        let rank = rank as i64;
        // Odd and even ranks, in reverse order; handles differ from rank to rank.
        let (half, copy) = (10 + rank, 20 + rank);
        file.call(
            "Comm_split",
            (0, 1),
            &[("oldcomm", n(WORLD)), ("color", n(rank % 2)), ("key", n(-rank)), ("newcomm", n(half))],
        );
        file.call("Comm_dup", (2, 3), &[("oldcomm", n(half)), ("newcomm", n(copy))]);
        // The last three ranks, by groups; rank 0 is outside.
        file.call("Comm_group", (4, 5), &[("comm", n(WORLD)), ("group", n(7))]);
        file.call("Group_excl", (5, 6), &[("group", n(7)), ("count", n(1)), ("ranks", list(&[0])), ("newgroup", n(8))]);
        let last = if rank == 0 { 1 } else { 30 };
        file.call("Comm_create", (6, 7), &[("oldcomm", n(WORLD)), ("group", n(8)), ("newcomm", n(last))]);
        // A grid of two by two, and its rows.
        file.call(
            "Cart_create",
            (8, 9),
            &[
                ("oldcomm", n(WORLD)),
                ("ndim", n(2)),
                ("dims", list(&[2, 2])),
                ("periods", list(&[0, 0])),
                ("newcomm", n(40)),
            ],
        );
        file.call(
            "Cart_sub",
            (9, 10),
            &[("ndim", n(2)), ("oldcomm", n(40)), ("remain_dims", list(&[0, 1])), ("newcomm", n(41))],
        );
    }
    let send = |comm: i64, dest: i64| with(to(dest, 1, 1), "comm", n(comm));
    let receive =
        |comm: i64, source: i64| with(with(from(source, 1), "comm", n(comm)), "status", status(4, source as i32, 1));
    // In the copy of the halves: rank 1 there is rank 0 of the world, rank 0 there is rank 2.
    ranks[0].call("Send", (20, 21), &send(20, 0));
    ranks[2].call("Recv", (20, 25), &receive(22, 1));
    // Of the last three: from 1 (rank 0 there) to 3 (rank 2 there).
    ranks[1].call("Send", (30, 31), &send(30, 2));
    ranks[3].call("Recv", (30, 35), &receive(30, 0));
    // In the second row of the grid: from 3 (rank 1 there) to 2 (rank 0 there).
    ranks[3].call("Send", (40, 41), &send(41, 0));
    ranks[2].call("Recv", (40, 45), &receive(41, 1));
    let folder = trace(&ranks);
    assert_eq!(
        rows(folder.path(), LINKS),
        [
            "rank0 rank2 message MPI_Send 20 25 4.0",
            "rank1 rank3 message MPI_Send 30 35 4.0",
            "rank3 rank2 message MPI_Send 40 45 4.0",
        ]
    );
    assert_eq!(rows(folder.path(), CODES), Vec::<String>::new());
}

#[test]
fn communicators_between_two_groups_mean_ranks_of_the_other_one() {
    let mut ranks = ranks(5);
    for (rank, file) in ranks.iter_mut().enumerate() {
        let rank = rank as i64;
        // Ranks 0 and 1 against 2, 3 and 4; the leaders are 1 and 2.
        let is_first = rank < 2;
        file.call(
            "Comm_split",
            (0, 1),
            &[("oldcomm", n(WORLD)), ("color", n(i64::from(is_first))), ("key", n(0)), ("newcomm", n(10))],
        );
        file.call(
            "Intercomm_create",
            (2, 3),
            &[
                ("localcomm", n(10)),
                ("localleader", n(i64::from(is_first))),
                ("remotecomm", n(WORLD)),
                ("remoteleader", n(if is_first { 2 } else { 1 })),
                ("tag", n(9)),
                ("newcomm", n(11)),
            ],
        );
        // Merged, the second group comes first.
        file.call("Intercomm_merge", (4, 5), &[("comm", n(11)), ("high", n(i64::from(is_first))), ("newcomm", n(12))]);
    }
    let send = |comm: i64, dest: i64| with(to(dest, 1, 1), "comm", n(comm));
    let receive =
        |comm: i64, source: i64| with(with(from(source, 1), "comm", n(comm)), "status", status(4, source as i32, 1));
    ranks[0].call("Send", (20, 21), &send(11, 2));
    ranks[4].call("Recv", (20, 25), &receive(11, 0));
    // Merged: 2, 3, 4, 0, 1.
    ranks[2].call("Send", (30, 31), &send(12, 4));
    ranks[1].call("Recv", (30, 35), &receive(12, 0));
    let folder = trace(&ranks);
    assert_eq!(
        rows(folder.path(), LINKS),
        ["rank0 rank4 message MPI_Send 20 25 4.0", "rank2 rank1 message MPI_Send 30 35 4.0"]
    );
    assert_eq!(rows(folder.path(), CODES), Vec::<String>::new());
}

#[test]
fn threads_that_call_at_the_same_time_are_sorted() {
    // A record is written when its call returns: that of thread 1 starts before what stands before it.
    let mut rank = Rank::new(NEW);
    rank.call("Wtime", (20, 30), &[]).call("Wtime", (40, 50), &[]);
    rank.thread = 1;
    rank.call("Barrier", (10, 60), &[("comm", n(WORLD))]);
    let folder = trace(&[rank]);
    assert_eq!(
        rows(
            folder.path(),
            "SELECT container, value, start_tick / 1000, end_tick / 1000 FROM states ORDER BY start_tick"
        ),
        ["rank0.thread1 MPI_Barrier 10 60", "rank0 MPI_Wtime 20 30", "rank0 MPI_Wtime 40 50"]
    );
    assert_eq!(rows(folder.path(), CODES), ["out-of-order 2"]);
}

#[test]
fn the_command_line_takes_folders_formats_and_ways_to_show_collectives() {
    let folder = trace(&ring());
    let store = folder.path().join("store");
    let run = |arguments: &[&str]| {
        let cache = folder.path().join("cache");
        let output = std::process::Command::new(env!("CARGO_BIN_EXE_ocellus"))
            .args(arguments)
            .env("OCELLUS_CACHE", cache)
            .output();
        let output = output.expect("the program");
        (
            output.status.code(),
            String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr),
        )
    };
    let (trace, store) = (folder.path().join("run.meta"), store.display().to_string());
    let trace = trace.display().to_string();
    let count = ["SELECT count(*) FROM links", "--format", "csv"];
    let (code, text) = run(&["sql", &trace, count[0], count[1], count[2]]);
    assert_eq!((code, text.as_str()), (Some(0), "count(*)\n20\n"));
    let (code, text) = run(&["import", &trace, "--store", &store, "--format", "dumpi", "--collectives", "events"]);
    assert!(code == Some(0) && text.contains("links           12"), "{text}");
    let (code, text) = run(&["sql", &store, count[0], count[1], count[2]]);
    assert_eq!((code, text.as_str()), (Some(0), "count(*)\n12\n"));
    let (code, text) = run(&["import", &trace, "--store", &store, "--format", "unheard-of"]);
    assert!(code == Some(2) && text.contains("paje, dumpi, dumpi-text, otf2, chrome"), "{text}");
    let (code, text) = run(&["validate", &trace]);
    assert!(code == Some(0), "{text}");
    let (code, text) = run(&["dump", &folder.path().display().to_string()]);
    assert!(code == Some(0) && text.contains("State, rank2, MPI, 0.000100, 0.000101"), "{text}");
}

#[test]
fn collectives_become_links_or_events() {
    let mut ranks = ranks(3);
    for (rank, file) in ranks.iter_mut().enumerate() {
        let late = 3 * rank as u64;
        file.call(
            "Bcast",
            (10 + late, 20 + late),
            &[("count", n(2)), ("datatype", n(INT)), ("root", n(1)), ("comm", n(WORLD))],
        );
        file.call(
            "Reduce",
            (30 + late, 40 + late),
            &[("count", n(1)), ("datatype", n(DOUBLE)), ("root", n(0)), ("comm", n(WORLD))],
        );
        file.call("Barrier", (50 - late, 60 + late), &[("comm", n(WORLD))]);
        let counts = list(&[1, 2, 3]);
        file.call(
            "Alltoallv",
            (70 + late, 80 + late),
            &[("commsize", n(3)), ("sendcounts", counts), ("sendtype", n(INT)), ("comm", n(WORLD))],
        );
    }
    let folder = trace(&ranks);
    assert_eq!(
        rows(folder.path(), LINKS),
        [
            // The root is rank 1: it arrives at 13, the others depart at 20 and 26.
            "rank1 rank0 collective MPI_Bcast 13 20 8.0",
            "rank1 rank2 collective MPI_Bcast 13 26 8.0",
            // Ranks 1 and 2 arrive at 33 and 36, the root departs at 40.
            "rank1 rank0 collective MPI_Reduce 33 40 8.0",
            "rank2 rank0 collective MPI_Reduce 36 40 8.0",
            // Rank 0 comes last to the barrier, at 50.
            "rank0 rank1 collective MPI_Barrier 50 63 0.0",
            "rank0 rank2 collective MPI_Barrier 50 66 0.0",
            // Rank 2 comes last, at 76, with one element for rank 0 and two for rank 1.
            "rank2 rank0 collective MPI_Alltoallv 76 80 4.0",
            "rank2 rank1 collective MPI_Alltoallv 76 83 8.0",
        ]
    );
    let options = ImportOptions { collectives: Collectives::Events, ..ImportOptions::default() };
    let events = "SELECT container, value, time_us, bytes FROM (SELECT container, value, tick / 1000 AS time_us, bytes FROM events) ORDER BY time_us, container";
    let emitted = rows_with(folder.path(), &options, events);
    assert_eq!(emitted.len(), 12);
    assert_eq!(emitted[..3], ["rank0 MPI_Bcast 10 8", "rank1 MPI_Bcast 13 8", "rank2 MPI_Bcast 16 8"]);
    assert_eq!(emitted[9..], ["rank0 MPI_Alltoallv 70 24", "rank1 MPI_Alltoallv 73 24", "rank2 MPI_Alltoallv 76 24"]);
    assert_eq!(rows_with(folder.path(), &options, LINKS_ONLY), ["0"]);
}

const LINKS_ONLY: &str = "SELECT count(*) FROM links";

#[test]
fn volumes_follow_the_datatypes_that_are_made() {
    let mut ranks = ranks(2);
    ranks[0]
        .call(
            "Type_vector",
            (0, 1),
            &[("count", n(3)), ("blocklength", n(2)), ("oldtype", n(DOUBLE)), ("newtype", n(28))],
        )
        .call("Send", (10, 11), &with(to(1, 2, 0), "datatype", n(28)));
    ranks[1].call("Recv", (10, 20), &with(from(0, 0), "status", status(96, 0, 0)));
    // A type that is made in no known way: the receiver knows how much came.
    ranks[0].call("Send", (30, 31), &with(to(1, 1, 1), "datatype", n(77)));
    ranks[1].call("Recv", (30, 40), &with(from(0, 1), "status", status(55, 0, 1)));
    let folder = trace(&ranks);
    assert_eq!(
        rows(folder.path(), LINKS),
        ["rank0 rank1 message MPI_Send 10 20 96.0", "rank0 rank1 message MPI_Send 30 40 55.0"]
    );
}

#[test]
fn late_clocks_are_moved_as_little_as_needed() {
    let mut ranks = ranks(3);
    ranks[0].call("Send", (100, 101), &to(1, 1, 0)).call("Send", (200, 201), &to(1, 1, 0));
    // Received 60 before it was sent; and passed on.
    ranks[1].call("Recv", (30, 40), &from(0, 0)).call("Recv", (130, 150), &from(0, 0)).call(
        "Send",
        (160, 161),
        &to(2, 1, 0),
    );
    ranks[2].call("Recv", (160, 200), &from(1, 0));
    let folder = trace(&ranks);
    // Zero is the first second; all of rank 1 is 60 later, and rank 2 follows: its message left at 220.
    assert_eq!(
        rows(folder.path(), LINKS),
        [
            "rank0 rank1 message MPI_Send 100 100 4.0",
            "rank0 rank1 message MPI_Send 200 210 4.0",
            "rank1 rank2 message MPI_Send 220 220 4.0",
        ]
    );
    let emitted = rows(folder.path(), "SELECT code, message FROM diagnostics ORDER BY message");
    assert_eq!(emitted.len(), 2, "{emitted:?}");
    assert!(emitted[0].contains("clock-moved the clock of rank 1 was moved by 0.000060000 seconds"), "{emitted:?}");
    assert!(emitted[1].contains("rank 2 was moved by 0.000020000 seconds"), "{emitted:?}");
}

#[test]
fn counters_functions_threads_and_long_runs() {
    let mut rank = Rank::new(NEW);
    rank.counter_names = vec!["PAPI_TOT_INS".to_string(), "PAPI_TOT_CYC".to_string()];
    rank.addresses = vec![(4096, "main".to_string())];
    rank.code(true, 5, 4096);
    rank.counters = vec![(10, 15), (7, 9)];
    rank.call("Barrier", (10, 20), &[("comm", n(WORLD))]);
    rank.counters.clear();
    rank.thread = 3;
    rank.call("Wtime", (30, 31), &[]);
    rank.thread = 0;
    rank.code(false, 40, 4096);
    // 16 bits of seconds run over after 65,536.
    rank.call("Wtime", (65_535_000_000, 65_535_000_001), &[]);
    rank.call("Wtime", (65_535_500_000, 65_536_500_000), &[]);
    rank.call("Wtime", (65_540_000_000, 65_540_000_001), &[]);
    let folder = trace(&[rank]);
    let states = rows(
        folder.path(),
        "SELECT container, type, value, start_tick / 1000, end_tick / 1000 FROM states ORDER BY start_tick",
    );
    assert_eq!(
        states,
        [
            "rank0 Function main 5 40",
            "rank0 MPI MPI_Barrier 10 20",
            "rank0.thread3 MPI MPI_Wtime 30 31",
            "rank0 MPI MPI_Wtime 65535000000 65535000001",
            "rank0 MPI MPI_Wtime 65535500000 65536500000",
            "rank0 MPI MPI_Wtime 65540000000 65540000001",
        ]
    );
    let counters =
        rows(folder.path(), "SELECT type, value, start_tick / 1000 FROM variables ORDER BY start_tick, type");
    assert_eq!(
        counters,
        ["PAPI_TOT_CYC 7.0 10", "PAPI_TOT_INS 10.0 10", "PAPI_TOT_CYC 9.0 20", "PAPI_TOT_INS 15.0 20"]
    );
}

fn ring() -> Vec<Rank> {
    let mut ranks = ranks(3);
    for (rank, file) in ranks.iter_mut().enumerate() {
        file.call("Init", (0, 1), &[]);
        for round in 0..4 {
            let at = 10 + 20 * round;
            file.call("Irecv", (at, at + 1), &with(from((rank as i64 + 2) % 3, 5), "request", n(2)));
            file.call("Send", (at + 2, at + 3), &to((rank as i64 + 1) % 3, 2, 5));
            file.call("Wait", (at + 4, at + 9), &[("request", n(2)), ("status", status(8, (rank as i32 + 2) % 3, 5))]);
            file.call("Comm_dup", (at + 10, at + 11), &[("oldcomm", n(WORLD)), ("newcomm", n(20 + round as i64))]);
            file.call(
                "Allreduce",
                (at + 12, at + 15),
                &[("count", n(1)), ("datatype", n(INT)), ("comm", n(20 + round as i64))],
            );
        }
        file.call("Finalize", (100, 101), &[]);
    }
    ranks
}

#[test]
fn footers_that_count_otherwise_are_reported() {
    let mut ranks = ring();
    ranks[1].miscount(0);
    let folder = trace(&ranks);
    assert_eq!(rows(folder.path(), CODES), ["count-mismatch 1"]);
    let message = rows(folder.path(), "SELECT message FROM diagnostics");
    assert_eq!(message, ["run-0001.bin: the footer counts 5 calls of 'MPI_Send', and 4 were read"]);
    assert_eq!(rows(folder.path(), LINKS_ONLY), ["20"]);
}

#[test]
fn cut_and_missing_files_keep_what_was_read() {
    let files: Vec<Vec<u8>> = ring().iter().map(Rank::bytes).collect();
    let whole = rows(trace(&ring()).path(), "SELECT count(*) FROM states WHERE container = 'rank1'");
    assert_eq!(whole, ["22"]);
    let folder = tempfile::tempdir().expect("a folder");
    // Cut within its calls: some of them are left, and all of the others.
    let cut = vec![files[0].clone(), files[1][..400].to_vec(), files[2].clone()];
    write(folder.path(), &cut);
    let states = rows(folder.path(), "SELECT container, count(*) FROM states GROUP BY 1 ORDER BY 1");
    assert_eq!((states[0].as_str(), states[2].as_str()), ("rank0 22", "rank2 22"));
    let read: u64 = states[1].rsplit(' ').next().and_then(|count| count.parse().ok()).expect("a count");
    assert!((5..22).contains(&read), "{states:?}");
    let codes = rows(folder.path(), CODES).join(", ");
    assert!(codes.contains("damaged-file 2") && codes.contains("incomplete-collective 1"), "{codes}");
    // A rank without a file.
    fs::remove_file(folder.path().join("run-0001.bin")).expect("removed");
    let states = rows(folder.path(), "SELECT container, count(*) FROM states GROUP BY 1 ORDER BY 1");
    assert_eq!(states, ["rank0 22", "rank2 22"]);
    let codes = rows(folder.path(), CODES).join(", ");
    assert!(codes.contains("damaged-file 1"), "{codes}");
}

#[test]
fn several_traces_in_a_folder_are_told_apart_by_their_metafile() {
    let folder = trace(&ring());
    fs::write(folder.path().join("other.meta"), "numprocs=1\nfileprefix=other\n").expect("a metafile");
    fs::write(folder.path().join("other-0000.bin"), ring()[0].bytes()).expect("a file");
    let error =
        validate(&TraceSource::Path(folder.path().to_path_buf()), &ImportOptions::default()).expect_err("two traces");
    assert!(error.to_string().contains("2 DUMPI traces"), "{error}");
    assert_eq!(rows(&folder.path().join("run.meta"), "SELECT count(*) FROM states"), ["66"]);
    assert_eq!(rows(&folder.path().join("other-0000.bin"), "SELECT count(*) FROM states"), ["22"]);
}

/// The sample: two ranks pass a message around and add up numbers.
fn sample() -> Vec<Rank> {
    let mut ranks = ranks(2);
    for (rank, file) in ranks.iter_mut().enumerate() {
        let (other, late) = (1 - rank as i64, 40 * rank as u64);
        file.host = format!("node{rank}");
        file.call("Init", (late, 900 + late), &[]);
        file.call("Irecv", (1000 + late, 1010 + late), &with(from(other, ANY), "request", n(5)));
        file.call("Send", (1020 + late, 1090 + late), &to(other, 25, 7));
        file.call("Wait", (1100 + late, 1200 + late), &[("request", n(5)), ("status", status(100, other as i32, 7))]);
        file.call(
            "Allreduce",
            (1500 + late, 1700),
            &[("count", n(2)), ("datatype", n(DOUBLE)), ("op", n(3)), ("comm", n(WORLD))],
        );
        file.call("Finalize", (1800, 1900 + late), &[]);
    }
    ranks
}

#[test]
fn the_sample_is_what_the_encoder_writes() {
    let folder = support::sample("dumpi");
    let files: Vec<Vec<u8>> = sample().iter().map(Rank::bytes).collect();
    if std::env::var_os("OCELLUS_BLESS").is_some() {
        fs::create_dir_all(&folder).expect("a folder");
        write(&folder, &files);
    }
    for (rank, bytes) in files.iter().enumerate() {
        assert!(
            bytes.len() < 8 << 10 && fs::read(folder.join(format!("run-{rank:04}.bin"))).expect("a sample") == *bytes
        );
    }
    assert_eq!(
        rows(&folder, LINKS),
        [
            "rank0 rank1 message MPI_Send 1020 1240 100.0",
            "rank1 rank0 message MPI_Send 1060 1200 100.0",
            "rank1 rank0 collective MPI_Allreduce 1540 1700 16.0",
        ]
    );
}

#[test]
fn the_text_of_the_converter_says_the_same() {
    // `traces/dumpi_text` is what the reference converter prints of `traces/dumpi`.
    let traces = support::checkout().join("traces");
    let states = "SELECT container, value, start_tick, end_tick, cpu_time FROM states ORDER BY container, start_tick";
    for sql in [LINKS, states] {
        let binary = rows(&traces.join("dumpi"), sql);
        assert!(binary.len() >= 3, "{sql}");
        assert_eq!(rows(&traces.join("dumpi_text"), sql), binary);
    }
    assert_eq!(rows(&traces.join("dumpi_text"), "SELECT format FROM trace_info"), ["dumpi-text"]);
    assert_eq!(rows(&traces.join("dumpi_text"), CODES), Vec::<String>::new());
}

#[test]
fn text_that_is_cut_keeps_what_was_read() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = "MPI_Wtime entering at walltime 5.5, cputime 0.1 seconds in thread 0.\n\
        MPI_Wtime returning at walltime 5.6, cputime 0.2 seconds in thread 0.\n\
        MPI_Send entering at walltime 6.5, cputime 0.3 seconds in thread 0.\nint cou";
    let file = folder.path().join("x.txt");
    fs::write(&file, text).expect("a file");
    assert_eq!(rows(&file, "SELECT value, start_tick FROM states"), ["MPI_Wtime 500000000"]);
    assert_eq!(rows(&file, CODES), ["damaged-file 1"]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]
    /// Whatever happens to the bytes: no panic, no error, and a cut file is reported.
    #[test]
    fn damaged_files_never_stop_the_reader(
        flips in prop::collection::vec((0..3_usize, any::<prop::sample::Index>(), any::<u8>()), 0..6),
        cuts in prop::collection::vec((0..3_usize, any::<prop::sample::Index>()), 0..2),
    ) {
        let mut files: Vec<Vec<u8>> = ring().iter().map(Rank::bytes).collect();
        for (file, place, byte) in &flips {
            // The magic number stays: a file without it is no file of a rank.
            let place = 8 + place.index(files[*file].len() - 8);
            files[*file][place] = *byte;
        }
        for (file, place) in &cuts {
            let end = 8 + place.index(files[*file].len() - 8);
            files[*file].truncate(end);
        }
        let folder = tempfile::tempdir().expect("a folder");
        write(folder.path(), &files);
        let validation = validate(&TraceSource::Path(folder.path().to_path_buf()), &ImportOptions::default());
        let validation = validation.expect("diagnostics, no error");
        if !cuts.is_empty() {
            prop_assert!(validation.diagnostics.iter().any(|row| row.code.name() == "damaged-file"));
        }
    }
}

/// A receive of the test below: from whom and of which tag, each of them or any.
type Wanted = (Option<i32>, Option<i32>);

/// What MPI does, said plainly: a message goes to the receive posted first among those that want it and have none.
fn matched(messages: &[(i32, i32)], wanted: &[Wanted]) -> Vec<Option<usize>> {
    let mut is_free = vec![true; wanted.len()];
    let take = |(source, tag): &(i32, i32)| {
        let wants = |(from, of): &Wanted| from.is_none_or(|from| from == *source) && of.is_none_or(|of| of == *tag);
        let place = (0..wanted.len()).find(|place| is_free[*place] && wants(&wanted[*place]))?;
        is_free[place] = false;
        Some(place)
    };
    messages.iter().map(take).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]
    /// Receives with and without wildcards, waited for in any order.
    #[test]
    fn messages_find_their_receives(
        messages in prop::collection::vec((1..3_i32, 1..3_i32), 0..10),
        wanted in prop::collection::vec((prop::option::of(1..3_i32), prop::option::of(1..3_i32)), 0..10),
        shuffle in prop::collection::vec(any::<u16>(), 10),
    ) {
        let found = matched(&messages, &wanted);
        let mut ranks = ranks(3);
        for (place, (source, tag)) in wanted.iter().enumerate() {
            let arguments = from(source.map_or(ANY, i64::from), tag.map_or(ANY, i64::from));
            ranks[0].call("Irecv", (place as u64, place as u64 + 1), &with(arguments, "request", n(10 + place as i64)));
        }
        for (place, (source, tag)) in messages.iter().enumerate() {
            let at = 1000 + 10 * place as u64;
            ranks[*source as usize].call("Send", (at, at + 1), &to(0, 1, i64::from(*tag)));
        }
        let mut waits: Vec<(usize, usize)> = found.iter().enumerate().filter_map(|(message, receive)| Some((message, (*receive)?))).collect();
        waits.sort_by_key(|(_, receive)| shuffle[*receive]);
        let mut expected = vec![];
        for (order, (message, receive)) in waits.iter().enumerate() {
            let (at, (source, tag)) = (10_000 + 100 * order as u64, messages[*message]);
            ranks[0].call("Wait", (at, at + 50), &[("request", n(10 + *receive as i64)), ("status", status(4, source, tag))]);
            expected.push(format!("rank{source} {} {}", 1000 + 10 * message, at + 50));
        }
        expected.sort();
        let emitted = rows(trace(&ranks).path(), "SELECT source, start_tick / 1000, end_tick / 1000 FROM links");
        let mut emitted = emitted;
        emitted.sort();
        prop_assert_eq!(emitted, expected);
    }

    /// Splits of splits: members are those of one color, by key and then by rank in the parent.
    #[test]
    fn splits_have_the_members_of_their_color(
        first in prop::collection::vec((0..3_i32, -2..3_i32), 1..7),
        second in prop::collection::vec((0..2_i32, -2..3_i32), 7),
    ) {
        let split = |parent: &[usize], choice: &[(i32, i32)]| {
            let mut groups: std::collections::BTreeMap<i32, Vec<(i32, usize, usize)>> = Default::default();
            for (place, rank) in parent.iter().enumerate() {
                groups.entry(choice[*rank].0).or_default().push((choice[*rank].1, place, *rank));
            }
            groups.into_values().map(|mut group| {
                group.sort_unstable();
                group.into_iter().map(|(_, _, rank)| rank).collect::<Vec<_>>()
            }).collect::<Vec<_>>()
        };
        let world: Vec<usize> = (0..first.len()).collect();
        let groups: Vec<Vec<usize>> = split(&world, &first).iter().flat_map(|group| split(group, &second)).collect();
        let mut ranks = ranks(first.len());
        for (rank, file) in ranks.iter_mut().enumerate() {
            for (old, new, (color, key)) in [(WORLD, 10, first[rank]), (10, 11, second[rank])] {
                let arguments = [("oldcomm", n(old)), ("color", n(i64::from(color))), ("key", n(i64::from(key))), ("newcomm", n(new))];
                file.call("Comm_split", (new as u64, new as u64 + 1), &arguments);
            }
        }
        // Everyone sends to the next one of its group.
        let mut expected = vec![];
        for group in &groups {
            for (place, rank) in group.iter().enumerate() {
                let (next, before) = ((place + 1) % group.len(), (place + group.len() - 1) % group.len());
                ranks[*rank].call("Send", (100, 101), &with(to(next as i64, 1, 1), "comm", n(11)));
                ranks[*rank].call("Recv", (110, 120), &with(from(before as i64, 1), "comm", n(11)));
                expected.push(format!("rank{rank} rank{}", group[next]));
            }
        }
        expected.sort();
        let mut emitted = rows(trace(&ranks).path(), "SELECT source, target FROM links");
        emitted.sort();
        prop_assert_eq!(emitted, expected);
    }
}
