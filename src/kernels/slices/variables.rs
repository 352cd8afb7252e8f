//! Integral, extremes and covered time of a variable per slice: a few updates per row.
//!
//! ```text
//!  slice       a     a+1   a+2    c
//!           |---##|#####|#####|##---|     value · time goes into the direct sums of a and c;
//!                  whole slices           from a+1 on the value is added to a running sum, from c on
//!                                         taken away again
//! ```

mod summed;

pub use summed::VariableSum;

use super::extremes::{Extremes, RunExtremes};
use super::states::{self, StateSlices};
use super::{Leaves, SliceCell, SliceStore, Slicing};
use crate::sums::Sum;

/// What is added up in one slice.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct ValueCell {
    /// Value times n-ths of a tick, of what begins or ends in the slice.
    direct: Sum,
    /// By how much the sum of the values that cover whole slices changes here.
    step: Sum,
}

impl SliceCell for ValueCell {
    fn join(&mut self, other: ValueCell) {
        self.direct.add(other.direct);
        self.step.add(other.step);
    }

    fn write(&self, bytes: &mut Vec<u8>) {
        self.direct.write(bytes);
        self.step.write(bytes);
    }

    fn read(bytes: &mut &[u8]) -> Option<ValueCell> {
        Some(ValueCell { direct: Sum::read(bytes)?, step: Sum::read(bytes)? })
    }
}

/// A value over the part of an interval that is asked for.
#[derive(Debug, Clone, Copy)]
pub struct VariablePart {
    time: states::StatePart,
    value: f64,
}

impl VariablePart {
    /// `None` when nothing of the interval is asked for, or when the value is no finite number.
    #[inline]
    pub fn of(slicing: &Slicing, start: i64, end: i64, value: f64) -> Option<VariablePart> {
        let time = states::StatePart::of(slicing, start, end)?;
        value.is_finite().then_some(VariablePart { time, value })
    }
}

/// A variable in one slice.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct VariableSlice {
    /// Value times seconds.
    pub integral: f64,
    /// Smallest and largest value in the slice.
    pub extremes: Extremes,
    /// Seconds that have a value.
    pub covered: f64,
}

/// Variables of many series.
#[derive(Debug)]
pub struct Variables {
    slicing: Slicing,
    covered: StateSlices,
    values: Leaves<ValueCell>,
    extremes: RunExtremes,
}

impl Variables {
    /// Adds value times time in the slices where a part begins or ends, and a step around those between.
    #[inline]
    fn add_value(&mut self, series: u32, part: VariablePart) {
        let (time, value) = (part.time, part.value);
        let length = self.slicing.length();
        let last = self.slicing.asked().1;
        let area = |rest: i64| Sum::product(value, rest as f64);
        if time.from == time.to {
            self.values.cell(series, time.from).direct.add(area(time.to_rest - time.from_rest));
            return;
        }
        self.values.cell(series, time.from).direct.add(area(length - time.from_rest));
        if time.to <= last {
            self.values.cell(series, time.to).direct.add(area(time.to_rest));
        }
        if time.from < last && time.from + 1 < time.to {
            self.values.cell(series, time.from + 1).step.add(Sum::of(value));
            if time.to <= last {
                self.values.cell(series, time.to).step.subtract(Sum::of(value));
            }
        }
    }

    /// The cells that were changed, in order.
    fn changes(&self, series: u32) -> Vec<(u32, ValueCell)> {
        let mut changes = vec![];
        self.values.each(series, &mut |slice, cell| changes.push((slice, *cell)));
        changes
    }
}

impl SliceStore for Variables {
    type Part = VariablePart;
    type Measure = VariableSlice;

    fn new(slicing: Slicing) -> Variables {
        let slices = slicing.slices();
        let (values, extremes) = (Leaves::new(slices), RunExtremes::new(slices));
        Variables { slicing, covered: StateSlices::new(slicing), values, extremes }
    }

    fn add_series(&mut self) -> u32 {
        self.extremes.add_series();
        self.values.add_series();
        self.covered.add_series()
    }

    #[inline]
    fn add(&mut self, series: u32, part: VariablePart) {
        self.covered.add(series, part.time);
        if let Some((first, last)) = part.time.slices(&self.slicing) {
            self.add_value(series, part);
            self.extremes.add(series, first, last, part.value);
        }
    }

    fn is_crowded(&self) -> bool {
        self.covered.is_crowded() || self.values.is_crowded() || self.extremes.is_crowded()
    }

    fn tidy(&mut self) {
        self.covered.tidy();
        self.values.tidy(&mut |_, _, _| ());
        self.extremes.tidy();
    }

    fn measures(&mut self, series: u32, give: &mut impl FnMut(u32, VariableSlice)) {
        let slicing = self.slicing;
        let changes = self.changes(series);
        let extremes = self.extremes.slices(series);
        let (mut changes, mut extremes) = (changes.iter().peekable(), extremes.iter());
        let mut running = Sum::default();
        self.covered.parts(series, &mut |slice, parts| {
            let mut area = Sum::default();
            while let Some((place, cell)) = changes.next_if(|(place, _)| *place <= slice) {
                running.add(cell.step);
                if *place == slice {
                    area = cell.direct;
                }
            }
            area.add(running.times(slicing.length() as f64));
            // Every slice that has time has extremes.
            let extremes = extremes.find(|(place, _)| *place == slice).map(|(_, extremes)| *extremes);
            give(
                slice,
                VariableSlice {
                    integral: slicing.per_seconds(area.value()),
                    extremes: extremes.unwrap_or_default(),
                    covered: slicing.seconds(parts),
                },
            );
        });
    }

    fn write(&self, series: u32, bytes: &mut Vec<u8>) {
        self.covered.write(series, bytes);
        self.values.write(series, bytes);
        self.extremes.write(series, bytes);
    }

    fn read(&mut self, series: u32, bytes: &mut &[u8]) -> Option<()> {
        self.covered.read(series, bytes)?;
        self.values.read(series, bytes, &mut |_, _, _| ())?;
        self.extremes.read(series, bytes)
    }

    fn clear(&mut self) {
        self.covered.clear();
        self.values.clear();
        self.extremes.clear();
    }

    fn size(&self) -> usize {
        self.covered.size() + self.values.size() + self.extremes.size()
    }
}
