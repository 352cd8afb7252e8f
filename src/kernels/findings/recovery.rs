//! What would be recovered: seconds of containers that a cause costs, its own and those of who waits for it.
//!
//! ```text
//!  cause   ####====####====      = beyond the usual
//!  other   ####~~~~####~~~~      ~ waits or communicates longer than the cause does: at most as long as the cause is late
//! ```
//! Only who is known to depend on others waits for them: see [`RunMatrix::connected`]. A thread that sleeps, as operating systems record
//! it, waits for something that is not in the trace.

use super::blame::Blame;
use super::matrix::RunMatrix;
use super::rows::WaitReason;
use super::statistics::median;

/// The least rest of a run, as a part of it, that says what is usual.
const LEAST_REST: f64 = 0.1;

/// Seconds of all others that wait for members which are late by `late` seconds in each slice: those in which they wait longer than these
/// members, or the waiting of which these are the origin if that is more; no more than each other could wait.
pub(super) fn waited_for(run: &RunMatrix, blame: &Blame, members: (usize, usize), late: &[f64]) -> f64 {
    let others = run.members.len() - (members.1 - members.0);
    let most = late.iter().sum::<f64>() * others as f64;
    blocked_longer(run, members, late).max(origin(run, blame, members).min(most))
}

/// Seconds that others wait directly for members between two slices, beyond what they wait for them at other times: no more than each
/// other could wait for members which are late by so many seconds. Where next to nothing is left of the run, nobody knows.
pub(super) fn waited_longer(run: &RunMatrix, members: (usize, usize), slices: (usize, usize), late: f64) -> f64 {
    let waited = waited_directly(run);
    let rows = members.0 * run.slices..members.1 * run.slices;
    let (mut inside, mut outside) = (0.0, 0.0);
    for (place, seconds) in waited[rows].iter().enumerate() {
        let is_inside = (slices.0..slices.1).contains(&(place % run.slices));
        *(if is_inside { &mut inside } else { &mut outside }) += seconds;
    }
    let (length, whole) = ((slices.1 - slices.0) as f64, run.slices as f64);
    let rest = whole - length;
    let others = run.members.len() - (members.1 - members.0);
    let longer = if rest >= LEAST_REST * whole { inside - outside * length / rest } else { 0.0 };
    longer.clamp(0.0, late * others as f64)
}

/// Seconds in which others wait for each member, by slice.
pub(super) fn waited_directly(run: &RunMatrix) -> Vec<f64> {
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

/// Seconds of waiting of which members are the origin, beyond what the median member is.
fn origin(run: &RunMatrix, blame: &Blame, members: (usize, usize)) -> f64 {
    let seconds = |member: usize| blame.origins.get(&run.members[member]).copied().unwrap_or(0.0);
    let usual = median((0..run.members.len()).map(seconds));
    (members.0..members.1).map(|member| (seconds(member) - usual).max(0.0)).sum()
}

/// Seconds in which others wait longer than members, in total: others may wait in later slices than those in which the work began.
fn blocked_longer(run: &RunMatrix, members: (usize, usize), late: &[f64]) -> f64 {
    let count = (members.1 - members.0).max(1) as f64;
    if !run.connected[members.0..members.1].contains(&true) {
        return 0.0;
    }
    let slices: Vec<usize> = (0..late.len()).filter(|slice| late[*slice] > 0.0).collect();
    let whole: f64 = late.iter().sum();
    let blocked = |member: usize| slices.iter().map(|slice| run.blocked(member, *slice)).sum::<f64>();
    let own = (members.0..members.1).map(blocked).sum::<f64>() / count;
    let others =
        (0..run.members.len()).filter(|member| !(members.0..members.1).contains(member) && run.connected[*member]);
    others.map(|member| (blocked(member) - own).clamp(0.0, whole)).sum()
}

/// Seconds that siblings would recover if all had as much work as the mean: those in which they wait for the one with the
/// most, by slice. `amount` gives the work of a member in a slice.
pub(super) fn balanced(
    run: &RunMatrix,
    siblings: &[usize],
    slices: (usize, usize),
    amount: impl Fn(usize, usize) -> f64,
) -> f64 {
    let blocked = |member: usize| (slices.0..slices.1).map(|slice| run.blocked(member, slice)).sum::<f64>();
    let sum = |member: &usize| (slices.0..slices.1).map(|slice| amount(*member, slice)).sum::<f64>();
    let sums: Vec<f64> = siblings.iter().map(sum).collect();
    let most = sums.iter().copied().fold(0.0, f64::max);
    let waits = siblings.iter().zip(&sums).filter(|(member, _)| run.connected[**member]);
    waits.map(|(member, sum)| (most - sum).min(blocked(*member)).max(0.0)).sum()
}
