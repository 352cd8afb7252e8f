//! Structs of nothing but whole numbers at whole bytes, as most events are: their fields are where they always are.
//!
//! ```text
//! class   { u32 fd; u64 count; }           offsets  0  4      of the first byte of the struct
//! ```
//! In: classes that stand one after the other. Out: where their numbers stand, or that they are not that plain. Both ways
//! of reading give the same values; [`super::decoder`] reads everything.

#[cfg(test)]
mod tests;

use super::bits::BitReader;
use super::classes::{BytesOrder, FieldClass, FieldRole, IntegerClass};
use super::decoder::{DecodeState, FieldValue, RoleValue};

/// The numbers of structs that stand one after the other.
#[derive(Debug)]
pub(super) struct PlainStruct {
    fields: Vec<PlainNumber>,
    /// Those of them that have a role.
    roles: Vec<(FieldRole, PlainNumber)>,
    len: usize,
}

/// A number of 1, 2, 4 or 8 bytes.
#[derive(Debug, Clone, Copy)]
struct PlainNumber {
    offset: usize,
    /// Bits of eight bytes that are not its own.
    beyond: u32,
    order: BytesOrder,
    is_signed: bool,
}

impl PlainStruct {
    /// The numbers of classes; `None` when there is anything else in them.
    pub fn of<'a>(classes: impl IntoIterator<Item = &'a FieldClass>) -> Option<PlainStruct> {
        let mut plain = PlainStruct { fields: vec![], roles: vec![], len: 0 };
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
        let IntegerClass { order, is_signed, role, .. } = *class;
        let number = PlainNumber { offset: self.len, beyond: 64 - class.bits, order, is_signed };
        self.fields.push(number);
        self.roles.extend(role.map(|role| (role, number)));
        self.len += class.bits as usize / 8;
        Some(())
    }

    /// Takes the bytes of the structs, and gives them with all that follow in the packet; `None` when they do not start at a
    /// byte, or end behind the content.
    #[inline(always)]
    pub fn take<'a>(&self, bits: &mut BitReader<'a>) -> Option<&'a [u8]> {
        if bits.at.is_multiple_of(8) { bits.bytes_and_rest(self.len as u64).ok() } else { None }
    }

    /// Takes what the numbers with a role say.
    #[inline(always)]
    pub fn take_roles(&self, bytes: &[u8], state: &mut DecodeState) {
        state.steps += self.fields.len() as u64;
        for (role, field) in &self.roles {
            let (number, bits) = (field.unsigned(field.high(bytes)), 64 - field.beyond);
            state.roles[*role as usize] = Some(RoleValue { number, bits });
        }
    }

    /// How many bytes they have.
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.len
    }

    /// The values of all fields, in place of others.
    #[inline(always)]
    pub fn values(&self, bytes: &[u8], into: &mut Vec<FieldValue>) {
        into.clear();
        into.extend(self.fields.iter().map(|field| field.value(bytes)));
    }
}

impl PlainNumber {
    /// The number in the highest bits of a word; the others are of what stands beside it.
    #[inline(always)]
    fn high(self, bytes: &[u8]) -> u64 {
        let word = match bytes.get(self.offset..).and_then(<[u8]>::first_chunk) {
            Some(word) => *word,
            None => last_bytes(bytes, self.offset),
        };
        match self.order {
            BytesOrder::Little => u64::from_le_bytes(word) << self.beyond,
            BytesOrder::Big => u64::from_be_bytes(word),
        }
    }

    #[inline(always)]
    fn unsigned(self, high: u64) -> u64 {
        high >> self.beyond
    }

    #[inline(always)]
    fn value(self, bytes: &[u8]) -> FieldValue {
        let high = self.high(bytes);
        match self.is_signed {
            true => FieldValue::Int(high.cast_signed() >> self.beyond),
            false => {
                let number = self.unsigned(high);
                i64::try_from(number).map_or(FieldValue::UInt(number), FieldValue::Int)
            }
        }
    }
}

/// The bytes from a place on, where fewer than eight are left, and zeros.
#[cold]
fn last_bytes(bytes: &[u8], from: usize) -> [u8; 8] {
    let mut word = [0; 8];
    let left = bytes.get(from..).unwrap_or_default();
    word.iter_mut().zip(left).for_each(|(into, byte)| *into = *byte);
    word
}
