//! Messages and waits, each with a planted cause.

use super::super::finding::FindingKind;
use super::super::rows::{PairRow, WaitReason};
use super::{RANKS, SLICES, STATES, TestRun, first, noise, pair, same, wait, waits_in};

#[test]
fn many_small_messages_are_bound_by_latency() {
    let mut run = TestRun::new(1.0, same).works(same, noise);
    for rank in 0..RANKS {
        let target = (rank + 1) % RANKS;
        run.rows.pairs.push(PairRow { links: 1000.0, messages: 1000.0, volume: 64_000.0, ..pair(rank, target, 5.0) });
        run.rows.waits.push(wait(WaitReason::Transfer, target, Some(rank), 5.0));
    }
    let (_, found) = run.findings();
    assert_eq!(found[0].kind, FindingKind::SmallMessages, "{found:?}");
}

#[test]
fn marks_of_collectives_are_no_messages() {
    let mut run = TestRun::new(1.0, same).works(same, |_, _| 1.0);
    for rank in 0..RANKS {
        let target = (rank + 1) % RANKS;
        let links = PairRow { links: 1100.0, messages: 1000.0, volume: 64_000.0, ..pair(rank, target, 5.0) };
        run.rows.pairs.push(links);
        run.rows.waits.push(wait(WaitReason::Transfer, target, Some(rank), 5.0));
    }
    let (_, found) = run.findings();
    // 16 ranks exchange for 25 s and wait for 5 s; 64 bytes are a 64th of 4096.
    assert_eq!(found[0].seconds, 480.0 * 63.0 / 64.0);
    assert_eq!(
        found[0].title,
        "16000 messages of 64 bytes on average: 480 s are spent on starting and waiting for them, of which messages of \
         4096 bytes would save 472.5 s"
    );
}

#[test]
fn a_late_sender_is_blamed_for_those_whom_it_delays() {
    let mut run = TestRun::new(1.0, same).works(same, noise);
    // Rank 6 waits 4 s for rank 3, and is late in collectives: everybody else waits 4 s for it.
    run.rows.waits.push(wait(WaitReason::LateSender, 6, Some(3), 4.0));
    waits_in(&mut run, WaitReason::LateSender, 3, 10..30, 4.0);
    for rank in (0..RANKS).filter(|rank| *rank != 6) {
        run.rows.waits.push(wait(WaitReason::Collective, rank, Some(6), 4.0));
    }
    waits_in(&mut run, WaitReason::Collective, 6, 10..30, 60.0);
    let (run, found) = run.findings();
    assert_eq!(first(&run, &found), (FindingKind::LateSender, "rank-3", 10.0, 30.0));
    assert!((found[0].seconds - 64.0).abs() < 1e-9, "{}", found[0].seconds);
    assert_eq!(found.len(), 1, "{found:?}");
}

#[test]
fn a_section_costs_what_is_waited_longer_for_who_is_in_it() {
    let mut run = TestRun::new(1.0, same);
    for rank in 0..RANKS {
        for slice in 0..SLICES as u32 {
            let is_master = rank == 0;
            let work = if is_master { 0.3 } else { 0.5 } * noise(rank, slice);
            let section = if is_master && (10..30).contains(&slice) { 0.2 } else { 0.0 };
            run.state(rank, slice, "work", STATES, work);
            run.state(rank, slice, "section", 1.0, section);
            run.state(rank, slice, "exchange", STATES, 1.0 - work - section);
        }
    }
    // Rank 0 waits as long for rank 1 as anybody for it, though at other instants: it would pass everything on.
    run.rows.waits.push(wait(WaitReason::LateSender, 0, Some(1), 2.3));
    waits_in(&mut run, WaitReason::LateSender, 1, 0..50, 2.3);
    for rank in 1..RANKS {
        run.rows.waits.push(wait(WaitReason::LateSender, rank, Some(0), 2.3));
    }
    waits_in(&mut run, WaitReason::LateSender, 0, 10..30, 30.0);
    waits_in(&mut run, WaitReason::LateSender, 0, 0..10, 1.5);
    waits_in(&mut run, WaitReason::LateSender, 0, 30..50, 3.0);
    let (run, found) = run.findings();
    assert_eq!(first(&run, &found), (FindingKind::Serialisation, "rank-0", 10.0, 30.0));
    // 20 sections of 0.2 s; 30 s are waited, 3 s of them as at other times.
    assert!((found[0].seconds - (4.0 + 27.0)).abs() < 0.1, "{}", found[0].seconds);
    assert_eq!(found.len(), 1, "{found:?}");
}

#[test]
fn who_comes_last_to_collectives_is_blamed() {
    let mut run = TestRun::new(1.0, same).works(same, noise);
    for rank in (0..RANKS).filter(|rank| *rank != 11) {
        run.rows.waits.push(wait(WaitReason::Collective, rank, Some(11), 5.0));
    }
    waits_in(&mut run, WaitReason::Collective, 11, 5..20, 75.0);
    let (run, found) = run.findings();
    assert_eq!(first(&run, &found), (FindingKind::CollectiveWait, "rank-11", 5.0, 20.0));
}

#[test]
fn who_receives_late_is_blamed() {
    let mut run = TestRun::new(1.0, same).works(same, noise);
    for rank in (0..RANKS).filter(|rank| *rank != 2) {
        run.rows.waits.push(wait(WaitReason::LateReceiver, rank, Some(2), 3.0));
    }
    waits_in(&mut run, WaitReason::LateReceiver, 2, 0..50, 45.0);
    let (run, found) = run.findings();
    assert_eq!(first(&run, &found), (FindingKind::LateReceiver, "rank-2", 0.0, 50.0));
}

#[test]
fn a_slow_connection_is_found() {
    let mut run = TestRun::new(1.0, same).works(same, noise);
    for rank in 0..RANKS {
        let target = (rank + 1) % RANKS;
        run.rows.pairs.push(pair(rank, target, 1.0));
    }
    run.rows.waits.push(wait(WaitReason::Transfer, 8, Some(7), 20.0));
    let (run, found) = run.findings();
    assert_eq!(first(&run, &found), (FindingKind::Network, "rank-7", 0.0, 50.0));
    assert_eq!(found[0].involved, ["rank-7", "rank-8"]);
}

#[test]
fn messages_that_everybody_waits_for_do_not_overlap() {
    let mut run = TestRun::new(1.0, same).works(same, noise);
    for rank in 0..RANKS {
        let target = (rank + 1) % RANKS;
        run.rows.pairs.push(pair(rank, target, 5.0));
        run.rows.waits.push(wait(WaitReason::Transfer, target, Some(rank), 5.0));
    }
    let (run, found) = run.findings();
    assert_eq!(first(&run, &found), (FindingKind::NoOverlap, "machine", 0.0, 50.0));
    assert!((found[0].seconds - 40.0).abs() < 1e-9);
}
