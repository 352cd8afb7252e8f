//! Where and when the events of a bundle happened: all of one CPU, by one clock.

use super::clocks::{ClockKey, TraceClocks};
use crate::reader::EventWriter;

const NANOSECONDS: u64 = 1_000_000_000;
/// The number of a track that there is none of.
pub(super) const NO_TRACK: u32 = u32::MAX;

/// One CPU of a machine, with the offset of the packet.
#[derive(Debug, Clone, Copy)]
pub(super) struct BundleSite {
    pub machine: u32,
    pub cpu: u32,
    pub byte: u64,
    /// Nanoseconds to add to timestamps.
    pub shift: i64,
    /// The clock of the timestamps, when it is not that of the trace.
    pub clock: Option<u32>,
}

impl BundleSite {
    /// The tick of a timestamp of the bundle.
    pub fn tick(&self, timestamp: u64, clocks: &TraceClocks, writer: &mut EventWriter<'_>) -> Option<i64> {
        let time = i64::try_from(timestamp).ok()?.checked_add(self.shift)?;
        let time = match self.clock {
            Some(clock) => clocks.convert(ClockKey::new(0, clock), time).unwrap_or(time),
            None => time,
        };
        writer.tick(i128::from(time), NANOSECONDS)
    }
}
