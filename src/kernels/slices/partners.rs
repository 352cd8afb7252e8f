//! How many different partners each slice has, from ranges of slices in which there is one.
//!
//! Ranges are only noted down; now and then they are sorted, and those of one partner that touch become
//! one. So room grows with different ranges, not with rows, and each row costs a constant but for the
//! sorting.

use super::take;

/// One partner of one series in the slices `first..=last`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct PartnerRange {
    series: u32,
    partner: i64,
    first: u32,
    last: u32,
}

/// The partners of many series.
#[derive(Debug, Default)]
pub struct Partners {
    ranges: Vec<PartnerRange>,
    /// How many of the ranges, from the first on, are sorted and do not touch.
    sorted: usize,
}

/// Fewer ranges than this are not worth sorting.
const FEW: usize = 1024;

impl Partners {
    /// Notes a partner for the slices `first..=last`.
    pub fn add(&mut self, series: u32, partner: i64, first: u32, last: u32) {
        self.ranges.push(PartnerRange { series, partner, first, last });
        if self.ranges.len() >= FEW.max(2 * self.sorted) && self.ranges.len() == self.ranges.capacity() {
            self.tidy();
        }
    }

    /// Sorts the ranges, and joins those of one partner that touch.
    pub fn tidy(&mut self) {
        if self.sorted == self.ranges.len() {
            return;
        }
        self.ranges.sort_unstable();
        self.ranges.dedup_by(|next, known| {
            let touches = (next.series, next.partner) == (known.series, known.partner) && next.first <= known.last + 1;
            if touches {
                known.last = known.last.max(next.last);
            }
            touches
        });
        self.sorted = self.ranges.len();
    }

    /// The ranges of a series; they must be tidy.
    fn of_series(&self, series: u32) -> &[PartnerRange] {
        let begin = self.ranges.partition_point(|range| range.series < series);
        let end = self.ranges.partition_point(|range| range.series <= series);
        &self.ranges[begin..end]
    }

    /// By how much the number of partners changes from slice to slice, in order; they must be tidy.
    pub fn steps(&self, series: u32) -> Vec<(u32, i64)> {
        let ranges = self.of_series(series);
        let mut steps: Vec<(u32, i64)> =
            ranges.iter().flat_map(|range| [(range.first, 1), (range.last + 1, -1)]).collect();
        steps.sort_unstable();
        steps.dedup_by(|next, known| {
            let is_same = next.0 == known.0;
            known.1 += if is_same { next.1 } else { 0 };
            is_same
        });
        steps
    }

    /// Appends the ranges of a series as bytes; they must be tidy.
    pub fn write(&self, series: u32, bytes: &mut Vec<u8>) {
        let ranges = self.of_series(series);
        bytes.extend_from_slice(&(ranges.len() as u64).to_le_bytes());
        for range in ranges {
            bytes.extend_from_slice(&range.partner.to_le_bytes());
            bytes.extend_from_slice(&range.first.to_le_bytes());
            bytes.extend_from_slice(&range.last.to_le_bytes());
        }
    }

    /// Adds a series that was written; `None` when it was not.
    pub fn read(&mut self, series: u32, bytes: &mut &[u8]) -> Option<()> {
        for _ in 0..u64::from_le_bytes(take(bytes)?) {
            let partner = i64::from_le_bytes(take(bytes)?);
            self.add(series, partner, u32::from_le_bytes(take(bytes)?), u32::from_le_bytes(take(bytes)?));
        }
        Some(())
    }

    /// Bytes that are held.
    pub fn size(&self) -> usize {
        self.ranges.capacity() * size_of::<PartnerRange>()
    }
}
