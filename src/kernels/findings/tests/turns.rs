//! Work in turn, iterations, times between states, and traces that are cut off.

use super::super::cycle::over_cycle;
use super::super::finding::{FindingKind, FindingSettings};
use super::super::rows::{ActivityRow, BegunCell, DiagnosticRow, StateActivity, WaitReason};
use super::{PER_NODE, RANKS, SLICES, STATES, TestRun, find, first, noise, pair, same, wait, waits_in};

#[test]
fn work_that_is_done_in_turn_is_serial() {
    let mut run = TestRun::new(1.0, same);
    for rank in 0..RANKS {
        for slice in 0..SLICES as u32 {
            run.state(rank, slice, "work", STATES, 0.3 * noise(rank, slice));
            // Each rank has its own sixteenth of the second half of a slice.
            run.state(rank, slice, "section", 1.0, 0.03);
            let cell = run.rows.begun.last_mut().expect("a cell");
            cell.first = f64::from(slice) + 0.5 + 0.03 * f64::from(rank);
            cell.last = cell.first + 0.03;
            run.state(rank, slice, "exchange", STATES, 0.67);
        }
    }
    let (run, found) = run.findings();
    assert_eq!(first(&run, &found), (FindingKind::Serialisation, "machine", 0.0, 50.0));
    assert_eq!(found[0].involved, ["section"]);
    // 16 sections of 0.03 in 50 slices: 15 of them would be over when the first is.
    assert!((found[0].seconds - 15.0 * 16.0 * 0.03 * 50.0).abs() < 1e-6, "{}", found[0].seconds);
}

#[test]
fn a_little_work_in_turn_does_not_say_why_others_wait() {
    let mut run = TestRun::new(1.0, same);
    for rank in 0..RANKS {
        for slice in 0..SLICES as u32 {
            let work = 0.5 * noise(rank, slice);
            run.state(rank, slice, "work", STATES, work);
            let is_meant = (5..20).contains(&slice);
            let section = if is_meant { 0.001 } else { 0.0 };
            if is_meant {
                run.state(rank, slice, "section", 1.0, section);
                let cell = run.rows.begun.last_mut().expect("a cell");
                cell.first = f64::from(slice) + 0.5 + section * f64::from(rank);
                cell.last = cell.first + section;
            }
            run.state(rank, slice, "exchange", STATES, 1.0 - work - section);
        }
    }
    for rank in (0..RANKS).filter(|rank| *rank != 11) {
        run.rows.waits.push(wait(WaitReason::Collective, rank, Some(11), 5.0));
    }
    waits_in(&mut run, WaitReason::Collective, 11, 5..20, 75.0);
    let run = run.matrix();
    let found = find(&run, &FindingSettings { least: 0.0, kinds: vec![] });
    // Fifteen others wait 5 s. Sixteen sections of 0.001 s in 15 slices: 15 of them would be over when the first is.
    let known: Vec<_> = found.iter().map(|finding| (finding.kind, (finding.seconds * 1e6).round())).collect();
    assert_eq!(known, [(FindingKind::CollectiveWait, 75e6), (FindingKind::Serialisation, 3.6e6)]);
    assert_eq!(run.name(found[0].container.expect("a place")), "rank-11");
}

#[test]
fn a_section_is_named_with_the_time_of_its_own() {
    let mut run = TestRun::new(1.0, same);
    for rank in 0..RANKS {
        for slice in 0..SLICES as u32 {
            let work = 0.5 * noise(rank, slice);
            let (section, write) = if rank == 9 { (0.15, 0.1) } else { (0.0, 0.0) };
            run.state(rank, slice, "work", STATES, work);
            run.state(rank, slice, "section", 1.0, section);
            run.state(rank, slice, "write", 1.0, write);
            run.state(rank, slice, "exchange", STATES, 1.0 - work - section - write);
        }
    }
    let (_, found) = run.findings();
    // A quarter of the time is more than others do, and 15 % of it in the section.
    let title = "rank-9 is in section for 15.0 % of the time more than others, which wait for it, all the time";
    assert_eq!(found[0].title, title);
}

#[test]
fn the_same_work_at_once_is_not_serial() {
    let mut run = TestRun::new(1.0, same);
    for rank in 0..RANKS {
        for slice in 0..SLICES as u32 {
            run.state(rank, slice, "section", 1.0, 0.03);
            let cell = run.rows.begun.last_mut().expect("a cell");
            (cell.first, cell.last) = (f64::from(slice) + 0.5, f64::from(slice) + 0.53);
            run.state(rank, slice, "exchange", STATES, 0.97);
        }
    }
    let (_, found) = run.findings();
    assert_eq!(found, []);
}

#[test]
fn a_section_is_serial_though_others_run_ahead() {
    let mut run = TestRun::new(1.0, same);
    for rank in 0..RANKS {
        for slice in 0..SLICES as u32 {
            // The others work for six slices of ten, each at times of its own, and wait in the rest; rank 0 works at any time.
            let is_ahead = (slice + 3 * rank as u32) % 10 < 6;
            let (work, section) = if rank == 0 { (0.6, 0.35) } else { (if is_ahead { 1.0 } else { 0.0 }, 0.0) };
            run.state(rank, slice, "work", STATES, work * 0.98 * noise(rank, slice));
            run.state(rank, slice, "section", 1.0, section);
            run.state(rank, slice, "exchange", STATES, 1.0 - work - section);
        }
    }
    let (run, found) = run.findings();
    assert_eq!(first(&run, &found), (FindingKind::Serialisation, "rank-0", 0.0, 50.0));
    assert_eq!(found[0].involved, ["section"]);
}

/// Ranks that record calls only: what they compute is the time between these. `work` gives its length before and after a call.
fn calls_only(work: impl Fn(i32, u32) -> (f64, f64)) -> TestRun {
    let mut run = TestRun::new(1.0, same);
    let kind = run.text("State");
    run.rows.activities.clear();
    for (value, activity) in [("send", StateActivity::Communication), ("reduce", StateActivity::Communication)] {
        let value = run.text(value);
        run.rows.activities.push(ActivityRow { kind, value, activity, no_state: StateActivity::Computation });
    }
    let [send, reduce] = ["send", "reduce"].map(|value| run.text(value));
    for rank in 0..RANKS {
        for slice in 0..SLICES as u32 {
            let (before, after) = work(rank, slice);
            run.state(rank, slice, "send", 1.0, 0.05);
            run.state(rank, slice, "reduce", 1.0, 0.95 - before - after);
            for (value, until, seconds) in [(reduce, send, before), (send, reduce, after)] {
                let (first, last) = (f64::from(slice), f64::from(slice + 1));
                let cell = BegunCell {
                    container: rank,
                    slice,
                    kind,
                    value,
                    states: 1.0,
                    seconds,
                    first,
                    last,
                    until: Some(until),
                };
                run.rows.begun.push(cell);
            }
        }
    }
    run
}

#[test]
fn times_between_calls_are_compared_by_the_calls_around_them() {
    let work = |rank: i32, slice: u32| {
        let factor = noise(rank, slice) * if rank == 9 { 1.4 } else { 1.0 };
        (0.4 * factor, 0.1 * factor)
    };
    let (run, found) = calls_only(work).findings();
    assert_eq!(first(&run, &found), (FindingKind::SlowContainer, "rank-9", 0.0, 50.0));
    assert_eq!(found[0].involved, ["no state between reduce and send", "no state between send and reduce"]);
}

#[test]
fn work_in_another_order_is_not_slow() {
    let work = |rank: i32, slice: u32| {
        let factor = noise(rank, slice);
        if rank == 9 { (0.49 * factor, 0.01 * factor) } else { (0.25 * factor, 0.25 * factor) }
    };
    let (_, found) = calls_only(work).findings();
    assert!(found.iter().all(|finding| finding.kind != FindingKind::SlowContainer), "{found:?}");
}

#[test]
fn a_trace_that_breaks_off_says_so() {
    let mut run = TestRun::new(1.0, same).works(same, noise);
    for (code, occurrences) in [("truncated-line", 1.0), ("open-state", 12.0)] {
        let (severity, code, message) = (run.text("info"), run.text(code), run.text(code));
        run.rows.diagnostics.push(DiagnosticRow { severity, code, message, occurrences });
    }
    let (run, found) = run.findings();
    assert_eq!(first(&run, &found), (FindingKind::TraceQuality, "machine", 0.0, 50.0));
    // Twelve of sixteen ranks were in a state.
    assert!((found[0].seconds - 0.75 * 800.0).abs() < 1e-6);
}

#[test]
fn means_over_a_cycle_do_not_see_what_is_in_it() {
    let pulses: Vec<f64> = (0..20).map(|slice| if slice % 4 == 0 { 4.0 } else { 0.0 }).collect();
    let means = over_cycle(&pulses, 4);
    assert!(means[2..18].iter().all(|mean| (mean - 1.0).abs() < 1e-9), "{means:?}");
    assert_eq!(over_cycle(&[1.0, f64::NAN, 3.0], 3)[0], 1.0);
}

#[test]
fn slow_messages_of_one_node_for_a_while_are_found_beside_others() {
    let mut run = TestRun::new(1.0, same).works(same, noise);
    for rank in 0..RANKS {
        let target = (rank + 1) % RANKS;
        run.rows.pairs.push(pair(rank, target, 5.0));
        // Everybody waits 0.1 s per slice for each sender; for those of node-2 0.9 s from 20 to 30.
        let is_slow = rank / PER_NODE == 2;
        run.rows.waits.push(wait(WaitReason::Transfer, target, Some(rank), if is_slow { 13.0 } else { 5.0 }));
        for slice in 0..SLICES as u32 {
            let seconds = if is_slow && (20..30).contains(&slice) { 0.9 } else { 0.1 };
            waits_in(&mut run, WaitReason::Transfer, rank, slice..slice + 1, seconds);
        }
    }
    let (run, found) = run.findings();
    let network = found.iter().position(|finding| finding.kind == FindingKind::Network).expect("a finding");
    assert_eq!(first(&run, &found[network..]), (FindingKind::Network, "node-2", 20.0, 30.0));
    // Four senders, ten slices, 0.8 s more; the rest is everywhere.
    assert!((found[network].seconds - 32.0).abs() < 1e-6, "{}", found[network].seconds);
    assert!(found.iter().any(|finding| finding.kind == FindingKind::NoOverlap), "{found:?}");
}

#[test]
fn one_slow_message_does_not_hide_that_all_are_slow_for_a_while() {
    let mut run = TestRun::new(1.0, same).works(same, noise);
    for rank in 0..RANKS {
        let target = (rank + 1) % RANKS;
        run.rows.pairs.push(pair(rank, target, 5.0));
        // From 15 to 40 everybody waits 0.2 s per slice, else 0.02 s; for rank 5 0.8 s longer in two slices.
        let mut whole = 0.0;
        for slice in 0..SLICES as u32 {
            let is_slow = (15..40).contains(&slice);
            let more = if rank == 5 && (44..46).contains(&slice) { 0.8 } else { 0.0 };
            let seconds = if is_slow { 0.2 } else { 0.02 } + more;
            waits_in(&mut run, WaitReason::Transfer, rank, slice..slice + 1, seconds);
            whole += seconds;
        }
        run.rows.waits.push(wait(WaitReason::Transfer, target, Some(rank), whole));
    }
    let (run, found) = run.findings();
    assert_eq!(first(&run, &found), (FindingKind::Network, "machine", 15.0, 40.0));
    // 16 ranks, 25 slices, 0.18 s more.
    assert!((found[0].seconds - 72.0).abs() < 1.0, "{}", found[0].seconds);
}
