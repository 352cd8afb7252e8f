//! What would be recovered: seconds of containers that a cause costs, its own and those of who waits for it.
//!
//! ```text
//!  cause   ####====####====      = beyond the usual
//!  other   ####~~~~####~~~~      ~ waits or communicates longer than the cause does: at most as long as the cause is late
//! ```

use super::matrix::RunMatrix;

/// Seconds of all others that wait for members which are late by `late` seconds in each slice, in total: others may wait in
/// later slices than those in which the work began.
pub(super) fn waited_for(run: &RunMatrix, members: (usize, usize), late: &[f64]) -> f64 {
    let count = (members.1 - members.0).max(1) as f64;
    let slices: Vec<usize> = (0..late.len()).filter(|slice| late[*slice] > 0.0).collect();
    let whole: f64 = late.iter().sum();
    let blocked = |member: usize| slices.iter().map(|slice| run.blocked(member, *slice)).sum::<f64>();
    let own = (members.0..members.1).map(blocked).sum::<f64>() / count;
    let others = (0..run.members.len()).filter(|member| !(members.0..members.1).contains(member));
    others.map(|member| (blocked(member) - own).clamp(0.0, whole)).sum()
}

/// Seconds that members would recover if all had as much work as the mean: those in which they wait for the one with the
/// most, by slice. `amount` gives the work of a member in a slice.
pub(super) fn balanced(run: &RunMatrix, slices: (usize, usize), amount: impl Fn(usize, usize) -> f64) -> f64 {
    let count = run.members.len();
    let sums: Vec<f64> =
        (0..count).map(|member| (slices.0..slices.1).map(|slice| amount(member, slice)).sum()).collect();
    let most = sums.iter().copied().fold(0.0, f64::max);
    let blocked = |member: usize| (slices.0..slices.1).map(|slice| run.blocked(member, slice)).sum::<f64>();
    (0..count).map(|member| (most - sums[member]).min(blocked(member)).max(0.0)).sum()
}
