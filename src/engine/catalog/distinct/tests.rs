//! Tests of `distinct`.

use arrow::datatypes::Field;
use datafusion::common::ColumnStatistics;

use super::*;

fn column(least: ScalarValue, largest: ScalarValue) -> ColumnStatistics {
    ColumnStatistics {
        min_value: Precision::Exact(least),
        max_value: Precision::Exact(largest),
        ..ColumnStatistics::new_unknown()
    }
}

/// The numbers of values of container_id, container, type, value, key and start_tick in so many rows.
fn numbers(rows: usize, names: NameCounts) -> Vec<Option<usize>> {
    let names_and_types = [
        ("container_id", DataType::Int32),
        ("container", DataType::Utf8View),
        ("type", DataType::Utf8),
        ("value", DataType::Dictionary(DataType::UInt32.into(), DataType::Utf8.into())),
        ("key", DataType::Utf8),
        ("start_tick", DataType::Int64),
    ];
    let schema = Schema::new(names_and_types.map(|(name, kind)| Field::new(name, kind, false)).to_vec());
    let mut columns = vec![ColumnStatistics::new_unknown(); 6];
    columns[0] = column(ScalarValue::Int32(Some(-1)), ScalarValue::Int32(Some(62)));
    columns[5] = column(ScalarValue::Int64(Some(0)), ScalarValue::Int64(Some(5)));
    let statistics =
        Statistics { num_rows: Precision::Exact(rows), total_byte_size: Precision::Absent, column_statistics: columns };
    let with = with_distinct(statistics, &schema, names);
    with.column_statistics.iter().map(|column| column.distinct_count.get_value().copied()).collect()
}

#[test]
fn names_and_integers_bound_the_values_of_columns() {
    let names = NameCounts { containers: 70, types: 3, values: 9 };
    assert_eq!(numbers(1000, names), [Some(64), Some(70), Some(3), Some(9), None, None]);
    // What is no fewer than the rows says nothing.
    assert_eq!(numbers(10, names), [None, None, Some(3), Some(9), None, None]);
    assert_eq!(numbers(1000, NameCounts::default()), [Some(64), None, None, None, None, None]);
}

#[test]
fn integers_from_end_to_end_are_counted() {
    let all = column(ScalarValue::Int32(Some(i32::MIN)), ScalarValue::Int32(Some(i32::MAX)));
    assert_eq!(integers_between(&all), Some(1 << 32));
    let swapped = column(ScalarValue::Int32(Some(2)), ScalarValue::Int32(Some(0)));
    assert_eq!(integers_between(&swapped), None);
}
