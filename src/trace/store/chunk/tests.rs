//! What is encoded here, the library's own reader must read back.

use std::sync::Arc;

use arrow::array::AsArray;
use arrow::datatypes::{Float64Type, Int32Type, Int64Type, UInt64Type};
use parquet::arrow::arrow_reader::ParquetRecordBatchReader;
use parquet::basic::{LogicalType, Repetition, Type as PhysicalType};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::Type;

use super::*;
use crate::store::delta;
use crate::store::dictionary::{self, Entries, LocalCodes};
use crate::store::plain::{NumberCodes, NumberEncoding, Texts, encode_flags, encode_numbers, encode_texts};

/// Writes a file of one required column, and reads its batches.
fn through_a_file(
    physical: PhysicalType,
    logical: Option<LogicalType>,
    encode: impl FnOnce(&ColumnDescPtr) -> Result<(Bytes, ColumnCloseResult)>,
) -> Vec<arrow::array::ArrayRef> {
    read_back(physical, logical, Repetition::REQUIRED, encode).0
}

/// Writes a file of one column, and reads its batches and the statistics of its row group.
fn read_back(
    physical: PhysicalType,
    logical: Option<LogicalType>,
    repetition: Repetition,
    encode: impl FnOnce(&ColumnDescPtr) -> Result<(Bytes, ColumnCloseResult)>,
) -> (Vec<arrow::array::ArrayRef>, Statistics) {
    let column = Type::primitive_type_builder("x", physical)
        .with_logical_type(logical)
        .with_repetition(repetition)
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
    let metadata = SerializedFileReader::new(file.clone()).expect("a reader").metadata().row_group(0).column(0).clone();
    let reader = ParquetRecordBatchReader::try_new(file, 1000).expect("a reader");
    let arrays = reader.map(|batch| batch.expect("a batch").column(0).clone()).collect();
    (arrays, metadata.statistics().expect("statistics").clone())
}

fn check_delta(values: &[i64]) {
    let arrays = through_a_file(PhysicalType::INT64, None, |descriptor| {
        delta::encode(descriptor, values.iter().copied(), PAGE_ROWS)
    });
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
        dictionary::encode(descriptor, &mut locals, &Entries::Text(&text), None, PAGE_ROWS)
    });
    let read: Vec<String> = arrays
        .iter()
        .flat_map(|array| array.as_string::<i32>().iter().flatten().map(str::to_string).collect::<Vec<_>>())
        .collect();
    assert!(read.iter().map(String::as_str).eq(codes.iter().map(|code| text(*code))));
    let arrays = through_a_file(PhysicalType::INT32, None, |descriptor| {
        dictionary::encode(descriptor, &mut locals, &Entries::Code, None, PAGE_ROWS)
    });
    let read: Vec<u32> = arrays
        .iter()
        .flat_map(|array| array.as_primitive::<Int32Type>().values().to_vec())
        .map(|id| id as u32)
        .collect();
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

fn check_numbers(values: &[Option<u64>], meaning: NumberEncoding) {
    let mut codes = NumberCodes::default();
    let numbers: Vec<u64> = values.iter().flatten().copied().collect();
    let present: Vec<bool> = values.iter().map(Option::is_some).collect();
    let (physical, logical) = match meaning {
        NumberEncoding::Float => (PhysicalType::DOUBLE, None),
        NumberEncoding::Signed => (PhysicalType::INT64, None),
        NumberEncoding::Unsigned => (PhysicalType::INT64, Some(LogicalType::integer(64, false))),
    };
    // Twice: what is left of one row group must not show in the next.
    for _ in 0..2 {
        let (arrays, statistics) = read_back(physical, logical.clone(), Repetition::OPTIONAL, |descriptor| {
            encode_numbers(descriptor, &mut codes, &numbers, meaning, Some(&present), PAGE_ROWS)
        });
        let read: Vec<Option<u64>> = arrays
            .iter()
            .flat_map(|array| match meaning {
                NumberEncoding::Float => {
                    array.as_primitive::<Float64Type>().iter().map(|v| v.map(f64::to_bits)).collect::<Vec<_>>()
                }
                NumberEncoding::Signed => {
                    array.as_primitive::<Int64Type>().iter().map(|v| v.map(|v| v as u64)).collect()
                }
                NumberEncoding::Unsigned => array.as_primitive::<UInt64Type>().iter().collect(),
            })
            .collect();
        assert!(read == values);
        assert_eq!(statistics.null_count_opt(), Some((values.len() - numbers.len()) as u64));
        check_bounds(&statistics, &numbers, meaning);
    }
}

fn check_bounds(statistics: &Statistics, numbers: &[u64], meaning: NumberEncoding) {
    let of_bytes = |bytes: Option<&[u8]>| bytes.map(|bytes| u64::from_le_bytes(bytes.try_into().expect("eight bytes")));
    let (low, high) = (of_bytes(statistics.min_bytes_opt()), of_bytes(statistics.max_bytes_opt()));
    match meaning {
        NumberEncoding::Signed => {
            assert_eq!(low.map(|low| low as i64), numbers.iter().map(|number| *number as i64).min());
            assert_eq!(high.map(|high| high as i64), numbers.iter().map(|number| *number as i64).max());
        }
        NumberEncoding::Unsigned => {
            assert_eq!((low, high), (numbers.iter().copied().min(), numbers.iter().copied().max()))
        }
        NumberEncoding::Float => {
            let numbers = || numbers.iter().map(|bits| f64::from_bits(*bits)).filter(|number| !number.is_nan());
            assert_eq!(low.map(f64::from_bits), numbers().min_by(f64::total_cmp));
            assert_eq!(high.map(f64::from_bits), numbers().max_by(f64::total_cmp));
        }
    }
}

#[test]
fn numbers_with_and_without_a_dictionary_come_back() {
    let length = 2 * PAGE_ROWS as u64 + 5;
    for meaning in [NumberEncoding::Signed, NumberEncoding::Unsigned, NumberEncoding::Float] {
        check_numbers(&[None; 3], meaning);
        check_numbers(&[Some(1), None, Some(u64::MAX - 7)], meaning);
        check_numbers(&(0..length).map(|i| Some((i % 7).wrapping_sub(3))).collect::<Vec<_>>(), meaning);
        check_numbers(&(0..length).map(|i| (i % 3 > 0).then_some(i * i)).collect::<Vec<_>>(), meaning);
        check_numbers(&(0..length).map(|i| (i < PAGE_ROWS as u64).then_some(i)).collect::<Vec<_>>(), meaning);
    }
    let doubles = [-0.0, 0.0, f64::NAN, f64::NEG_INFINITY, f64::INFINITY, -1.5, 1e-300];
    check_numbers(&doubles.map(|double| Some(double.to_bits())), NumberEncoding::Float);
    check_numbers(&[Some(f64::NAN.to_bits()); 4], NumberEncoding::Float);
}

#[test]
fn flags_come_back() {
    for length in [1, 7, 8, 9, PAGE_ROWS, PAGE_ROWS + 3] {
        for every in [1, 2, 3, usize::MAX] {
            let flags: Vec<bool> = (0..length).map(|i| i % every == 0).collect();
            let arrays =
                through_a_file(PhysicalType::BOOLEAN, None, |descriptor| encode_flags(descriptor, &flags, PAGE_ROWS));
            let read: Vec<bool> =
                arrays.iter().flat_map(|array| array.as_boolean().values().iter().collect::<Vec<_>>()).collect();
            assert!(read == flags);
        }
    }
}

fn check_texts(texts: &[String]) {
    let bytes = texts.concat();
    let ends: Vec<u32> = texts
        .iter()
        .scan(0, |end, text| {
            *end += text.len() as u32;
            Some(*end)
        })
        .collect();
    let order: Vec<u32> = (0..texts.len() as u32).rev().collect();
    let (arrays, statistics) =
        read_back(PhysicalType::BYTE_ARRAY, Some(LogicalType::String), Repetition::REQUIRED, |descriptor| {
            encode_texts(descriptor, Texts { bytes: bytes.as_bytes(), ends: &ends }, &order, PAGE_ROWS)
        });
    let read: Vec<String> = arrays
        .iter()
        .flat_map(|array| array.as_string::<i32>().iter().flatten().map(str::to_string).collect::<Vec<_>>())
        .collect();
    assert!(read.iter().eq(texts.iter().rev()));
    if let Some(low) = statistics.min_bytes_opt() {
        assert_eq!(Some(low), texts.iter().map(String::as_bytes).min());
        assert_eq!(statistics.max_bytes_opt(), texts.iter().map(String::as_bytes).max());
    } else {
        assert!(texts.iter().any(|text| text.len() > 64));
    }
}

#[test]
fn texts_of_every_length_come_back() {
    check_texts(&[String::new()]);
    check_texts(&(0..PAGE_ROWS + 3).map(|i| format!("{}_{}_{}", i % 64, i % 7, i)).collect::<Vec<_>>());
    check_texts(&(0..100).map(|i| "x".repeat(i)).collect::<Vec<_>>());
}

proptest::proptest! {
    #[test]
    fn any_numbers_come_back(
        values in proptest::collection::vec(proptest::option::of(proptest::num::u64::ANY), 1..100),
        meaning in proptest::sample::select(vec![NumberEncoding::Signed, NumberEncoding::Unsigned, NumberEncoding::Float]),
    ) {
        check_numbers(&values, meaning);
    }

    #[test]
    fn any_texts_come_back(texts in proptest::collection::vec("[a-c]{0,3}|[a-b]{7,9}|é{0,40}", 1..60)) {
        check_texts(&texts);
    }

    #[test]
    fn any_ticks_come_back(values in proptest::collection::vec(proptest::num::i64::ANY, 1..400)) {
        check_delta(&values);
    }

    #[test]
    fn any_codes_come_back(runs in proptest::collection::vec((0_u32..300, 1_usize..30), 1..60)) {
        check_codes(&runs.iter().flat_map(|(code, length)| vec![*code; *length]).collect::<Vec<_>>());
    }
}
