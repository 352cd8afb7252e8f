//! Image compositing by 2-3 swap: who sends how much to whom, stage by stage.
//!
//! ```text
//!  image        0         1/3        1/2        2/3         1
//!  group A      A0 ------------------|A1 -------------------|      each has a part of the image
//!  group B      B0 -----------------------------------------|
//!  together     A0 -------|B0 ------------------|A1 --------|      A0 and A1 send a sixth to B0, B0 a third to both
//! ```
//! Processes are halved until each is alone; then groups swap with their neighbors, from the smallest to
//! all: that takes as many stages as the binary logarithm of their number, rounded up. Groups that swap differ by
//! one process at most; when all are equal, that is binary swap, and everyone has one partner per stage.

#[cfg(test)]
mod tests;

/// Bytes of the image.
const IMAGE: u64 = 1 << 24;

/// A message: source, target, bytes.
pub(super) type SwapMessage = (u64, u64, u64);

/// The messages of each stage.
pub(super) fn stages(processes: u64) -> Vec<Vec<SwapMessage>> {
    let count = stage_count(processes);
    let mut stages = vec![vec![]; count as usize];
    swap(0, processes, &mut stages);
    stages
}

/// How many stages a swap takes.
pub(super) fn stage_count(processes: u64) -> u64 {
    u64::from(processes.max(1).next_power_of_two().ilog2())
}

/// Swaps within processes `first..last`, the last stage of which is the last one given. Gives their order: each
/// then has one part of the image after the other.
fn swap(first: u64, last: u64, stages: &mut [Vec<SwapMessage>]) -> Vec<u64> {
    let Some((stage, before)) = stages.split_last_mut().filter(|_| last - first > 1) else {
        return (first..last).collect();
    };
    let middle = first + (last - first).div_ceil(2);
    let (one, other) = (swap(first, middle, before), swap(middle, last, before));
    let order = interleave(&one, &other);
    for (place, (side, target)) in order.iter().enumerate() {
        let senders = if *side == SwapSide::One { &other } else { &one };
        let wanted = part(place, order.len());
        // Those whose parts can overlap with it.
        let first = (place * senders.len() / order.len()).saturating_sub(1);
        let last = ((place + 1) * senders.len()).div_ceil(order.len()) + 1;
        for (at, source) in senders.iter().enumerate().take(last).skip(first) {
            let held = part(at, senders.len());
            let bytes = wanted.1.min(held.1).saturating_sub(wanted.0.max(held.0));
            if bytes > 0 {
                stage.push((*source, *target, bytes));
            }
        }
    }
    stage.sort_unstable();
    order.into_iter().map(|(_, process)| process).collect()
}

/// Which of two groups a process is from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum SwapSide {
    One,
    Other,
}

/// Both groups in the order of the middles of their parts, so that everyone keeps what it has already.
fn interleave(one: &[u64], other: &[u64]) -> Vec<(SwapSide, u64)> {
    // The middle of part i of n is (2 i + 1) / 2n: compared as fractions over both lengths.
    let middles = |group: &[u64], length: usize, side: SwapSide| -> Vec<(usize, SwapSide, u64)> {
        group.iter().enumerate().map(|(at, process)| ((2 * at + 1) * length, side, *process)).collect()
    };
    let mut all = middles(one, other.len(), SwapSide::One);
    all.extend(middles(other, one.len(), SwapSide::Other));
    all.sort_unstable();
    all.into_iter().map(|(_, side, process)| (side, process)).collect()
}

/// From which byte to which the image is cut.
fn part(place: usize, of: usize) -> (u64, u64) {
    let cut = |place: usize| IMAGE * place as u64 / of as u64;
    (cut(place), cut(place + 1))
}
