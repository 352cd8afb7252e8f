//! The first rows of a result as an HTML table.

#[cfg(test)]
mod tests;

use std::fmt::Write;

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;

use super::html::escape;
use crate::formats::{CellTexts, is_number};
use ocellus_trace::error::Result;

/// Rows that the page shows of a table; the files have all.
const MAX_ROWS: usize = 25;

/// A table that has room for a few rows and counts the rest.
pub(super) struct FirstRows {
    schema: SchemaRef,
    html: String,
    shown: usize,
    /// Rows of the result, shown or not.
    pub rows: usize,
}

impl FirstRows {
    /// An empty table.
    pub fn new(schema: &SchemaRef) -> FirstRows {
        FirstRows { schema: schema.clone(), html: String::new(), shown: 0, rows: 0 }
    }

    /// Takes the next rows.
    pub fn add(&mut self, batch: &RecordBatch) -> Result<()> {
        self.rows += batch.num_rows();
        let cells = CellTexts::new(batch)?;
        let mut text = String::new();
        for row in 0..batch.num_rows().min(MAX_ROWS - self.shown) {
            self.html.push_str("<tr>");
            for (column, field) in self.schema.fields().iter().enumerate() {
                let is_value = cells.read(row, column, &mut text)?;
                let class = if is_number(field.data_type()) { " class=\"n\"" } else { "" };
                let shown = if is_value { escape(&short(&text)) } else { String::new() };
                let _ = write!(self.html, "<td{class}>{shown}</td>");
            }
            self.html.push_str("</tr>\n");
            self.shown += 1;
        }
        Ok(())
    }

    /// The table, with a line that says how many rows there are and where.
    pub fn html(&self, name: &str) -> String {
        if self.rows == 0 {
            return "<p class=\"empty\">No rows.</p>\n".to_string();
        }
        let heads = self.schema.fields().iter().map(|field| format!("<th>{}</th>", escape(field.name())));
        let head: String = heads.collect();
        let more = match self.rows - self.shown {
            0 => String::new(),
            _ => format!("The first {} of {} rows. ", self.shown, self.rows),
        };
        format!(
            "<div class=\"wide\"><table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{}</tbody></table></div>\n\
             <p class=\"files\">{more}All rows: <a href=\"tables/{name}.csv\">CSV</a>, \
             <a href=\"tables/{name}.parquet\">Parquet</a>.</p>\n",
            self.html
        )
    }
}

/// Long fractions are cut: the files have every digit.
fn short(text: &str) -> String {
    match text.parse::<f64>() {
        Ok(number) if text.len() > 10 && text.contains('.') && !text.contains('e') => {
            let digits = (6 - number.abs().max(1.0).log10() as i32).clamp(0, 6) as usize;
            format!("{number:.digits$}")
        }
        _ => text.to_string(),
    }
}
