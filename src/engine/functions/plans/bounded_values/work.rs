//! How long a function may take for each of its rows.
//!
//! In: the arguments of a call. Out: an estimate of the steps of each row, each of about a nanosecond. A call of many
//! steps is made by parts, so that a query that is cancelled stops between them; a single value that would take too
//! long is refused, because nothing stops it.

use arrow::array::{Array, AsArray};
use arrow::datatypes::DataType;
use datafusion::common::ScalarValue;
use datafusion::logical_expr::{ColumnarValue, ScalarFunctionArgs};

use super::row_sizes::{RowSizes, combine, sum};

/// Steps after which a call looks whether its query is cancelled.
pub(super) const STEPS_AT_ONCE: u64 = 200_000_000;

/// Bytes from which on a constant that is looked through for each row counts.
const LARGE_CONSTANT: u64 = 4096;

/// What decides how long a function takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Work {
    /// The product of the sizes of two texts.
    Product,
    /// A text is matched with a pattern, the second argument.
    Pattern,
    /// All arguments are looked through, constants for each row anew.
    Scan,
}

/// Functions of DataFusion that may take long for arguments of moderate size.
const LONG: &[(&str, Work)] = &[
    ("levenshtein", Work::Product),
    ("regexp_count", Work::Pattern),
    ("regexp_instr", Work::Pattern),
    ("regexp_like", Work::Pattern),
    ("regexp_match", Work::Pattern),
    ("regexp_replace", Work::Pattern),
    ("array_except", Work::Scan),
    ("array_has", Work::Scan),
    ("array_has_all", Work::Scan),
    ("array_has_any", Work::Scan),
    ("array_intersect", Work::Scan),
    ("array_position", Work::Scan),
    ("array_positions", Work::Scan),
    ("array_remove", Work::Scan),
    ("array_remove_all", Work::Scan),
    ("array_remove_n", Work::Scan),
    ("array_sort", Work::Scan),
    ("contains", Work::Scan),
    ("digest", Work::Scan),
    ("find_in_set", Work::Scan),
    ("split_part", Work::Scan),
    ("strpos", Work::Scan),
    ("substr_index", Work::Scan),
    ("translate", Work::Scan),
];

impl Work {
    /// How a function works; `None`: as long as its arguments and its result are, at most.
    pub(super) fn of(name: &str) -> Option<Work> {
        LONG.iter().find(|(long, _)| *long == name).map(|(_, work)| *work)
    }

    /// Steps that one value may take. Those of a pattern are a bound that few patterns come near.
    pub(super) fn most(self) -> u64 {
        match self {
            Work::Product => 4_000_000_000,
            Work::Pattern => 1_000_000_000_000,
            Work::Scan => u64::MAX,
        }
    }

    /// Steps of each row; `None`: few.
    pub(super) fn steps(self, arguments: &ScalarFunctionArgs) -> Option<RowSizes> {
        let values = &arguments.args;
        let size = |place: usize| values.get(place).map_or(RowSizes::Same(0), RowSizes::of);
        let multiply = |row: &[u64]| row[0].saturating_mul(row[1]);
        match self {
            Work::Product => Some(combine(&[size(0), size(1)], multiply)),
            Work::Pattern => Some(combine(&[size(0), pattern_weights(values.get(1)?)], multiply)),
            Work::Scan => {
                let is_large = |value: &ColumnarValue| match value {
                    ColumnarValue::Scalar(value) => RowSizes::of_scalar(value) >= LARGE_CONSTANT,
                    ColumnarValue::Array(_) => false,
                };
                values.iter().any(is_large).then(|| sum(&values.iter().map(RowSizes::of).collect::<Vec<_>>()))
            }
        }
    }
}

fn pattern_weights(patterns: &ColumnarValue) -> RowSizes {
    let array = match patterns {
        ColumnarValue::Scalar(ScalarValue::Utf8(text) | ScalarValue::LargeUtf8(text) | ScalarValue::Utf8View(text)) => {
            return RowSizes::Same(text.as_deref().map_or(1, pattern_weight));
        }
        ColumnarValue::Scalar(_) => return RowSizes::Same(1),
        ColumnarValue::Array(array) => array,
    };
    let weigh = |pattern: Option<&str>| pattern.map_or(1, pattern_weight);
    match array.data_type() {
        DataType::Utf8 => RowSizes::Each(array.as_string::<i32>().iter().map(weigh).collect()),
        DataType::LargeUtf8 => RowSizes::Each(array.as_string::<i64>().iter().map(weigh).collect()),
        DataType::Utf8View => RowSizes::Each(array.as_string_view().iter().map(weigh).collect()),
        _ => RowSizes::of_array(array),
    }
}

/// A bound of the states of a pattern: its length, times what stands in braces, which may be in each other.
pub(super) fn pattern_weight(pattern: &str) -> u64 {
    let mut weight = pattern.len().max(1) as u64;
    for braces in pattern.split('{').skip(1) {
        let inside = braces.split('}').next().unwrap_or_default();
        let largest = inside.split(',').filter_map(|number| number.trim().parse::<u64>().ok()).max();
        weight = weight.saturating_mul(largest.unwrap_or(1).max(1));
    }
    weight
}
