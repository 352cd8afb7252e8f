//! One column per line, for rows that are too wide: `name = value`, an empty line between rows.
//!
//! A value of several lines, such as a plan, starts on a line of its own.

use std::io::Write;

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use unicode_width::UnicodeWidthStr;

use super::cells::Cells;
use super::{ResultWriter, Sink, Style, write_failed};
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
    pub fn new(schema: &SchemaRef, style: &Style, sink: Sink) -> LineWriter {
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
        let cells = Cells::new(batch)?;
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

#[cfg(test)]
mod tests {
    use crate::formats::testing::{awkward, nothing, null_as, text_of};
    use crate::formats::{Format, Style};

    #[test]
    fn names_line_up_and_rows_are_apart() {
        let batch = awkward().project(&[0, 3, 4]).expect("three columns");
        let text = text_of(Format::Line, &Style::default(), &batch.schema(), &[batch.clone()]);
        assert_eq!(
            text,
            "     id = 1\nseconds = 0.1\n   list = [1, NULL, 3]\n\n     id = NULL\nseconds = 2.0\n   list = NULL\n"
        );
        let text = text_of(Format::Line, &null_as("-"), &batch.schema(), &[batch.clone()]);
        assert!(text.contains("id = -\n"), "{text}");
    }

    #[test]
    fn a_value_of_several_lines_starts_on_its_own() {
        let batch = awkward().project(&[1]).expect("one column");
        let text = text_of(Format::Line, &Style::default(), &batch.schema(), &[batch.clone()]);
        assert_eq!(text, "text =\na,\"b\"\n|\n\ntext = \n");
    }

    #[test]
    fn an_empty_result_is_empty() {
        assert_eq!(text_of(Format::Line, &Style::default(), &nothing(), &[]), "");
    }
}
