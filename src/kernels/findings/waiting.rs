//! late_sender, late_receiver, collective_wait: containers for which others wait though they have no more work than these.
//!
//! All waits are passed on to their origins ([`Blame`]). A container counts when it is the origin of more waiting than chance
//! makes of one among all containers, and when what it does more than others does not explain it: then it is slow, or has
//! more work, and those are kinds of their own. The kind is that of the waits for it: for messages that it sends late,
//! for messages that it is late to receive, or for its coming to a collective. The interval is that in which its part of all that is waited
//! for anybody stands out most, from the first of these waits to the last.
//!
//! Recovered are the seconds of which it is the origin.

use super::blame::Blame;
use super::evidence::Evidence;
use super::finding::{Finding, FindingKind, moment, whole_or_times};
use super::matrix::RunMatrix;
use super::recovery::waited_directly;
use super::rows::WaitReason;
use super::segments::{Segment, strongest};
use super::statistics::{chance, confidence, median, middle_of_mass, spread};

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
    let waited = waited_directly(run);
    let mut found = vec![];
    for member in order {
        let place = run.members[member];
        let Some((kind, worst)) = main_kind(blame, place) else { continue };
        let Some(segment) = interval(run, blame, &waited, member) else { continue };
        let slices = (segment.first, segment.last);
        let times = times(run, blame, member, slices);
        if extra_work(run, member, slices) >= EXPLAINED * worst {
            continue;
        }
        found.push(finding(run, place, kind, all[member] - usual, times, confidence(deviations(member), needed)));
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

/// When others wait for a member, or for those who pass that on to it: where its part of all waits exceeds that of the median member
/// most. Of those who pass on, what they are waited for at any time does not count, unless there is nothing else. Slices count by
/// how much is waited in them.
fn interval(run: &RunMatrix, blame: &Blame, waited: &[f64], member: usize) -> Option<Segment> {
    let row = |member: usize| &waited[member * run.slices..(member + 1) * run.slices];
    let whole: Vec<f64> =
        (0..run.slices).map(|slice| (0..run.members.len()).map(|member| row(member)[slice]).sum()).collect();
    let usual: Vec<f64> =
        (0..run.slices).map(|slice| median((0..run.members.len()).map(|member| row(member)[slice]))).collect();
    // A single long wait must not outweigh the others.
    let typical = middle_of_mass(&whole);
    let weights: Vec<f64> = whole.iter().map(|weight| weight.min(2.0 * typical)).collect();
    let passed: Vec<(usize, f64, f64)> = blame
        .passed
        .get(&run.members[member])
        .into_iter()
        .flatten()
        .filter_map(|(place, part)| Some((run.member_at(*place)?, *part)))
        .map(|(victim, part)| (victim, part, median(row(victim).iter().copied())))
        .collect();
    let seconds = |slice: usize, own: f64| {
        let victims = passed.iter().map(|(victim, part, at_any_time)| {
            part * (row(*victim)[slice] - usual[slice].max(own * at_any_time)).max(0.0)
        });
        row(member)[slice] - usual[slice] + victims.sum::<f64>()
    };
    let parts = |own: f64| -> Vec<f64> {
        (0..run.slices).map(|slice| seconds(slice, own) / f64::max(whole[slice], f64::MIN_POSITIVE)).collect()
    };
    strongest(&parts(1.0), &weights).or_else(|| strongest(&parts(0.0), &weights))
}

/// From the first wait for a member, or for those who pass that on to it, within slices to the end of the last.
fn times(run: &RunMatrix, blame: &Blame, member: usize, slices: (usize, usize)) -> (f64, f64) {
    let passed = blame.passed.get(&run.members[member]);
    let (mut start, mut end) = (f64::INFINITY, f64::NEG_INFINITY);
    for wait in &run.waits {
        let Some(place) = wait.partner.and_then(|partner| run.place(partner)) else { continue };
        let is_meant = place == run.members[member] || passed.is_some_and(|passed| passed.contains_key(&place));
        let is_within = wait.slice.is_some_and(|slice| (slices.0..slices.1).contains(&(slice as usize)));
        let is_late = !matches!(wait.kind, WaitReason::Transfer | WaitReason::Unexplained);
        if is_meant && is_within && is_late {
            (start, end) = (start.min(wait.first), end.max(wait.last));
        }
    }
    if start < end { (start, end) } else { (run.time(slices.0), run.time(slices.1)) }
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
    times: (f64, f64),
    confidence: f64,
) -> Finding {
    let (start, end, when) = whole_or_times(run, times);
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
