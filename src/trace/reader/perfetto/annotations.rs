//! Debug annotations: the arguments of events, which become columns.
//!
//! In: the bytes of an annotation. Out: its name, and its value as a whole number or as JSON.

#[cfg(test)]
mod tests;

use std::borrow::Cow;

use super::plain_event::{PlainAnnotation, whole_of_interned};
use super::sequences::{InternedKind, PacketSequence};
use super::wire::{BadMessage, WireFields, WireValue};
use crate::model::StoredTable;
use crate::reader::chrome::arguments::Arguments;

/// How deep values may lie in each other; what is deeper is left out.
const DEEPEST: usize = 32;

/// Packs the annotations of an event behind what is there.
pub(super) fn pack(
    annotations: &[&[u8]],
    table: StoredTable,
    sequence: &mut PacketSequence,
    arguments: &mut Arguments,
    into: &mut Vec<u8>,
) -> Result<(), BadMessage> {
    for annotation in annotations {
        if let Some(plain) = whole_of_interned(annotation) {
            pack_whole(plain, table, sequence, arguments, into);
            continue;
        }
        let (name, value) = read(annotation, sequence, 0)?;
        let key = json_key(&name);
        match value {
            AnnotationValue::Whole(number) => {
                arguments.pack_whole(table, key.as_bytes(), number, into);
            }
            AnnotationValue::Json(json) => arguments.pack_json(table, key.as_bytes(), json.as_bytes(), into),
        }
    }
    Ok(())
}

/// Packs an annotation that is an interned name and a whole number behind what is there.
#[inline]
pub(super) fn pack_whole(
    (id, number): PlainAnnotation,
    table: StoredTable,
    sequence: &mut PacketSequence,
    arguments: &mut Arguments,
    into: &mut Vec<u8>,
) {
    if let Some(key) = sequence.argument_key(id, table) {
        arguments.pack_known(key, number, into);
        return;
    }
    let name = interned(sequence, InternedKind::AnnotationName, id);
    let key = arguments.pack_whole(table, json_key(&name).as_bytes(), number, into);
    sequence.set_argument_key(id, key);
}

/// The key of an argument as it would stand in JSON, without quotes.
fn json_key(name: &str) -> Cow<'_, str> {
    match name {
        "" => Cow::Borrowed("annotation"),
        name if is_plain(name) => Cow::Borrowed(name),
        name => {
            let quoted = json_text(name);
            Cow::Owned(quoted[1..quoted.len() - 1].to_string())
        }
    }
}

/// An interned text, or its number where it is not there.
fn interned(sequence: &PacketSequence, kind: InternedKind, id: u64) -> Cow<'_, str> {
    sequence.text(kind, id).map_or_else(|| Cow::Owned(format!("#{id}")), String::from_utf8_lossy)
}

/// As [`pack`], for an end of a link; returns its key, which is no column.
pub(super) fn pack_link(
    annotations: &[&[u8]],
    sequence: &mut PacketSequence,
    arguments: &mut Arguments,
    into: &mut Vec<u8>,
) -> Result<String, BadMessage> {
    let mut key = String::new();
    for annotation in annotations {
        match read(annotation, sequence, 0)? {
            (name, AnnotationValue::Json(json)) if name == "key" => {
                key = serde_json::from_str(&json).unwrap_or(json.into_owned());
            }
            _ => pack(&[annotation], StoredTable::Links, sequence, arguments, into)?,
        }
    }
    Ok(key)
}

/// The value of an annotation.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum AnnotationValue {
    Whole(i64),
    Json(Cow<'static, str>),
}

impl AnnotationValue {
    fn json(&self) -> String {
        match self {
            AnnotationValue::Whole(number) => number.to_string(),
            AnnotationValue::Json(json) => json.to_string(),
        }
    }
}

fn read<'a>(
    bytes: &'a [u8],
    sequence: &'a PacketSequence,
    depth: usize,
) -> Result<(Cow<'a, str>, AnnotationValue), BadMessage> {
    let mut name = Cow::Borrowed("");
    let mut value = AnnotationValue::Json(Cow::Borrowed("null"));
    let (mut members, mut elements) = (None::<Vec<String>>, None::<Vec<String>>);
    WireFields::each(bytes, |number, field| {
        match number {
            1 => name = interned(sequence, InternedKind::AnnotationName, field.number()),
            10 => name = String::from_utf8_lossy(field.bytes()),
            2 => value = json((field.number() != 0).to_string()),
            3 => value = whole(i64::try_from(field.number()).ok(), field.number()),
            4 => value = AnnotationValue::Whole(field.signed()),
            5 => value = json(json_number(field.double())),
            6 => value = json(json_text(&String::from_utf8_lossy(field.bytes()))),
            7 => value = json(json_text(&format!("{:#x}", field.number()))),
            8 if depth < DEEPEST => value = json(nested(field.bytes(), depth + 1)?),
            9 => value = json(checked_json(field)),
            17 => value = json(json_text(&interned(sequence, InternedKind::AnnotationValue, field.number()))),
            11 if depth < DEEPEST => {
                let (key, value) = read(field.bytes(), sequence, depth + 1)?;
                members.get_or_insert_default().push(format!("{}:{}", json_text(&key), value.json()));
            }
            12 if depth < DEEPEST => {
                elements.get_or_insert_default().push(read(field.bytes(), sequence, depth + 1)?.1.json());
            }
            _ => (),
        }
        Ok(())
    })?;
    if let Some(members) = members {
        value = json(format!("{{{}}}", members.join(",")));
    } else if let Some(elements) = elements {
        value = json(format!("[{}]", elements.join(",")));
    }
    Ok((name, value))
}

/// The older way to write lists and objects: keys and values apart.
fn nested(bytes: &[u8], depth: usize) -> Result<String, BadMessage> {
    let (mut kind, mut keys, mut values, mut elements) = (0, vec![], vec![], vec![]);
    let mut plain = "null".to_string();
    WireFields::each(bytes, |number, field| {
        match number {
            1 => kind = field.number(),
            2 => keys.push(field.text()),
            3 if depth < DEEPEST => values.push(nested(field.bytes(), depth + 1)?),
            4 if depth < DEEPEST => elements.push(nested(field.bytes(), depth + 1)?),
            5 => plain = field.signed().to_string(),
            6 => plain = json_number(field.double()),
            7 => plain = (field.number() != 0).to_string(),
            8 => plain = json_text(&field.text()),
            _ => (),
        }
        Ok(())
    })?;
    let member = |(key, value): (&String, &String)| format!("{}:{value}", json_text(key));
    Ok(match kind {
        1 => format!("{{{}}}", keys.iter().zip(&values).map(member).collect::<Vec<_>>().join(",")),
        2 => format!("[{}]", elements.join(",")),
        _ => plain,
    })
}

fn json(text: String) -> AnnotationValue {
    AnnotationValue::Json(Cow::Owned(text))
}

fn whole(number: Option<i64>, unsigned: u64) -> AnnotationValue {
    number.map_or_else(|| json(unsigned.to_string()), AnnotationValue::Whole)
}

/// A number that stays one with a fraction: `1.0`.
fn json_number(number: f64) -> String {
    if number.is_finite() { format!("{number:?}") } else { json_text(&number.to_string()) }
}

fn json_text(text: &str) -> String {
    if is_plain(text) {
        return format!("\"{text}\"");
    }
    serde_json::Value::from(text).to_string()
}

/// Whether a text stands in JSON as it is.
fn is_plain(text: &str) -> bool {
    text.bytes().all(|byte| byte >= 0x20 && !matches!(byte, b'"' | b'\\'))
}

/// JSON of the program, or its text where it is none.
fn checked_json(field: WireValue<'_>) -> String {
    let text = field.text();
    match serde_json::from_str::<serde::de::IgnoredAny>(&text) {
        Ok(_) => text.trim().to_string(),
        Err(_) => json_text(&text),
    }
}
