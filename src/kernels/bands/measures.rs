//! What is known of a series in a band, and how it adds up.

use std::fmt::Debug;

use super::cells::MOST_TICK;
use crate::slices::extremes::Extremes;
use crate::slices::{SliceCell, take};
use crate::sums::Sum;

/// What a series has in a band of time.
pub trait BandMeasure: Copy + Debug + Default + PartialEq {
    /// What a row has beside its times.
    type Row;

    /// Whether rows count as a whole, in the band that contains them: one that crosses a border of bands stays by itself.
    const IS_WHOLE: bool = false;

    /// The part of a row that lasts so many ticks; `is_begin` of its first part.
    fn of(row: &Self::Row, ticks: i64, is_begin: bool) -> Self;
    /// Whether it is a row by itself that crosses a border of bands of `2^shift` ticks.
    #[inline]
    fn is_apart(&self, _shift: u32) -> bool {
        false
    }
    /// Adds what another one says; false when the sum is not exact.
    #[must_use]
    fn join(&mut self, other: Self) -> bool;
    /// Appends it as bytes.
    fn write(&self, bytes: &mut Vec<u8>);
    /// Takes one from the front of some bytes; `None` when they are too few.
    fn read(bytes: &mut &[u8]) -> Option<Self>;
}

/// Time of rows, and how many begin. Rows without length count, too: so these are also the sums of events.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TimeSums {
    /// The time, in ticks.
    pub ticks: i64,
    /// How many rows begin.
    pub count: u32,
}

impl BandMeasure for TimeSums {
    type Row = ();

    #[inline]
    fn of(_row: &(), ticks: i64, is_begin: bool) -> TimeSums {
        TimeSums { ticks, count: is_begin.into() }
    }

    #[inline]
    fn join(&mut self, other: TimeSums) -> bool {
        let (ticks, count) = (self.ticks.checked_add(other.ticks), self.count.checked_add(other.count));
        *self = TimeSums { ticks: ticks.unwrap_or(0), count: count.unwrap_or(0) };
        ticks.is_some_and(|ticks| ticks <= MOST_TICK) && count.is_some()
    }

    fn write(&self, bytes: &mut Vec<u8>) {
        bytes.extend_from_slice(&self.ticks.to_le_bytes());
        bytes.extend_from_slice(&self.count.to_le_bytes());
    }

    fn read(bytes: &mut &[u8]) -> Option<TimeSums> {
        Some(TimeSums { ticks: i64::from_le_bytes(take(bytes)?), count: u32::from_le_bytes(take(bytes)?) })
    }
}

/// Integral and extremes of a value over time. Sums carry twice the digits of a double, as those of slices do.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ValueSums {
    /// The time that has a value, and how many rows begin.
    pub time: TimeSums,
    /// Value times ticks.
    pub integral: Sum,
    /// The smallest and the largest value.
    pub extremes: Extremes,
}

impl BandMeasure for ValueSums {
    /// The value: a finite number.
    type Row = f64;

    #[inline]
    fn of(value: &f64, ticks: i64, is_begin: bool) -> ValueSums {
        // What has no length shares no time with any slice.
        let extremes = match ticks {
            0 => Extremes::default(),
            _ => Extremes { minimum: *value, maximum: *value },
        };
        ValueSums { time: TimeSums::of(&(), ticks, is_begin), integral: Sum::product(*value, ticks as f64), extremes }
    }

    #[inline]
    fn join(&mut self, other: ValueSums) -> bool {
        self.integral.add(other.integral);
        self.extremes.join(other.extremes);
        self.time.join(other.time) && self.integral.value().is_finite()
    }

    fn write(&self, bytes: &mut Vec<u8>) {
        self.time.write(bytes);
        SliceCell::write(&self.integral, bytes);
        self.extremes.write(bytes);
    }

    fn read(bytes: &mut &[u8]) -> Option<ValueSums> {
        Some(ValueSums {
            time: TimeSums::read(bytes)?,
            integral: <Sum as SliceCell>::read(bytes)?,
            extremes: Extremes::read(bytes)?,
        })
    }
}
