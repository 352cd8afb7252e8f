//! Tests of `dates`.

use super::*;

#[test]
fn dates_are_read_with_and_without_an_offset() {
    // 19,844 days after 1970, and twelve hours.
    let noon = Ok(Date((19_844 * 24 + 12) * 3_600_000));
    for text in ["2024-05-01T12:00:00Z", "2024-05-01T14:00:00+02:00", "2024-05-01T12:00:00", "2024-05-01 12:00:00"] {
        assert_eq!(parse_date(text), noon, "{text}");
    }
    assert_eq!(parse_date("2024-05-01T12:00:00.25Z"), Ok(Date((19_844 * 24 + 12) * 3_600_000 + 250)));
    assert_eq!(parse_date("1969-12-31"), Ok(Date(-86_400_000)));
    for wrong in ["", "today", "2024-13-01", "12:00:00"] {
        assert!(parse_date(wrong).is_err(), "{wrong}");
    }
}
