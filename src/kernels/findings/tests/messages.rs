//! Messages and waits, each with a planted cause.

use super::super::finding::FindingKind;
use super::super::rows::{PairRow, WaitReason};
use super::{RANKS, TestRun, first, noise, pair, same, wait, waits_in};

#[test]
fn many_small_messages_are_bound_by_latency() {
    let mut run = TestRun::new(1.0, same).works(same, noise);
    for rank in 0..RANKS {
        let target = (rank + 1) % RANKS;
        run.rows.pairs.push(PairRow { links: 1000.0, volume: 64_000.0, ..pair(rank, target, 5.0) });
        run.rows.waits.push(wait(WaitReason::Transfer, target, Some(rank), 5.0));
    }
    let (_, found) = run.findings();
    assert_eq!(found[0].kind, FindingKind::SmallMessages, "{found:?}");
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
