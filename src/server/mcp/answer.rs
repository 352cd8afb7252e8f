//! Answers of bounded size: rows as JSON, and texts. An assistant reads all of what it gets, and pays for it.
//!
//! ```text
//! {"truncated":true,"note":"these are the first 100 rows: …","columns":["container","seconds"],"row_count":100,"rows":[
//! ["rank-0",8.0],
//! ["rank-1",7.95]]}
//! ```
//! An answer travels as a text within a message of JSON. Sizes are those there, where a quote takes two bytes.

#[cfg(test)]
mod tests;

use std::fmt::Write;

use arrow::array::RecordBatch;
use arrow::datatypes::Schema;
use arrow::json::writer::{EncoderOptions, NullableEncoder, make_encoder};
use serde_json::json;

use crate::error::ServerError;
use crate::rows::ServerRows;
use ocellus_trace::error::QueryErrorKind;

/// Rows of an answer when the caller does not say how many.
pub(super) const USUAL_ROWS: usize = 100;
/// Rows of an answer.
pub(super) const MOST_ROWS: usize = 1000;
/// Bytes of an answer as it is sent.
pub(super) const LONGEST_ANSWER: usize = 64 << 10;
/// Bytes of an error as it is sent.
const LONGEST_ERROR: usize = 4 << 10;
/// Characters of one value.
const LONGEST_VALUE: usize = 2000;
/// What the frame around the rows takes at most.
pub(super) const FRAME: usize = 512;

/// What an answer may hold.
#[derive(Debug, Clone, Copy)]
pub(super) struct AnswerSize {
    pub(super) rows: usize,
    pub(super) bytes: usize,
}

impl AnswerSize {
    /// The usual size, with as many rows.
    pub(super) fn of_rows(rows: usize) -> AnswerSize {
        AnswerSize { rows, bytes: LONGEST_ANSWER }
    }
}

/// The rows of a query, as many as fit. The query is stopped when the answer is full.
pub(super) async fn rows_answer(mut rows: ServerRows, size: AnswerSize) -> Result<String, ServerError> {
    let mut answer = RowsAnswer::new(rows.schema(), size)?;
    while let Some(batch) = rows.next().await {
        answer.add(&batch?)?;
        if answer.cut.is_some() {
            break;
        }
    }
    Ok(answer.finish())
}

/// Why an answer does not hold all rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AnswerCut {
    Rows,
    Bytes,
}

/// Rows that are collected.
struct RowsAnswer {
    size: AnswerSize,
    /// A JSON array of names.
    columns: String,
    rows: String,
    count: usize,
    /// Bytes that further rows may take.
    left: usize,
    cut: Option<AnswerCut>,
    /// Values of which only the beginning is shown.
    shortened: usize,
}

impl RowsAnswer {
    fn new(schema: &Schema, size: AnswerSize) -> Result<RowsAnswer, ServerError> {
        let names: Vec<&str> = schema.fields().iter().map(|field| field.name().as_str()).collect();
        let columns = json!(names).to_string();
        let taken = sent_bytes(&columns) + FRAME;
        if taken > size.bytes / 2 {
            let message = format!("the names of {} columns are too long for an answer: select fewer", names.len());
            return Err(ServerError::new(QueryErrorKind::Invalid, message));
        }
        let left = size.bytes - taken;
        Ok(RowsAnswer { size, columns, rows: String::new(), count: 0, left, cut: None, shortened: 0 })
    }

    /// Adds rows until the answer is full.
    fn add(&mut self, batch: &RecordBatch) -> Result<(), ServerError> {
        let options = EncoderOptions::default().with_explicit_nulls(true);
        let schema = batch.schema();
        let fields = schema.fields().iter().zip(batch.columns());
        let encoders = fields.map(|(field, column)| make_encoder(field, column.as_ref(), &options));
        let mut encoders = encoders
            .collect::<Result<Vec<NullableEncoder<'_>>, _>>()
            .map_err(|error| ServerError::new(QueryErrorKind::Unsupported, error.to_string()))?;
        for row in 0..batch.num_rows() {
            if self.count == self.size.rows {
                self.cut = Some(AnswerCut::Rows);
                return Ok(());
            }
            let text = self.row(&mut encoders, row);
            let taken = sent_bytes(&text);
            if taken > self.left {
                self.cut = Some(AnswerCut::Bytes);
                return Ok(());
            }
            self.left -= taken;
            self.rows.push_str(&text);
            self.count += 1;
        }
        Ok(())
    }

    /// One row with what separates it from the one before.
    fn row(&mut self, encoders: &mut [NullableEncoder<'_>], row: usize) -> String {
        let mut text = String::from(if self.count == 0 { "\n[" } else { ",\n[" });
        let mut value = vec![];
        for (column, encoder) in encoders.iter_mut().enumerate() {
            if column > 0 {
                text.push(',');
            }
            value.clear();
            if encoder.is_null(row) {
                value.extend_from_slice(b"null");
            } else {
                encoder.encode(row, &mut value);
            }
            let encoded = String::from_utf8_lossy(&value);
            if encoded.len() <= LONGEST_VALUE {
                text.push_str(&encoded);
            } else {
                self.shortened += 1;
                text.push_str(&beginning(&encoded));
            }
        }
        text.push(']');
        text
    }

    fn finish(self) -> String {
        let note = json!(self.note());
        let is_cut = self.cut.is_some() || self.shortened > 0;
        let note = if is_cut { format!("\"note\":{note},") } else { String::new() };
        let RowsAnswer { columns, rows, count, .. } = self;
        format!("{{\"truncated\":{is_cut},{note}\"columns\":{columns},\"row_count\":{count},\"rows\":[{rows}]}}")
    }

    /// What is missing, and what to do.
    fn note(&self) -> String {
        let count = self.count;
        let mut note = match self.cut {
            None => "these are all rows".to_string(),
            Some(AnswerCut::Rows) => {
                format!("these are the first {count} rows and there are more: aggregate, filter or order them in SQL")
            }
            Some(AnswerCut::Bytes) if count == 0 => {
                "the first row is too large for an answer: select fewer columns, or parts of them".to_string()
            }
            Some(AnswerCut::Bytes) => {
                format!("these are the first {count} rows, as many as fit: select fewer columns, aggregate or filter")
            }
        };
        if self.shortened > 0 {
            // Writing to a string does not fail.
            let _ = write!(note, "; of {} values only the beginning is shown", self.shortened);
        }
        note
    }
}

/// The beginning of a value that is too long, as a text that ends in an ellipsis. Lists and structures become texts.
fn beginning(encoded: &str) -> String {
    let text = serde_json::from_str::<String>(encoded).unwrap_or_else(|_| encoded.to_string());
    let shown: String = text.chars().take(LONGEST_VALUE).chain(['…']).collect();
    json!(shown).to_string()
}

/// A text that fits an answer; its end says when it was longer.
pub(super) fn text_answer(text: &str) -> String {
    const END: &str = "\n\n(truncated: the text is longer than an answer may be)";
    match clipped(text, LONGEST_ANSWER - END.len() - 2) {
        whole if whole.len() == text.len() => text.to_string(),
        shown => format!("{shown}{END}"),
    }
}

/// An error as a text: kind, message, place and hint.
pub(super) fn error_answer(error: &ServerError) -> String {
    let mut text = format!("{}: {}", error.kind.name(), clipped(&error.message, LONGEST_ERROR / 2));
    if let Some(span) = error.span {
        let _ = write!(text, " (line {}, column {})", span.start.line, span.start.column);
    }
    if let Some(hint) = &error.hint {
        let _ = write!(text, "; {}", clipped(hint, LONGEST_ERROR / 4));
    }
    text
}

/// The beginning of a text that takes at most so many bytes when it is sent.
pub(super) fn clipped(text: &str, most: usize) -> &str {
    let mut taken = 0;
    for (start, character) in text.char_indices() {
        taken += sent_character(character);
        if taken > most {
            return &text[..start];
        }
    }
    text
}

/// Bytes of a text within a message.
pub(super) fn sent_bytes(text: &str) -> usize {
    text.chars().map(sent_character).sum()
}

fn sent_character(character: char) -> usize {
    match character {
        '"' | '\\' | '\n' | '\r' | '\t' | '\u{8}' | '\u{c}' => 2,
        character if character < ' ' => 6,
        character => character.len_utf8(),
    }
}
