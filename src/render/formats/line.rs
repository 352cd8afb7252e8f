//! One column per line, for rows that are too wide: `name = value`, an empty line between rows.
//!
//! A value of several lines, such as a plan, starts on a line of its own.

#[cfg(test)]
mod tests;

use std::io::Write;

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use unicode_width::UnicodeWidthStr;

use super::cells::CellTexts;
use super::errors::write_failed;
use super::writer::{ResultWriter, Sink, TextStyle};
use ocellus_trace::error::Result;

/// Writes one column per line.
pub struct LineWriter {
    null: String,
    /// Column names, padded to the same width.
    names: Vec<String>,
    rows: u64,
    sink: Sink,
}

impl LineWriter {
    /// A writer for results of a schema.
    pub fn new(schema: &SchemaRef, style: &TextStyle, sink: Sink) -> LineWriter {
        let width = schema.fields().iter().map(|field| field.name().width()).max().unwrap_or(0);
        let names = schema
            .fields()
            .iter()
            .map(|field| format!("{}{}", " ".repeat(width - field.name().width()), field.name()))
            .collect();
        LineWriter { null: style.null.clone().unwrap_or_else(|| "NULL".to_string()), names, rows: 0, sink }
    }
}

impl ResultWriter for LineWriter {
    fn write(&mut self, batch: &RecordBatch) -> Result<()> {
        let cells = CellTexts::new(batch)?;
        let mut text = String::new();
        for row in 0..batch.num_rows() {
            if self.rows > 0 {
                writeln!(self.sink).map_err(write_failed)?;
            }
            self.rows += 1;
            for (column, name) in self.names.iter().enumerate() {
                let shown = if cells.read(row, column, &mut text)? { &text } else { &self.null };
                let shown = shown.trim_end_matches('\n');
                let gap = if shown.contains('\n') { '\n' } else { ' ' };
                writeln!(self.sink, "{name} ={gap}{shown}").map_err(write_failed)?;
            }
        }
        Ok(())
    }

    fn finish(&mut self) -> Result<()> {
        self.sink.flush().map_err(write_failed)
    }
}
