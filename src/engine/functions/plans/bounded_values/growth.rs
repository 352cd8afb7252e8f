//! How the values that a function makes grow with its arguments.
//!
//! In: the arguments of a call. Out: an upper bound of the bytes that each row of its result has.

use arrow::array::{Array, ArrayRef, AsArray};
use arrow::compute::cast;
use arrow::compute::kernels::length::length;
use arrow::datatypes::{DataType, Int64Type, IntervalMonthDayNanoType, TimeUnit};
use datafusion::common::{Result, ScalarValue};
use datafusion::logical_expr::{ColumnarValue, ScalarFunctionArgs};

use super::row_sizes::{RowSizes, SMALLEST, combine, sum};

/// What decides the size of a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Growth {
    /// All arguments are put together.
    Sum,
    /// All arguments are put together, with the first between them.
    Separated,
    /// The first, as often as the second says.
    Repeat,
    /// The same for a text, which has exactly its bytes.
    RepeatText,
    /// As many characters as the second says.
    Pad,
    /// As many elements as the second says, each like the third.
    Resize,
    /// Occurrences of the second in the first become the third.
    Replace,
    /// The same for a pattern.
    ReplacePattern,
    /// Elements of the first become the third.
    ReplaceElements,
    /// Groups of a pattern, each of which may be all of the text.
    Groups,
    /// A text of all elements of the first, with the second between them or the third instead.
    Join,
    /// A list of the parts of a text.
    Split,
    /// A list of numbers or of times.
    Series,
    /// Some times the first.
    Scale(u64),
    /// A text as long as the format in the second makes it.
    Format,
    /// A cast: the type is named.
    Cast,
}

/// The functions of DataFusion whose results may be larger than their arguments.
const GROWING: &[(&str, Growth)] = &[
    ("concat", Growth::Sum),
    ("string_concat", Growth::Sum),
    ("overlay", Growth::Sum),
    ("make_array", Growth::Sum),
    ("map", Growth::Sum),
    ("arrays_zip", Growth::Sum),
    ("array_append", Growth::Sum),
    ("array_prepend", Growth::Sum),
    ("array_concat", Growth::Sum),
    ("array_union", Growth::Sum),
    ("concat_ws", Growth::Separated),
    ("repeat", Growth::RepeatText),
    ("array_repeat", Growth::Repeat),
    ("lpad", Growth::Pad),
    ("rpad", Growth::Pad),
    ("array_resize", Growth::Resize),
    ("replace", Growth::Replace),
    ("regexp_replace", Growth::ReplacePattern),
    ("array_replace", Growth::ReplaceElements),
    ("array_replace_n", Growth::ReplaceElements),
    ("array_replace_all", Growth::ReplaceElements),
    ("regexp_match", Growth::Groups),
    ("array_to_string", Growth::Join),
    ("string_to_array", Growth::Split),
    ("range", Growth::Series),
    ("generate_series", Growth::Series),
    ("encode", Growth::Scale(2)),
    ("translate", Growth::Scale(4)),
    ("to_char", Growth::Format),
    ("arrow_cast", Growth::Cast),
    ("arrow_try_cast", Growth::Cast),
    ("cast_to_type", Growth::Cast),
    ("try_cast_to_type", Growth::Cast),
];

impl Growth {
    /// How a function grows; `None`: it does not.
    pub(super) fn of(name: &str) -> Option<Growth> {
        GROWING.iter().find(|(growing, _)| *growing == name).map(|(_, growth)| *growth)
    }

    /// Bytes that each row of a result has at most.
    pub(super) fn bound(self, arguments: &ScalarFunctionArgs) -> Result<RowSizes> {
        let values = &arguments.args;
        let sizes: Vec<RowSizes> = values.iter().map(RowSizes::of).collect();
        let size = |place: usize| sizes.get(place).cloned().unwrap_or(RowSizes::Same(0));
        let of = |columns: Vec<RowSizes>, how: fn(&[u64]) -> u64| Ok(combine(&columns, how));
        match self {
            Growth::Sum => Ok(sum(&sizes)),
            Growth::Separated => {
                let gaps = RowSizes::Same(values.len() as u64);
                let separators = combine(&[size(0), gaps], |row| row[0].saturating_mul(row[1]));
                Ok(sum(&[&sizes[..], &[separators]].concat()))
            }
            Growth::Repeat => of(vec![size(0), count(values, 1)?], |row| row[0].max(1).saturating_mul(row[1])),
            Growth::RepeatText => {
                of(vec![text_bytes(values, 0)?, count(values, 1)?], |row| row[0].saturating_mul(row[1]))
            }
            Growth::Pad => of(vec![count(values, 1)?], |row| row[0].saturating_mul(4)),
            Growth::Resize => of(vec![size(2), count(values, 1)?], |row| row[0].max(SMALLEST).saturating_mul(row[1])),
            Growth::Replace => {
                let occurrences = occurrences(values, &size(0))?;
                of(vec![size(0), occurrences, size(2)], |row| row[0].saturating_add(row[1].saturating_mul(row[2])))
            }
            // Each place may be an empty match, and each two bytes of the replacement may name all of a match.
            Growth::ReplacePattern => of(vec![size(0), size(2)], |row| {
                row[0].saturating_add((row[0] + 1).saturating_mul(row[1]).saturating_mul(3) / 2)
            }),
            Growth::ReplaceElements => {
                of(vec![size(0), size(2)], |row| row[0].saturating_add((row[0] / SMALLEST).saturating_mul(row[1])))
            }
            Growth::Groups => of(vec![size(0), size(1)], |row| row[0].saturating_mul(row[1] / 2 + 1)),
            Growth::Join => of(vec![size(0), size(1), size(2)], |row| {
                let elements = row[0] / SMALLEST;
                let each = row[1].saturating_add(row[2]).saturating_add(32);
                row[0].saturating_add(elements.saturating_mul(each))
            }),
            Growth::Split => of(vec![size(0)], |row| row[0].saturating_mul(SMALLEST + 1)),
            Growth::Series => series(values),
            Growth::Scale(factor) => of(vec![size(0), RowSizes::Same(factor)], |row| row[0].saturating_mul(row[1])),
            Growth::Format => of(vec![size(1)], |row| row[0].saturating_mul(20)),
            Growth::Cast => Ok(size(0)),
        }
    }
}

/// Bytes of a text in each row.
fn text_bytes(values: &[ColumnarValue], place: usize) -> Result<RowSizes> {
    let Some(value) = values.get(place) else { return Ok(RowSizes::Same(0)) };
    let lengths = length(&value.to_array(1)?)?;
    count(
        &[match value {
            ColumnarValue::Array(_) => ColumnarValue::Array(lengths),
            ColumnarValue::Scalar(_) => ColumnarValue::Scalar(ScalarValue::try_from_array(&lengths, 0)?),
        }],
        0,
    )
}

/// An argument as whole numbers; what is none, or below zero, is zero.
fn count(values: &[ColumnarValue], place: usize) -> Result<RowSizes> {
    Ok(match whole(values, place)? {
        WholeNumbers::Same(number) => RowSizes::Same(u64::try_from(number).unwrap_or(0)),
        WholeNumbers::Each(numbers) => {
            RowSizes::Each(numbers.into_iter().map(|number| u64::try_from(number).unwrap_or(0)).collect())
        }
    })
}

/// Whole numbers of an argument, row by row; NULL is zero.
enum WholeNumbers {
    Same(i64),
    Each(Vec<i64>),
}

impl WholeNumbers {
    fn row(&self, row: usize) -> i128 {
        match self {
            WholeNumbers::Same(number) => i128::from(*number),
            WholeNumbers::Each(numbers) => numbers.get(row).copied().map_or(0, i128::from),
        }
    }
}

fn whole(values: &[ColumnarValue], place: usize) -> Result<WholeNumbers> {
    let numbers = |array: &ArrayRef| -> Result<Vec<i64>> {
        let array = match array.data_type() {
            DataType::Date32 => &cast(array, &DataType::Int32)?,
            _ => array,
        };
        let array = cast(array, &DataType::Int64)?;
        let numbers = array.as_primitive::<Int64Type>();
        Ok(numbers.iter().map(|number| number.unwrap_or(0)).collect())
    };
    match values.get(place) {
        None => Ok(WholeNumbers::Same(0)),
        Some(ColumnarValue::Scalar(value)) => {
            Ok(WholeNumbers::Same(numbers(&value.to_array()?)?.first().copied().unwrap_or(0)))
        }
        Some(ColumnarValue::Array(array)) => Ok(WholeNumbers::Each(numbers(array)?)),
    }
}

/// How often the second text may occur in the first; an empty one occurs at each character.
fn occurrences(values: &[ColumnarValue], first: &RowSizes) -> Result<RowSizes> {
    let text = |place: usize| match values.get(place) {
        Some(ColumnarValue::Scalar(
            ScalarValue::Utf8(text) | ScalarValue::LargeUtf8(text) | ScalarValue::Utf8View(text),
        )) => text.as_deref(),
        _ => None,
    };
    match (text(0), text(1)) {
        (Some(first), Some(second)) => Ok(RowSizes::Same(first.matches(second).count() as u64)),
        (None, Some(second)) => {
            let length = RowSizes::Same(second.len().max(1) as u64);
            Ok(combine(&[first.clone(), length], |row| row[0] / row[1] + 1))
        }
        _ => Ok(combine(std::slice::from_ref(first), |row| row[0] + 1)),
    }
}

const NANOS_PER_DAY: i128 = 86_400_000_000_000;

/// Bytes of a list from one value to another.
fn series(values: &[ColumnarValue]) -> Result<RowSizes> {
    let rows = values.iter().filter_map(|value| match value {
        ColumnarValue::Array(array) => Some(array.len()),
        ColumnarValue::Scalar(_) => None,
    });
    let rows = rows.max();
    let (start, stop) = match values.len() {
        1 => (WholeNumbers::Same(0), whole(values, 0)?),
        _ => (whole(values, 0)?, whole(values, 1)?),
    };
    let unit = values.first().map_or(1, |value| nanos_per_unit(&value.data_type()));
    let step = SeriesStep::of(values)?;
    let bytes = |row: usize| {
        let distance = (stop.row(row) - start.row(row)).unsigned_abs().saturating_mul(unit.unsigned_abs());
        let elements = distance / step.row(row).unsigned_abs().max(1) + 1;
        u64::try_from(elements.saturating_mul(u128::from(SMALLEST))).unwrap_or(u64::MAX)
    };
    Ok(match rows {
        None => RowSizes::Same(bytes(0)),
        Some(rows) => RowSizes::Each((0..rows).map(bytes).collect()),
    })
}

/// How far a series goes at once: a number, or nanoseconds at least.
enum SeriesStep {
    Number(WholeNumbers),
    Nanoseconds(Vec<i128>),
}

impl SeriesStep {
    fn of(values: &[ColumnarValue]) -> Result<SeriesStep> {
        let Some(value) = values.get(2) else { return Ok(SeriesStep::Number(WholeNumbers::Same(1))) };
        if !matches!(value.data_type(), DataType::Interval(_)) {
            return Ok(SeriesStep::Number(whole(values, 2)?));
        }
        let array = value.to_array(1)?;
        let array = cast(&array, &DataType::Interval(arrow::datatypes::IntervalUnit::MonthDayNano))?;
        let steps = array.as_primitive::<IntervalMonthDayNanoType>();
        let nanoseconds = steps.iter().map(|step| {
            step.map_or(0, |step| {
                let days = i128::from(step.months) * 28 + i128::from(step.days);
                days * NANOS_PER_DAY + i128::from(step.nanoseconds)
            })
        });
        Ok(SeriesStep::Nanoseconds(nanoseconds.collect()))
    }

    fn row(&self, row: usize) -> i128 {
        match self {
            SeriesStep::Number(numbers) => numbers.row(row),
            SeriesStep::Nanoseconds(steps) => steps.get(row).or(steps.first()).copied().unwrap_or(1),
        }
    }
}

fn nanos_per_unit(kind: &DataType) -> i128 {
    match kind {
        DataType::Date32 => NANOS_PER_DAY,
        DataType::Date64 | DataType::Timestamp(TimeUnit::Millisecond, _) => 1_000_000,
        DataType::Timestamp(TimeUnit::Second, _) => 1_000_000_000,
        DataType::Timestamp(TimeUnit::Microsecond, _) => 1_000,
        _ => 1,
    }
}
