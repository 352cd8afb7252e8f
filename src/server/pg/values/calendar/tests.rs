//! Tests of `calendar`.

use super::*;

fn shown(put: impl FnOnce(&mut BytesMut)) -> String {
    let mut out = BytesMut::new();
    put(&mut out);
    String::from_utf8(out.to_vec()).expect("text")
}

#[test]
fn times_read_as_in_postgresql() {
    let zone: Tz = "+05:30".parse().expect("a zone");
    assert_eq!(shown(|out| put_timestamp(0, None, out)), "1970-01-01 00:00:00");
    assert_eq!(shown(|out| put_timestamp(1_500_000, Some(zone), out)), "1970-01-01 05:30:01.5+05:30");
    assert_eq!(shown(|out| put_timestamp(-1, None, out)), "1969-12-31 23:59:59.999999");
    assert_eq!(shown(|out| put_date(EPOCH_DAYS, out)), "2000-01-01");
    // 719162 days lie between 0001-01-01 and 1970-01-01.
    assert_eq!(shown(|out| put_date(-719_163, out)), "0001-12-31 BC");
    assert_eq!(shown(|out| put_timestamp(i64::MAX, None, out)), "infinity");
}

#[test]
fn intervals_read_as_in_postgresql() {
    assert_eq!(shown(|out| put_interval(0, 0, 0, out)), "00:00:00");
    assert_eq!(shown(|out| put_interval(14, 3, 4 * 3600 * SECOND, out)), "1 year 2 mons 3 days 04:00:00");
    assert_eq!(shown(|out| put_interval(0, -1, 2 * 60 * SECOND, out)), "-1 days +00:02:00");
    assert_eq!(shown(|out| put_interval(0, 0, -500_000, out)), "-00:00:00.5");
    assert_eq!(shown(|out| put_interval(0, 0, 100 * 3600 * SECOND, out)), "100:00:00");
}
