//! The values of a row.
//!
//! ```text
//! record = header-size:varint type:varint* value*       values stand in the order of their types
//! varint = seven bits a byte, the highest first; the ninth byte has eight
//! ```

#[cfg(test)]
mod tests;

/// The value of a column.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::reader) enum SqliteValue {
    Null,
    Int(i64),
    Real(f64),
    Text(String),
    Blob(Vec<u8>),
}

impl SqliteValue {
    /// The value as a whole number.
    pub fn int(&self) -> Option<i64> {
        match self {
            SqliteValue::Int(number) => Some(*number),
            SqliteValue::Real(number) => Some(*number as i64).filter(|whole| *whole as f64 == *number),
            SqliteValue::Text(text) => text.trim().parse().ok(),
            _ => None,
        }
    }

    /// The value as text, when it is some.
    pub fn text(&self) -> Option<&str> {
        match self {
            SqliteValue::Text(text) => Some(text),
            _ => None,
        }
    }
}

/// Takes a varint from the front.
pub(super) fn varint(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0_u64;
    for place in 0..9 {
        let byte = *bytes.get(place)?;
        if place == 8 {
            number = number << 8 | u64::from(byte);
        } else {
            number = number << 7 | u64::from(byte & 0x7f);
            if byte & 0x80 != 0 {
                continue;
            }
        }
        *bytes = &bytes[place + 1..];
        return Some(number);
    }
    None
}

/// The values of a record; `None` when it cannot be read.
pub(super) fn values(record: &[u8]) -> Option<Vec<SqliteValue>> {
    let mut rest = record;
    let size = usize::try_from(varint(&mut rest)?).ok()?;
    let before = record.len() - rest.len();
    let mut types = record.get(before..size)?;
    let mut body = record.get(size..)?;
    let mut values = vec![];
    while !types.is_empty() {
        values.push(value(varint(&mut types)?, &mut body)?);
    }
    Some(values)
}

fn value(type_: u64, body: &mut &[u8]) -> Option<SqliteValue> {
    Some(match type_ {
        0 => SqliteValue::Null,
        1..=6 => {
            let len = [1, 2, 3, 4, 6, 8][type_ as usize - 1];
            let bytes = take(body, len)?;
            let first = if bytes[0] & 0x80 == 0 { 0 } else { -1 };
            SqliteValue::Int(bytes.iter().fold(first, |number, byte| number << 8 | i64::from(*byte)))
        }
        7 => SqliteValue::Real(f64::from_be_bytes(*take(body, 8)?.first_chunk()?)),
        8 => SqliteValue::Int(0),
        9 => SqliteValue::Int(1),
        12.. => {
            let bytes = take(body, usize::try_from((type_ - 12) / 2).ok()?)?;
            if type_.is_multiple_of(2) {
                SqliteValue::Blob(bytes.to_vec())
            } else {
                SqliteValue::Text(String::from_utf8_lossy(bytes).into_owned())
            }
        }
        _ => return None,
    })
}

fn take<'a>(body: &mut &'a [u8], len: usize) -> Option<&'a [u8]> {
    let (bytes, rest) = body.split_at_checked(len)?;
    *body = rest;
    Some(bytes)
}
