//! CSV and TSV: a header, then one row per line; quotes as RFC 4180 has them.
//!
//! NULL is nothing at all, an empty text is `""`, and so is any text that reads like the chosen NULL:
//! the two stay apart. TSV is the same with a tab between the fields.

#[cfg(test)]
mod tests;

use std::io::Write;

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;

use super::cells::CellTexts;
use super::errors::write_failed;
use super::writer::{ResultWriter, Sink, TextStyle};
use ocellus_trace::error::Result;

/// Writes CSV or TSV.
pub struct DelimitedWriter {
    delimiter: u8,
    null: String,
    /// Written before the first row, or at the end when there is none.
    header: Option<Vec<u8>>,
    line: Vec<u8>,
    sink: Sink,
}

impl DelimitedWriter {
    /// A writer with a byte between the fields.
    pub fn new(delimiter: u8, schema: &SchemaRef, style: &TextStyle, sink: Sink) -> DelimitedWriter {
        let null = style.null.clone().unwrap_or_default();
        let mut header = vec![];
        for (index, field) in schema.fields().iter().enumerate() {
            if index > 0 {
                header.push(delimiter);
            }
            push_field(&mut header, field.name(), delimiter, &null);
        }
        header.push(b'\n');
        DelimitedWriter { delimiter, null, header: Some(header), line: vec![], sink }
    }

    fn write_header(&mut self) -> Result<()> {
        match self.header.take() {
            Some(header) => self.sink.write_all(&header).map_err(write_failed),
            None => Ok(()),
        }
    }
}

impl ResultWriter for DelimitedWriter {
    fn write(&mut self, batch: &RecordBatch) -> Result<()> {
        self.write_header()?;
        let cells = CellTexts::new(batch)?;
        let mut text = String::new();
        for row in 0..batch.num_rows() {
            self.line.clear();
            for column in 0..batch.num_columns() {
                if column > 0 {
                    self.line.push(self.delimiter);
                }
                if cells.read(row, column, &mut text)? {
                    push_field(&mut self.line, &text, self.delimiter, &self.null);
                } else {
                    self.line.extend_from_slice(self.null.as_bytes());
                }
            }
            self.line.push(b'\n');
            self.sink.write_all(&self.line).map_err(write_failed)?;
        }
        Ok(())
    }

    fn finish(&mut self) -> Result<()> {
        self.write_header()?;
        self.sink.flush().map_err(write_failed)
    }
}

fn push_field(line: &mut Vec<u8>, text: &str, delimiter: u8, null: &str) {
    let is_special = |byte: u8| byte == delimiter || matches!(byte, b'"' | b'\n' | b'\r');
    if text != null && !text.is_empty() && !text.bytes().any(is_special) {
        line.extend_from_slice(text.as_bytes());
        return;
    }
    line.push(b'"');
    for byte in text.bytes() {
        if byte == b'"' {
            line.push(b'"');
        }
        line.push(byte);
    }
    line.push(b'"');
}
