//! `COPY … TO STDOUT`: its options, and rows as text, csv and binary.
//!
//! ```text
//! options = [WITH] '(' option {',' option} ')' | [WITH] old-option {old-option}
//! option  = FORMAT x | DELIMITER 'c' | NULL 's' | HEADER [x] | QUOTE 'c' | ESCAPE 'c' | FORCE_QUOTE x | ENCODING 'UTF8'
//! ```

use bytes::{BufMut, BytesMut};
use pgwire::api::results::FieldFormat;
use sqlparser::tokenizer::Token;

use super::error::PgError;
use super::token_cursor::TokenCursor;
use super::values::PgValueColumn;

/// What a binary copy starts with: its signature, no flags, no extension.
const SIGNATURE: &[u8] = b"PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CopyFormat {
    Text,
    Csv,
    Binary,
}

/// Which columns get quotes that do not need them.
#[derive(Debug, Clone, PartialEq, Eq)]
enum ForcedQuotes {
    These(Vec<String>),
    All,
}

/// Whether a value gets quotes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum QuoteMode {
    Needed,
    Always,
}

/// How rows are written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CopyOptions {
    kind: CopyFormat,
    delimiter: u8,
    null: String,
    has_header: bool,
    quote: u8,
    escape: u8,
    forced: ForcedQuotes,
}

/// Options as they were given.
#[derive(Debug, Default)]
struct RawCopyOptions {
    kind: Option<String>,
    delimiter: Option<String>,
    null: Option<String>,
    has_header: bool,
    quote: Option<String>,
    escape: Option<String>,
    forced: Option<ForcedQuotes>,
}

impl CopyOptions {
    pub(super) fn read(tokens: &mut TokenCursor<'_>) -> Result<CopyOptions, PgError> {
        let mut given = RawCopyOptions::default();
        tokens.take("WITH");
        if tokens.take_sign(&Token::LParen) {
            loop {
                given.option(tokens)?;
                if tokens.take_sign(&Token::RParen) {
                    break;
                }
                if !tokens.take_sign(&Token::Comma) {
                    return Err(tokens.unexpected());
                }
            }
        } else {
            while !tokens.is_at_end() {
                given.old_option(tokens)?;
            }
        }
        given.options()
    }

    pub(super) fn format(&self) -> FieldFormat {
        match self.kind {
            CopyFormat::Binary => FieldFormat::Binary,
            _ => FieldFormat::Text,
        }
    }

    /// What comes before all rows.
    pub(super) fn put_start(&self, columns: &[&str], out: &mut BytesMut) {
        match (self.kind, self.has_header) {
            (CopyFormat::Binary, _) => out.put_slice(SIGNATURE),
            (_, true) => {
                for (index, name) in columns.iter().enumerate() {
                    self.put_delimiter(index, out);
                    match self.kind {
                        CopyFormat::Csv => self.put_csv(name.as_bytes(), QuoteMode::Needed, out),
                        _ => self.put_escaped(name.as_bytes(), out),
                    }
                }
                out.put_u8(b'\n');
            }
            _ => {}
        }
    }

    /// Whether the start is a message of its own: a header is, a signature comes with the first row.
    pub(super) fn starts_alone(&self) -> bool {
        self.kind != CopyFormat::Binary
    }

    pub(super) fn put_row(&self, columns: &[&str], cells: &[PgValueColumn], row: usize, out: &mut BytesMut) {
        if self.kind == CopyFormat::Binary {
            out.put_u16(cells.len() as u16);
            cells.iter().for_each(|cells| cells.put_sized(row, out));
            return;
        }
        let mut value = BytesMut::new();
        for (index, cells) in cells.iter().enumerate() {
            self.put_delimiter(index, out);
            if cells.is_null(row) {
                out.put_slice(self.null.as_bytes());
                continue;
            }
            value.clear();
            cells.put(row, &mut value);
            match self.kind {
                CopyFormat::Csv => self.put_csv(&value, self.quotes_of(columns.get(index)), out),
                _ => self.put_escaped(&value, out),
            }
        }
        out.put_u8(b'\n');
    }

    /// What comes after all rows.
    pub(super) fn put_end(&self, out: &mut BytesMut) {
        if self.kind == CopyFormat::Binary {
            out.put_i16(-1);
        }
    }

    fn put_delimiter(&self, index: usize, out: &mut BytesMut) {
        if index > 0 {
            out.put_u8(self.delimiter);
        }
    }

    fn put_escaped(&self, value: &[u8], out: &mut BytesMut) {
        for &byte in value {
            let escaped = match byte {
                b'\\' => b'\\',
                0x08 => b'b',
                0x0c => b'f',
                b'\n' => b'n',
                b'\r' => b'r',
                b'\t' => b't',
                0x0b => b'v',
                other if other == self.delimiter => other,
                other => {
                    out.put_u8(other);
                    continue;
                }
            };
            out.put_slice(&[b'\\', escaped]);
        }
    }

    fn put_csv(&self, value: &[u8], quotes: QuoteMode, out: &mut BytesMut) {
        let is_special = |byte: &u8| *byte == self.delimiter || *byte == self.quote || matches!(byte, b'\n' | b'\r');
        // A lone `\.` would end the copy; what reads like NULL is no NULL.
        let is_plain = quotes == QuoteMode::Needed
            && value != self.null.as_bytes()
            && value != b"\\."
            && !value.iter().any(is_special);
        if is_plain {
            out.put_slice(value);
            return;
        }
        out.put_u8(self.quote);
        for &byte in value {
            if byte == self.quote || byte == self.escape {
                out.put_u8(self.escape);
            }
            out.put_u8(byte);
        }
        out.put_u8(self.quote);
    }

    fn quotes_of(&self, column: Option<&&str>) -> QuoteMode {
        let is_forced = match &self.forced {
            ForcedQuotes::All => true,
            ForcedQuotes::These(names) => column.is_some_and(|column| names.iter().any(|name| name == column)),
        };
        if is_forced { QuoteMode::Always } else { QuoteMode::Needed }
    }
}

impl RawCopyOptions {
    fn option(&mut self, tokens: &mut TokenCursor<'_>) -> Result<(), PgError> {
        let name = tokens.keyword().ok_or_else(|| tokens.unexpected())?;
        match name.as_str() {
            "FORMAT" => self.kind = Some(tokens.value()?.to_lowercase()),
            "DELIMITER" => self.delimiter = Some(tokens.value()?),
            "NULL" => self.null = Some(tokens.value()?),
            "QUOTE" => self.quote = Some(tokens.value()?),
            "ESCAPE" => self.escape = Some(tokens.value()?),
            "HEADER" => {
                // Alone, it means yes.
                let value = tokens.value().unwrap_or_default().to_lowercase();
                self.has_header = !matches!(value.as_str(), "false" | "off" | "0" | "f");
            }
            "FORCE_QUOTE" => self.force(tokens)?,
            "ENCODING" => check_encoding(&tokens.value()?)?,
            other => return Err(PgError::syntax(format!("option \"{}\" not recognized", other.to_lowercase()))),
        }
        Ok(())
    }

    /// As PostgreSQL wrote them before version 9, which clients still do.
    fn old_option(&mut self, tokens: &mut TokenCursor<'_>) -> Result<(), PgError> {
        let name = tokens.keyword().ok_or_else(|| tokens.unexpected())?;
        match name.as_str() {
            "BINARY" => self.kind = Some("binary".to_string()),
            "CSV" => self.kind = Some("csv".to_string()),
            "HEADER" => self.has_header = true,
            "DELIMITER" | "DELIMITERS" | "NULL" | "QUOTE" | "ESCAPE" | "ENCODING" => {
                tokens.take("AS");
                let value = tokens.value()?;
                match name.as_str() {
                    "NULL" => self.null = Some(value),
                    "QUOTE" => self.quote = Some(value),
                    "ESCAPE" => self.escape = Some(value),
                    "ENCODING" => check_encoding(&value)?,
                    _ => self.delimiter = Some(value),
                }
            }
            "FORCE" if tokens.take("QUOTE") => self.force(tokens)?,
            _ => return Err(PgError::syntax(format!("syntax error at or near \"{name}\""))),
        }
        Ok(())
    }

    fn force(&mut self, tokens: &mut TokenCursor<'_>) -> Result<(), PgError> {
        self.forced = Some(match tokens.take_sign(&Token::Mul) {
            true => ForcedQuotes::All,
            false => match tokens.parts()? {
                none if none.is_empty() => ForcedQuotes::These(vec![tokens.name()?]),
                names => ForcedQuotes::These(names),
            },
        });
        Ok(())
    }

    fn options(self) -> Result<CopyOptions, PgError> {
        let wrong = |message: &str| PgError::new("22023", message);
        let kind = match self.kind.as_deref() {
            None | Some("text") => CopyFormat::Text,
            Some("csv") => CopyFormat::Csv,
            Some("binary") => CopyFormat::Binary,
            Some(other) => return Err(wrong(&format!("COPY format \"{other}\" not recognized"))),
        };
        let is_csv = kind == CopyFormat::Csv;
        if kind == CopyFormat::Binary && (self.delimiter.is_some() || self.null.is_some() || self.has_header) {
            return Err(PgError::syntax("cannot specify DELIMITER, NULL or HEADER in BINARY mode"));
        }
        if !is_csv && (self.quote.is_some() || self.escape.is_some() || self.forced.is_some()) {
            return Err(PgError::unsupported("COPY quote, escape and force quote are available only in CSV mode"));
        }
        let default_delimiter = if is_csv { b',' } else { b'\t' };
        let delimiter = one_byte("delimiter", self.delimiter)?.unwrap_or(default_delimiter);
        let quote = one_byte("quote", self.quote)?.unwrap_or(b'"');
        let escape = one_byte("escape", self.escape)?.unwrap_or(quote);
        if is_csv && delimiter == quote {
            return Err(wrong("COPY delimiter and quote must be different"));
        }
        if matches!(delimiter, b'\n' | b'\r')
            || (!is_csv && (delimiter == b'\\' || delimiter.is_ascii_alphanumeric() || delimiter == b'.'))
        {
            return Err(wrong("COPY delimiter cannot be a line end, a backslash, a dot, a letter or a digit"));
        }
        let null = self.null.unwrap_or_else(|| if is_csv { String::new() } else { "\\N".to_string() });
        if null.contains(['\n', '\r']) {
            return Err(wrong("COPY null representation cannot use newline or carriage return"));
        }
        let forced = self.forced.unwrap_or(ForcedQuotes::These(vec![]));
        Ok(CopyOptions { kind, delimiter, null, has_header: self.has_header, quote, escape, forced })
    }
}

fn one_byte(name: &str, given: Option<String>) -> Result<Option<u8>, PgError> {
    match given.as_deref().map(str::as_bytes) {
        None => Ok(None),
        Some([byte]) => Ok(Some(*byte)),
        Some(_) => Err(PgError::unsupported(format!("COPY {name} must be a single one-byte character"))),
    }
}

fn check_encoding(name: &str) -> Result<(), PgError> {
    match name.to_lowercase().replace('-', "").as_str() {
        "utf8" | "unicode" => Ok(()),
        _ => Err(PgError::unsupported(format!("this server speaks UTF8 only, not {name}"))),
    }
}

#[cfg(test)]
mod tests;
