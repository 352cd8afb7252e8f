//! Parameters, worked out by hand from the documents of PostgreSQL.

use super::*;

fn text(kind: &Type, given: &str) -> Result<ScalarValue, &'static str> {
    value(kind, FieldFormat::Text, Some(&Bytes::copy_from_slice(given.as_bytes()))).map_err(|error| error.code)
}

fn binary(kind: &Type, given: &[u8]) -> Result<ScalarValue, &'static str> {
    value(kind, FieldFormat::Binary, Some(&Bytes::copy_from_slice(given))).map_err(|error| error.code)
}

fn micros(count: i64) -> ScalarValue {
    ScalarValue::TimestampMicrosecond(Some(count), None)
}

#[test]
fn texts_become_values() {
    assert_eq!(text(&Type::INT4, " -7 "), Ok(ScalarValue::Int32(Some(-7))));
    assert_eq!(text(&Type::INT2, "40000"), Err("22P02"));
    assert_eq!(text(&Type::BOOL, "T"), Ok(ScalarValue::Boolean(Some(true))));
    assert_eq!(text(&Type::BOOL, "maybe"), Err("22P02"));
    assert_eq!(text(&Type::TEXT, "it's"), Ok(ScalarValue::from("it's")));
    assert_eq!(text(&Type::UNKNOWN, ""), Ok(ScalarValue::from("")));
    assert_eq!(text(&Type::FLOAT8, "Infinity"), Ok(ScalarValue::Float64(Some(f64::INFINITY))));
    assert_eq!(text(&Type::NUMERIC, "-12.50"), Ok(ScalarValue::Decimal128(Some(-1250), 4, 2)));
    // 18,321 days after 1970-01-01, by the calendar of the program `date`.
    assert_eq!(text(&Type::DATE, "2020-02-29"), Ok(ScalarValue::Date32(Some(18_321))));
    assert_eq!(text(&Type::DATE, "2020-02-29 +00"), Ok(ScalarValue::Date32(Some(18_321))));
    assert_eq!(text(&Type::DATE, "2020-02-30"), Err("22P02"));
    assert_eq!(text(&Type::TIMESTAMP, "2020-02-29 01:02:03.5+02"), Ok(micros(1_582_938_123_500_000)));
    let zoned = ScalarValue::TimestampMicrosecond(Some(1_582_945_323_000_000), Some("+00:00".into()));
    assert_eq!(text(&Type::TIMESTAMPTZ, "2020-02-29 01:02:03-02"), Ok(zoned));
    assert_eq!(text(&Type::BYTEA, "\\x00Ff"), Ok(ScalarValue::Binary(Some(vec![0, 255]))));
    assert_eq!(text(&Type::BYTEA, "a\\\\\\001"), Ok(ScalarValue::Binary(Some(b"a\\\x01".to_vec()))));
    assert_eq!(text(&Type::INT8, "1; DROP TABLE t"), Err("22P02"));
    assert_eq!(value(&Type::INT4, FieldFormat::Text, None).expect("NULL"), ScalarValue::Int32(None));
    assert_eq!(value(&Type::TEXT, FieldFormat::Text, None).expect("NULL"), ScalarValue::Utf8(None));
}

#[test]
fn binary_values_are_read() {
    assert_eq!(binary(&Type::INT2, &[255, 254]), Ok(ScalarValue::Int16(Some(-2))));
    assert_eq!(binary(&Type::INT8, &i64::MIN.to_be_bytes()), Ok(ScalarValue::Int64(Some(i64::MIN))));
    assert_eq!(binary(&Type::INT8, &[0; 4]), Err("22P03"));
    assert_eq!(binary(&Type::FLOAT8, &1.5_f64.to_be_bytes()), Ok(ScalarValue::Float64(Some(1.5))));
    assert_eq!(binary(&Type::FLOAT4, &(-100_f32).to_be_bytes()), Ok(ScalarValue::Float64(Some(-100.0))));
    assert_eq!(binary(&Type::TEXT, b"a'b"), Ok(ScalarValue::from("a'b")));
    assert_eq!(binary(&Type::TEXT, b"\xff"), Err("22021"));
    // One day and a half second after 2000-01-01, which is 946,684,800 seconds after 1970-01-01.
    assert_eq!(binary(&Type::TIMESTAMP, &86_400_500_000_i64.to_be_bytes()), Ok(micros(946_771_200_500_000)));
    // 31 days after the day 10,957.
    assert_eq!(binary(&Type::DATE, &[0, 0, 0, 31]), Ok(ScalarValue::Date32(Some(10_988))));
    // Digits 12 and 5000, the first of weight 0, negative, two decimals.
    let numeric = [0, 2, 0, 0, 0x40, 0, 0, 2, 0, 12, 0x13, 0x88];
    assert_eq!(binary(&Type::NUMERIC, &numeric), Ok(ScalarValue::Decimal128(Some(-1250), 4, 2)));
    assert_eq!(binary(&Type::NUMERIC, &[0, 9, 0, 0]), Err("22P03"));
    // 5 of weight 1 is 50000.
    let numeric = [0, 1, 0, 1, 0, 0, 0, 0, 0, 5];
    assert_eq!(binary(&Type::NUMERIC, &numeric), Ok(ScalarValue::Decimal128(Some(50_000), 5, 0)));
    let interval: [&[u8]; 3] = [&1_000_000_i64.to_be_bytes(), &[0, 0, 0, 2], &[0, 0, 0, 3]];
    let expected = IntervalMonthDayNano::new(3, 2, 1_000_000_000);
    assert_eq!(binary(&Type::INTERVAL, &interval.concat()), Ok(ScalarValue::IntervalMonthDayNano(Some(expected))));
}

#[test]
fn arrays_become_lists() {
    let list = |kind: &Type, values: &[ScalarValue]| Ok(super::list(kind, values));
    let int = |number| ScalarValue::Int32(number);
    assert_eq!(text(&Type::INT4_ARRAY, "{1,NULL,3}"), list(&Type::INT4, &[int(Some(1)), int(None), int(Some(3))]));
    let texts = ["a b", "c,\"d\\", "NULL", "it's"].map(ScalarValue::from);
    assert_eq!(text(&Type::TEXT_ARRAY, r#"{a b, "c,\"d\\" ,"NULL",it's}"#), list(&Type::TEXT, &texts));
    assert_eq!(text(&Type::INT4_ARRAY, "{}"), list(&Type::INT4, &[]));
    assert_eq!(text(&Type::INT4_ARRAY, "{{1},{2}}"), Err("22P02"));
    let one: [&[u8]; 5] =
        [&[0, 0, 0, 1], &[0; 4], &[0, 0, 0, 23], &[0, 0, 0, 1, 0, 0, 0, 1], &[0, 0, 0, 4, 0, 0, 0, 9]];
    assert_eq!(binary(&Type::INT4_ARRAY, &one.concat()), list(&Type::INT4, &[int(Some(9))]));
    // It says that it has many elements, but has none.
    let lying: [&[u8]; 3] = [&[0, 0, 0, 1], &[0, 0, 0, 0, 0, 0, 0, 23], &[0x7f, 255, 255, 255, 0, 0, 0, 1]];
    assert_eq!(binary(&Type::INT4_ARRAY, &lying.concat()), Err("08P01"));
}
