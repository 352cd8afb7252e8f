//! The metadata of CTF 2: JSON objects, each after a record separator (0x1E).
//!
//! ```text
//! preamble, field-class-alias*, trace-class, clock-class*, data-stream-class*, event-record-class*
//! ```
//! In: text. Out: the classes of a trace; an object that cannot be understood is a fault, and the next is read on.

#[cfg(test)]
mod tests;

use std::cell::Cell;
use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;

use super::classes::{
    BytesOrder, ClockClass, EventClass, FieldClass, FieldLength, FieldReference, FieldRole, FieldScope, IntegerClass,
    Labels, MOST_COPIES, StreamClass, StructClass, TraceClass, ValueRange, VariantOption,
};

/// How deep field classes may lie in each other.
const DEEPEST: usize = 48;

/// Reads metadata.
pub(super) fn read(text: &str) -> TraceClass {
    let mut reader = JsonMetadata::default();
    for part in text.split('\x1e').map(str::trim).filter(|part| !part.is_empty()) {
        let read = match serde_json::from_str::<Value>(part) {
            Ok(fragment) => reader.fragment(&fragment),
            Err(error) => Err(format!("is no JSON: {error}")),
        };
        if let Err(what) = read {
            reader.trace.faults.push(format!("a fragment of the metadata {what}"));
        }
    }
    reader.trace
}

/// The result of reading a part; what is wrong otherwise.
type FragmentResult<T> = Result<T, String>;

#[derive(Debug, Default)]
struct JsonMetadata {
    trace: TraceClass,
    aliases: BTreeMap<String, Value>,
    /// Classes that aliases became so far.
    copies: Cell<usize>,
}

impl JsonMetadata {
    fn fragment(&mut self, fragment: &Value) -> FragmentResult<()> {
        let class = |name: &str, context| match fragment.get(name) {
            Some(class) => self.class(class, context, 0).map(Some),
            None => Ok(None),
        };
        match text(fragment, "type") {
            "preamble" => match fragment.get("version").and_then(Value::as_u64) {
                Some(2) => Ok(()),
                other => Err(format!("is of version {other:?}, not 2")),
            },
            "field-class-alias" => {
                let alias = fragment.get("field-class").cloned().unwrap_or_default();
                self.aliases.insert(text(fragment, "name").to_string(), alias);
                Ok(())
            }
            "trace-class" => {
                self.trace.packet_header = class("packet-header-field-class", RoleContext::Packet)?;
                if let Some(Value::Object(environment)) = fragment.get("environment") {
                    let shown = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_string);
                    self.trace.environment =
                        environment.iter().map(|(name, value)| (name.clone(), shown(value))).collect();
                }
                Ok(())
            }
            "clock-class" => {
                let offset = fragment.get("offset-from-origin").or_else(|| fragment.get("offset"));
                let part = |name: &str| offset.and_then(|offset| offset.get(name)).and_then(Value::as_i64).unwrap_or(0);
                let clock = ClockClass {
                    frequency: fragment.get("frequency").and_then(Value::as_u64).unwrap_or(1_000_000_000),
                    offset_seconds: part("seconds"),
                    offset: i128::from(part("cycles")),
                };
                let name = [text(fragment, "id"), text(fragment, "name")].into_iter().find(|name| !name.is_empty());
                self.trace.clocks.insert(name.unwrap_or_default().to_string(), clock);
                Ok(())
            }
            "data-stream-class" => {
                let stream = StreamClass {
                    packet_context: class("packet-context-field-class", RoleContext::Packet)?,
                    event_header: class("event-record-header-field-class", RoleContext::Event)?,
                    event_context: class("event-record-common-context-field-class", RoleContext::Event)?,
                    clock: [text(fragment, "default-clock-class-id"), text(fragment, "default-clock-class-name")]
                        .into_iter()
                        .find(|name| !name.is_empty())
                        .map(str::to_string),
                    events: BTreeMap::new(),
                };
                self.trace.streams.insert(number(fragment, "id"), stream);
                Ok(())
            }
            "event-record-class" => {
                let (id, stream) = (number(fragment, "id"), number(fragment, "data-stream-class-id"));
                let context = class("specific-context-field-class", RoleContext::Event)?;
                let payload = class("payload-field-class", RoleContext::Event)?;
                let name = match text(fragment, "name") {
                    "" => format!("event {id}"),
                    name => name.to_string(),
                };
                let streams = &mut self.trace.streams;
                let event = EventClass { id, stream, name, context, payload };
                streams.entry(stream).or_default().events.insert(id, event);
                Ok(())
            }
            other => Err(format!("is of the type {other:?}, which is not known")),
        }
    }

    fn class(&self, value: &Value, context: RoleContext, depth: usize) -> FragmentResult<FieldClass> {
        if depth > DEEPEST {
            return Err("has field classes that lie too deep".to_string());
        }
        if let Value::String(alias) = value {
            let known =
                self.aliases.get(alias).ok_or_else(|| format!("names the alias {alias}, which is not there"))?;
            let class = self.class(known, context, depth + 1)?;
            self.copies.set(self.copies.get() + class.extent().0);
            return match self.copies.get() <= MOST_COPIES {
                true => Ok(class),
                false => Err(format!("needs more than {MOST_COPIES} field classes for its aliases")),
            };
        }
        let inner = |name: &str| -> FragmentResult<Box<FieldClass>> {
            let value = value.get(name).ok_or_else(|| format!("has a field class without {name}"))?;
            Ok(Box::new(self.class(value, context, depth + 1)?))
        };
        let type_ = text(value, "type");
        Ok(match type_ {
            "fixed-length-bit-array"
            | "fixed-length-bit-map"
            | "fixed-length-boolean"
            | "fixed-length-integer"
            | "fixed-length-unsigned-integer"
            | "fixed-length-signed-integer"
            | "fixed-length-unsigned-enumeration"
            | "fixed-length-signed-enumeration"
            | "variable-length-integer"
            | "variable-length-unsigned-integer"
            | "variable-length-signed-integer"
            | "variable-length-unsigned-enumeration"
            | "variable-length-signed-enumeration" => FieldClass::Integer(integer(value, type_, context)?),
            "fixed-length-floating-point-number" => {
                let bits = number(value, "length") as u32;
                if !matches!(bits, 32 | 64) {
                    return Err(format!("has a floating point number of {bits} bits"));
                }
                FieldClass::Float { bits, align: alignment(value, "alignment")?, order: order(value) }
            }
            "null-terminated-string" => FieldClass::Text,
            "static-length-string" => FieldClass::SizedText(FieldLength::Fixed(number(value, "length"))),
            "dynamic-length-string" => {
                FieldClass::SizedText(FieldLength::Of(location(value, "length-field-location")?))
            }
            "static-length-blob" => FieldClass::Blob(FieldLength::Fixed(number(value, "length"))),
            "dynamic-length-blob" => FieldClass::Blob(FieldLength::Of(location(value, "length-field-location")?)),
            "structure" => {
                let mut members = vec![];
                for member in value.get("member-classes").and_then(Value::as_array).into_iter().flatten() {
                    let class = member.get("field-class").ok_or("has a member without a field class")?;
                    members.push((text(member, "name").to_string(), self.class(class, context, depth + 1)?));
                }
                FieldClass::Struct(StructClass::new(members, alignment(value, "minimum-alignment")?))
            }
            "static-length-array" | "dynamic-length-array" => {
                let element = inner("element-field-class")?;
                let length = match type_ {
                    "static-length-array" => FieldLength::Fixed(number(value, "length")),
                    _ => FieldLength::Of(location(value, "length-field-location")?),
                };
                let align = element.align().max(alignment(value, "minimum-alignment")?);
                FieldClass::Array { length, element, align }
            }
            "variant" => {
                let mut options = vec![];
                for option in value.get("options").and_then(Value::as_array).into_iter().flatten() {
                    let class = option.get("field-class").ok_or("has an option without a field class")?;
                    options.push(VariantOption {
                        name: text(option, "name").to_string(),
                        ranges: ranges(option.get("selector-field-ranges")),
                        class: self.class(class, context, depth + 1)?,
                    });
                }
                FieldClass::Variant { selector: location(value, "selector-field-location")?, options }
            }
            "optional" => FieldClass::Optional {
                selector: location(value, "selector-field-location")?,
                ranges: ranges(value.get("selector-field-ranges")),
                class: inner("field-class")?,
            },
            other => return Err(format!("has a field class {other:?}, which is not known")),
        })
    }
}

/// Where a field stands: a timestamp of a packet is its begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RoleContext {
    Packet,
    Event,
}

fn integer(value: &Value, type_: &str, context: RoleContext) -> FragmentResult<IntegerClass> {
    let is_variable = type_.starts_with("variable");
    let bits = if is_variable { 0 } else { number(value, "length") as u32 };
    if !is_variable && !(1..=64).contains(&bits) {
        return Err(format!("has a number of {bits} bits"));
    }
    let order = order(value);
    let natural = if order == BytesOrder::Little { "first-to-last" } else { "last-to-first" };
    let bit_order = text(value, "bit-order");
    let roles = value.get("roles").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    let is_signed = type_.contains("signed") && !type_.contains("unsigned");
    Ok(IntegerClass {
        bits,
        align: if is_variable { 8 } else { alignment(value, "alignment")? },
        order,
        is_reversed: !bit_order.is_empty() && bit_order != natural,
        is_signed,
        is_text: false,
        is_hex: number(value, "preferred-display-base") == 16,
        is_boolean: type_.ends_with("boolean"),
        has_clock: false,
        labels: labels(value.get("mappings")),
        role: roles.filter_map(|role| role_of(role, context)).next(),
        slot: None,
    })
}

fn role_of(role: &str, context: RoleContext) -> Option<FieldRole> {
    Some(match (role, context) {
        ("packet-magic-number", _) => FieldRole::Magic,
        ("data-stream-class-id", _) => FieldRole::StreamClass,
        ("packet-total-length", _) => FieldRole::TotalLength,
        ("packet-content-length", _) => FieldRole::ContentLength,
        ("default-clock-timestamp", RoleContext::Packet) => FieldRole::Begin,
        ("default-clock-timestamp", RoleContext::Event) => FieldRole::Timestamp,
        ("discarded-event-record-counter-snapshot", _) => FieldRole::Discarded,
        ("packet-sequence-number", _) => FieldRole::Sequence,
        ("event-record-class-id", _) => FieldRole::EventClass,
        _ => return None,
    })
}

/// The place of the field that another depends on.
fn location(value: &Value, name: &str) -> FragmentResult<FieldReference> {
    let location = value.get(name).ok_or_else(|| format!("has a field class without {name}"))?;
    let (origin, path) = match location {
        Value::Array(path) => (path.first().and_then(Value::as_str), path.get(1..).unwrap_or_default()),
        other => (
            other.get("origin").and_then(Value::as_str),
            other.get("path").and_then(Value::as_array).map_or(&[][..], Vec::as_slice),
        ),
    };
    let scope = match origin {
        Some("packet-header") => Some(FieldScope::PacketHeader),
        Some("packet-context") => Some(FieldScope::PacketContext),
        Some("event-record-header") => Some(FieldScope::EventHeader),
        Some("event-record-common-context") => Some(FieldScope::CommonContext),
        Some("event-record-specific-context") => Some(FieldScope::SpecificContext),
        Some("event-record-payload") => Some(FieldScope::Payload),
        _ => None,
    };
    let names = path.iter().filter_map(Value::as_str).map(str::to_string).collect();
    Ok(FieldReference { scope, names, slot: None })
}

/// Labels with their ranges: `{"label": [[0, 3], [7, 7]]}`.
fn labels(value: Option<&Value>) -> Option<Labels> {
    let Some(Value::Object(mappings)) = value else { return None };
    Some(Arc::new(mappings.iter().map(|(label, found)| (label.clone(), ranges(Some(found)))).collect()))
}

fn ranges(value: Option<&Value>) -> Vec<ValueRange> {
    let bound = |value: &Value| value.as_i64().map(i128::from).or_else(|| value.as_u64().map(i128::from));
    let range = |value: &Value| match value {
        Value::Array(bounds) => Some((bound(bounds.first()?)?, bound(bounds.get(1)?)?)),
        other => bound(other).map(|number| (number, number)),
    };
    value.and_then(Value::as_array).into_iter().flatten().filter_map(range).collect()
}

fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value.get(name).and_then(Value::as_str).unwrap_or("")
}

fn number(value: &Value, name: &str) -> u64 {
    value.get(name).and_then(Value::as_u64).unwrap_or(0)
}

fn order(value: &Value) -> BytesOrder {
    match text(value, "byte-order") {
        "big-endian" => BytesOrder::Big,
        _ => BytesOrder::Little,
    }
}

fn alignment(value: &Value, name: &str) -> FragmentResult<u32> {
    match number(value, name) {
        0 => Ok(1),
        bits if bits.count_ones() == 1 && bits <= 1 << 16 => Ok(bits as u32),
        other => Err(format!("has an alignment of {other} bits")),
    }
}
