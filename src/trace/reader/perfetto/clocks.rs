//! The clocks of a trace: timestamps of all of them become those of one.
//!
//! ```text
//! snapshot   clock 64 = 1000   boot time = 5000           both at one instant
//! event      clock 64 = 1200 ─► boot time 5200            by the last snapshot at or before it
//! ```
//! Clocks 64 to 127 belong to a sequence. In: snapshots, all before the first conversion. Out: nanoseconds of the
//! clock of the trace.

#[cfg(test)]
mod tests;

use hashbrown::HashMap;

use super::wire::{BadMessage, WireFields};

/// Since the machine was started; the clock of a trace that names no other.
pub(super) const BOOT_TIME: u32 = 6;
/// Nanoseconds since 1970.
const REAL_TIME: u32 = 1;
/// Clocks of a snapshot that are looked at; machines have about ten.
const MOST_CLOCKS: usize = 16;
/// Pairs of clocks that are related; what comes after them is not.
const MOST_PAIRS: usize = 1 << 16;
/// Clocks that are tried as the one between two others.
const MOST_BETWEEN: usize = 64;

/// A clock: its sequence (0 when it belongs to none) and its number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct ClockKey {
    sequence: u32,
    number: u32,
}

impl ClockKey {
    pub fn new(sequence: u32, number: u32) -> ClockKey {
        ClockKey { sequence: if (64..128).contains(&number) { sequence } else { 0 }, number }
    }
}

/// One clock in a snapshot.
#[derive(Debug, Clone, Copy)]
pub(super) struct ClockReading {
    pub number: u32,
    /// Timestamp, in units of the clock.
    pub count: u64,
    pub is_incremental: bool,
    /// Nanoseconds in a unit.
    pub unit: u64,
}

/// The clocks of a snapshot, and the clock of the trace where it names one.
pub(super) fn read_snapshot(bytes: &[u8]) -> Result<(Vec<ClockReading>, Option<u32>), BadMessage> {
    let (mut readings, mut primary) = (vec![], None);
    WireFields::each(bytes, |number, value| {
        match number {
            1 => {
                let mut reading = ClockReading { number: 0, count: 0, is_incremental: false, unit: 1 };
                WireFields::each(value.bytes(), |number, value| {
                    match number {
                        1 => reading.number = value.number() as u32,
                        2 => reading.count = value.number(),
                        3 => reading.is_incremental = value.number() != 0,
                        4 => reading.unit = value.number().max(1),
                        _ => (),
                    }
                    Ok(())
                })?;
                readings.push(reading);
            }
            2 => primary = Some(value.number() as u32),
            _ => (),
        }
        Ok(())
    })?;
    Ok((readings, primary))
}

/// All snapshots of a trace.
#[derive(Debug, Default)]
pub(super) struct TraceClocks {
    primary: Option<u32>,
    /// By two clocks: the times of both in snapshots, by the time of the first.
    pairs: HashMap<(ClockKey, ClockKey), Vec<(i64, i64)>>,
    /// The clocks that share a snapshot with one, when all were taken.
    neighbors: HashMap<ClockKey, Vec<ClockKey>>,
    units: HashMap<ClockKey, u64>,
}

impl TraceClocks {
    /// Takes a snapshot.
    pub fn add(&mut self, sequence: u32, bytes: &[u8]) -> Result<(), BadMessage> {
        let (readings, primary) = read_snapshot(bytes)?;
        self.primary = self.primary.or(primary);
        let mut times = vec![];
        for reading in readings.into_iter().take(MOST_CLOCKS) {
            let key = ClockKey::new(sequence, reading.number);
            self.units.insert(key, reading.unit);
            times.push((key, self.nanoseconds(key, reading.count)));
        }
        for (from, time) in &times {
            for (to, other) in times.iter().filter(|(to, _)| to != from) {
                if self.pairs.len() < MOST_PAIRS || self.pairs.contains_key(&(*from, *to)) {
                    self.pairs.entry((*from, *to)).or_default().push((*time, *other));
                }
            }
        }
        Ok(())
    }

    /// Puts the snapshots in order, when all were taken.
    pub fn close(&mut self) {
        for times in self.pairs.values_mut() {
            times.sort_unstable();
        }
        for (from, to) in self.pairs.keys() {
            self.neighbors.entry(*from).or_default().push(*to);
        }
        for between in self.neighbors.values_mut() {
            between.sort_unstable_by_key(|key| (key.sequence, key.number));
            between.truncate(MOST_BETWEEN);
        }
    }

    /// The number of the trace's clock.
    pub fn primary(&self) -> u32 {
        self.primary.unwrap_or(BOOT_TIME)
    }

    /// Nanoseconds of a count of a clock, by that clock.
    pub fn nanoseconds(&self, key: ClockKey, count: u64) -> i64 {
        let unit = self.units.get(&key).copied().unwrap_or(1);
        count.saturating_mul(unit).min(i64::MAX as u64) as i64
    }

    /// The time of the trace's clock; `None` when no snapshot relates both clocks.
    pub fn convert(&self, from: ClockKey, time: i64) -> Option<i64> {
        let to = ClockKey::new(0, self.primary());
        if from == to || self.pairs.is_empty() {
            return Some(time);
        }
        if let Some(converted) = self.direct(from, to, time) {
            return Some(converted);
        }
        // Through a clock that shares a snapshot with each.
        let mut between = self.neighbors.get(&from)?.iter();
        between.find_map(|key| self.direct(*key, to, self.direct(from, *key, time)?))
    }

    /// The date of a time of the trace's clock, in milliseconds since 1970.
    pub fn date_ms(&self, time: i64) -> Option<i64> {
        let real = self.direct(ClockKey::new(0, self.primary()), ClockKey::new(0, REAL_TIME), time)?;
        (self.primary() != REAL_TIME).then_some(real.div_euclid(1_000_000))
    }

    /// By the last snapshot of both clocks at or before a time, or the first after it.
    fn direct(&self, from: ClockKey, to: ClockKey, time: i64) -> Option<i64> {
        let times = self.pairs.get(&(from, to))?;
        let after = times.partition_point(|(reading, _)| *reading <= time);
        let (here, there) = times.get(after.saturating_sub(1))?;
        time.checked_sub(*here)?.checked_add(*there)
    }
}
