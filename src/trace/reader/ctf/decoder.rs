//! Fields become values.
//!
//! In: the class of a field and the bits of a packet. Out: its value; structs and lists are JSON. Numbers with a role, and
//! numbers that others refer to, are kept on the way.

#[cfg(test)]
mod tests;

use std::borrow::Cow;

use super::bits::{BeyondEnd, BitReader, signed};
use super::classes::{FieldClass, FieldLength, FieldReference, IntegerClass, ROLES, StructClass, ValueRange};

/// Why a field cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DecodeFault {
    /// The packet ends before it.
    Beyond,
    /// No option of a variant belongs to the value of its selector.
    NoOption,
    /// What it refers to is not there.
    NoReference,
}

impl From<BeyondEnd> for DecodeFault {
    fn from(_: BeyondEnd) -> DecodeFault {
        DecodeFault::Beyond
    }
}

impl DecodeFault {
    /// For messages.
    pub fn what(self) -> &'static str {
        match self {
            DecodeFault::Beyond => "its content ends within an event",
            DecodeFault::NoOption => "no option of a variant belongs to its selector",
            DecodeFault::NoReference => "a field refers to one that is not there",
        }
    }
}

/// The value of a field.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum FieldValue {
    None,
    Int(i64),
    UInt(u64),
    Double(f64),
    Text(String),
    /// A struct or a list.
    Json(String),
}

impl FieldValue {
    /// The value as a whole number.
    pub fn whole(&self) -> Option<i64> {
        match self {
            FieldValue::Int(number) => Some(*number),
            FieldValue::UInt(number) => i64::try_from(*number).ok(),
            _ => None,
        }
    }

    /// The value as it is shown.
    pub fn text(&self) -> Cow<'_, str> {
        match self {
            FieldValue::None => Cow::Borrowed(""),
            FieldValue::Int(number) => Cow::Owned(number.to_string()),
            FieldValue::UInt(number) => Cow::Owned(number.to_string()),
            FieldValue::Double(number) => Cow::Owned(number.to_string()),
            FieldValue::Text(text) | FieldValue::Json(text) => Cow::Borrowed(text),
        }
    }

    fn json(&self) -> String {
        match self {
            FieldValue::None => "null".to_string(),
            FieldValue::Text(text) => serde_json::Value::from(text.as_str()).to_string(),
            FieldValue::Double(number) if !number.is_finite() => format!("\"{number}\""),
            other => other.text().into_owned(),
        }
    }
}

/// A number with a role.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct RoleValue {
    pub number: u64,
    pub bits: u32,
}

/// What is kept of a packet while its fields are read.
#[derive(Debug, Clone, Default)]
pub(super) struct DecodeState {
    /// By slot.
    slots: Vec<i128>,
    /// By role.
    pub roles: [Option<RoleValue>; ROLES],
    /// Fields that were read so far.
    pub steps: u64,
}

impl DecodeState {
    pub fn new(slots: usize) -> DecodeState {
        DecodeState { slots: vec![0; slots], roles: [None; ROLES], steps: 0 }
    }

    fn referred(&self, reference: &FieldReference) -> Result<i128, DecodeFault> {
        reference.slot.and_then(|slot| self.slots.get(slot)).copied().ok_or(DecodeFault::NoReference)
    }

    fn length(&self, length: &FieldLength) -> Result<u64, DecodeFault> {
        match length {
            FieldLength::Fixed(length) => Ok(*length),
            FieldLength::Of(reference) => u64::try_from(self.referred(reference)?).map_err(|_| DecodeFault::Beyond),
        }
    }

    /// Reads the members of a struct one by one; anything else is one member without a name.
    #[inline]
    pub fn members(
        &mut self,
        class: &FieldClass,
        bits: &mut BitReader<'_>,
        mut take: impl FnMut(usize, FieldValue),
    ) -> Result<(), DecodeFault> {
        match class {
            FieldClass::Struct(StructClass { members, align }) => {
                bits.align(*align);
                for (place, (_, class)) in members.iter().enumerate() {
                    // Most are whole numbers: they need no call.
                    let value = match class {
                        FieldClass::Integer(integer) => {
                            self.steps += 1;
                            bits.align(integer.align);
                            self.integer(integer, bits)?
                        }
                        class => self.value(class, bits)?,
                    };
                    take(place, value);
                }
            }
            other => take(0, self.value(other, bits)?),
        }
        Ok(())
    }

    /// Reads a field.
    pub fn value(&mut self, class: &FieldClass, bits: &mut BitReader<'_>) -> Result<FieldValue, DecodeFault> {
        self.steps += 1;
        bits.align(class.align());
        Ok(match class {
            FieldClass::Integer(integer) => self.integer(integer, bits)?,
            FieldClass::Float { bits: 32, order, .. } => {
                FieldValue::Double(f64::from(f32::from_bits(bits.number(32, *order)? as u32)))
            }
            FieldClass::Float { order, .. } => FieldValue::Double(f64::from_bits(bits.number(64, *order)?)),
            FieldClass::Text => FieldValue::Text(lossy(bits.text()?)),
            FieldClass::SizedText(length) => {
                let bytes = bits.bytes(self.length(length)?)?;
                FieldValue::Text(lossy(until_zero(bytes)))
            }
            FieldClass::Blob(length) => {
                let bytes = bits.bytes(self.length(length)?)?;
                FieldValue::Text(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
            }
            FieldClass::Struct(fields) => {
                let mut parts = vec![];
                for (name, class) in &fields.members {
                    let value = self.value(class, bits)?;
                    parts.push(format!("{}:{}", serde_json::Value::from(shown(name)), value.json()));
                }
                FieldValue::Json(format!("{{{}}}", parts.join(",")))
            }
            FieldClass::Array { length, element, .. } => {
                let length = self.length(length)?;
                self.array(length, element, bits)?
            }
            FieldClass::Variant { selector, options } => {
                let selected = self.referred(selector)?;
                let option = options.iter().find(|option| holds(&option.ranges, selected));
                self.value(&option.ok_or(DecodeFault::NoOption)?.class, bits)?
            }
            FieldClass::Optional { selector, ranges, class } => {
                let selected = self.referred(selector)?;
                let is_there = if ranges.is_empty() { selected != 0 } else { holds(ranges, selected) };
                if is_there { self.value(class, bits)? } else { FieldValue::None }
            }
        })
    }

    #[inline(always)]
    fn integer(&mut self, class: &IntegerClass, bits: &mut BitReader<'_>) -> Result<FieldValue, DecodeFault> {
        let (mut number, len) = match class.bits {
            0 => bits.variable()?,
            len => (bits.number(len, class.order)?, len),
        };
        if class.is_reversed {
            number = number.reverse_bits() >> (64 - len);
        }
        if let Some(role) = class.role {
            self.roles[role as usize] = Some(RoleValue { number, bits: len });
        }
        let signed = class.is_signed.then(|| signed(number, len));
        if class.slot.is_some() || class.labels.is_some() || class.is_boolean || class.is_hex {
            return Ok(self.special_integer(class, number, signed));
        }
        Ok(match signed {
            Some(number) => FieldValue::Int(number),
            None => i64::try_from(number).map_or(FieldValue::UInt(number), FieldValue::Int),
        })
    }

    /// A number that others refer to, or that is shown in another way.
    #[inline(never)]
    fn special_integer(&mut self, class: &IntegerClass, number: u64, signed: Option<i64>) -> FieldValue {
        let wide = signed.map_or(i128::from(number), i128::from);
        if let Some(slot) = class.slot.and_then(|slot| self.slots.get_mut(slot)) {
            *slot = wide;
        }
        if let Some(labels) = &class.labels {
            let label = labels.iter().find(|(_, ranges)| holds(ranges, wide));
            return FieldValue::Text(label.map_or_else(|| wide.to_string(), |(label, _)| label.clone()));
        }
        match signed {
            _ if class.is_boolean => FieldValue::Text((number != 0).to_string()),
            _ if class.is_hex => FieldValue::Text(format!("{number:#x}")),
            Some(number) => FieldValue::Int(number),
            None => i64::try_from(number).map_or(FieldValue::UInt(number), FieldValue::Int),
        }
    }

    fn array(
        &mut self,
        length: u64,
        element: &FieldClass,
        bits: &mut BitReader<'_>,
    ) -> Result<FieldValue, DecodeFault> {
        if let FieldClass::Integer(integer) = element
            && integer.is_text
            && integer.bits == 8
            && bits.at.is_multiple_of(8)
        {
            return Ok(FieldValue::Text(lossy(until_zero(bits.bytes(length)?))));
        }
        let mut parts = vec![];
        for _ in 0..length {
            let before = bits.at;
            parts.push(self.value(element, bits)?.json());
            // Elements of no length could be without number.
            if bits.at == before {
                break;
            }
        }
        Ok(FieldValue::Json(format!("[{}]", parts.join(","))))
    }
}

fn holds(ranges: &[ValueRange], number: i128) -> bool {
    ranges.iter().any(|(first, last)| (*first..=*last).contains(&number))
}

fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn until_zero(bytes: &[u8]) -> &[u8] {
    &bytes[..memchr::memchr(0, bytes).unwrap_or(bytes.len())]
}

/// A name as it is shown: TSDL puts `_` before names that could be its own words.
pub(super) fn shown(name: &str) -> &str {
    name.strip_prefix('_').unwrap_or(name)
}
