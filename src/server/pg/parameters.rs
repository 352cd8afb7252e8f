//! Parameters of prepared statements: bytes of a client in, SQL literals out.

use bytes::Bytes;
use pgwire::api::Type;
use pgwire::api::results::FieldFormat;

use super::error::PgError;
use super::frontend::MessageReader;
use super::script::quoted;

/// Seconds from 1970-01-01 to 2000-01-01.
const EPOCH_SECONDS: i64 = 946_684_800;

/// A parameter as a literal of SQL.
pub(super) fn literal(kind: &Type, format: FieldFormat, value: Option<&Bytes>) -> Result<String, PgError> {
    let Some(value) = value else { return Ok(null(kind)) };
    match format {
        FieldFormat::Text => {
            let text = std::str::from_utf8(value).map_err(|_| PgError::new("22021", "a parameter is no UTF-8 text"))?;
            from_text(kind, text)
        }
        FieldFormat::Binary => from_binary(kind, value),
    }
}

fn null(kind: &Type) -> String {
    match sql_name(kind) {
        Some(name) => format!("CAST(NULL AS {name})"),
        None => "NULL".to_string(),
    }
}

/// A value that planning can do with, as long as the real one is unknown: another one for each
/// number, because equal expressions get equal names.
pub(super) fn example(kind: &Type, number: usize) -> String {
    match *kind {
        Type::BOOL => "TRUE".to_string(),
        Type::FLOAT4 | Type::FLOAT8 => format!("{number}e0"),
        Type::INT2 | Type::INT4 | Type::INT8 | Type::OID | Type::NUMERIC => number.to_string(),
        Type::TEXT | Type::VARCHAR | Type::UNKNOWN | Type::NAME | Type::BPCHAR => format!("'{number}'"),
        _ => null(kind),
    }
}

/// The type in SQL; `None` for text, which needs no cast.
fn sql_name(kind: &Type) -> Option<&'static str> {
    Some(match *kind {
        Type::BOOL => "BOOLEAN",
        Type::INT2 => "SMALLINT",
        Type::INT4 => "INTEGER",
        Type::INT8 | Type::OID => "BIGINT",
        Type::FLOAT4 => "REAL",
        Type::FLOAT8 => "DOUBLE",
        Type::NUMERIC => "DECIMAL(38, 10)",
        Type::DATE => "DATE",
        Type::TIME => "TIME",
        Type::TIMESTAMP => "TIMESTAMP",
        Type::TIMESTAMPTZ => "TIMESTAMP WITH TIME ZONE",
        Type::INTERVAL => "INTERVAL",
        Type::BYTEA => "BYTEA",
        _ => return None,
    })
}

fn from_text(kind: &Type, text: &str) -> Result<String, PgError> {
    let wrong = || PgError::new("22P02", format!("invalid input syntax for type {}: \"{text}\"", kind.name()));
    let trimmed = text.trim();
    Ok(match *kind {
        Type::BOOL => match trimmed.to_lowercase().as_str() {
            "t" | "true" | "y" | "yes" | "on" | "1" => "TRUE".to_string(),
            "f" | "false" | "n" | "no" | "off" | "0" => "FALSE".to_string(),
            _ => return Err(wrong()),
        },
        Type::INT2 => integer(i64::from(trimmed.parse::<i16>().map_err(|_| wrong())?)),
        Type::INT4 => integer(i64::from(trimmed.parse::<i32>().map_err(|_| wrong())?)),
        Type::INT8 | Type::OID => integer(trimmed.parse().map_err(|_| wrong())?),
        Type::FLOAT4 | Type::FLOAT8 => float(trimmed.to_lowercase().parse().map_err(|_| wrong())?),
        Type::NUMERIC => numeric(trimmed).ok_or_else(wrong)?,
        Type::DATE => format!("CAST({} AS DATE)", quoted(day_of(trimmed))),
        Type::TIMESTAMP => format!("CAST({} AS TIMESTAMP)", quoted(without_zone(trimmed))),
        Type::TIMESTAMPTZ => format!("CAST({} AS TIMESTAMP WITH TIME ZONE)", quoted(&with_zone(trimmed))),
        Type::BYTEA => bytes(&bytea(text).ok_or_else(wrong)?),
        ref other => match (element_of(other), sql_name(other)) {
            (Some(element), _) => array(&element, &elements(text).ok_or_else(wrong)?)?,
            (_, Some(name)) => format!("CAST({} AS {name})", quoted(trimmed)),
            _ => {
                check_text(text)?;
                quoted(text)
            }
        },
    })
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

fn from_binary(kind: &Type, value: &Bytes) -> Result<String, PgError> {
    let wrong = || PgError::new("22P03", format!("incorrect binary data format for type {}", kind.name()));
    let i64_of = || value.as_ref().try_into().map(i64::from_be_bytes).map_err(|_| wrong());
    let i32_of = || value.as_ref().try_into().map(i32::from_be_bytes).map_err(|_| wrong());
    Ok(match *kind {
        Type::BOOL => match value.as_ref() {
            [0] => "FALSE".to_string(),
            [_] => "TRUE".to_string(),
            _ => return Err(wrong()),
        },
        Type::INT2 => integer(i64::from(value.as_ref().try_into().map(i16::from_be_bytes).map_err(|_| wrong())?)),
        Type::INT4 => integer(i64::from(i32_of()?)),
        Type::OID => integer(i64::from(i32_of()?.cast_unsigned())),
        Type::INT8 => integer(i64_of()?),
        Type::FLOAT4 => float(f64::from(f32::from_bits(i32_of()?.cast_unsigned()))),
        Type::FLOAT8 => float(f64::from_bits(i64_of()?.cast_unsigned())),
        Type::NUMERIC => numeric_of(value).and_then(|text| numeric(&text)).ok_or_else(wrong)?,
        Type::DATE => {
            let days = i64::from(i32_of()?) * 86_400 + EPOCH_SECONDS;
            let date = chrono::DateTime::from_timestamp(days, 0).ok_or_else(wrong)?;
            format!("CAST('{}' AS DATE)", date.format("%Y-%m-%d"))
        }
        Type::TIMESTAMP | Type::TIMESTAMPTZ => {
            let microseconds = i64_of()?.checked_add(EPOCH_SECONDS * 1_000_000).ok_or_else(wrong)?;
            let time = chrono::DateTime::from_timestamp_micros(microseconds).ok_or_else(wrong)?;
            let zone = if *kind == Type::TIMESTAMPTZ { "+00:00" } else { "" };
            let name = sql_name(kind).unwrap_or("TIMESTAMP");
            format!("CAST('{}{zone}' AS {name})", time.format("%Y-%m-%dT%H:%M:%S%.6f"))
        }
        Type::TIME => {
            let microseconds = u64::try_from(i64_of()?).map_err(|_| wrong())?;
            let (seconds, rest) = (microseconds / 1_000_000, microseconds % 1_000_000);
            format!("CAST('{:02}:{:02}:{:02}.{rest:06}' AS TIME)", seconds / 3600, seconds / 60 % 60, seconds % 60)
        }
        Type::INTERVAL => interval(value).ok_or_else(wrong)?,
        Type::BYTEA => bytes(value),
        // A version goes before it.
        Type::JSONB => text_of(&value.slice(1.min(value.len())..))?,
        Type::UUID => uuid(value).ok_or_else(wrong)?,
        ref other => match element_of(other) {
            Some(element) => array_of(&element, value)?,
            None => text_of(value)?,
        },
    })
}

fn text_of(value: &Bytes) -> Result<String, PgError> {
    let text = std::str::from_utf8(value).map_err(|_| PgError::new("22021", "a parameter is no UTF-8 text"))?;
    check_text(text)?;
    Ok(quoted(text))
}

fn check_text(text: &str) -> Result<(), PgError> {
    match text.contains('\0') {
        true => Err(PgError::new("22021", "a text cannot hold a zero byte")),
        false => Ok(()),
    }
}

fn integer(value: i64) -> String {
    match value {
        // Its digits alone are too large.
        i64::MIN => format!("CAST('{value}' AS BIGINT)"),
        _ if value < 0 => format!("({value})"),
        _ => value.to_string(),
    }
}

fn float(value: f64) -> String {
    match value.is_finite() {
        true if value.is_sign_negative() => format!("({value:e})"),
        true => format!("{value:e}"),
        false => format!("CAST('{value}' AS DOUBLE)"),
    }
}

/// A decimal number with as many digits as it needs.
fn numeric(text: &str) -> Option<String> {
    let digits = text.trim_start_matches(['-', '+']);
    let (whole, decimals) = digits.split_once('.').unwrap_or((digits, ""));
    let is_number = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    if !is_number(whole) || !is_number(decimals) || whole.len() + decimals.len() == 0 {
        // NaN, infinities and numbers with an exponent.
        return text.to_lowercase().parse().ok().map(float);
    }
    let precision = (whole.len() + decimals.len()).max(1);
    match precision {
        1..=38 => Some(format!("CAST('{text}' AS DECIMAL({precision}, {}))", decimals.len())),
        39..=76 => Some(format!("arrow_cast('{text}', 'Decimal256({precision}, {})')", decimals.len())),
        _ => None,
    }
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

fn interval(value: &Bytes) -> Option<String> {
    let mut reader = MessageReader(value.clone());
    let (high, low) = (reader.i32().ok()?, reader.i32().ok()?.cast_unsigned());
    let microseconds = (i64::from(high) << 32) | i64::from(low);
    let (days, months) = (reader.i32().ok()?, reader.i32().ok()?);
    Some(format!("CAST('{months} months {days} days {microseconds} microseconds' AS INTERVAL)"))
}

fn uuid(value: &Bytes) -> Option<String> {
    let digits: String = value.iter().map(|byte| format!("{byte:02x}")).collect();
    let part = |range: std::ops::Range<usize>| digits.get(range);
    Some(format!("'{}-{}-{}-{}-{}'", part(0..8)?, part(8..12)?, part(12..16)?, part(16..20)?, part(20..32)?))
}

fn bytes(value: &[u8]) -> String {
    format!("X'{}'", value.iter().map(|byte| format!("{byte:02x}")).collect::<String>())
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

fn array(element: &Type, values: &[Option<String>]) -> Result<String, PgError> {
    let literal = |value: &Option<String>| match value {
        None => Ok(null(element)),
        Some(text) => from_text(element, text),
    };
    joined(element, values.iter().map(literal).collect::<Result<_, _>>()?)
}

fn joined(element: &Type, literals: Vec<String>) -> Result<String, PgError> {
    match (literals.is_empty(), sql_name(element)) {
        (false, _) => Ok(format!("ARRAY[{}]", literals.join(", "))),
        // An empty list needs the type of its elements.
        (true, name) => Ok(format!("array_resize(ARRAY[CAST(NULL AS {})], 0)", name.unwrap_or("VARCHAR"))),
    }
}

/// The elements of `{a,"b c",NULL}`, in one dimension.
fn elements(text: &str) -> Option<Vec<Option<String>>> {
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
                other => value.push(other),
            }
        }
        let value = if is_quoted { value } else { value.trim().to_string() };
        values.push((is_quoted || !value.eq_ignore_ascii_case("null")).then_some(value));
    }
    Some(values)
}

fn array_of(element: &Type, value: &Bytes) -> Result<String, PgError> {
    let mut reader = MessageReader(value.clone());
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
    let literals = (0..count).map(|_| literal(element, FieldFormat::Binary, reader.value()?.as_ref()));
    joined(element, literals.collect::<Result<_, _>>()?)
}

#[cfg(test)]
mod tests;
