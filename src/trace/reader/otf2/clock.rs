//! Clocks: the timer of the archive, and the offsets of a location against it.

#[cfg(test)]
mod tests;

/// The clock of the archive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Timer {
    /// Counts per second.
    pub resolution: u64,
    /// The count at which the trace starts.
    pub start: u64,
    /// The date of the start, in nanoseconds since 1970.
    pub date: Option<u64>,
}

/// A measurement of how far a location's clock was off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Offset {
    pub time: u64,
    pub offset: i64,
}

/// Corrects the timestamps of one location: between two measurements the offset is interpolated, before
/// the first and after the last it goes on along the same line. One measurement alone corrects nothing,
/// as in the reference reader.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Correction {
    offsets: Vec<Offset>,
    /// Interval of the last timestamp: timestamps of a file never decrease.
    at: usize,
}

impl Correction {
    /// Takes a measurement; refuses one that is not later than the one before.
    pub fn add(&mut self, offset: Offset) -> Result<(), Offset> {
        match self.offsets.last() {
            Some(last) if last.time >= offset.time => Err(offset),
            _ => {
                self.offsets.push(offset);
                Ok(())
            }
        }
    }

    /// The timestamp on the common clock.
    pub fn apply(&mut self, time: u64) -> i128 {
        if self.offsets.len() < 2 {
            return i128::from(time);
        }
        while self.at + 2 < self.offsets.len() && time > self.offsets[self.at + 1].time {
            self.at += 1;
        }
        let (from, to) = (self.offsets[self.at], self.offsets[self.at + 1]);
        let slope = (i128::from(to.offset) - i128::from(from.offset)) as f64 / (to.time - from.time) as f64;
        let distance = (i128::from(time) - i128::from(from.time)) as f64;
        let drift = (slope * distance).round_ties_even();
        i128::from(time) + i128::from(from.offset) + drift as i64 as i128
    }
}
