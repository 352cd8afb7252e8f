//! start_end: how long the program takes to start and to end.
//!
//! Time in states whose activity is start and end. The interval reaches from the begin of the window as far as slices are mostly
//! such, taken together; that of the end is looked for in the same way from the end of the window, after the start: no slice belongs to both.
//! Containers of which nothing is known then, such as threads that are not there
//! yet, do not count in that, but have nothing to do before the start is over either: their time is recovered too.

use super::evidence::Evidence;
use super::finding::{Finding, FindingKind, moment};
use super::matrix::RunMatrix;
use super::rows::StateActivity;

/// The findings: of the start and of the end.
pub(super) fn find(run: &RunMatrix) -> Vec<Finding> {
    let sum = |activity: StateActivity, slice: usize| {
        (0..run.members.len()).map(|member| run.busy(member, activity, slice)).sum::<f64>()
    };
    let share = |slice: usize| {
        let known: f64 = StateActivity::ALL.iter().map(|activity| sum(*activity, slice)).sum();
        let known = known - sum(StateActivity::Unknown, slice);
        if known > 0.0 { sum(StateActivity::StartAndEnd, slice) / known } else { 0.0 }
    };
    let shares: Vec<f64> = (0..run.slices).map(share).collect();
    let first = longest_start(shares.iter().copied());
    let last = run.slices - longest_start(shares[first..].iter().rev().copied());
    let mut found = vec![];
    for (what, slices) in [("start", (0, first)), ("end", (last, run.slices))] {
        // The slice at the border belongs to it in part; where both have the same, it is the start's.
        let border = match what {
            "start" => first..(first + 1).min(run.slices),
            _ => last.saturating_sub(1).max(first + 1)..last,
        };
        let idle: f64 = (slices.0..slices.1).map(|slice| sum(StateActivity::Unknown, slice)).sum();
        let seconds: f64 = (slices.0..slices.1).map(|slice| sum(StateActivity::StartAndEnd, slice)).sum::<f64>() + idle;
        let seconds = seconds + border.clone().map(|slice| sum(StateActivity::StartAndEnd, slice)).sum::<f64>();
        let rest: f64 = border.map(|slice| shares[slice]).sum();
        let length = rest * run.width();
        let (start, end) = match what {
            "start" => (run.start, run.time(slices.1) + length),
            _ => (run.time(slices.0) - length, run.stop),
        };
        if seconds > 0.0 {
            found.push(Finding {
                kind: FindingKind::StartEnd,
                title: format!("the {what} of the program takes {} of all containers", moment(seconds)),
                seconds,
                container: run.common(run.members.iter().copied()),
                start,
                end,
                involved: involved(run),
                confidence: 0.9,
                evidence: Evidence::ActivityTimes("start and end"),
            });
        }
    }
    found
}

/// With how many slices a series begins that are mostly start and end, taken together.
fn longest_start(shares: impl Iterator<Item = f64>) -> usize {
    let (mut sum, mut most, mut found) = (0.0, 0.0, 0);
    for (slice, share) in shares.enumerate() {
        sum += share - 0.5;
        if sum > most {
            (most, found) = (sum, slice + 1);
        }
    }
    found
}

fn involved(run: &RunMatrix) -> Vec<String> {
    run.values
        .iter()
        .filter(|value| value.activity == StateActivity::StartAndEnd)
        .map(|value| value.name.clone())
        .collect()
}
