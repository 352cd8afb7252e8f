//! Bounds of intervals as whole numbers that keep their order.
//!
//! A double becomes the integer of the same rank, so that a next double is a next integer. The
//! instant t is then the interval [t, t + 1) of integers, and one comparison serves every case.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, Float64Array, Int64Array, PrimitiveArray};
use arrow::buffer::NullBuffer;
use arrow::compute::cast;
use arrow::datatypes::{ArrowPrimitiveType, DataType, Float64Type, Int64Type};
use arrow::error::ArrowError;

/// What the bounds of both sides are compared as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Clock {
    /// Whole numbers, exactly.
    Ticks,
    /// Doubles.
    Seconds,
}

impl Clock {
    /// The clock of bounds of these types: ticks when all are whole; `None` when one is no number.
    pub fn of<'a>(kinds: impl IntoIterator<Item = &'a DataType>) -> Option<Clock> {
        let mut clock = Clock::Ticks;
        for kind in kinds {
            match kind {
                DataType::UInt64 => clock = Clock::Seconds,
                kind if kind.is_integer() || kind.is_null() => {}
                kind if kind.is_numeric() => clock = Clock::Seconds,
                _ => return None,
            }
        }
        Some(clock)
    }

    /// Bounds of spans as the numbers that they were; NULL where they are not valid.
    pub fn numbers(self, bounds: Vec<i64>, nulls: Option<NullBuffer>) -> ArrayRef {
        match self {
            Clock::Ticks => Arc::new(Int64Array::new(bounds.into(), nulls)),
            Clock::Seconds => {
                let seconds: Vec<f64> = bounds.into_iter().map(double).collect();
                Arc::new(Float64Array::new(seconds.into(), nulls))
            }
        }
    }

    /// The type that bounds are cast to.
    pub fn data_type(self) -> DataType {
        match self {
            Clock::Ticks => DataType::Int64,
            Clock::Seconds => DataType::Float64,
        }
    }
}

/// Intervals of whole numbers, `[start, end)`; a row that overlaps nothing is [`Spans::NOTHING`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Spans {
    pub starts: Vec<i64>,
    pub ends: Vec<i64>,
    /// Which rows were empty intervals; those behind its end were not.
    instants: Vec<bool>,
}

/// Whether two intervals share something.
#[inline]
pub fn overlap(one: (i64, i64), other: (i64, i64)) -> bool {
    one.0 < other.1 && other.0 < one.1
}

/// What two intervals of numbers share; an instant is shared as an empty interval.
#[inline]
pub fn shared<T: PartialOrd + Copy>(one: (T, T), other: (T, T)) -> Option<(T, T)> {
    let start = if one.0 < other.0 { other.0 } else { one.0 };
    let end = if other.1 < one.1 { other.1 } else { one.1 };
    let is_ordered = one.0 <= one.1 && other.0 <= other.1;
    let is_shared = start < end || (start == end && (holds_instant(one, other) || holds_instant(other, one)));
    (is_ordered && is_shared).then_some((start, end))
}

/// Whether an empty interval is an instant of another interval, which may be empty too.
fn holds_instant<T: PartialOrd + Copy>(instant: (T, T), other: (T, T)) -> bool {
    instant.0 == instant.1 && (instant.0 < other.1 || other.0 == other.1)
}

impl Spans {
    /// Starts after every end, and ends before every start.
    pub const NOTHING: (i64, i64) = (i64::MAX, i64::MIN);

    /// The intervals of two arrays of numbers.
    pub fn new(starts: &dyn Array, ends: &dyn Array, clock: Clock) -> Result<Spans, ArrowError> {
        let mut spans = Spans::default();
        spans.append(starts, ends, clock)?;
        Ok(spans)
    }

    pub fn with_capacity(rows: usize) -> Spans {
        Spans { starts: Vec::with_capacity(rows), ends: Vec::with_capacity(rows), instants: vec![] }
    }

    /// Replaces all rows by the intervals of two arrays of numbers, in the room that there is.
    pub fn replace(&mut self, starts: &dyn Array, ends: &dyn Array, clock: Clock) -> Result<(), ArrowError> {
        self.instants.clear();
        self.write(0, starts, ends, clock)
    }

    /// Adds the intervals of two arrays of numbers.
    pub fn append(&mut self, starts: &dyn Array, ends: &dyn Array, clock: Clock) -> Result<(), ArrowError> {
        self.write(self.len(), starts, ends, clock)
    }

    /// Writes rows from `first` on; what was behind them is gone.
    fn write(&mut self, first: usize, starts: &dyn Array, ends: &dyn Array, clock: Clock) -> Result<(), ArrowError> {
        let starts = cast(starts, &clock.data_type())?;
        let ends = cast(ends, &clock.data_type())?;
        self.starts.truncate(first);
        self.ends.truncate(first);
        match clock {
            Clock::Ticks => {
                let (starts, ends) = (starts.as_primitive::<Int64Type>(), ends.as_primitive::<Int64Type>());
                let are_plain = all_rows(starts, ends, |start, end| (start <= end) & (end < i64::MAX));
                match are_plain {
                    true => self.extend_plain(starts, ends, |tick| tick),
                    false => self.extend(starts, ends, ticks),
                }
            }
            Clock::Seconds => {
                let (starts, ends) = (starts.as_primitive::<Float64Type>(), ends.as_primitive::<Float64Type>());
                let are_plain = all_rows(starts, ends, |start, end| (0.0 <= start) & (start <= end));
                match are_plain {
                    // The rank of a positive double is its bits.
                    true => self.extend_plain(starts, ends, |seconds| (seconds + 0.0).to_bits().cast_signed()),
                    false => self.extend(starts, ends, seconds),
                }
            }
        }
        Ok(())
    }

    /// Adds rows that are in order and not NULL.
    fn extend_plain<T: ArrowPrimitiveType>(
        &mut self,
        starts: &PrimitiveArray<T>,
        ends: &PrimitiveArray<T>,
        rank: impl Fn(T::Native) -> i64,
    ) {
        self.mark_instants(starts, ends);
        self.starts.extend(starts.values().iter().map(|start| rank(*start)));
        let bounds = starts.values().iter().zip(ends.values());
        self.ends.extend(bounds.map(|(start, end)| rank(*end) + i64::from(start == end)));
    }

    /// Adds any rows.
    fn extend<T: ArrowPrimitiveType>(
        &mut self,
        starts: &PrimitiveArray<T>,
        ends: &PrimitiveArray<T>,
        span: impl Fn(T::Native, T::Native) -> (i64, i64),
    ) {
        self.mark_instants(starts, ends);
        for row in 0..starts.len() {
            let (start, end) = match starts.is_valid(row) && ends.is_valid(row) {
                true => span(starts.value(row), ends.value(row)),
                false => Spans::NOTHING,
            };
            self.starts.push(start);
            self.ends.push(end);
        }
    }

    /// Notes which of the rows to be added are empty intervals, if some are.
    fn mark_instants<T: ArrowPrimitiveType>(&mut self, starts: &PrimitiveArray<T>, ends: &PrimitiveArray<T>) {
        if !all_rows(starts, ends, |start, end| start != end) {
            self.instants.resize(self.starts.len(), false);
            self.instants.extend(starts.values().iter().zip(ends.values()).map(|(start, end)| start == end));
        }
    }

    /// Whether a row was an empty interval.
    #[inline]
    pub fn is_instant(&self, row: usize) -> bool {
        self.instants.get(row).is_some_and(|is_instant| *is_instant)
    }

    /// Whether some row was an empty interval.
    pub fn has_instants(&self) -> bool {
        !self.instants.is_empty()
    }

    pub fn len(&self) -> usize {
        self.starts.len()
    }

    pub fn is_empty(&self) -> bool {
        self.starts.is_empty()
    }
}

#[inline]
fn ticks(start: i64, end: i64) -> (i64, i64) {
    if start < end {
        (start, end)
    } else if start == end {
        (start, start.saturating_add(1))
    } else {
        Spans::NOTHING
    }
}

#[inline]
fn seconds(start: f64, end: f64) -> (i64, i64) {
    // NaN is neither less nor equal. Adding 0.0 turns -0.0 into 0.0.
    if start < end {
        (rank(start + 0.0), rank(end + 0.0))
    } else if start == end {
        let rank = rank(start + 0.0);
        (rank, rank + 1)
    } else {
        Spans::NOTHING
    }
}

/// Whether all rows have bounds that pass a test: then most work needs no branch, and whole vectors are
/// handled at once.
fn all_rows<T: ArrowPrimitiveType>(
    starts: &PrimitiveArray<T>,
    ends: &PrimitiveArray<T>,
    test: impl Fn(T::Native, T::Native) -> bool,
) -> bool {
    let mut bounds = starts.values().chunks(1024).zip(ends.values().chunks(1024));
    starts.null_count() + ends.null_count() == 0
        && bounds.all(|(starts, ends)| starts.iter().zip(ends).fold(true, |all, (start, end)| all & test(*start, *end)))
}

/// The place of a double among all doubles; larger doubles have larger places.
#[inline]
fn rank(value: f64) -> i64 {
    let bits = value.to_bits().cast_signed();
    bits ^ ((bits >> 63).cast_unsigned() >> 1).cast_signed()
}

/// The double at a place; the reverse of [`rank`].
#[inline]
fn double(rank: i64) -> f64 {
    f64::from_bits((rank ^ ((rank >> 63).cast_unsigned() >> 1).cast_signed()).cast_unsigned())
}
