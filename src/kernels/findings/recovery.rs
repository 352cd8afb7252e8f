//! What would be recovered: seconds of containers that a cause costs, its own and those of who waits for it.
//!
//! ```text
//!  cause   ####====####====      = beyond the usual
//!  other   ####~~~~####~~~~      ~ waits or communicates longer than the cause does: at most as long as the cause is late
//! ```

use super::matrix::RunMatrix;

/// Seconds of all others that wait for members which are late by `late` seconds in each slice.
pub(super) fn waited_for(run: &RunMatrix, members: (usize, usize), late: &[f64]) -> f64 {
    let count = (members.1 - members.0).max(1) as f64;
    let mut sum = 0.0;
    for (slice, late) in late.iter().enumerate().filter(|(_, late)| **late > 0.0) {
        let own = (members.0..members.1).map(|member| run.blocked(member, slice)).sum::<f64>() / count;
        for member in (0..run.members.len()).filter(|member| !(members.0..members.1).contains(member)) {
            sum += late.min((run.blocked(member, slice) - own).max(0.0));
        }
    }
    sum
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
