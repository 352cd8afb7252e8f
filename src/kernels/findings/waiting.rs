//! late_sender, late_receiver, collective_wait: containers for which others wait though they have no more work than these.
//!
//! All waits are passed on to their origins ([`Blame`]). A container counts when it is the origin of more waiting than chance
//! makes of one among all containers, and when what it does more than others does not explain it: then it is slow, or has
//! more work, and those are kinds of their own. The kind is that of the waits for it: for messages that it sends late,
//! for messages that it is late to receive, or for its coming to a collective. The interval is that in which others wait
//! for it most, above what they wait for the median container.
//!
//! Recovered are the seconds of which it is the origin.

use super::blame::Blame;
use super::evidence::Evidence;
use super::finding::{Finding, FindingKind, moment, whole_or_interval};
use super::matrix::RunMatrix;
use super::rows::WaitReason;
use super::segments::{Segment, strongest};
use super::statistics::{chance, confidence, median, spread};

/// Findings at most.
const MOST: usize = 3;
/// Members that are needed to know what is usual.
const LEAST_MEMBERS: usize = 4;
/// Part of the waits that extra work of the container must not explain.
const EXPLAINED: f64 = 0.5;

/// The findings.
pub(super) fn find(run: &RunMatrix, blame: &Blame) -> Vec<Finding> {
    let count = run.members.len();
    if count < LEAST_MEMBERS {
        return vec![];
    }
    let origin = |member: usize| blame.origins.get(&run.members[member]).copied().unwrap_or(0.0);
    let all: Vec<f64> = (0..count).map(origin).collect();
    let (usual, noise) = (median(all.iter().copied()), spread(&all));
    let needed = chance(count as f64);
    let least = 1e-4 * run.resource_seconds();
    let deviations = |member: usize| (all[member] - usual) / noise.max(0.1 * usual).max(least);
    let mut order: Vec<usize> = (0..count).filter(|member| deviations(*member) >= needed).collect();
    order.sort_by(|one, other| all[*other].total_cmp(&all[*one]).then(one.cmp(other)));
    let waited = waited(run);
    let mut found = vec![];
    for member in order {
        let place = run.members[member];
        let Some((kind, worst)) = main_kind(blame, place) else { continue };
        let Some(segment) = interval(run, blame, &waited, member) else { continue };
        let slices = (segment.first, segment.last);
        if extra_work(run, member, slices) >= EXPLAINED * worst {
            continue;
        }
        found.push(finding(run, place, kind, all[member] - usual, slices, confidence(deviations(member), needed)));
        if found.len() == MOST {
            break;
        }
    }
    found
}

/// The kind of most waits for a container, and the most that one other waits for it. What messages explain is not of
/// the collective that follows.
fn main_kind(blame: &Blame, place: usize) -> Option<(WaitReason, f64)> {
    let worst = blame.worst.get(&place)?;
    let most = worst.values().copied().fold(0.0, f64::max);
    let kinds = [WaitReason::LateSender, WaitReason::LateReceiver, WaitReason::Collective];
    let fits = |kind: &WaitReason| worst.get(kind).copied().unwrap_or(0.0) >= 0.5 * most;
    let of_messages = kinds[..2].iter().filter(|kind| fits(kind)).max_by(|one, other| {
        let seconds = |kind: &WaitReason| worst.get(kind).copied().unwrap_or(0.0);
        seconds(one).total_cmp(&seconds(other))
    });
    let kind = of_messages.or_else(|| kinds[2..].iter().find(|kind| fits(kind)))?;
    (most > 0.0).then_some((*kind, most))
}

/// Seconds in which others wait for each member, by slice.
fn waited(run: &RunMatrix) -> Vec<f64> {
    let mut seconds = vec![0.0; run.members.len() * run.slices];
    for wait in &run.waits {
        let (Some(slice), Some(partner)) = (wait.slice, wait.partner) else { continue };
        let known = run.place(partner).and_then(|place| run.member_at(place));
        let is_late = !matches!(wait.kind, WaitReason::Transfer | WaitReason::Unexplained);
        if let Some(partner) = known.filter(|_| is_late && (slice as usize) < run.slices) {
            seconds[partner * run.slices + slice as usize] += wait.seconds;
        }
    }
    seconds
}

/// When others wait for a member, or for those who pass that on to it, more than for the median of members.
fn interval(run: &RunMatrix, blame: &Blame, waited: &[f64], member: usize) -> Option<Segment> {
    let row = |member: usize| &waited[member * run.slices..(member + 1) * run.slices];
    let usual = |slice: usize| median((0..run.members.len()).map(|member| row(member)[slice]));
    let mut own: Vec<f64> = (0..run.slices).map(|slice| row(member)[slice] - usual(slice)).collect();
    for (place, part) in blame.passed.get(&run.members[member]).into_iter().flatten() {
        let Some(victim) = run.member_at(*place) else { continue };
        for (slice, seconds) in own.iter_mut().enumerate() {
            *seconds += part * (row(victim)[slice] - usual(slice)).max(0.0);
        }
    }
    // A single long wait must not outweigh the others.
    let typical = median(own.iter().copied().filter(|seconds| *seconds > 0.0));
    let cut: Vec<f64> = own.iter().map(|seconds| seconds.min(2.0 * typical)).collect();
    strongest(&cut, &vec![1.0; run.slices])
}

/// Seconds in which a member does something of its own, beyond the median of members.
fn extra_work(run: &RunMatrix, member: usize, slices: (usize, usize)) -> f64 {
    let usual = |slice: usize| median((0..run.members.len()).map(|member| run.active(member, slice)));
    (slices.0..slices.1).map(|slice| run.active(member, slice) - usual(slice)).sum()
}

fn finding(
    run: &RunMatrix,
    place: usize,
    kind: WaitReason,
    seconds: f64,
    slices: (usize, usize),
    confidence: f64,
) -> Finding {
    let (start, end, when) = whole_or_interval(run, slices);
    let name = run.name(place);
    let (kind, title) = match kind {
        WaitReason::LateSender => (FindingKind::LateSender, format!("{name} sends late")),
        WaitReason::LateReceiver => (FindingKind::LateReceiver, format!("{name} receives late")),
        _ => (FindingKind::CollectiveWait, format!("{name} comes late to collectives")),
    };
    Finding {
        kind,
        title: format!("{title}: others wait {} for it, directly or for those whom it delays, {when}", moment(seconds)),
        seconds,
        container: Some(place),
        start,
        end,
        involved: vec![name.to_string()],
        confidence,
        evidence: Evidence::WaitsFor,
    }
}
