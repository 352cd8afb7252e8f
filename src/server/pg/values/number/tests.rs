//! Tests of `number`.

use super::*;

#[test]
fn floats_are_written_as_postgresql_does() {
    let shown = |value: f64| {
        let mut out = BytesMut::new();
        put_float(&format!("{value:e}"), 15, &mut out);
        String::from_utf8(out.to_vec()).expect("text")
    };
    // As `SELECT x::float8` of PostgreSQL 15 prints them.
    assert_eq!(shown(1.0), "1");
    assert_eq!(shown(-0.1), "-0.1");
    assert_eq!(shown(12.5), "12.5");
    assert_eq!(shown(100.0), "100");
    assert_eq!(shown(0.0001), "0.0001");
    assert_eq!(shown(0.00001), "1e-05");
    assert_eq!(shown(1e14), "100000000000000");
    assert_eq!(shown(1e15), "1e+15");
    assert_eq!(shown(1.5e300), "1.5e+300");
    assert_eq!(shown(-0.0), "-0");
    assert_eq!(shown(f64::NAN), "NaN");
    assert_eq!(shown(f64::NEG_INFINITY), "-Infinity");
}

#[test]
fn numerics_have_digits_to_the_base_10000() {
    let binary = |text: &str| {
        let mut out = BytesMut::new();
        put_numeric(text, &mut out);
        out.chunks(2).map(|pair| u16::from_be_bytes([pair[0], pair[1]])).collect::<Vec<u16>>()
    };
    // digits, weight of the first, sign, decimals, then the digits.
    assert_eq!(binary("0"), [0, 0, 0, 0]);
    assert_eq!(binary("0.00"), [0, 0, 0, 2]);
    assert_eq!(binary("1"), [1, 0, 0, 0, 1]);
    assert_eq!(binary("12345.67"), [3, 1, 0, 2, 1, 2345, 6700]);
    assert_eq!(binary("-10000"), [1, 1, 0x4000, 0, 1]);
    assert_eq!(binary("0.00005"), [1, (-2_i16).cast_unsigned(), 0, 5, 5000]);
    assert_eq!(binary("18446744073709551615"), [5, 4, 0, 0, 1844, 6744, 737, 955, 1615]);
}
