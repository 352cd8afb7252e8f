//! Bounds of intervals as whole numbers that keep their order.
//!
//! A double becomes the integer of the same rank, so that a next double is a next integer. The
//! instant t is then the interval [t, t + 1) of integers, and one comparison serves every case.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, Float64Array, Int64Array, PrimitiveArray};
use arrow::buffer::{NullBuffer, ScalarBuffer};
use arrow::compute::cast;
use arrow::datatypes::{ArrowPrimitiveType, DataType};
use arrow::error::ArrowError;

/// What the bounds of both sides are compared as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BoundUnit {
    /// Whole numbers, exactly.
    Ticks,
    /// Doubles.
    Seconds,
}

impl BoundUnit {
    /// The clock of bounds of these types: ticks when all are whole; `None` when one is no number.
    pub fn of<'a>(kinds: impl IntoIterator<Item = &'a DataType>) -> Option<BoundUnit> {
        let mut clock = BoundUnit::Ticks;
        for kind in kinds {
            match kind {
                DataType::UInt64 => clock = BoundUnit::Seconds,
                kind if kind.is_integer() || kind.is_null() => {}
                kind if kind.is_numeric() => clock = BoundUnit::Seconds,
                _ => return None,
            }
        }
        Some(clock)
    }

    /// Bounds of spans as the numbers that they were; NULL where they are not valid.
    pub fn numbers(self, bounds: Vec<i64>, nulls: Option<NullBuffer>) -> ArrayRef {
        match self {
            BoundUnit::Ticks => Arc::new(Int64Array::new(bounds.into(), nulls)),
            BoundUnit::Seconds => {
                let seconds: Vec<f64> = bounds.into_iter().map(double).collect();
                Arc::new(Float64Array::new(seconds.into(), nulls))
            }
        }
    }

    /// The type that bounds are cast to.
    pub fn data_type(self) -> DataType {
        match self {
            BoundUnit::Ticks => DataType::Int64,
            BoundUnit::Seconds => DataType::Float64,
        }
    }
}

/// Intervals of whole numbers, `[start, end)`; a row that overlaps nothing is [`Spans::NOTHING`].
#[derive(Debug, Clone, Default)]
pub struct Spans {
    /// Where each interval starts.
    pub starts: ScalarBuffer<i64>,
    /// Where each interval ends.
    pub ends: ScalarBuffer<i64>,
    /// Which rows were empty intervals; none was when the list is empty.
    instants: Vec<bool>,
    /// Whether no row is [`Spans::NOTHING`], for sure.
    pub(super) is_full: bool,
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

    /// The intervals of two arrays of numbers. Ticks that are in order are not copied.
    pub fn new(starts: &dyn Array, ends: &dyn Array, clock: BoundUnit) -> Result<Spans, ArrowError> {
        let starts = cast(starts, &clock.data_type())?;
        let ends = cast(ends, &clock.data_type())?;
        Ok(match clock {
            BoundUnit::Ticks => of_ticks(starts.as_primitive(), ends.as_primitive()),
            BoundUnit::Seconds => of_seconds(starts.as_primitive(), ends.as_primitive()),
        })
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

    /// How many intervals there are.
    pub fn len(&self) -> usize {
        self.starts.len()
    }

    /// Whether there is no interval.
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

fn of_ticks(starts: &Int64Array, ends: &Int64Array) -> Spans {
    let instants = instants(starts, ends);
    if !all_rows(starts, ends, |start, end| (start <= end) & (end < i64::MAX)) {
        return of_rows(starts, ends, instants, ticks);
    }
    let ends = match instants.is_empty() {
        true => ends.values().clone(),
        false => ends.values().iter().zip(&instants).map(|(end, is_instant)| end + i64::from(*is_instant)).collect(),
    };
    Spans { starts: starts.values().clone(), ends, instants, is_full: true }
}

fn of_seconds(starts: &Float64Array, ends: &Float64Array) -> Spans {
    let instants = instants(starts, ends);
    if !all_rows(starts, ends, |start, end| (0.0 <= start) & (start <= end)) {
        return of_rows(starts, ends, instants, seconds);
    }
    // The rank of a positive double is its bits.
    let bits = |value: f64| (value + 0.0).to_bits().cast_signed();
    let bounds = starts.values().iter().zip(ends.values());
    Spans {
        starts: starts.values().iter().map(|start| bits(*start)).collect(),
        ends: bounds.map(|(start, end)| bits(*end) + i64::from(start == end)).collect(),
        instants,
        is_full: true,
    }
}

/// Any rows, one by one.
fn of_rows<T: ArrowPrimitiveType>(
    starts: &PrimitiveArray<T>,
    ends: &PrimitiveArray<T>,
    instants: Vec<bool>,
    span: impl Fn(T::Native, T::Native) -> (i64, i64),
) -> Spans {
    let spans = starts.iter().zip(ends).map(|bounds| match bounds {
        (Some(start), Some(end)) => span(start, end),
        _ => Spans::NOTHING,
    });
    let (starts, ends): (Vec<i64>, Vec<i64>) = spans.unzip();
    Spans { starts: starts.into(), ends: ends.into(), instants, is_full: false }
}

/// Which rows are empty intervals; nothing when none is.
fn instants<T: ArrowPrimitiveType>(starts: &PrimitiveArray<T>, ends: &PrimitiveArray<T>) -> Vec<bool> {
    match all_rows(starts, ends, |start, end| start != end) {
        true => vec![],
        false => starts.values().iter().zip(ends.values()).map(|(start, end)| start == end).collect(),
    }
}

/// Whether all rows have bounds that pass a test, and none is NULL. Without a branch in it, a test is made of
/// whole vectors at once.
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
