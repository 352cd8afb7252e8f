//! small_messages: communication costs what the number of messages costs, not what their volume does.
//!
//! Messages of up to 4 KiB on average: no network in use moves so little in less time than it takes to begin, since bandwidth
//! times latency is between one and some tens of kilobytes. What they cost is the time in calls of communication and in waiting
//! for messages in flight; links that mark who takes part in a collective are no messages. Recovered is the part that would remain of it if messages were as large as that.

use super::blame::Blame;
use super::evidence::Evidence;
use super::finding::{Finding, FindingKind, moment};
use super::matrix::RunMatrix;
use super::rows::{StateActivity, WaitReason};

/// A message that is no larger is bound by latency, in bytes.
const SMALL: f64 = 4096.0;

/// The finding, if there is one.
pub(super) fn find(run: &RunMatrix, blame: &Blame) -> Option<Finding> {
    let messages: f64 = run.pairs.iter().map(|pair| pair.messages).sum();
    let volume: f64 = run.pairs.iter().map(|pair| pair.volume).sum();
    let size = volume / messages.max(1.0);
    if messages == 0.0 || volume <= 0.0 || size > SMALL {
        return None;
    }
    let calls: f64 = (0..run.members.len())
        .flat_map(|member| (0..run.slices).map(move |slice| (member, slice)))
        .map(|(member, slice)| run.busy(member, StateActivity::Communication, slice))
        .sum();
    // Collectives are calls of communication, too.
    let collective: f64 = run
        .waits
        .iter()
        .filter(|wait| wait.slice.is_none() && wait.kind == WaitReason::Collective)
        .map(|wait| wait.seconds)
        .sum();
    let flights: f64 = blame.network.values().sum();
    let spent = (calls - collective).max(0.0) + flights;
    let seconds = spent * (1.0 - size / SMALL);
    Some(Finding {
        kind: FindingKind::SmallMessages,
        title: format!(
            "{messages:.0} messages of {size:.0} bytes on average: {} are spent on starting and waiting for them, of which messages of \
             {SMALL:.0} bytes would save {}",
            moment(spent),
            moment(seconds)
        ),
        seconds,
        container: run.common(run.members.iter().copied()),
        start: run.start,
        end: run.stop,
        involved: vec![],
        confidence: 1.0 - size / SMALL / 2.0,
        evidence: Evidence::Pairs,
    })
}
