//! A Markdown table: numbers on the right, pipes and line ends escaped, NULL empty.

#[cfg(test)]
mod tests;

use std::io::Write;

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;

use super::cells::{CellTexts, is_number};
use super::errors::write_failed;
use super::writer::{ResultWriter, Sink, TextStyle};
use ocellus_trace::error::Result;

/// Writes a Markdown table.
pub struct MarkdownWriter {
    null: String,
    /// Written before the first row, or at the end when there is none.
    header: Option<String>,
    sink: Sink,
}

impl MarkdownWriter {
    /// A writer for results of a schema.
    pub fn new(schema: &SchemaRef, style: &TextStyle, sink: Sink) -> MarkdownWriter {
        let mut names = String::from("|");
        let mut rule = String::from("|");
        for field in schema.fields() {
            names.push(' ');
            push_escaped(&mut names, field.name());
            names.push_str(" |");
            rule.push_str(if is_number(field.data_type()) { "---:|" } else { "---|" });
        }
        let header = Some(format!("{names}\n{rule}\n"));
        MarkdownWriter { null: style.null.clone().unwrap_or_default(), header, sink }
    }

    fn write_header(&mut self) -> Result<()> {
        match self.header.take() {
            Some(header) => self.sink.write_all(header.as_bytes()).map_err(write_failed),
            None => Ok(()),
        }
    }
}

impl ResultWriter for MarkdownWriter {
    fn write(&mut self, batch: &RecordBatch) -> Result<()> {
        self.write_header()?;
        let cells = CellTexts::new(batch)?;
        let mut text = String::new();
        let mut line = String::new();
        for row in 0..batch.num_rows() {
            line.clear();
            line.push('|');
            for column in 0..batch.num_columns() {
                let shown = if cells.read(row, column, &mut text)? { &text } else { &self.null };
                line.push(' ');
                push_escaped(&mut line, shown);
                line.push_str(" |");
            }
            line.push('\n');
            self.sink.write_all(line.as_bytes()).map_err(write_failed)?;
        }
        Ok(())
    }

    fn finish(&mut self) -> Result<()> {
        self.write_header()?;
        self.sink.flush().map_err(write_failed)
    }
}

fn push_escaped(line: &mut String, text: &str) {
    for character in text.chars() {
        match character {
            '|' => line.push_str("\\|"),
            '\n' => line.push_str("<br>"),
            '\r' => {}
            other => line.push(other),
        }
    }
}
