//! Messages to clients, written into a buffer.

#[cfg(test)]
mod tests;

use bytes::{BufMut, BytesMut};

use super::error::PgError;
use super::frontend::ValueFormat;
use super::types::ResultColumn;

/// Where the messages to a client are put together.
#[derive(Debug, Default)]
pub(super) struct Outgoing(pub(super) BytesMut);

/// Where a transaction stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Transaction {
    None,
    Open,
    Failed,
}

/// How bad an error is for the connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ErrorSeverity {
    Error,
    Fatal,
}

impl Outgoing {
    /// A message: its kind, its length, and what the function writes.
    pub(super) fn message(&mut self, kind: u8, body: impl FnOnce(&mut BytesMut)) {
        self.0.put_u8(kind);
        put_sized(&mut self.0, 4, body);
    }

    pub(super) fn empty(&mut self, kind: u8) {
        self.message(kind, |_| {});
    }

    pub(super) fn ready(&mut self, transaction: Transaction) {
        let status = match transaction {
            Transaction::None => b'I',
            Transaction::Open => b'T',
            Transaction::Failed => b'E',
        };
        self.message(b'Z', |out| out.put_u8(status));
    }

    pub(super) fn complete(&mut self, tag: &str) {
        self.message(b'C', |out| put_text(out, tag));
    }

    pub(super) fn parameter(&mut self, name: &str, value: &str) {
        self.message(b'S', |out| {
            put_text(out, name);
            put_text(out, value);
        });
    }

    pub(super) fn error(&mut self, severity: ErrorSeverity, error: &PgError) {
        let severity = match severity {
            ErrorSeverity::Error => "ERROR",
            ErrorSeverity::Fatal => "FATAL",
        };
        let position = error.position.map(|position| position.to_string());
        let details = [(b'H', error.hint.as_deref()), (b'P', position.as_deref())];
        self.report(b'E', severity, error.code, &error.message, &details);
    }

    pub(super) fn warning(&mut self, code: &str, message: &str) {
        self.report(b'N', "WARNING", code, message, &[]);
    }

    /// An error or a notice: its fields, each with the letter that names it.
    fn report(&mut self, kind: u8, severity: &str, code: &str, message: &str, details: &[(u8, Option<&str>)]) {
        let fields = [(b'S', severity), (b'V', severity), (b'C', code), (b'M', message)];
        let details = details.iter().filter_map(|(letter, text)| text.map(|text| (*letter, text)));
        self.message(kind, |out| {
            for (letter, text) in fields.into_iter().chain(details) {
                out.put_u8(letter);
                put_text(out, text);
            }
            out.put_u8(0);
        });
    }

    /// The columns of the rows that follow.
    pub(super) fn columns(&mut self, columns: &[ResultColumn], formats: &[ValueFormat]) {
        self.message(b'T', |out| {
            out.put_u16(columns.len() as u16);
            for (index, column) in columns.iter().enumerate() {
                put_text(out, &column.name);
                // Of no table that has a number.
                out.put_u32(0);
                out.put_u16(0);
                out.put_u32(column.kind.oid());
                out.put_i16(column.size());
                out.put_i32(-1);
                out.put_i16(code_of(formats.get(index).copied().unwrap_or(ValueFormat::Text)));
            }
        });
    }

    /// The types of parameters.
    pub(super) fn parameter_types(&mut self, types: &[u32]) {
        self.message(b't', |out| {
            out.put_u16(types.len() as u16);
            types.iter().for_each(|oid| out.put_u32(*oid));
        });
    }

    /// Rows of COPY follow.
    pub(super) fn copy_out(&mut self, format: ValueFormat, columns: usize) {
        self.message(b'H', |out| {
            out.put_u8(code_of(format) as u8);
            out.put_u16(columns as u16);
            (0..columns).for_each(|_| out.put_i16(code_of(format)));
        });
    }
}

fn code_of(format: ValueFormat) -> i16 {
    match format {
        ValueFormat::Text => 0,
        ValueFormat::Binary => 1,
    }
}

/// A text that ends with a zero byte. PostgreSQL's texts hold no zero bytes.
pub(super) fn put_text(out: &mut BytesMut, text: &str) {
    text.bytes().filter(|byte| *byte != 0).for_each(|byte| out.put_u8(byte));
    out.put_u8(0);
}

/// Writes the length in front of what the function writes; `own` bytes of it count as well.
pub(super) fn put_sized(out: &mut BytesMut, own: usize, body: impl FnOnce(&mut BytesMut)) {
    let start = out.len();
    out.put_i32(0);
    body(out);
    let length = (out.len() - start - 4 + own) as i32;
    out[start..start + 4].copy_from_slice(&length.to_be_bytes());
}
