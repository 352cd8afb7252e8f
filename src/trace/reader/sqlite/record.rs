//! The values of a row.
//!
//! ```text
//! record = header-size:varint type:varint* value*       values stand in the order of their types
//! varint = seven bits a byte, the highest first; the ninth byte has eight
//! ```

#[cfg(test)]
mod tests;

use crate::reader::table_rows::TableValue;

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
pub(super) fn values(record: &[u8]) -> Option<Vec<TableValue>> {
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

fn value(type_: u64, body: &mut &[u8]) -> Option<TableValue> {
    Some(match type_ {
        0 => TableValue::Null,
        1..=6 => {
            let len = [1, 2, 3, 4, 6, 8][type_ as usize - 1];
            let bytes = take(body, len)?;
            let first = if bytes[0] & 0x80 == 0 { 0 } else { -1 };
            TableValue::Int(bytes.iter().fold(first, |number, byte| number << 8 | i64::from(*byte)))
        }
        7 => TableValue::Real(f64::from_be_bytes(*take(body, 8)?.first_chunk()?)),
        8 => TableValue::Int(0),
        9 => TableValue::Int(1),
        12.. => {
            let bytes = take(body, usize::try_from((type_ - 12) / 2).ok()?)?;
            if type_.is_multiple_of(2) {
                TableValue::Blob(bytes.to_vec())
            } else {
                TableValue::Text(String::from_utf8_lossy(bytes).into_owned())
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
