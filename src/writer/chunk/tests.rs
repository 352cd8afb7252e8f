//! What is encoded here, the library's own reader must read back.

use std::sync::Arc;

use arrow::array::AsArray;
use arrow::datatypes::{Int32Type, Int64Type};
use parquet::arrow::arrow_reader::ParquetRecordBatchReader;
use parquet::basic::{LogicalType, Repetition, Type as PhysicalType};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::Type;

use super::*;
use crate::writer::delta;
use crate::writer::dictionary::{self, Entries, LocalCodes};

/// Writes a file of one column, and reads its batches.
fn through_a_file(
    physical: PhysicalType,
    logical: Option<LogicalType>,
    encode: impl FnOnce(&ColumnDescPtr) -> Result<(Bytes, ColumnCloseResult)>,
) -> Vec<arrow::array::ArrayRef> {
    let column = Type::primitive_type_builder("x", physical)
        .with_logical_type(logical)
        .with_repetition(Repetition::REQUIRED)
        .build()
        .expect("a column");
    let schema = Type::group_type_builder("t").with_fields(vec![Arc::new(column)]).build().expect("a schema");
    let mut writer = SerializedFileWriter::new(vec![], Arc::new(schema), Arc::default()).expect("a writer");
    let descriptor = writer.schema_descr().column(0);
    let (bytes, close) = encode(&descriptor).expect("encoded");
    let mut group = writer.next_row_group().expect("a row group");
    group.append_column(&bytes, close).expect("appended");
    group.close().expect("closed");
    let file = Bytes::from(writer.into_inner().expect("a file"));
    let reader = ParquetRecordBatchReader::try_new(file, 1000).expect("a reader");
    reader.map(|batch| batch.expect("a batch").column(0).clone()).collect()
}

fn check_delta(values: &[i64]) {
    let arrays = through_a_file(PhysicalType::INT64, None, |descriptor| delta::encode(descriptor, values));
    let read: Vec<i64> = arrays.iter().flat_map(|array| array.as_primitive::<Int64Type>().values().to_vec()).collect();
    assert!(read == values, "{} values", values.len());
}

fn check_codes(codes: &[u32]) {
    let mut locals = LocalCodes::default();
    // A first assignment must not show in the second.
    locals.assign([7, 7, 3].into_iter());
    locals.assign(codes.iter().copied());
    let names: Vec<String> = (0..5000).map(|code| format!("name {code}")).collect();
    let text = |code: u32| names[code as usize].as_str();
    let arrays = through_a_file(PhysicalType::BYTE_ARRAY, Some(LogicalType::String), |descriptor| {
        dictionary::encode(descriptor, &mut locals, &Entries::Text(&text))
    });
    let read: Vec<String> = arrays
        .iter()
        .flat_map(|array| array.as_string::<i32>().iter().flatten().map(str::to_string).collect::<Vec<_>>())
        .collect();
    assert!(read.iter().map(String::as_str).eq(codes.iter().map(|code| text(*code))));
    let arrays = through_a_file(PhysicalType::INT32, None, |descriptor| {
        dictionary::encode(descriptor, &mut locals, &Entries::Code)
    });
    let read: Vec<u32> =
        arrays.iter().flat_map(|array| array.as_primitive::<Int32Type>().values().to_vec()).map(|id| id as u32).collect();
    assert!(read == codes);
}

#[test]
fn ticks_of_every_length_and_width_come_back() {
    for length in [1, 2, 31, 32, 33, 128, 129, 130, 160, 161, 257, PAGE_ROWS, PAGE_ROWS + 1, 3 * PAGE_ROWS] {
        check_delta(&(0..length as i64).map(|i| i * 1_000_003 % 977).collect::<Vec<_>>());
    }
    for shift in 0..64 {
        let step = 1_i64 << shift;
        check_delta(&(0..300).map(|i| if i % 3 == 0 { step } else { -step.wrapping_sub(i) }).collect::<Vec<_>>());
    }
    check_delta(&[i64::MIN, i64::MAX, 0, i64::MIN, i64::MAX, -1, 1]);
}

#[test]
fn codes_in_runs_and_out_of_them_come_back() {
    check_codes(&[3]);
    check_codes(&[5; 100_000]);
    check_codes(&(0..20_000).map(|i| i % 2).collect::<Vec<_>>());
    check_codes(&(0..20_000).map(|i| i / 100 % 4999).collect::<Vec<_>>());
    check_codes(&(0..40_000).map(|i| i * 7919 % 4999).collect::<Vec<_>>());
}

proptest::proptest! {
    #[test]
    fn any_ticks_come_back(values in proptest::collection::vec(proptest::num::i64::ANY, 1..400)) {
        check_delta(&values);
    }

    #[test]
    fn any_codes_come_back(runs in proptest::collection::vec((0_u32..300, 1_usize..30), 1..60)) {
        check_codes(&runs.iter().flat_map(|(code, length)| vec![*code; *length]).collect::<Vec<_>>());
    }
}
