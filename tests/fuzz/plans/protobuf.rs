//! Changes messages of protobuf such that most of them can still be read: lengths are right after a change.
//!
//! ```text
//!  message = { field }       field = key, number | 8 bytes | 4 bytes | length, (bytes | message)
//! ```
//! Bytes that read like a message are taken for one.

use super::mutator::{Random, mutated};

/// Messages inside each other that are looked into.
const DEEPEST: usize = 200;

struct Field {
    number: u64,
    value: FieldValue,
}

enum FieldValue {
    Number(u64),
    Fixed(Vec<u8>),
    Bytes(Vec<u8>),
    Message(Vec<Field>),
}

/// A message with some changes.
pub fn changed(bytes: &[u8], random: &mut Random) -> Vec<u8> {
    let Some(mut fields) = message(bytes, 0) else { return bytes.to_vec() };
    for _ in 0..=random.below(3) {
        change(&mut fields, random);
    }
    written(&fields)
}

fn change(fields: &mut Vec<Field>, random: &mut Random) {
    if fields.is_empty() {
        return;
    }
    let place = random.below(fields.len());
    if let FieldValue::Message(inner) = &mut fields[place].value
        && random.below(6) > 0
    {
        return change(inner, random);
    }
    match random.below(8) {
        0 => drop(fields.remove(place)),
        1 => {
            let copy = message(&written(&fields[place..=place]), 0).unwrap_or_default();
            let times = [1, 1, 2, 50][random.below(4)];
            for _ in 0..times {
                let copy = message(&written(&copy), 0).unwrap_or_default();
                fields.splice(place..place, copy);
            }
        }
        2 => {
            let other = random.below(fields.len());
            fields.swap(place, other);
        }
        3 => fields[place].number = 1 + random.below(40) as u64,
        _ => change_value(&mut fields[place].value, random),
    }
}

fn change_value(value: &mut FieldValue, random: &mut Random) {
    match value {
        FieldValue::Number(number) => {
            *number = match random.below(4) {
                0 => random.below(10) as u64,
                1 => number.wrapping_add(1),
                2 => number.wrapping_sub(1),
                _ => (1_u64 << random.below(64)).wrapping_sub(random.below(2) as u64),
            }
        }
        FieldValue::Fixed(bytes) => {
            let place = random.below(bytes.len());
            bytes[place] = random.below(256) as u8;
        }
        FieldValue::Bytes(bytes) if bytes.is_empty() => *bytes = vec![random.below(256) as u8],
        FieldValue::Bytes(bytes) => *bytes = mutated(std::slice::from_ref(bytes), random),
        FieldValue::Message(fields) => match random.below(3) {
            0 => fields.clear(),
            1 => *value = FieldValue::Bytes(mutated(&[written(fields)], random)),
            _ => {
                // The message inside itself, in the place of one of its fields.
                let copy = written(fields);
                let place = random.below(fields.len().max(1));
                if let Some(field) = fields.get_mut(place) {
                    field.value = FieldValue::Bytes(copy);
                }
            }
        },
    }
}

fn message(bytes: &[u8], depth: usize) -> Option<Vec<Field>> {
    let (mut fields, mut rest) = (vec![], bytes);
    while !rest.is_empty() {
        let key = number(&mut rest)?;
        let value = match key & 7 {
            0 => FieldValue::Number(number(&mut rest)?),
            1 => FieldValue::Fixed(take(&mut rest, 8)?.to_vec()),
            5 => FieldValue::Fixed(take(&mut rest, 4)?.to_vec()),
            2 => {
                let length = usize::try_from(number(&mut rest)?).ok()?;
                let bytes = take(&mut rest, length)?;
                let inner = (depth < DEEPEST && !bytes.is_empty()).then(|| message(bytes, depth + 1)).flatten();
                inner.map_or_else(|| FieldValue::Bytes(bytes.to_vec()), FieldValue::Message)
            }
            _ => return None,
        };
        if !(1..1 << 29).contains(&(key >> 3)) {
            return None;
        }
        fields.push(Field { number: key >> 3, value });
    }
    Some(fields)
}

fn take<'a>(rest: &mut &'a [u8], length: usize) -> Option<&'a [u8]> {
    let (taken, left) = rest.split_at_checked(length)?;
    *rest = left;
    Some(taken)
}

fn number(rest: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let byte = take(rest, 1)?[0];
        number |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(number);
        }
    }
    None
}

fn written(fields: &[Field]) -> Vec<u8> {
    let mut bytes = vec![];
    for Field { number, value } in fields {
        match value {
            FieldValue::Number(value) => {
                put(number << 3, &mut bytes);
                put(*value, &mut bytes);
            }
            FieldValue::Fixed(value) => {
                put(number << 3 | if value.len() == 8 { 1 } else { 5 }, &mut bytes);
                bytes.extend(value);
            }
            FieldValue::Bytes(value) => put_sized(*number, value, &mut bytes),
            FieldValue::Message(fields) => put_sized(*number, &written(fields), &mut bytes),
        }
    }
    bytes
}

fn put_sized(number: u64, value: &[u8], bytes: &mut Vec<u8>) {
    put(number << 3 | 2, bytes);
    put(value.len() as u64, bytes);
    bytes.extend(value);
}

fn put(mut number: u64, bytes: &mut Vec<u8>) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}
