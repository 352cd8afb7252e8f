//! Structs of nothing but whole numbers at whole bytes, as most events are: their fields are where they always are.
//!
//! ```text
//! class   { u32 fd; u64 count; }           offsets  0  4      of the first byte of the struct
//! ```
//! In: classes that stand one after the other. Out: where their numbers stand, or that they are not that plain. Both ways
//! of reading give the same values; [`super::decoder`] reads everything.

#[cfg(test)]
mod tests;

use super::bits::{BitReader, signed};
use super::classes::{BytesOrder, FieldClass, FieldRole, IntegerClass};
use super::decoder::{DecodeState, FieldValue, RoleValue};

/// The numbers of structs that stand one after the other.
#[derive(Debug)]
pub(super) struct PlainStruct {
    fields: Vec<PlainNumber>,
    len: usize,
}

/// A number of 1, 2, 4 or 8 bytes.
#[derive(Debug, Clone, Copy)]
struct PlainNumber {
    offset: usize,
    bytes: usize,
    order: BytesOrder,
    is_signed: bool,
    role: Option<FieldRole>,
}

impl PlainStruct {
    /// The numbers of classes; `None` when there is anything else in them.
    pub fn of<'a>(classes: impl IntoIterator<Item = &'a FieldClass>) -> Option<PlainStruct> {
        let mut plain = PlainStruct { fields: vec![], len: 0 };
        for class in classes {
            let FieldClass::Struct(fields) = class else { return None };
            // Larger alignments make places depend on that of the struct.
            if fields.align > 8 {
                return None;
            }
            for (_, class) in &fields.members {
                let FieldClass::Integer(integer) = class else { return None };
                plain.add(integer)?;
            }
        }
        (plain.len > 0).then_some(plain)
    }

    fn add(&mut self, class: &IntegerClass) -> Option<()> {
        let is_special = class.is_reversed
            || class.is_boolean
            || class.is_hex
            || class.labels.is_some()
            || class.slot.is_some()
            || !matches!(class.bits, 8 | 16 | 32 | 64)
            || class.align > 8;
        if is_special {
            return None;
        }
        let bytes = class.bits as usize / 8;
        let IntegerClass { order, is_signed, role, .. } = *class;
        self.fields.push(PlainNumber { offset: self.len, bytes, order, is_signed, role });
        self.len += bytes;
        Some(())
    }

    /// Takes the bytes of the structs; `None` when they do not start at a byte, or end behind the content.
    #[inline(always)]
    pub fn take<'a>(&self, bits: &mut BitReader<'a>) -> Option<&'a [u8]> {
        if bits.at.is_multiple_of(8) { bits.bytes(self.len as u64).ok() } else { None }
    }

    /// Takes what the numbers with a role say.
    #[inline(always)]
    pub fn take_roles(&self, bytes: &[u8], state: &mut DecodeState) {
        state.steps += self.fields.len() as u64;
        for field in &self.fields {
            if let Some(role) = field.role {
                state.roles[role as usize] =
                    Some(RoleValue { number: field.number(bytes), bits: field.bytes as u32 * 8 });
            }
        }
    }

    /// The values of all fields.
    #[inline(always)]
    pub fn values(&self, bytes: &[u8], state: &mut DecodeState, into: &mut Vec<FieldValue>) {
        self.take_roles(bytes, state);
        into.extend(self.fields.iter().map(|field| field.value(bytes)));
    }
}

impl PlainNumber {
    #[inline(always)]
    fn number(&self, bytes: &[u8]) -> u64 {
        let Some(rest) = bytes.get(self.offset..) else { return 0 };
        match (self.bytes, self.order) {
            (1, _) => rest.first().map_or(0, |byte| u64::from(*byte)),
            (2, BytesOrder::Little) => rest.first_chunk().map_or(0, |chunk| u64::from(u16::from_le_bytes(*chunk))),
            (2, BytesOrder::Big) => rest.first_chunk().map_or(0, |chunk| u64::from(u16::from_be_bytes(*chunk))),
            (4, BytesOrder::Little) => rest.first_chunk().map_or(0, |chunk| u64::from(u32::from_le_bytes(*chunk))),
            (4, BytesOrder::Big) => rest.first_chunk().map_or(0, |chunk| u64::from(u32::from_be_bytes(*chunk))),
            (_, BytesOrder::Little) => rest.first_chunk().map_or(0, |chunk| u64::from_le_bytes(*chunk)),
            (_, BytesOrder::Big) => rest.first_chunk().map_or(0, |chunk| u64::from_be_bytes(*chunk)),
        }
    }

    #[inline(always)]
    fn value(&self, bytes: &[u8]) -> FieldValue {
        let number = self.number(bytes);
        match self.is_signed {
            true => FieldValue::Int(signed(number, self.bytes as u32 * 8)),
            false => i64::try_from(number).map_or(FieldValue::UInt(number), FieldValue::Int),
        }
    }
}
