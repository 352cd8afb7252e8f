//! Parameters of prepared statements: bytes of a client in, typed values out. `crate::parameters` binds them.

use arrow::datatypes::{DataType, IntervalMonthDayNano, IntervalUnit, TimeUnit};
use bytes::Bytes;
use datafusion::common::ScalarValue;
use pgwire::api::Type;
use pgwire::api::results::FieldFormat;
use postgres_types::FromSql;

use super::error::PgError;
use super::frontend::MessageReader;
use super::values::{EPOCH_DAYS, EPOCH_MICROSECONDS};

/// The value of a parameter.
pub(super) fn value(kind: &Type, format: FieldFormat, value: Option<&Bytes>) -> Result<ScalarValue, PgError> {
    let Some(value) = value else { return Ok(null(kind)) };
    match format {
        FieldFormat::Text => from_text(kind, text_of(value)?),
        FieldFormat::Binary => from_binary(kind, value),
    }
}

fn null(kind: &Type) -> ScalarValue {
    ScalarValue::try_new_null(&data_type(kind)).unwrap_or(ScalarValue::Null)
}

/// A value that planning can do with, as long as the real one is unknown: another one for each
/// number, because equal expressions get equal names.
pub(super) fn example(kind: &Type, number: usize) -> ScalarValue {
    match data_type(kind) {
        DataType::Boolean => ScalarValue::Boolean(Some(true)),
        DataType::Float64 => ScalarValue::Float64(Some(number as f64)),
        DataType::Int16 | DataType::Int32 | DataType::Int64 | DataType::Decimal128(..) => {
            ScalarValue::Int64(Some(number as i64))
        }
        DataType::Utf8 => ScalarValue::from(number.to_string()),
        _ => null(kind),
    }
}

/// The type of the values of a type; what is not known here is text.
fn data_type(kind: &Type) -> DataType {
    match *kind {
        Type::BOOL => DataType::Boolean,
        Type::INT2 => DataType::Int16,
        Type::INT4 => DataType::Int32,
        Type::INT8 | Type::OID => DataType::Int64,
        Type::FLOAT4 | Type::FLOAT8 => DataType::Float64,
        Type::NUMERIC => DataType::Decimal128(38, 10),
        Type::DATE => DataType::Date32,
        Type::TIME => DataType::Time64(TimeUnit::Microsecond),
        Type::TIMESTAMP => DataType::Timestamp(TimeUnit::Microsecond, None),
        Type::TIMESTAMPTZ => DataType::Timestamp(TimeUnit::Microsecond, Some("+00:00".into())),
        Type::INTERVAL => DataType::Interval(IntervalUnit::MonthDayNano),
        Type::BYTEA => DataType::Binary,
        ref other => match element_of(other) {
            Some(element) => DataType::new_list(data_type(&element), true),
            None => DataType::Utf8,
        },
    }
}

fn from_text(kind: &Type, text: &str) -> Result<ScalarValue, PgError> {
    let wrong = || PgError::new("22P02", format!("invalid input syntax for type {}: \"{text}\"", kind.name()));
    let trimmed = text.trim();
    let data_type = data_type(kind);
    let text = match &data_type {
        DataType::Binary => return bytea(text).map(|bytes| ScalarValue::Binary(Some(bytes))).ok_or_else(wrong),
        DataType::Decimal128(..) => return numeric(trimmed).ok_or_else(wrong),
        DataType::Float64 => return float(trimmed).ok_or_else(wrong),
        DataType::List(_) => {
            let element = element_of(kind).ok_or_else(wrong)?;
            let elements = elements(text).ok_or_else(wrong)?.into_iter();
            let values =
                elements.map(|text| text.map_or_else(|| Ok(null(&element)), |text| from_text(&element, &text)));
            return Ok(list(&element, &values.collect::<Result<Vec<_>, _>>()?));
        }
        DataType::Utf8 => text.to_string(),
        DataType::Date32 => day_of(trimmed).to_string(),
        DataType::Timestamp(_, None) => without_zone(trimmed).to_string(),
        DataType::Timestamp(_, Some(_)) => with_zone(trimmed),
        _ => trimmed.to_string(),
    };
    ScalarValue::try_from_string(text, &data_type).ok().filter(|value| !value.is_null()).ok_or_else(wrong)
}

/// JDBC sends dates with a zone: PostgreSQL looks at the day only.
fn day_of(text: &str) -> &str {
    text.split([' ', 'T']).next().unwrap_or(text)
}

/// Where the zone of a time stamp begins: after the first colon, which comes after the day.
fn zone_of(text: &str) -> Option<usize> {
    let time = text.find(':')?;
    text[time..].find(['+', '-', 'Z', 'z']).map(|place| time + place)
}

fn without_zone(text: &str) -> &str {
    zone_of(text).map_or(text, |zone| text[..zone].trim_end())
}

/// The same with minutes in its zone; without a zone it is that of the session, UTC.
fn with_zone(text: &str) -> String {
    match zone_of(text) {
        None if text.contains(':') => format!("{text}+00:00"),
        Some(zone) if text[zone..].len() == 3 => format!("{text}:00"),
        _ => text.to_string(),
    }
}

fn from_binary(kind: &Type, value: &Bytes) -> Result<ScalarValue, PgError> {
    let wrong = || PgError::new("22P03", format!("incorrect binary data format for type {}", kind.name()));
    Ok(match *kind {
        Type::BOOL => ScalarValue::Boolean(Some(read(kind, value)?)),
        Type::INT2 => ScalarValue::Int16(Some(read(kind, value)?)),
        Type::INT4 => ScalarValue::Int32(Some(read(kind, value)?)),
        Type::OID => ScalarValue::Int64(Some(read::<u32>(kind, value)?.into())),
        Type::INT8 => ScalarValue::Int64(Some(read(kind, value)?)),
        Type::FLOAT4 => ScalarValue::Float64(Some(read::<f32>(kind, value)?.into())),
        Type::FLOAT8 => ScalarValue::Float64(Some(read(kind, value)?)),
        Type::NUMERIC => numeric_of(value).and_then(|text| numeric(&text)).ok_or_else(wrong)?,
        Type::DATE => ScalarValue::Date32(Some(read::<i32>(kind, value)?.checked_add(EPOCH_DAYS).ok_or_else(wrong)?)),
        Type::TIMESTAMP | Type::TIMESTAMPTZ => {
            let microseconds = read::<i64>(kind, value)?.checked_add(EPOCH_MICROSECONDS).ok_or_else(wrong)?;
            let zone = (*kind == Type::TIMESTAMPTZ).then(|| "+00:00".into());
            ScalarValue::TimestampMicrosecond(Some(microseconds), zone)
        }
        Type::TIME => {
            let microseconds = read::<i64>(kind, value)?;
            ScalarValue::Time64Microsecond(Some(microseconds).filter(|time| (0..86_400_000_000).contains(time)))
        }
        Type::INTERVAL => interval(value).ok_or_else(wrong)?,
        Type::BYTEA => ScalarValue::Binary(Some(value.to_vec())),
        // A version goes before it.
        Type::JSONB => ScalarValue::from(text_of(&value.slice(1.min(value.len())..))?),
        Type::UUID => ScalarValue::from(uuid(value).ok_or_else(wrong)?),
        ref other => match element_of(other) {
            Some(element) => list_of(&element, value)?,
            None => ScalarValue::from(text_of(value)?),
        },
    })
}

/// A value of a type that postgres-types reads.
fn read<'a, T: FromSql<'a>>(kind: &Type, value: &'a Bytes) -> Result<T, PgError> {
    let wrong = |_| PgError::new("22P03", format!("incorrect binary data format for type {}", kind.name()));
    T::from_sql(kind, value).map_err(wrong)
}

fn text_of(value: &Bytes) -> Result<&str, PgError> {
    let text = std::str::from_utf8(value).map_err(|_| PgError::new("22021", "a parameter is no UTF-8 text"))?;
    match text.contains('\0') {
        true => Err(PgError::new("22021", "a text cannot hold a zero byte")),
        false => Ok(text),
    }
}

fn float(text: &str) -> Option<ScalarValue> {
    text.to_lowercase().parse().ok().map(|number| ScalarValue::Float64(Some(number)))
}

/// A decimal number with as many digits as it needs.
fn numeric(text: &str) -> Option<ScalarValue> {
    let digits = text.trim_start_matches(['-', '+']);
    let (whole, decimals) = digits.split_once('.').unwrap_or((digits, ""));
    let is_number = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    if !is_number(whole) || !is_number(decimals) || whole.len() + decimals.len() == 0 {
        // NaN, infinities and numbers with an exponent.
        return float(text);
    }
    let precision = u8::try_from(whole.len() + decimals.len()).ok()?;
    let scale = i8::try_from(decimals.len()).ok()?;
    let data_type = match precision {
        ..=38 => DataType::Decimal128(precision, scale),
        39..=76 => DataType::Decimal256(precision, scale),
        _ => return None,
    };
    ScalarValue::try_from_string(text.to_string(), &data_type).ok()
}

/// The text of a binary numeric.
fn numeric_of(value: &Bytes) -> Option<String> {
    let numbers: Vec<u16> = value.chunks_exact(2).map(|pair| u16::from_be_bytes([pair[0], pair[1]])).collect();
    let [count, weight, sign, decimals, digits @ ..] = numbers.as_slice() else { return None };
    match *sign {
        0xc000 => return Some("NaN".to_string()),
        0xd000 => return Some("inf".to_string()),
        0xf000 => return Some("-inf".to_string()),
        0 | 0x4000 => {}
        _ => return None,
    }
    if usize::from(*count) != digits.len() || digits.iter().any(|digit| *digit > 9999) {
        return None;
    }
    let weight = i32::from(weight.cast_signed());
    let digit =
        |place: i32| usize::try_from(weight - place).ok().and_then(|index| digits.get(index)).copied().unwrap_or(0);
    // Beyond what any decimal here holds.
    if weight > 30 || *decimals > 100 {
        return None;
    }
    let whole: String = (0..=weight.max(0)).rev().map(|place| format!("{:04}", digit(place))).collect();
    let groups = (i32::from(*decimals) + 3) / 4;
    let mut after: String = (1..=groups).map(|place| format!("{:04}", digit(-place))).collect();
    after.truncate(usize::from(*decimals));
    let sign = if *sign == 0x4000 { "-" } else { "" };
    let whole = whole.trim_start_matches('0');
    let whole = if whole.is_empty() { "0" } else { whole };
    Some(if after.is_empty() { format!("{sign}{whole}") } else { format!("{sign}{whole}.{after}") })
}

fn interval(value: &Bytes) -> Option<ScalarValue> {
    let mut reader = MessageReader(value.clone());
    let (high, low) = (reader.i32().ok()?, reader.i32().ok()?.cast_unsigned());
    let microseconds = (i64::from(high) << 32) | i64::from(low);
    let (days, months) = (reader.i32().ok()?, reader.i32().ok()?);
    let interval = IntervalMonthDayNano::new(months, days, microseconds.checked_mul(1000)?);
    Some(ScalarValue::IntervalMonthDayNano(Some(interval)))
}

fn uuid(value: &Bytes) -> Option<String> {
    let digits: String = value.iter().map(|byte| format!("{byte:02x}")).collect();
    let part = |range: std::ops::Range<usize>| digits.get(range);
    Some(format!("{}-{}-{}-{}-{}", part(0..8)?, part(8..12)?, part(12..16)?, part(16..20)?, part(20..32)?))
}

/// `\x00ff`, or bytes with octal escapes.
fn bytea(text: &str) -> Option<Vec<u8>> {
    if let Some(digits) = text.strip_prefix("\\x") {
        let digits: Vec<u8> = digits.bytes().filter(|byte| !byte.is_ascii_whitespace()).collect();
        let pair =
            |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok().filter(|pair| pair.len() == 2)?, 16).ok();
        return digits.chunks(2).map(pair).collect();
    }
    let (mut value, mut rest) = (vec![], text.as_bytes());
    while let Some((first, after)) = rest.split_first() {
        let (byte, after) = match (first, after) {
            (b'\\', [b'\\', after @ ..]) => (b'\\', after),
            (b'\\', [a @ b'0'..=b'3', b @ b'0'..=b'7', c @ b'0'..=b'7', after @ ..]) => {
                ((a - b'0') * 64 + (b - b'0') * 8 + (c - b'0'), after)
            }
            (b'\\', _) => return None,
            (other, after) => (*other, after),
        };
        value.push(byte);
        rest = after;
    }
    Some(value)
}

/// The type of the elements of an array.
fn element_of(kind: &Type) -> Option<Type> {
    match kind.kind() {
        postgres_types::Kind::Array(element) => Some(element.clone()),
        _ => None,
    }
}

fn list(element: &Type, values: &[ScalarValue]) -> ScalarValue {
    ScalarValue::List(ScalarValue::new_list(values, &data_type(element), true))
}

/// The elements of `{a,"b c",NULL}`, in one dimension.
pub(super) fn elements(text: &str) -> Option<Vec<Option<String>>> {
    let inner = text.trim().strip_prefix('{')?.strip_suffix('}')?;
    let mut values = vec![];
    let mut characters = inner.chars().peekable();
    while characters.peek().is_some() {
        let (mut value, mut is_quoted, mut is_open) = (String::new(), false, false);
        while let Some(character) = characters.next() {
            match character {
                '\\' => value.extend(characters.next()),
                '"' => (is_quoted, is_open) = (true, !is_open),
                '{' | '}' if !is_open => return None,
                ',' if !is_open => break,
                // Spaces around an element do not belong to it.
                space if !is_open && space.is_whitespace() && (is_quoted || value.is_empty()) => {}
                other => value.push(other),
            }
        }
        let value = if is_quoted { value } else { value.trim().to_string() };
        values.push((is_quoted || !value.eq_ignore_ascii_case("null")).then_some(value));
    }
    Some(values)
}

fn list_of(element: &Type, bytes: &Bytes) -> Result<ScalarValue, PgError> {
    let mut reader = MessageReader(bytes.clone());
    let dimensions = reader.i32()?;
    let (_has_nulls, _element) = (reader.i32()?, reader.i32()?);
    let count = match dimensions {
        0 => 0,
        1 => {
            let count = reader.i32()?;
            let _first = reader.i32()?;
            count
        }
        _ => return Err(PgError::unsupported("arrays of more than one dimension are not taken as parameters")),
    };
    let values = (0..count).map(|_| value(element, FieldFormat::Binary, reader.value()?.as_ref()));
    Ok(list(element, &values.collect::<Result<Vec<_>, _>>()?))
}

#[cfg(test)]
mod tests;
