//! Parameters, worked out by hand from the documents of PostgreSQL.

use super::*;

fn text(kind: &Type, value: &str) -> Result<String, &'static str> {
    literal(kind, FieldFormat::Text, Some(&Bytes::copy_from_slice(value.as_bytes()))).map_err(|error| error.code)
}

fn binary(kind: &Type, value: &[u8]) -> Result<String, &'static str> {
    literal(kind, FieldFormat::Binary, Some(&Bytes::copy_from_slice(value))).map_err(|error| error.code)
}

fn sql(text: &str) -> Result<String, &'static str> {
    Ok(text.to_string())
}

#[test]
fn texts_become_literals() {
    assert_eq!(text(&Type::INT4, " -7 "), sql("(-7)"));
    assert_eq!(text(&Type::INT2, "40000"), Err("22P02"));
    assert_eq!(text(&Type::BOOL, "T"), sql("TRUE"));
    assert_eq!(text(&Type::TEXT, "it's"), sql("'it''s'"));
    assert_eq!(text(&Type::UNKNOWN, ""), sql("''"));
    assert_eq!(text(&Type::FLOAT8, "Infinity"), sql("CAST('inf' AS DOUBLE)"));
    assert_eq!(text(&Type::NUMERIC, "-12.50"), sql("CAST('-12.50' AS DECIMAL(4, 2))"));
    assert_eq!(text(&Type::DATE, "2020-02-29"), sql("CAST('2020-02-29' AS DATE)"));
    assert_eq!(text(&Type::DATE, "2020-02-29 +00"), sql("CAST('2020-02-29' AS DATE)"));
    assert_eq!(text(&Type::TIMESTAMP, "2020-02-29 01:02:03.5+02"), sql("CAST('2020-02-29 01:02:03.5' AS TIMESTAMP)"));
    let zoned = sql("CAST('2020-02-29 01:02:03-02:00' AS TIMESTAMP WITH TIME ZONE)");
    assert_eq!(text(&Type::TIMESTAMPTZ, "2020-02-29 01:02:03-02"), zoned);
    assert_eq!(text(&Type::BYTEA, "\\x00Ff"), sql("X'00ff'"));
    assert_eq!(text(&Type::BYTEA, "a\\\\\\001"), sql("X'615c01'"));
    assert_eq!(text(&Type::INT8, "1; DROP TABLE t"), Err("22P02"));
    assert_eq!(literal(&Type::INT4, FieldFormat::Text, None).expect("NULL"), "CAST(NULL AS INTEGER)");
    assert_eq!(literal(&Type::TEXT, FieldFormat::Text, None).expect("NULL"), "NULL");
}

#[test]
fn binary_values_become_literals() {
    assert_eq!(binary(&Type::INT2, &[255, 254]), sql("(-2)"));
    assert_eq!(binary(&Type::INT8, &i64::MIN.to_be_bytes()), sql("CAST('-9223372036854775808' AS BIGINT)"));
    assert_eq!(binary(&Type::INT8, &[0; 4]), Err("22P03"));
    assert_eq!(binary(&Type::FLOAT8, &1.5_f64.to_be_bytes()), sql("1.5e0"));
    assert_eq!(binary(&Type::FLOAT4, &(-100_f32).to_be_bytes()), sql("(-1e2)"));
    assert_eq!(binary(&Type::TEXT, b"a'b"), sql("'a''b'"));
    assert_eq!(binary(&Type::TEXT, b"\xff"), Err("22021"));
    // One day and a half second after 2000-01-01.
    assert_eq!(
        binary(&Type::TIMESTAMP, &86_400_500_000_i64.to_be_bytes()),
        sql("CAST('2000-01-02T00:00:00.500000' AS TIMESTAMP)")
    );
    assert_eq!(binary(&Type::DATE, &[0, 0, 0, 31]), sql("CAST('2000-02-01' AS DATE)"));
    // Digits 12 and 5000, the first of weight 0, negative, two decimals.
    assert_eq!(
        binary(&Type::NUMERIC, &[0, 2, 0, 0, 0x40, 0, 0, 2, 0, 12, 0x13, 0x88]),
        sql("CAST('-12.50' AS DECIMAL(4, 2))")
    );
    assert_eq!(binary(&Type::NUMERIC, &[0, 9, 0, 0]), Err("22P03"));
    // 5 of weight 1 is 50000.
    assert_eq!(binary(&Type::NUMERIC, &[0, 1, 0, 1, 0, 0, 0, 0, 0, 5]), sql("CAST('50000' AS DECIMAL(5, 0))"));
    let interval: [&[u8]; 3] = [&1_000_000_i64.to_be_bytes(), &[0, 0, 0, 2], &[0, 0, 0, 3]];
    assert_eq!(
        binary(&Type::INTERVAL, &interval.concat()),
        sql("CAST('3 months 2 days 1000000 microseconds' AS INTERVAL)")
    );
}

#[test]
fn arrays_become_lists() {
    assert_eq!(text(&Type::INT4_ARRAY, "{1,NULL,3}"), sql("ARRAY[1, CAST(NULL AS INTEGER), 3]"));
    assert_eq!(
        text(&Type::TEXT_ARRAY, r#"{a b,"c,\"d\\","NULL",it's}"#),
        sql(r#"ARRAY['a b', 'c,"d\', 'NULL', 'it''s']"#)
    );
    assert_eq!(text(&Type::INT4_ARRAY, "{}"), sql("array_resize(ARRAY[CAST(NULL AS INTEGER)], 0)"));
    assert_eq!(text(&Type::INT4_ARRAY, "{{1},{2}}"), Err("22P02"));
    let one: [&[u8]; 5] =
        [&[0, 0, 0, 1], &[0; 4], &[0, 0, 0, 23], &[0, 0, 0, 1, 0, 0, 0, 1], &[0, 0, 0, 4, 0, 0, 0, 9]];
    assert_eq!(binary(&Type::INT4_ARRAY, &one.concat()), sql("ARRAY[9]"));
    // It says that it has many elements, but has none.
    let lying: [&[u8]; 3] = [&[0, 0, 0, 1], &[0, 0, 0, 0, 0, 0, 0, 23], &[0x7f, 255, 255, 255, 0, 0, 0, 1]];
    assert_eq!(binary(&Type::INT4_ARRAY, &lying.concat()), Err("08P01"));
}
