//! Messages of clients: bytes in, messages out. Every length is checked before it is believed.

#[cfg(test)]
mod tests;

use bytes::Bytes;

use super::error::PgError;

/// A message of a client that has logged in.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum FrontendMessage {
    Query(String),
    Parse {
        name: String,
        text: String,
        types: Vec<u32>,
    },
    Bind(Bind),
    Describe(DescribeTarget),
    Close(DescribeTarget),
    Execute {
        portal: String,
        limit: usize,
    },
    Flush,
    Sync,
    Terminate,
    /// A password or a step of SASL.
    Password(Bytes),
    /// Part of a COPY FROM, which is refused when it begins: what was sent meanwhile is skipped.
    CopyIn,
}

/// A prepared statement, or a portal.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum DescribeTarget {
    Statement(String),
    Portal(String),
}

/// How a value is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ValueFormat {
    Text,
    Binary,
}

/// Parameters for a prepared statement.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Bind {
    pub(super) portal: String,
    pub(super) statement: String,
    formats: Vec<ValueFormat>,
    pub(super) parameters: Vec<Option<Bytes>>,
    results: Vec<ValueFormat>,
}

impl Bind {
    pub(super) fn parameter_format(&self, index: usize) -> ValueFormat {
        format_of(&self.formats, index)
    }

    /// The formats of as many columns.
    pub(super) fn result_formats(&self, columns: usize) -> Vec<ValueFormat> {
        (0..columns).map(|index| format_of(&self.results, index)).collect()
    }
}

/// None given: text; one: the same for all.
fn format_of(formats: &[ValueFormat], index: usize) -> ValueFormat {
    match formats {
        [] => ValueFormat::Text,
        [only] => *only,
        several => several.get(index).copied().unwrap_or(ValueFormat::Text),
    }
}

impl FrontendMessage {
    /// Reads the body of a message of a kind.
    pub(super) fn read(kind: u8, body: Bytes) -> Result<FrontendMessage, PgError> {
        if kind == b'p' {
            return Ok(FrontendMessage::Password(body));
        }
        let mut reader = MessageReader(body);
        let message = match kind {
            b'Q' => FrontendMessage::Query(reader.text()?),
            b'P' => parse(&mut reader)?,
            b'B' => FrontendMessage::Bind(bind(&mut reader)?),
            b'D' => FrontendMessage::Describe(target(&mut reader)?),
            b'C' => FrontendMessage::Close(target(&mut reader)?),
            b'E' => {
                FrontendMessage::Execute { portal: reader.text()?, limit: usize::try_from(reader.i32()?).unwrap_or(0) }
            }
            b'H' => FrontendMessage::Flush,
            b'S' => FrontendMessage::Sync,
            b'X' => FrontendMessage::Terminate,
            b'd' | b'c' | b'f' => return Ok(FrontendMessage::CopyIn),
            b'F' => return Err(PgError::unsupported("calls of functions by number are not served: use SELECT")),
            other => return Err(PgError::protocol(format!("no message has the type {other:#04x}"))),
        };
        reader.end()?;
        Ok(message)
    }
}

fn parse(reader: &mut MessageReader) -> Result<FrontendMessage, PgError> {
    let (name, text) = (reader.text()?, reader.text()?);
    let count = reader.count()?;
    let types = (0..count).map(|_| reader.i32().map(i32::cast_unsigned)).collect::<Result<_, _>>()?;
    Ok(FrontendMessage::Parse { name, text, types })
}

fn bind(reader: &mut MessageReader) -> Result<Bind, PgError> {
    let (portal, statement) = (reader.text()?, reader.text()?);
    let formats = reader.formats()?;
    let count = reader.count()?;
    let parameters: Vec<Option<Bytes>> = (0..count).map(|_| reader.value()).collect::<Result<_, _>>()?;
    if formats.len() > 1 && formats.len() != parameters.len() {
        let (formats, parameters) = (formats.len(), parameters.len());
        return Err(PgError::protocol(format!(
            "bind message has {formats} parameter formats but {parameters} parameters"
        )));
    }
    Ok(Bind { portal, statement, formats, parameters, results: reader.formats()? })
}

fn target(reader: &mut MessageReader) -> Result<DescribeTarget, PgError> {
    match reader.take(1)?[0] {
        b'S' => Ok(DescribeTarget::Statement(reader.text()?)),
        b'P' => Ok(DescribeTarget::Portal(reader.text()?)),
        other => Err(PgError::protocol(format!("neither a statement nor a portal: {other:#04x}"))),
    }
}

/// Reads the parts of a message.
pub(super) struct MessageReader(pub(super) Bytes);

impl MessageReader {
    pub(super) fn take(&mut self, length: usize) -> Result<Bytes, PgError> {
        if length > self.0.len() {
            return Err(PgError::protocol("insufficient data left in message"));
        }
        Ok(self.0.split_to(length))
    }

    pub(super) fn i32(&mut self) -> Result<i32, PgError> {
        let bytes = self.take(4)?;
        Ok(i32::from_be_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
    }

    fn count(&mut self) -> Result<u16, PgError> {
        let bytes = self.take(2)?;
        Ok(u16::from_be_bytes([bytes[0], bytes[1]]))
    }

    /// A text that ends with a zero byte.
    pub(super) fn text(&mut self) -> Result<String, PgError> {
        let length = self.0.iter().position(|&byte| byte == 0);
        let length = length.ok_or_else(|| PgError::protocol("invalid string in message"))?;
        let text = self.take(length)?;
        self.take(1)?;
        let text = std::str::from_utf8(&text);
        text.map(str::to_string).map_err(|_| PgError::new("22021", "invalid byte sequence for encoding \"UTF8\""))
    }

    /// A value with its length; −1 is NULL.
    pub(super) fn value(&mut self) -> Result<Option<Bytes>, PgError> {
        match self.i32()? {
            -1 => Ok(None),
            length => {
                let length = usize::try_from(length).map_err(|_| PgError::protocol("a length is negative"))?;
                self.take(length).map(Some)
            }
        }
    }

    fn formats(&mut self) -> Result<Vec<ValueFormat>, PgError> {
        let count = self.count()?;
        let format = |code| match code {
            0 => Ok(ValueFormat::Text),
            1 => Ok(ValueFormat::Binary),
            other => Err(PgError::new("22023", format!("invalid format code: {other}"))),
        };
        (0..count).map(|_| self.count().and_then(format)).collect()
    }

    fn end(&self) -> Result<(), PgError> {
        match self.0.is_empty() {
            true => Ok(()),
            false => Err(PgError::protocol("invalid message format: bytes are left")),
        }
    }
}
