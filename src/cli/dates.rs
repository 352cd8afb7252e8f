//! Dates on the command line.

#[cfg(test)]
mod tests;

use chrono::{DateTime, NaiveDate, NaiveDateTime, NaiveTime};

/// A date, in milliseconds since 1970.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Date(pub i64);

/// Reads `2024-05-01T12:00:00Z`, with any offset from UTC; without one, and for a day alone, it is UTC.
pub fn parse_date(text: &str) -> Result<Date, String> {
    let moment = DateTime::parse_from_rfc3339(text).map(|date| date.to_utc());
    let bare =
        || text.parse::<NaiveDateTime>().or_else(|_| NaiveDateTime::parse_from_str(text, "%Y-%m-%d %H:%M:%S%.f"));
    let day = || text.parse::<NaiveDate>().map(|day| day.and_time(NaiveTime::MIN));
    let moment = moment.or_else(|_| bare().or_else(|_| day()).map(|moment| moment.and_utc()));
    let moment = moment.map_err(|_| format!("expected a date such as 2024-05-01T12:00:00Z, got {text}"))?;
    Ok(Date(moment.timestamp_millis()))
}
