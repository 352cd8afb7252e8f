//! A column of a batch, ready to be written value by value.

use arrow::array::timezone::Tz;
use arrow::array::{Array, ArrayRef};
use arrow::buffer::NullBuffer;
use bytes::{BufMut, BytesMut};

/// Writes the value of a row. The value is not NULL.
pub(super) type ValueWriter = Box<dyn Fn(usize, &mut BytesMut) + Send>;

/// How a session wants values.
#[derive(Debug, Clone, Copy)]
pub(in crate::pg) struct ValueStyle {
    pub(in crate::pg) zone: Tz,
}

impl Default for ValueStyle {
    fn default() -> ValueStyle {
        // A zone that arrow always knows.
        ValueStyle { zone: "+00:00".parse().unwrap_or_else(|_| unreachable!("the offset +00:00 is a zone")) }
    }
}

/// A column of a batch, ready to be written.
pub(in crate::pg) struct PgValueColumn {
    nulls: Option<NullBuffer>,
    write: ValueWriter,
}

impl PgValueColumn {
    /// The values of an array, with what writes them.
    pub(super) fn new(array: &ArrayRef, write: ValueWriter) -> PgValueColumn {
        PgValueColumn { nulls: array.logical_nulls(), write }
    }

    pub(in crate::pg) fn is_null(&self, row: usize) -> bool {
        self.nulls.as_ref().is_some_and(|nulls| nulls.is_null(row))
    }

    /// Writes the bytes of a value that is not NULL.
    pub(in crate::pg) fn put(&self, row: usize, out: &mut BytesMut) {
        (self.write)(row, out);
    }

    /// Writes a value with its length, or −1 for NULL.
    pub(in crate::pg) fn put_sized(&self, row: usize, out: &mut BytesMut) {
        match self.is_null(row) {
            true => out.put_i32(-1),
            false => put_sized(out, 0, |out| self.put(row, out)),
        }
    }
}

/// Writes the length in front of what the function writes; `own` bytes of it count as well.
pub(in crate::pg) fn put_sized(out: &mut BytesMut, own: usize, body: impl FnOnce(&mut BytesMut)) {
    let start = out.len();
    out.put_i32(0);
    body(out);
    let length = (out.len() - start - 4 + own) as i32;
    out[start..start + 4].copy_from_slice(&length.to_be_bytes());
}
