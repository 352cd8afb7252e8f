//! A message of protocol buffers, field after field.
//!
//! In: numbers and values of fields. Out: the bytes of the message; see the reader's `wire` for the format.

/// A message that is written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct WireMessage {
    pub bytes: Vec<u8>,
}

impl WireMessage {
    pub fn clear(&mut self) {
        self.bytes.clear();
    }

    /// Adds a whole number.
    pub fn number(&mut self, field: u32, number: u64) {
        self.varint(u64::from(field) << 3);
        self.varint(number);
    }

    /// Adds eight bytes.
    pub fn fixed(&mut self, field: u32, bits: u64) {
        self.varint(u64::from(field) << 3 | 1);
        self.bytes.extend(bits.to_le_bytes());
    }

    /// Adds text or the bytes of a message.
    pub fn text(&mut self, field: u32, text: impl AsRef<[u8]>) {
        let text = text.as_ref();
        self.varint(u64::from(field) << 3 | 2);
        self.varint(text.len() as u64);
        self.bytes.extend(text);
    }

    /// Adds a message.
    pub fn message(&mut self, field: u32, message: &WireMessage) {
        self.text(field, &message.bytes);
    }

    fn varint(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.bytes.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.bytes.push(number as u8);
    }
}
