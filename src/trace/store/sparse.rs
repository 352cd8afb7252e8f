//! The values of an extra field in a row group, of the rows that have one. Texts are numbered as they come: each is kept once.

#[cfg(test)]
mod tests;

use std::borrow::Cow;

use super::plain::NumberEncoding;
use crate::model::{OwnedData, WordTable};

/// The values of a field.
#[derive(Debug, Default)]
pub(super) struct Sparse {
    values: Vec<SparseValue>,
    pub texts: WordTable,
}

#[derive(Debug, Clone, Copy)]
struct SparseValue {
    row: u32,
    kind: SparseKind,
    /// Of the number, or the number of the text.
    bits: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SparseKind {
    Int,
    UInt,
    Double,
    Text,
}

/// Values by row; keeps its memory from one field to the next.
#[derive(Debug, Default)]
pub(super) struct ValuesByRow {
    bits: Vec<u64>,
    has_value: Vec<bool>,
}

impl ValuesByRow {
    fn set(&mut self, rows: usize, values: impl Iterator<Item = (u32, u64)>) {
        self.bits.clear();
        self.bits.resize(rows, 0);
        self.has_value.clear();
        self.has_value.resize(rows, false);
        for (row, bits) in values {
            self.bits[row as usize] = bits;
            self.has_value[row as usize] = true;
        }
    }

    /// The values in an order of rows, and which rows have one.
    pub fn in_order<T>(&self, order: &[u32], present: &mut Vec<bool>, values: &mut Vec<T>, value: impl Fn(u64) -> T) {
        present.clear();
        present.extend(order.iter().map(|row| self.has_value[*row as usize]));
        values.clear();
        let there = order.iter().filter(|row| self.has_value[**row as usize]);
        values.extend(there.map(|row| value(self.bits[*row as usize])));
    }
}

impl Sparse {
    /// Adds the value of a row; of several, the last one counts.
    #[inline]
    pub fn push(&mut self, row: u32, data: &OwnedData) {
        let (kind, bits) = match data {
            OwnedData::Int(value) => (SparseKind::Int, *value as u64),
            OwnedData::UInt(value) => (SparseKind::UInt, *value),
            OwnedData::Double(value) => (SparseKind::Double, value.to_bits()),
            OwnedData::Text(text) => (SparseKind::Text, u64::from(self.texts.number(text.as_bytes()))),
        };
        self.values.push(SparseValue { row, kind, bits });
    }

    pub fn clear(&mut self) {
        self.values.clear();
        self.texts.clear();
    }

    /// The values as numbers of a column, by row.
    pub fn numbers(&self, rows: usize, meaning: NumberEncoding, into: &mut ValuesByRow) {
        into.set(rows, self.values.iter().map(|value| (value.row, self.number(value, meaning))));
    }

    fn number(&self, value: &SparseValue, meaning: NumberEncoding) -> u64 {
        let bits = value.bits;
        match (meaning, value.kind) {
            (_, SparseKind::Text) => {
                let text = self.text(bits as u32);
                match meaning {
                    NumberEncoding::Float => text.parse().unwrap_or(f64::NAN).to_bits(),
                    _ => text.parse::<i64>().unwrap_or_default() as u64,
                }
            }
            (NumberEncoding::Float, SparseKind::Int) => (bits as i64 as f64).to_bits(),
            (NumberEncoding::Float, SparseKind::UInt) => (bits as f64).to_bits(),
            (NumberEncoding::Float, SparseKind::Double) => bits,
            (_, SparseKind::Double) => f64::from_bits(bits) as i64 as u64,
            _ => bits,
        }
    }

    /// The values as numbers of texts, by row; what is no text becomes one.
    pub fn text_codes(&mut self, rows: usize, into: &mut ValuesByRow) {
        for value in self.values.iter_mut().filter(|value| value.kind != SparseKind::Text) {
            let text = match value.kind {
                SparseKind::Int => (value.bits as i64).to_string(),
                SparseKind::UInt => format!("{:#x}", value.bits),
                _ => f64::from_bits(value.bits).to_string(),
            };
            (value.kind, value.bits) = (SparseKind::Text, u64::from(self.texts.number(text.as_bytes())));
        }
        into.set(rows, self.values.iter().map(|value| (value.row, value.bits)));
    }

    /// A text by its number.
    pub fn text(&self, code: u32) -> Cow<'_, str> {
        String::from_utf8_lossy(self.texts.text(code))
    }
}
