//! A table drawn with lines: names, a type row, numbers on the right.
//!
//! ```text
//! ┌─────────┬─────────┐
//! │  value  │ seconds │
//! │  text   │ double  │
//! ├─────────┼─────────┤
//! │ compute │    1.25 │
//! │ …       │       … │     rows in the middle are left out beyond `max_rows`
//! │ wait    │     0.5 │
//! ├─────────┴─────────┤
//! │ 90 rows (2 shown) │
//! └───────────────────┘
//! ```
//! Memory is bounded: with `max_rows` only those rows are kept; without, the first [`SAMPLE_ROWS`]
//! decide how wide the columns are, and what comes later is written as it comes.

use std::collections::VecDeque;
use std::io::Write;

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;

use super::cells::{CellTexts, is_number, type_name};
use super::errors::write_failed;
use super::writer::{ResultWriter, Sink, TextStyle};
use ocellus_trace::error::Result;

mod layout;

use layout::{Align, BoxColumn, BoxLayout};

/// Rows that decide the widths when all rows are shown.
const SAMPLE_ROWS: usize = 10_000;
/// Results of up to this many rows are counted at a glance, and get no footer.
const ROWS_WITHOUT_FOOTER: u64 = 10;

/// Writes a box.
pub struct BoxWriter {
    columns: Vec<BoxColumn>,
    null: String,
    width: Option<usize>,
    max_rows: Option<usize>,
    head: Vec<Vec<String>>,
    tail: VecDeque<Vec<String>>,
    rows: u64,
    /// Set once the top of the box has been written.
    layout: Option<BoxLayout>,
    sink: Sink,
}

impl BoxWriter {
    /// A writer for results of a schema.
    pub fn new(schema: &SchemaRef, style: &TextStyle, sink: Sink) -> BoxWriter {
        let columns = schema
            .fields()
            .iter()
            .map(|field| BoxColumn {
                name: printable(field.name()),
                type_name: type_name(field.data_type()),
                align: if is_number(field.data_type()) { Align::Right } else { Align::Left },
            })
            .collect();
        BoxWriter {
            columns,
            null: style.null.clone().unwrap_or_else(|| "NULL".to_string()),
            width: style.width,
            // Head and tail need a row each.
            max_rows: style.max_rows.map(|rows| rows.max(2)),
            head: vec![],
            tail: VecDeque::new(),
            rows: 0,
            layout: None,
            sink,
        }
    }

    fn tail_rows(&self) -> usize {
        self.max_rows.map_or(0, |rows| rows / 2)
    }

    fn row(&self, cells: &CellTexts<'_>, row: usize) -> Result<Vec<String>> {
        let mut text = String::new();
        (0..self.columns.len())
            .map(|column| {
                let is_value = cells.read(row, column, &mut text)?;
                Ok(if is_value { printable(&text) } else { self.null.clone() })
            })
            .collect()
    }

    /// Keeps the first rows and the last ones.
    fn keep(&mut self, cells: &CellTexts<'_>, rows: usize, max_rows: usize) -> Result<()> {
        let room = max_rows - self.head.len().min(max_rows);
        for row in 0..rows.min(room) {
            let row = self.row(cells, row)?;
            self.head.push(row);
        }
        let tail_rows = self.tail_rows();
        // Rows that others push out of the tail again need not be formatted.
        let first = rows.saturating_sub(tail_rows).max(room);
        for row in first..rows {
            let row = self.row(cells, row)?;
            self.tail.push_back(row);
            if self.tail.len() > tail_rows {
                self.tail.pop_front();
            }
        }
        Ok(())
    }

    /// Shows every row: collects a sample, then writes through.
    fn pass(&mut self, cells: &CellTexts<'_>, rows: usize) -> Result<()> {
        for row in 0..rows {
            let row = self.row(cells, row)?;
            if let Some(layout) = &self.layout {
                layout.write_row(&mut self.sink, &row).map_err(write_failed)?;
                continue;
            }
            self.head.push(row);
            if self.head.len() == SAMPLE_ROWS {
                self.open("")?;
            }
        }
        Ok(())
    }

    /// Writes the top of the box and the rows that were kept.
    fn open(&mut self, footer: &str) -> Result<()> {
        let head = std::mem::take(&mut self.head);
        let tail = std::mem::take(&mut self.tail);
        let columns = std::mem::take(&mut self.columns);
        let mut layout = BoxLayout::new(columns, head.iter().chain(&tail), self.width);
        layout.make_room(footer, self.width);
        layout.write_top(&mut self.sink).map_err(write_failed)?;
        for row in &head {
            layout.write_row(&mut self.sink, row).map_err(write_failed)?;
        }
        if !tail.is_empty() {
            layout.write_gap(&mut self.sink).map_err(write_failed)?;
        }
        for row in &tail {
            layout.write_row(&mut self.sink, row).map_err(write_failed)?;
        }
        // The columns are still needed to read the rows that follow.
        self.columns = layout.columns().to_vec();
        self.layout = Some(layout);
        Ok(())
    }

    /// Makes head and tail what is shown: the head gives up what the tail has room for.
    fn balance(&mut self) {
        let Some(max_rows) = self.max_rows else { return };
        if self.rows <= max_rows as u64 {
            return;
        }
        let head_rows = max_rows - self.tail_rows();
        let spare = self.head.split_off(head_rows.min(self.head.len()));
        let missing = self.tail_rows().saturating_sub(self.tail.len());
        for row in spare.into_iter().rev().take(missing) {
            self.tail.push_front(row);
        }
    }

    fn footer(&self) -> String {
        let shown = (self.head.len() + self.tail.len()) as u64;
        let rows = match self.rows {
            1 => "1 row".to_string(),
            rows => format!("{} rows", indicatif::HumanCount(rows)),
        };
        if self.layout.is_none() && shown < self.rows {
            return format!("{rows} ({shown} shown)");
        }
        if self.rows == 0 || self.rows > ROWS_WITHOUT_FOOTER { rows } else { String::new() }
    }
}

impl ResultWriter for BoxWriter {
    fn write(&mut self, batch: &RecordBatch) -> Result<()> {
        let cells = CellTexts::new(batch)?;
        match self.max_rows {
            Some(max_rows) => self.keep(&cells, batch.num_rows(), max_rows)?,
            None => self.pass(&cells, batch.num_rows())?,
        }
        self.rows += batch.num_rows() as u64;
        Ok(())
    }

    fn finish(&mut self) -> Result<()> {
        self.balance();
        let footer = self.footer();
        if self.layout.is_none() {
            self.open(&footer)?;
        }
        if let Some(layout) = &self.layout {
            layout.write_bottom(&mut self.sink, &footer).map_err(write_failed)?;
        }
        self.sink.flush().map_err(write_failed)
    }
}

/// Keeps line ends, which become lines of the cell, and escapes what would upset a terminal.
fn printable(text: &str) -> String {
    let text = text.trim_end_matches('\n');
    if !text.chars().any(|character| character.is_control() && character != '\n') {
        return text.to_string();
    }
    let mut shown = String::with_capacity(text.len() + 8);
    for character in text.chars() {
        if character.is_control() && character != '\n' {
            shown.extend(character.escape_default());
        } else {
            shown.push(character);
        }
    }
    shown
}

#[cfg(test)]
mod tests;
