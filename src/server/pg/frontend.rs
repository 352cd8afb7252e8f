//! Messages of clients: bytes in, messages of pgwire out. Every length is checked before it is believed.
//!
//! pgwire's own readers are not used: they panic when a message is too short for what it says, read on into the next
//! one, and replace bytes that are no UTF-8.

#[cfg(test)]
mod tests;

use bytes::{Buf, Bytes};
use pgwire::api::results::FieldFormat;
use pgwire::messages::PgWireFrontendMessage;
use pgwire::messages::copy::CopyData;
use pgwire::messages::extendedquery::{
    Bind, Close, Describe, Execute, Flush, Parse, Sync, TARGET_TYPE_BYTE_PORTAL, TARGET_TYPE_BYTE_STATEMENT,
};
use pgwire::messages::simplequery::Query;
use pgwire::messages::startup::PasswordMessageFamily;
use pgwire::messages::terminate::Terminate;

use super::error::PgError;

/// The format of a parameter or a column. None given: text; one: the same for all.
pub(super) fn format_of(codes: &[i16], index: usize) -> FieldFormat {
    let code = if let [only] = codes { Some(only) } else { codes.get(index) };
    code.map_or(FieldFormat::Text, |code| FieldFormat::from(*code))
}

/// Reads the body of a message of a kind.
pub(super) fn read(kind: u8, body: Bytes) -> Result<PgWireFrontendMessage, PgError> {
    let mut reader = MessageReader(body);
    let message = match kind {
        b'Q' => PgWireFrontendMessage::Query(Query::new(reader.text()?)),
        b'P' => PgWireFrontendMessage::Parse(parse(&mut reader)?),
        b'B' => PgWireFrontendMessage::Bind(bind(&mut reader)?),
        b'D' => PgWireFrontendMessage::Describe(Describe::new(reader.target()?, reader.name()?)),
        b'C' => PgWireFrontendMessage::Close(Close::new(reader.target()?, reader.name()?)),
        b'E' => PgWireFrontendMessage::Execute(Execute::new(reader.name()?, reader.i32()?)),
        b'H' => PgWireFrontendMessage::Flush(Flush::new()),
        b'S' => PgWireFrontendMessage::Sync(Sync::new()),
        b'X' => PgWireFrontendMessage::Terminate(Terminate::new()),
        b'p' => {
            return Ok(PgWireFrontendMessage::PasswordMessageFamily(PasswordMessageFamily::Raw(reader.0.into())));
        }
        // Part of a COPY FROM, which is refused when it begins: what was sent meanwhile is skipped.
        b'd' | b'c' | b'f' => return Ok(PgWireFrontendMessage::CopyData(CopyData::new(reader.0))),
        b'F' => return Err(PgError::unsupported("calls of functions by number are not served: use SELECT")),
        other => return Err(PgError::protocol(format!("no message has the type {other:#04x}"))),
    };
    match reader.0.is_empty() {
        true => Ok(message),
        false => Err(PgError::protocol("invalid message format: bytes are left")),
    }
}

fn parse(reader: &mut MessageReader) -> Result<Parse, PgError> {
    let (name, text) = (reader.name()?, reader.text()?);
    let count = reader.count()?;
    let types = (0..count).map(|_| reader.i32().map(i32::cast_unsigned)).collect::<Result<_, _>>()?;
    Ok(Parse::new(name, text, types))
}

fn bind(reader: &mut MessageReader) -> Result<Bind, PgError> {
    let (portal, statement) = (reader.name()?, reader.name()?);
    let formats = reader.formats()?;
    let count = reader.count()?;
    let parameters: Vec<Option<Bytes>> = (0..count).map(|_| reader.value()).collect::<Result<_, _>>()?;
    if formats.len() > 1 && formats.len() != parameters.len() {
        let (formats, parameters) = (formats.len(), parameters.len());
        return Err(PgError::protocol(format!(
            "bind message has {formats} parameter formats but {parameters} parameters"
        )));
    }
    Ok(Bind::new(portal, statement, formats, parameters, reader.formats()?))
}

/// Reads the parts of a message.
pub(super) struct MessageReader(pub(super) Bytes);

impl MessageReader {
    fn take(&mut self, length: usize) -> Result<Bytes, PgError> {
        if length > self.0.len() {
            return Err(PgError::protocol("insufficient data left in message"));
        }
        Ok(self.0.split_to(length))
    }

    pub(super) fn i32(&mut self) -> Result<i32, PgError> {
        Ok(self.take(4)?.get_i32())
    }

    fn count(&mut self) -> Result<u16, PgError> {
        Ok(self.take(2)?.get_u16())
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

    /// The name of a statement or a portal; `None`: the one without a name.
    fn name(&mut self) -> Result<Option<String>, PgError> {
        Ok(Some(self.text()?).filter(|name| !name.is_empty()))
    }

    /// The letter of a statement or a portal.
    fn target(&mut self) -> Result<u8, PgError> {
        match self.take(1)?[0] {
            known @ (TARGET_TYPE_BYTE_STATEMENT | TARGET_TYPE_BYTE_PORTAL) => Ok(known),
            other => Err(PgError::protocol(format!("neither a statement nor a portal: {other:#04x}"))),
        }
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

    fn formats(&mut self) -> Result<Vec<i16>, PgError> {
        let count = self.count()?;
        let format = |code| match code {
            0 | 1 => Ok(code as i16),
            other => Err(PgError::new("22023", format!("invalid format code: {other}"))),
        };
        (0..count).map(|_| self.count().and_then(format)).collect()
    }
}
