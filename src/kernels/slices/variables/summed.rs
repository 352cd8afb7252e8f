//! Variables of which a part was added up before: the rows of some bands of time, and the sums of the others.

use super::super::extremes::Extremes;
use super::super::{CutBands, SliceStore};
use super::{VariablePart, Variables};
use crate::sums::Sum;

/// What a series has in a band that lies in one slice.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct VariableSum {
    /// When the band begins, and that plus the ticks that have a value.
    pub interval: (i64, i64),
    /// Value times ticks.
    pub integral: Sum,
    /// The smallest and the largest value.
    pub extremes: Extremes,
}

impl Variables {
    /// Adds what rows have in some bands; those without a number are omitted, and so are values that are no numbers.
    pub fn add_cut_rows(&mut self, series: &[u32], starts: &[i64], ends: &[i64], values: &[f64], bands: &CutBands) {
        let slicing = self.slicing;
        bands.cut(series, starts, ends, |row, series, start, end| {
            if let Some(part) = VariablePart::of(&slicing, start, end, values[row]) {
                self.add(series, part);
            }
        });
    }

    /// Adds sums of bands. Those without time have no extremes, and nothing to add.
    pub fn add_sum(&mut self, series: u32, sum: &VariableSum) {
        let (start, end) = sum.interval;
        if start >= end || start < self.slicing.start() || start >= self.slicing.stop() {
            return;
        }
        let slice = self.slicing.divide(start).0;
        let (first, last) = self.slicing.asked();
        if !(first..=last).contains(&slice) {
            return;
        }
        self.covered.add_sums(&[series], &[start], &[end]);
        let area = sum.integral.times(f64::from(self.slicing.slices()));
        self.values.cell(series, slice).direct.add(area);
        self.extremes.add(series, slice, slice, sum.extremes.minimum);
        self.extremes.add(series, slice, slice, sum.extremes.maximum);
    }
}
