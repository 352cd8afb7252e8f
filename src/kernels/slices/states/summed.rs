//! States of which a part was added up before: the rows of some bands of time, and the sums of the others.

use super::super::CutBands;
use super::super::words::LONGEST;
use super::StateSlices;
use crate::pairs::NO_NUMBER;

impl StateSlices {
    /// Adds what rows have in some bands; those without a number are omitted.
    pub fn add_cut_rows(&mut self, series: &[u32], starts: &[i64], ends: &[i64], bands: &CutBands) {
        let (mut cut_series, mut cut_starts, mut cut_ends) = (vec![], vec![], vec![]);
        bands.cut(series, starts, ends, |_, series, start, end| {
            cut_series.push(series);
            cut_starts.push(start);
            cut_ends.push(end);
        });
        self.add_rows(&cut_series, &cut_starts, &cut_ends);
    }

    /// Adds sums: `end - start` ticks in the slice of `start`; rows without a number are omitted.
    pub fn add_sums(&mut self, series: &[u32], starts: &[i64], ends: &[i64]) {
        let (first, last) = self.slicing.asked();
        let length = self.slicing.length();
        for ((&series, &start), &end) in series.iter().zip(starts).zip(ends) {
            if series == NO_NUMBER || start < self.slicing.start() || start >= self.slicing.stop() {
                continue;
            }
            let slice = self.slicing.divide(start).0;
            let mut parts = i128::from(end - start) * i128::from(self.slicing.slices());
            if !(first..=last).contains(&slice) {
                continue;
            }
            if length > LONGEST {
                self.large.entry((series, slice)).or_default().time += parts;
                continue;
            }
            // More than a slice when states of one series lie in each other.
            while parts > 0 {
                let now = parts.min(length.into());
                self.change(series, slice, now as i64);
                parts -= now;
            }
        }
    }
}
