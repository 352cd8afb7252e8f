//! Tests of `sizes`.

use super::*;

#[test]
fn sizes_are_read_as_people_write_them() {
    assert_eq!(parse_size("64"), Ok(64));
    assert_eq!(parse_size("512MB"), Ok(512_000_000));
    assert_eq!(parse_size("1.5 GiB"), Ok(1_610_612_736));
    assert_eq!(parse_size("2k"), Ok(2048));
    for wrong in ["", "MB", "-1", "1XB", "0", "1.2.3", "nan"] {
        assert!(parse_size(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn numbers_are_written_as_people_read_them() {
    assert_eq!(count(1_234_567), "1,234,567");
    assert_eq!(counted(1, "line"), "1 line");
    assert_eq!(counted(0, "line"), "0 lines");
}
