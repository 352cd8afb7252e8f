//! How many bytes the values of a column have, row by row.
//!
//! In: a column or a constant. Out: bytes of each row, at least [`SMALLEST`]. Buffers that several columns share
//! are not what is asked for: a function copies values, so that the values are counted.

use arrow::array::{Array, ArrayRef, AsArray, OffsetSizeTrait};
use arrow::datatypes::DataType;
use datafusion::common::ScalarValue;
use datafusion::logical_expr::ColumnarValue;

/// Bytes that every value is taken to have: an element of a list that is rendered, or its offset.
pub(super) const SMALLEST: u64 = 8;

/// Bytes of each row.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum RowSizes {
    /// The same in each row.
    Same(u64),
    /// One number for each row.
    Each(Vec<u64>),
}

impl RowSizes {
    pub(super) fn of(value: &ColumnarValue) -> RowSizes {
        match value {
            ColumnarValue::Array(array) => RowSizes::of_array(array),
            ColumnarValue::Scalar(value) => RowSizes::Same(RowSizes::of_scalar(value)),
        }
    }

    pub(super) fn of_scalar(value: &ScalarValue) -> u64 {
        match value {
            ScalarValue::Utf8(text) | ScalarValue::LargeUtf8(text) | ScalarValue::Utf8View(text) => {
                text.as_ref().map_or(SMALLEST, |text| SMALLEST.max(text.len() as u64))
            }
            value if value.data_type().is_primitive() => SMALLEST.max(16),
            value => value.to_array().map_or(SMALLEST, |array| RowSizes::of_array(&array).row(0)),
        }
    }

    pub(super) fn of_array(array: &ArrayRef) -> RowSizes {
        let lengths = match array.data_type() {
            DataType::Utf8 => between(array.as_string::<i32>().value_offsets()),
            DataType::LargeUtf8 => between(array.as_string::<i64>().value_offsets()),
            DataType::Binary => between(array.as_binary::<i32>().value_offsets()),
            DataType::LargeBinary => between(array.as_binary::<i64>().value_offsets()),
            DataType::Utf8View => array.as_string_view().lengths().map(u64::from).collect(),
            DataType::BinaryView => array.as_binary_view().lengths().map(u64::from).collect(),
            DataType::List(_) => {
                let list = array.as_list::<i32>();
                elements(list.values(), list.value_offsets())
            }
            DataType::LargeList(_) => {
                let list = array.as_list::<i64>();
                elements(list.values(), list.value_offsets())
            }
            DataType::Map(..) => {
                let map = array.as_map();
                let entries: ArrayRef = std::sync::Arc::new(map.entries().clone());
                elements(&entries, map.value_offsets())
            }
            DataType::FixedSizeList(_, width) => {
                let list = array.as_fixed_size_list();
                let width = i64::from(*width);
                let first = i64::from(list.value_offset(0));
                let rows = i64::try_from(list.len()).unwrap_or(i64::MAX);
                let offsets: Vec<i64> = (0..=rows).map(|row| first + row * width).collect();
                elements(list.values(), &offsets)
            }
            DataType::Struct(_) => {
                let columns: Vec<RowSizes> = array.as_struct().columns().iter().map(RowSizes::of_array).collect();
                return sum(&columns);
            }
            DataType::Dictionary(..) => {
                let dictionary = array.as_any_dictionary();
                let values = RowSizes::of_array(dictionary.values());
                dictionary.normalized_keys().into_iter().map(|key| values.row(key)).collect()
            }
            kind => {
                let width = kind.primitive_width().map_or(SMALLEST, |width| width as u64);
                let width = match kind {
                    DataType::FixedSizeBinary(width) => u64::try_from(*width).unwrap_or(0),
                    _ => width,
                };
                return RowSizes::Same(width.max(SMALLEST));
            }
        };
        RowSizes::Each(lengths.into_iter().map(|length: u64| length.max(SMALLEST)).collect())
    }

    /// Bytes of one row; one that is not there has none.
    pub(super) fn row(&self, row: usize) -> u64 {
        match self {
            RowSizes::Same(bytes) => *bytes,
            RowSizes::Each(rows) => rows.get(row).copied().unwrap_or(0),
        }
    }

    pub(super) fn largest(&self) -> u64 {
        match self {
            RowSizes::Same(bytes) => *bytes,
            RowSizes::Each(rows) => rows.iter().copied().max().unwrap_or(0),
        }
    }

    pub(super) fn total(&self, rows: usize) -> u64 {
        match self {
            RowSizes::Same(bytes) => bytes.saturating_mul(rows as u64),
            RowSizes::Each(rows) => rows.iter().fold(0, |total, bytes| total.saturating_add(*bytes)),
        }
    }

    /// How many rows from one on have no more than some bytes together; at least one.
    pub(super) fn rows_within(&self, start: usize, end: usize, bytes: u64) -> usize {
        let mut total = 0u64;
        let fitting = (start..end).take_while(|row| {
            total = total.saturating_add(self.row(*row));
            total <= bytes
        });
        fitting.count().max(1)
    }
}

/// Row by row, a function of several columns.
pub(super) fn combine(columns: &[RowSizes], how: impl Fn(&[u64]) -> u64) -> RowSizes {
    let rows = columns.iter().filter_map(|sizes| match sizes {
        RowSizes::Same(_) => None,
        RowSizes::Each(rows) => Some(rows.len()),
    });
    let mut values = vec![0; columns.len()];
    let mut at = |row: usize| {
        values.iter_mut().zip(columns).for_each(|(value, sizes)| *value = sizes.row(row));
        how(&values)
    };
    match rows.max() {
        None => RowSizes::Same(at(0)),
        Some(rows) => RowSizes::Each((0..rows).map(at).collect()),
    }
}

/// The sum of several columns, row by row.
pub(super) fn sum(columns: &[RowSizes]) -> RowSizes {
    let add = |total: RowSizes, column: &RowSizes| match (total, column) {
        (RowSizes::Same(one), RowSizes::Same(other)) => RowSizes::Same(one.saturating_add(*other)),
        (RowSizes::Same(same), RowSizes::Each(rows)) => {
            RowSizes::Each(rows.iter().map(|bytes| bytes.saturating_add(same)).collect())
        }
        (RowSizes::Each(mut rows), column) => {
            rows.iter_mut().enumerate().for_each(|(row, bytes)| *bytes = bytes.saturating_add(column.row(row)));
            RowSizes::Each(rows)
        }
    };
    columns.iter().fold(RowSizes::Same(0), add)
}

fn between<O: OffsetSizeTrait>(offsets: &[O]) -> Vec<u64> {
    offsets.windows(2).map(|pair| (pair[1].as_usize() - pair[0].as_usize()) as u64).collect()
}

/// Bytes of the elements of each row of a list.
fn elements<O: OffsetSizeTrait>(values: &ArrayRef, offsets: &[O]) -> Vec<u64> {
    let sizes = RowSizes::of_array(values);
    let of_range = |pair: &[O]| {
        let (start, end) = (pair[0].as_usize(), pair[1].as_usize());
        match &sizes {
            RowSizes::Same(bytes) => bytes.saturating_mul((end - start) as u64),
            RowSizes::Each(rows) => {
                rows.get(start..end).unwrap_or(&[]).iter().fold(0, |total: u64, bytes| total.saturating_add(*bytes))
            }
        }
    };
    offsets.windows(2).map(of_range).collect()
}
