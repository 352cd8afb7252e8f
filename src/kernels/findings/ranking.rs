//! Ranks findings: causes before their effects, then the most severe first.
//!
//! What others wait for a container is a cost of the finding that says why it is late, when that one costs at least half as much by itself.
//! Effects that are found beside their cause are left out. Waiting, imbalance and deviation within the time of a cause are
//! effects of it when it costs at least half as much as they do; of two findings of one kind, time and line of
//! containers, the one that costs more stays.

use super::evidence::Evidence;
use super::finding::{Finding, FindingKind, FindingSettings};
use super::matrix::RunMatrix;

/// Part of an effect's time that its cause must share, and part of its cost that it must have.
const COMMON_TIME: f64 = 0.5;
const COMMON_COST: f64 = 0.5;

/// The findings that are asked for.
pub(super) fn rank(run: &RunMatrix, mut found: Vec<Finding>, settings: &FindingSettings) -> Vec<Finding> {
    let whole = run.resource_seconds();
    found.retain(|finding| finding.seconds.is_finite() && finding.seconds > 0.0);
    for finding in &mut found {
        finding.seconds = finding.seconds.min(whole);
    }
    join_waits(run, &mut found);
    let mut kept: Vec<Finding> = vec![];
    for (place, finding) in found.iter().enumerate() {
        let is_effect = found.iter().enumerate().any(|(other, cause)| other != place && explains(run, cause, finding));
        let is_double = kept.iter().any(|known| is_same(run, known, finding));
        if !is_effect && !is_double {
            kept.push(finding.clone());
        }
    }
    kept.retain(|finding| settings.kinds.is_empty() || settings.kinds.contains(&finding.kind));
    kept.retain(|finding| finding.seconds >= settings.least * whole);
    kept
}

/// What others wait for a container of which another finding says why costs as much as that says, or as they wait if that is more. A cause
/// that costs much less than they wait does not say why.
fn join_waits(run: &RunMatrix, found: &mut Vec<Finding>) {
    let is_wait = |kind: FindingKind| {
        matches!(kind, FindingKind::LateSender | FindingKind::LateReceiver | FindingKind::CollectiveWait)
    };
    let is_cause = |kind: FindingKind| {
        distance(kind) <= 1
            && !matches!(
                kind,
                FindingKind::StartEnd
                    | FindingKind::TraceQuality
                    | FindingKind::Drift
                    | FindingKind::SmallMessages
                    | FindingKind::LoadImbalance
            )
    };
    let waits: Vec<Finding> = found.iter().filter(|finding| is_wait(finding.kind)).cloned().collect();
    let mut joined: Vec<String> = vec![];
    // Those who work in turn are all late alike: they do not say why one of them is.
    let is_in_turn = |finding: &Finding| {
        let (first, last) = finding.container.map_or((0, 0), |place| run.containers[place].members);
        finding.kind == FindingKind::Serialisation && last - first > 1
    };
    for cause in found.iter_mut().filter(|finding| is_cause(finding.kind) && !is_in_turn(finding)) {
        let own = cause.seconds;
        for wait in &waits {
            let (Some(place), Some(late)) = (cause.container, wait.container) else { continue };
            let is_below = (place..run.containers[place].after).contains(&late);
            let is_enough = own >= COMMON_COST * wait.seconds;
            if is_below && is_enough && shared(cause, wait) >= COMMON_TIME && shared(wait, cause) >= COMMON_TIME {
                cause.seconds = cause.seconds.max(wait.seconds);
                joined.push(wait.title.clone());
            }
        }
    }
    found.retain(|finding| !is_wait(finding.kind) || !joined.contains(&finding.title));
    sort(found);
}

fn sort(found: &mut [Finding]) {
    found.sort_by(|one, other| {
        let costs = other.seconds.total_cmp(&one.seconds);
        costs.then_with(|| (one.kind, one.container, &one.title).cmp(&(other.kind, other.container, &other.title)))
    });
}

/// Part of the time of one finding that another one shares.
fn shared(one: &Finding, other: &Finding) -> f64 {
    let common = (one.end.min(other.end) - one.start.max(other.start)).max(0.0);
    common / (one.end - one.start).max(f64::MIN_POSITIVE)
}

/// How close to the origin a kind is: 0 are causes, higher numbers may be effects of lower ones.
fn distance(kind: FindingKind) -> u8 {
    match kind {
        FindingKind::SlowContainer
        | FindingKind::Serialisation
        | FindingKind::ResourceCeiling
        | FindingKind::StartEnd
        | FindingKind::Drift
        | FindingKind::TraceQuality => 0,
        FindingKind::LoadImbalance | FindingKind::SmallMessages => 1,
        FindingKind::LateSender | FindingKind::LateReceiver => 2,
        FindingKind::CollectiveWait => 3,
        FindingKind::Network => 4,
        FindingKind::NoOverlap => 5,
        FindingKind::DeviatingInterval => 1,
    }
}

fn explains(run: &RunMatrix, cause: &Finding, effect: &Finding) -> bool {
    let is_origin = distance(cause.kind) < distance(effect.kind)
        && !matches!(cause.kind, FindingKind::StartEnd | FindingKind::TraceQuality | FindingKind::Drift);
    (is_origin || distorts(cause, effect))
        && shared(effect, cause) >= COMMON_TIME
        && cause.seconds >= COMMON_COST * effect.seconds
        && cause.seconds >= 1e-3 * run.resource_seconds()
}

/// Whether what the trace lacks may be all that an effect is: a lost line joins two states or leaves one open, and clocks that differ
/// move messages.
fn distorts(cause: &Finding, effect: &Finding) -> bool {
    let is_message = matches!(
        effect.kind,
        FindingKind::LateSender | FindingKind::LateReceiver | FindingKind::Network | FindingKind::NoOverlap
    );
    cause.kind == FindingKind::TraceQuality
        && match cause.evidence {
            Evidence::Diagnostics => effect.kind != FindingKind::TraceQuality,
            _ => is_message,
        }
}

/// Whether two findings say the same: kind, time, and containers of one line.
fn is_same(run: &RunMatrix, one: &Finding, other: &Finding) -> bool {
    let is_line = match (one.container, other.container) {
        (Some(one), Some(other)) => {
            (one..run.containers[one].after).contains(&other) || (other..run.containers[other].after).contains(&one)
        }
        _ => true,
    };
    one.kind == other.kind
        && one.kind != FindingKind::TraceQuality
        && is_line
        && shared(one, other) >= COMMON_TIME
        && shared(other, one) >= COMMON_TIME
}
