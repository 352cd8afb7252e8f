//! Lists and records: `{1,NULL,"a b"}` and `(1,,"a b")` as text, counted elements in binary. Lists of records: `json`.

use std::ops::Range;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray};
use arrow::datatypes::{DataType, Field, FieldRef};
use bytes::{BufMut, BytesMut};

use super::super::types::type_of;
use super::column::{PgValueColumn, ValueWriter};

/// The elements of an array of lists, and which of them belong to a row.
pub(super) struct Lists {
    pub(super) field: FieldRef,
    pub(super) elements: ArrayRef,
    /// Where the elements of each row start, and where those of the last one end.
    offsets: Vec<usize>,
}

impl Lists {
    pub(super) fn of(array: &ArrayRef) -> Lists {
        let (field, elements, offsets) = match array.data_type() {
            DataType::LargeList(field) => {
                let list = array.as_list::<i64>();
                let offsets = list.value_offsets().iter().map(|offset| *offset as usize).collect();
                (Arc::clone(field), Arc::clone(list.values()), offsets)
            }
            DataType::FixedSizeList(field, length) => {
                let offsets = (0..=array.len()).map(|row| row * *length as usize).collect();
                (Arc::clone(field), Arc::clone(array.as_fixed_size_list().values()), offsets)
            }
            DataType::Map(field, _) => {
                let elements: ArrayRef = Arc::new(array.as_map().entries().clone());
                (Arc::clone(field), elements, starts(array.as_map().value_offsets()))
            }
            _ => {
                let list = array.as_list::<i32>();
                let field = Arc::new(Field::new("item", list.value_type(), true));
                (field, Arc::clone(list.values()), starts(list.value_offsets()))
            }
        };
        Lists { field, elements, offsets }
    }

    /// Where the elements of a row are.
    pub(super) fn places(&self, row: usize) -> Range<usize> {
        self.offsets[row]..self.offsets[row + 1]
    }
}

fn starts(offsets: &[i32]) -> Vec<usize> {
    offsets.iter().map(|offset| *offset as usize).collect()
}

/// Writes lists as text, from their elements as text.
pub(super) fn list_text(lists: Lists, elements: PgValueColumn) -> ValueWriter {
    // Braces within braces need no quotes.
    let is_nested = lists.field.data_type().is_list();
    Box::new(move |row, out| {
        out.put_u8(b'{');
        let mut text = BytesMut::new();
        for (index, element) in lists.places(row).enumerate() {
            if index > 0 {
                out.put_u8(b',');
            }
            if elements.is_null(element) {
                out.put_slice(b"NULL");
                continue;
            }
            text.clear();
            elements.put(element, &mut text);
            match !is_nested && needs_quotes(&text, b"{},") || text.eq_ignore_ascii_case(b"null") {
                true => put_quoted(&text, b"\\\"", b"\\\\", out),
                false => out.put_slice(&text),
            }
        }
        out.put_u8(b'}');
    })
}

/// Writes lists in binary, from their elements in binary.
pub(super) fn list_binary(lists: Lists, elements: PgValueColumn) -> ValueWriter {
    let element_type = type_of(&lists.field).oid();
    Box::new(move |row, out| {
        let range = lists.places(row);
        let has_nulls = range.clone().any(|element| elements.is_null(element));
        out.put_i32(i32::from(!range.is_empty()));
        out.put_i32(i32::from(has_nulls));
        out.put_u32(element_type);
        if !range.is_empty() {
            out.put_i32(range.len() as i32);
            // The first element has the number 1.
            out.put_i32(1);
        }
        range.for_each(|element| elements.put_sized(element, out));
    })
}

/// Writes records as text, from their fields as text.
pub(super) fn record_text(fields: Vec<PgValueColumn>) -> ValueWriter {
    Box::new(move |row, out| {
        out.put_u8(b'(');
        let mut text = BytesMut::new();
        for (index, field) in fields.iter().enumerate() {
            if index > 0 {
                out.put_u8(b',');
            }
            // NULL is nothing; an empty text has quotes.
            if field.is_null(row) {
                continue;
            }
            text.clear();
            field.put(row, &mut text);
            match needs_quotes(&text, b"(),") {
                true => put_quoted(&text, b"\"\"", b"\\\\", out),
                false => out.put_slice(&text),
            }
        }
        out.put_u8(b')');
    })
}

/// Writes records in binary, from their fields in binary, each with the number of its type.
pub(super) fn record_binary(fields: Vec<(u32, PgValueColumn)>) -> ValueWriter {
    Box::new(move |row, out| {
        out.put_i32(fields.len() as i32);
        for (kind, field) in &fields {
            out.put_u32(*kind);
            field.put_sized(row, out);
        }
    })
}

fn needs_quotes(text: &[u8], special: &[u8]) -> bool {
    let is_special = |byte: &u8| {
        special.contains(byte) || matches!(byte, b'"' | b'\\') || byte.is_ascii_whitespace() || *byte == 0x0b
    };
    text.is_empty() || text.iter().any(is_special)
}

fn put_quoted(text: &[u8], quote: &[u8], backslash: &[u8], out: &mut BytesMut) {
    out.put_u8(b'"');
    for byte in text {
        match byte {
            b'"' => out.put_slice(quote),
            b'\\' => out.put_slice(backslash),
            other => out.put_u8(*other),
        }
    }
    out.put_u8(b'"');
}
