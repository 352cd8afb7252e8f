//! How long messages take: a latency and a time for each byte, less within a node, with noise and with what is slow.

use super::layout::share_a_node;
use super::noise::NoiseField;
use super::slowdown::Slowdown;

/// Messages of up to so many bytes are sent whether or not anybody is ready for them.
pub(super) const EAGER_BYTES: u64 = 64 << 10;
/// Nanoseconds of a call that only starts something, or finds it done.
pub(super) const CALL: u64 = 1_000;
/// Nanoseconds until the first byte arrives, within a node and between nodes.
const LATENCIES: [u64; 2] = [2_000, 10_000];
/// Nanoseconds of one level of the tree of a meeting, one way.
const MEETING_LEVEL: u64 = 3_000;
/// Bytes in a microsecond.
const BANDWIDTHS: [u64; 2] = [5_000, 1_000];

/// The network of the machine.
#[derive(Debug, Clone, Copy)]
pub(super) struct NetworkModel {
    pub(super) noise: NoiseField,
    /// What is slow, and between which two ranks; `None` for all messages between nodes.
    pub(super) slow: Option<(Slowdown, Option<(u32, u32)>)>,
}

impl NetworkModel {
    /// When a message that starts then has arrived; `number` is that of the message between these two.
    pub(super) fn arrival(&self, start: u64, source: u32, target: u32, bytes: u64, number: u64) -> u64 {
        let is_between = usize::from(!share_a_node(source, target));
        let usual = LATENCIES[is_between] + bytes * 1000 / BANDWIDTHS[is_between];
        let place = [u64::from(source) << 32 | u64::from(target), number, 0];
        let length = self.noise.disturb(usual, place).max(1);
        match self.slow {
            Some((slowdown, Some((left, right))))
                if (source, target) == (left, right) || (target, source) == (left, right) =>
            {
                slowdown.finish(start, length)
            }
            Some((slowdown, None)) if is_between == 1 => slowdown.finish(start, length),
            _ => start + length,
        }
    }

    /// How long a meeting of that many ranks takes after the last one has come: a tree up and down.
    pub(super) fn meeting(ranks: u32) -> u64 {
        2 * MEETING_LEVEL * u64::from(ranks.next_power_of_two().ilog2().max(1))
    }
}
