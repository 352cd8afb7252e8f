//! Dates, times and intervals: their texts, and their numbers from PostgreSQL's epoch, 2000-01-01.

#[cfg(test)]
mod tests;

use std::fmt::Write;

use arrow::array::timezone::Tz;
use arrow::datatypes::TimeUnit;
use bytes::{BufMut, BytesMut};
use chrono::{DateTime, Datelike, NaiveDate, NaiveDateTime, Offset, TimeDelta, TimeZone, Timelike};

/// From 1970-01-01 to 2000-01-01.
pub(in crate::pg) const EPOCH_DAYS: i32 = 10_957;
pub(in crate::pg) const EPOCH_MICROSECONDS: i64 = EPOCH_DAYS as i64 * DAY;
const SECOND: i64 = 1_000_000;
const DAY: i64 = 86_400 * SECOND;

/// Microseconds, which are all that PostgreSQL keeps.
pub(super) fn microseconds(value: i64, unit: TimeUnit) -> i64 {
    match unit {
        TimeUnit::Second => value.saturating_mul(SECOND),
        TimeUnit::Millisecond => value.saturating_mul(1000),
        TimeUnit::Microsecond => value,
        TimeUnit::Nanosecond => value.div_euclid(1000),
    }
}

/// Writes a time stamp from microseconds since 1970, in a zone if it has one.
pub(super) fn put_timestamp(microseconds: i64, zone: Option<Tz>, out: &mut BytesMut) {
    let Some(universal) = DateTime::from_timestamp_micros(microseconds).map(|time| time.naive_utc()) else {
        out.put_slice(if microseconds < 0 { b"-infinity" } else { b"infinity".as_slice() });
        return;
    };
    let offset = zone.map(|zone| zone.offset_from_utc_datetime(&universal).fix().local_minus_utc());
    let local = universal + TimeDelta::seconds(i64::from(offset.unwrap_or(0)));
    put_day(local.date(), out);
    out.put_u8(b' ');
    put_time(of_day(local), out);
    if let Some(offset) = offset {
        put_offset(offset, out);
    }
    put_era(local.date(), out);
}

fn of_day(time: NaiveDateTime) -> i64 {
    i64::from(time.num_seconds_from_midnight()) * SECOND + i64::from(time.nanosecond() / 1000)
}

/// Writes a date from days since 1970.
pub(super) fn put_date(days: i32, out: &mut BytesMut) {
    let epoch = NaiveDate::from_ymd_opt(1970, 1, 1).unwrap_or_default();
    match epoch.checked_add_signed(TimeDelta::days(i64::from(days))) {
        Some(date) => {
            put_day(date, out);
            put_era(date, out);
        }
        None => out.put_slice(if days < 0 { b"-infinity" } else { b"infinity".as_slice() }),
    }
}

/// There is no year 0: the year before 1 is 1 BC.
fn put_day(date: NaiveDate, out: &mut BytesMut) {
    let year = if date.year() > 0 { date.year() } else { 1 - date.year() };
    // Writing to a buffer does not fail.
    let _ = write!(out, "{year:04}-{:02}-{:02}", date.month(), date.day());
}

fn put_era(date: NaiveDate, out: &mut BytesMut) {
    if date.year() <= 0 {
        out.put_slice(b" BC");
    }
}

/// Writes hours, minutes and seconds of a number of microseconds that is not negative.
pub(super) fn put_time(microseconds: i64, out: &mut BytesMut) {
    let (seconds, rest) = (microseconds / SECOND, microseconds % SECOND);
    let _ = write!(out, "{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
    if rest > 0 {
        let decimals = format!("{rest:06}");
        let _ = write!(out, ".{}", decimals.trim_end_matches('0'));
    }
}

fn put_offset(seconds: i32, out: &mut BytesMut) {
    let sign = if seconds < 0 { '-' } else { '+' };
    let seconds = seconds.abs();
    let _ = write!(out, "{sign}{:02}", seconds / 3600);
    let (minutes, rest) = (seconds / 60 % 60, seconds % 60);
    if minutes > 0 || rest > 0 {
        let _ = write!(out, ":{minutes:02}");
    }
    if rest > 0 {
        let _ = write!(out, ":{rest:02}");
    }
}

/// Writes an interval: `1 year 2 mons -3 days +04:05:06`.
pub(super) fn put_interval(months: i32, days: i32, microseconds: i64, out: &mut BytesMut) {
    let parts = [(months / 12, "year"), (months % 12, "mon"), (days, "day")];
    let (mut is_empty, mut was_negative) = (true, false);
    for (count, unit) in parts.into_iter().filter(|(count, _)| *count != 0) {
        let space = if is_empty { "" } else { " " };
        let plus = if was_negative && count > 0 { "+" } else { "" };
        let plural = if count == 1 { "" } else { "s" };
        let _ = write!(out, "{space}{plus}{count} {unit}{plural}");
        (is_empty, was_negative) = (false, count < 0);
    }
    if microseconds == 0 && !is_empty {
        return;
    }
    let space = if is_empty { "" } else { " " };
    let sign = match microseconds {
        ..0 => "-",
        _ if was_negative => "+",
        _ => "",
    };
    let _ = write!(out, "{space}{sign}");
    put_time(microseconds.checked_abs().unwrap_or(i64::MAX), out);
}
