//! Messages about what is wrong with a line. Off the hot path.

use super::definitions::EventDefinition;
use super::lexer::{FieldForm, LineField};
use super::parser::{LONGEST_LINE, LineParser, Skipped};
use crate::diagnostics::{Code, quote};
use crate::model::Fault;
use crate::time::TickError;

impl LineParser<'_> {
    #[cold]
    pub(super) fn fault(&mut self, code: Code, message: String) {
        self.batch.faults.push(Fault {
            code,
            line: self.batch.lines,
            byte: self.line_start as u32,
            message,
            place: None,
            occurrences: 1,
        });
    }

    #[cold]
    pub(super) fn skip<T>(&mut self, code: Code, message: String) -> Result<T, Skipped> {
        self.fault(code, message);
        Err(Skipped)
    }

    /// The whole line, for a message.
    pub(super) fn line_text(&self) -> &[u8] {
        let rest = &self.lexer.text[self.line_start..];
        rest[..memchr::memchr(b'\n', rest).unwrap_or(rest.len())].trim_ascii()
    }

    #[cold]
    pub(super) fn undefined(&mut self, id: LineField) -> Result<(), Skipped> {
        let id = self.bytes(id);
        let looks_like_an_id = !id.is_empty() && id.len() < 20 && id.iter().all(u8::is_ascii_digit);
        let message = if !looks_like_an_id {
            format!("{} is neither an event, a comment nor a definition", quote(self.line_text()))
        } else if self.definitions.is_empty() {
            format!("the event id {} comes before any %EventDef; the header may be missing", quote(id))
        } else {
            format!("the event id {} was not defined before; add its %EventDef block", quote(id))
        };
        let code = if looks_like_an_id { Code::UndefinedEvent } else { Code::UnreadableLine };
        self.skip(code, message)
    }

    #[cold]
    pub(super) fn unusable(&mut self, definition: &EventDefinition) -> Result<(), Skipped> {
        match definition.missing {
            Some(field) if definition.kind.is_some() => {
                let message = format!("the definition of {} lacks the obligatory field {field}", definition.name);
                self.skip(Code::IncompleteDefinition, message)
            }
            _ => {
                let message = format!("{} is no event of the Pajé format", quote(definition.name.as_bytes()));
                self.skip(Code::UnknownEvent, message)
            }
        }
    }

    #[cold]
    pub(super) fn missing_field(&mut self, definition: &EventDefinition, index: usize) -> Result<(), Skipped> {
        let message = format!(
            "{} has {} fields, and {} needs {}: {} is missing",
            quote(self.line_text()),
            index,
            definition.name,
            definition.roles.len(),
            definition.fields[index],
        );
        self.skip(Code::MissingField, message)
    }

    #[cold]
    pub(super) fn bad_time(&mut self, field: LineField, error: TickError) -> Result<i64, Skipped> {
        let text = quote(self.bytes(field));
        match error {
            TickError::NotANumber => self.skip(Code::BadTime, format!("the time {text} is no decimal number")),
            TickError::OutOfRange => {
                let message = format!(
                    "the time {text} does not fit at a resolution of one {}; try a coarser --resolution",
                    self.clock.resolution
                );
                self.skip(Code::TimeOutOfRange, message)
            }
        }
    }

    #[cold]
    pub(super) fn too_many_fields(&mut self, field: LineField) {
        let message = format!(
            "the line has more fields than its definition, from {} on; they are ignored",
            quote(self.bytes(field))
        );
        self.fault(Code::ExtraFields, message);
        self.lexer.skip_to_line_end();
    }

    #[cold]
    pub(super) fn too_long(&mut self) {
        self.batch.events.pop();
        let message = format!("the line is longer than {LONGEST_LINE} bytes");
        self.fault(Code::LineTooLong, message);
    }

    #[cold]
    pub(super) fn check_form(&mut self, field: LineField) {
        match self.lexer.form {
            FieldForm::Unterminated => {
                let message =
                    format!("the quote before {} is never closed; it ends with the line", quote(self.bytes(field)));
                self.fault(Code::UnterminatedQuote, message);
            }
            FieldForm::Strange if self.bytes(field).contains(&0) => {
                let message = format!("a NUL byte in {}", quote(self.bytes(field)));
                self.fault(Code::NulByte, message);
            }
            _ => {}
        }
    }

    #[cold]
    pub(super) fn check_utf8(&mut self, word: &[u8]) {
        if std::str::from_utf8(word).is_err() {
            let message = format!("{} is not UTF-8; the bytes that are not were replaced", quote(word));
            self.fault(Code::InvalidUtf8, message);
        }
    }
}
