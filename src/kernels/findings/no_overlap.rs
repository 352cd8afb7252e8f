//! no_overlap: containers wait for messages in flight though they have computation that could run meanwhile.
//!
//! What is waited for messages in flight, where no place and no interval stands out: see
//! [`network`](super::network). Which computation depends on the messages is not in a trace: half of it is taken to, so that
//! half of the waiting is recovered, and at most what each container computes. Small messages are a kind of their own.

use super::blame::Blame;
use super::evidence::Evidence;
use super::finding::{Finding, FindingKind, moment};
use super::matrix::RunMatrix;
use super::rows::{StateActivity, WaitReason};

/// Part of the waiting that computation is taken to be able to hide.
const HIDDEN: f64 = 0.5;

/// The finding, if there is one, of so many seconds of waiting.
pub(super) fn find(run: &RunMatrix, blame: &Blame, seconds: f64) -> Option<Finding> {
    let flights: f64 = blame.flights.values().sum();
    let mut hidden = 0.0;
    for wait in run.waits.iter().filter(|wait| wait.slice.is_none() && wait.kind == WaitReason::Transfer) {
        let member = wait.container.and_then(|id| run.place(id)).and_then(|place| run.member_at(place));
        let computes = member.map_or(0.0, |member| {
            (0..run.slices).map(|slice| run.busy(member, StateActivity::Computation, slice)).sum::<f64>()
        });
        hidden += wait.seconds.min(computes);
    }
    if flights <= 0.0 || hidden <= 0.0 {
        return None;
    }
    let whole = seconds * (hidden / flights).min(1.0);
    Some(Finding {
        kind: FindingKind::NoOverlap,
        title: format!("{} are spent waiting for messages in flight, while computation could run", moment(whole)),
        seconds: HIDDEN * whole,
        container: run.common(run.members.iter().copied()),
        start: run.start,
        end: run.stop,
        involved: vec![],
        confidence: 0.5,
        evidence: Evidence::WaitsOf("transfer"),
    })
}
